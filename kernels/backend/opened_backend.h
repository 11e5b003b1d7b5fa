// An open backend of either kind. Code that opened it by name need not know which it is; code that can do
// more with a modelling one visits it.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "kernels/backend/modelling_backend.h"

namespace warpscope {

class OpenedBackend {
 public:
  explicit OpenedBackend(std::unique_ptr<Backend> measuring) : backend_(std::move(measuring)) {}
  explicit OpenedBackend(std::unique_ptr<ModellingBackend> modelling) : backend_(std::move(modelling)) {}

  Backend& any() const {
    return std::visit([](const auto& backend) -> Backend& { return *backend; }, backend_);
  }
  Backend* operator->() const { return &any(); }

  // Calls visitor(Backend&) for a device that measures, visitor(ModellingBackend&) for one that models.
  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit([&](const auto& backend) -> decltype(auto) { return visitor(*backend); }, backend_);
  }

  // A launch in which the kernel reads meaningful clocks: a modelling device models its time.
  Expected<void> launchWithClocks(const LaunchSpec& spec, const std::stop_token& stop = {}) const;

 private:
  std::variant<std::unique_ptr<Backend>, std::unique_ptr<ModellingBackend>> backend_;
};

}  // namespace warpscope
