// Adds up many intervals into the mean height of equal columns, at constant cost per interval, however many
// columns it covers. Used for the minimap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpscope {

class DensityProfile {
 public:
  DensityProfile(int64_t begin, int64_t end, size_t columns);
  void add(int64_t begin, int64_t end, double height);
  void add(const DensityProfile& other);  // all of its intervals; of the same columns
  // For each column, the mean of the sum of all heights.
  std::vector<double> means() const;

 private:
  // Adds the interval from `at` to the end of the axis.
  void addFrom(double at, double height);

  double begin_, column_;
  std::vector<double> partial_;  // what a column gets in addition to `whole_`
  std::vector<double> whole_;    // differences: from this column on, the full height
};

}  // namespace warpscope
