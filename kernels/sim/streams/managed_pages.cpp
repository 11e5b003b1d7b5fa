#include "kernels/sim/streams/managed_pages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

namespace warpscope::sim {
namespace {

constexpr uint64_t kPage = kManagedPageBytes;

// Whether one of the launch's parameters holds an address in [begin, begin + bytes).
bool pointsInto(const LaunchSpec& launch, DeviceAddress begin, uint64_t bytes) {
  for (const std::vector<std::byte>& parameter : launch.parameters) {
    for (size_t at = 0; at + sizeof(uint64_t) <= parameter.size(); at += sizeof(uint64_t)) {
      uint64_t value = 0;
      std::memcpy(&value, parameter.data() + at, sizeof value);
      if (value >= begin && value - begin < bytes) return true;
    }
  }
  return false;
}

}  // namespace

ManagedPages::ManagedPages(std::span<const StreamWork::Managed> memory, const DeviceProfile& profile)
    : profile_(profile), cycles_per_ns_(std::max(profile.sm_clock_mhz, 1U) / 1e3) {
  for (const StreamWork::Managed& each : memory) {
    const uint64_t bytes = each.host.size();
    buffers_.push_back(
        {each.address, bytes, each.advice.staysOnHost(), std::vector<bool>(managedPages(bytes), true)});
  }
}

uint64_t ManagedPages::moving(uint64_t bytes) const {
  return cycles(static_cast<double>(bytes) / profile_.migration_bytes_per_ns);
}

uint64_t ManagedPages::bytesOf(const Page& page) const {
  return std::min(kPage, buffers_[page.buffer].bytes - page.number * kPage);
}
uint64_t ManagedPages::bytesOf(std::span<const Page> pages) const {
  uint64_t bytes = 0;
  for (const Page& page : pages) bytes += bytesOf(page);
  return bytes;
}

bool ManagedPages::usedBy(const LaunchSpec& launch) const {
  return std::ranges::any_of(
      buffers_, [&](const Buffer& buffer) { return pointsInto(launch, buffer.address, buffer.bytes); });
}

void ManagedPages::touch(const Touch& by, const LaunchSpec& launch, uint64_t now) {
  Waiting waiting{.block = {by.operation, by.block, now}};
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (!pointsInto(launch, buffer.address, buffer.bytes)) continue;
    const uint64_t begin = buffer.bytes * by.block / by.blocks;
    const uint64_t end = buffer.bytes * (uint64_t{by.block} + 1) / by.blocks;
    if (begin == end) continue;
    if (buffer.stays) {
      const auto bytes = static_cast<double>(end - begin);
      link_free_ = std::max(link_free_, now) + cycles(bytes / profile_.remote_access_bytes_per_ns);
      waiting.block.at = link_free_;
      continue;
    }
    for (uint64_t page = begin / kPage; page <= (end - 1) / kPage; ++page) {
      if (!buffer.on_host[page]) continue;
      ++waiting.lacks;
      fault({i, static_cast<uint32_t>(page)}, by.operation, waiting_.size(), now);
    }
  }
  if (waiting.lacks == 0) {
    ready_.push_back(waiting.block);
  } else {
    waiting_.push_back(waiting);
  }
}

void ManagedPages::fault(const Page& page, uint32_t operation, size_t waiting, uint64_t now) {
  waited_for_[page].push_back(waiting);
  const bool moves = batch_ && std::ranges::find(batch_->pages, page) != batch_->pages.end();
  const bool known =
      std::ranges::find(faults_, page, [](const auto& each) { return each.first; }) != faults_.end();
  if (moves || known) return;
  faults_.emplace_back(page, operation);
  if (!batch_) beginBatch(now);
}

void ManagedPages::beginBatch(uint64_t now) {
  const uint64_t wakes = cycles(profile_.page_fault_batch_ns);
  const bool awake = served_until_ != kNever && now <= served_until_ + wakes;
  batch_ = Batch{
      .operation = faults_.front().second, .begin = now, .taken_at = awake ? now : now + wakes, .pages = {}};
}

void ManagedPages::takeFaults() {
  std::vector<Page> faulted;
  while (!faults_.empty() && faulted.size() < kMostFaultsOfBatch) {
    faulted.push_back(faults_.front().first);
    faults_.pop_front();
  }
  batch_->faults = static_cast<uint32_t>(faulted.size());
  batch_->pages = withPrefetched(faulted, true);
  // Pages that come along need not be served any more.
  std::erase_if(faults_,
                [&](const auto& each) { return std::ranges::binary_search(batch_->pages, each.first); });
  batch_->end = batch_->taken_at + moving(bytesOf(batch_->pages));
}

void ManagedPages::arrive() {
  const Batch batch = *std::exchange(batch_, std::nullopt);
  served_until_ = batch.end;
  migrations_.push_back({.operation = batch.operation,
                         .to_device = true,
                         .faults = batch.faults,
                         .bytes = bytesOf(batch.pages),
                         .begin_ns = static_cast<double>(batch.begin),
                         .end_ns = static_cast<double>(batch.end)});
  for (const Page& page : batch.pages) {
    buffers_[page.buffer].on_host[page.number] = false;
    const auto waited = waited_for_.find(page);
    if (waited == waited_for_.end()) continue;
    for (const size_t index : waited->second) {
      Waiting& waiting = waiting_[index];
      waiting.block.at = std::max(waiting.block.at, batch.end);
      if (--waiting.lacks == 0) ready_.push_back(waiting.block);
    }
    waited_for_.erase(waited);
  }
  if (!faults_.empty()) beginBatch(batch.end);
}

std::vector<ManagedPages::Page> ManagedPages::withPrefetched(std::span<const Page> faulted,
                                                             bool to_device) const {
  std::map<Page, uint32_t> trees;  // by the first page: a bit for each of its pages that faulted
  for (const auto& [buffer, number] : faulted)
    trees[{buffer, number / kPagesOfTree * kPagesOfTree}] |= 1U << number % kPagesOfTree;
  std::vector<Page> pages;
  for (const auto& [first, touched] : trees) {
    const Buffer& buffer = buffers_[first.buffer];
    const auto count =
        static_cast<uint32_t>(std::min<size_t>(kPagesOfTree, buffer.on_host.size() - first.number));
    uint32_t there = 0, all = 0;
    for (uint32_t i = 0; i < count; ++i) {
      all |= 1U << i;
      if (buffer.on_host[first.number + i] != to_device) there |= 1U << i;
    }
    uint32_t with = there;
    for (uint32_t rest = touched; rest != 0; rest &= rest - 1) {
      const auto page = static_cast<uint32_t>(std::countr_zero(rest));
      with |= 1U << page;
      for (uint32_t size = 2; size <= kPagesOfTree; size *= 2) {
        const uint32_t ones = size == kPagesOfTree ? ~0U : (1U << size) - 1;
        const uint32_t subtree = ones << (page / size * size) & all;
        if (2 * std::popcount(with & subtree) > std::popcount(subtree)) with |= subtree;
      }
    }
    for (uint32_t moves = with & ~there; moves != 0; moves &= moves - 1)
      pages.push_back({first.buffer, first.number + static_cast<uint32_t>(std::countr_zero(moves))});
  }
  return pages;
}

uint64_t ManagedPages::nextChange() const {
  uint64_t next = kNever;
  for (const GoesOn& each : ready_) next = std::min(next, each.at);
  if (batch_) next = std::min(next, batch_->end == kNever ? batch_->taken_at : batch_->end);
  return next;
}

std::vector<ManagedPages::GoesOn> ManagedPages::advance(uint64_t now) {
  while (batch_) {
    if (batch_->end == kNever && batch_->taken_at <= now) takeFaults();
    if (batch_->end == kNever || batch_->end > now) break;
    arrive();
  }
  const auto due =
      std::partition(ready_.begin(), ready_.end(), [&](const GoesOn& each) { return each.at > now; });
  std::vector<GoesOn> go(due, ready_.end());
  ready_.erase(due, ready_.end());
  return go;
}

uint64_t ManagedPages::hostTouches(uint32_t operation, DeviceAddress address, uint64_t bytes, uint64_t now) {
  const uint64_t begin = now;
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    Buffer& buffer = buffers_[i];
    if (address < buffer.address || address - buffer.address >= buffer.bytes || bytes == 0) continue;
    const uint64_t offset = address - buffer.address;
    for (uint64_t page = offset / kPage; page <= (offset + bytes - 1) / kPage; ++page) {
      if (buffer.on_host[page]) continue;
      const Page faulted{i, static_cast<uint32_t>(page)};
      const std::vector<Page> pages = withPrefetched({&faulted, 1}, false);
      for (const Page& each : pages) buffer.on_host[each.number] = true;
      const double copying_ns = static_cast<double>(bytesOf(pages)) / profile_.copy_to_host_bytes_per_ns;
      const uint64_t end = now + cycles(profile_.host_page_fault_ns + copying_ns);
      migrations_.push_back({.operation = operation,
                             .to_device = false,
                             .faults = 1,
                             .bytes = bytesOf(pages),
                             .begin_ns = static_cast<double>(now),
                             .end_ns = static_cast<double>(end)});
      now = end;
    }
  }
  return now - begin;
}

uint64_t ManagedPages::prefetch(DeviceAddress address, uint64_t bytes, MemoryPlace to) {
  const bool to_host = to == MemoryPlace::kHost;
  uint64_t moved = 0;
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    Buffer& buffer = buffers_[i];
    if (address < buffer.address || address - buffer.address >= buffer.bytes || bytes == 0) continue;
    const uint64_t offset = address - buffer.address;
    for (uint64_t page = offset / kPage; page <= (offset + bytes - 1) / kPage; ++page) {
      if (buffer.on_host[page] == to_host) continue;
      buffer.on_host[page] = to_host;
      moved += bytesOf({i, static_cast<uint32_t>(page)});
    }
  }
  return moved;
}

}  // namespace warpscope::sim
