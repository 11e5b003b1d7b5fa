#include "viz/layout/density.h"

#include <algorithm>

namespace warpscope {

DensityProfile::DensityProfile(int64_t begin, int64_t end, size_t columns)
    : begin_(static_cast<double>(begin)),
      column_(static_cast<double>(std::max<int64_t>(1, end - begin)) / static_cast<double>(columns)),
      partial_(columns + 1),
      whole_(columns + 1) {}

void DensityProfile::add(int64_t begin, int64_t end, double height) {
  if (end <= begin || height == 0) return;
  addFrom(static_cast<double>(begin), height);
  addFrom(static_cast<double>(end), -height);
}

void DensityProfile::add(const DensityProfile& other) {
  for (size_t i = 0; i < partial_.size(); ++i) partial_[i] += other.partial_[i];
  for (size_t i = 0; i < whole_.size(); ++i) whole_[i] += other.whole_[i];
}

void DensityProfile::addFrom(double at, double height) {
  const double last = static_cast<double>(partial_.size() - 1);
  const double position = std::clamp((at - begin_) / column_, 0.0, last);
  const auto column = std::min(static_cast<size_t>(position), partial_.size() - 1);
  partial_[column] += height * (1 - (position - static_cast<double>(column)));
  if (column + 1 < whole_.size()) whole_[column + 1] += height;
}

std::vector<double> DensityProfile::means() const {
  std::vector<double> means(partial_.size() - 1);
  double level = 0;
  for (size_t i = 0; i < means.size(); ++i) {
    level += whole_[i];
    means[i] = std::max(0.0, level + partial_[i]);
  }
  return means;
}

}  // namespace warpscope
