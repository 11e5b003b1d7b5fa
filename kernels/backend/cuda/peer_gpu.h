// The second GPU of runs on two: its context and stream, and what is allocated there. What is done with its
// memory has ended when these return, so that it is in order with the first GPU's stream.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

// Another GPU of this machine with the same name; nullopt: there is none.
std::optional<int> peerOrdinal(const DriverApi& api, int ordinal);
// Whether kernels of each can access the other's memory.
bool canAccessEachOther(const DriverApi& api, int one, int other);

class PeerGpu {
 public:
  // Where the two can access each other's memory, both may from here on. The first one's context is current
  // then, and after each of the following.
  static Expected<std::unique_ptr<PeerGpu>> open(Session& first);
  ~PeerGpu();
  PeerGpu(const PeerGpu&) = delete;
  PeerGpu& operator=(const PeerGpu&) = delete;

  Session& session() { return *session_; }
  Hold& hold() { return *hold_; }
  Expected<Module> module(const ModuleImage& image);  // loaded there; its context is current then

  Expected<Address> allocate(uint64_t bytes);
  bool owns(Address address) const;  // whether it is in what was allocated
  void free(Address address);
  Expected<void> upload(Address to, std::span<const std::byte> from);
  Expected<void> download(std::span<std::byte> to, Address from);
  Expected<void> fill(Address to, uint8_t value, uint64_t bytes);
  Expected<void> copy(Address to, Address from, uint64_t bytes);  // one end, or both, are there

 private:
  PeerGpu(Session& first, std::unique_ptr<Session> session) : first_(first), session_(std::move(session)) {}
  Expected<void> letAccess();
  // `work` on its stream, behind what the first GPU's stream has.
  template <class Work>
  Expected<void> there(const char* doing, const Work& work);

  Session& first_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Hold> hold_;
  std::map<std::string, Module> modules_;
  std::map<Address, uint64_t> allocations_;  // bytes
};

}  // namespace warpscope::cuda
