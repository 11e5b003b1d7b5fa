// CUPTI's side of fake_driver.h: records of activity, and no counters.
#include <cstring>
#include <iterator>

#include "kernels/backend/cuda/counters/cupti_api.h"
#include "tests/support/fake_cuda/fake_driver.h"

using namespace warpscope;
using namespace warpscope::cuda;
namespace fake = warpscope::testing::fake_driver;

namespace {

// As large as CUDA 13's records, so that one record's end is told by its kind.
constexpr size_t kKernelBytes = 208, kMemoryBytes = 96;
constexpr cupti::Result kEndOfRecords = 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED

cupti::Api::RequestBuffer request_buffer = nullptr;
cupti::Api::TakeBuffer take_buffer = nullptr;
int batches = 0;

size_t sizeOf(cupti::ActivityKind kind) {
  return kind == cupti::ActivityKind::kConcurrentKernel ? kKernelBytes : kMemoryBytes;
}

uint64_t timeOf(int64_t host_ns) {
  return fake::cuptiMode() == fake::Cupti::kHasNoTimes
             ? 0
             : static_cast<uint64_t>(host_ns + fake::kActivityAhead_ns);
}

void write(uint8_t* to, const fake::Record& record) {
  std::memset(to, 0xEE, sizeOf(static_cast<cupti::ActivityKind>(record.kind)));
  const auto fill = [&](auto of) {
    of.kind = static_cast<cupti::ActivityKind>(record.kind);
    of.start_ns = timeOf(record.begin_ns);
    of.end_ns = timeOf(record.end_ns);
    of.correlation = record.correlation;
    return of;
  };
  if (record.kind == static_cast<int>(cupti::ActivityKind::kConcurrentKernel)) {
    auto of = fill(cupti::ActivityOfKernel{});
    of.graph_node = fake::cuptiMode() == fake::Cupti::kHasNoNodes   ? 0
                    : fake::cuptiMode() == fake::Cupti::kMixesNodes ? ~record.node
                                                                    : record.node;
    std::memcpy(to, &of, sizeof of);
    return;
  }
  if (record.kind == static_cast<int>(cupti::ActivityKind::kPeerCopy)) {
    auto of = fill(cupti::ActivityOfPeerCopy{});
    of.copy_kind = record.copy_kind;
    of.bytes = record.bytes;
    std::memcpy(to, &of, sizeof of);
    return;
  }
  auto of = fill(cupti::ActivityOfMemory{});
  of.copy_kind = record.copy_kind;
  of.bytes = record.bytes;
  std::memcpy(to, &of, sizeof of);
}

// Newest first, since CUPTI promises no order, and a large copy in two parts.
std::vector<fake::Record> shuffled(const std::vector<fake::Record>& records) {
  std::vector<fake::Record> all;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    all.push_back(*record);
    if (record->through_host) {
      all.back().kind = 1;
      all.back().copy_kind = cupti::kToDevice;
      all.back().begin_ns = record->begin_ns + (record->end_ns - record->begin_ns) / 2;
      all.push_back(*record);
      all.back().kind = 1;
      all.back().copy_kind = cupti::kToHost;
      all.back().end_ns = record->begin_ns + (record->end_ns - record->begin_ns) / 2;
      continue;
    }
    if (record->kind != 1 || record->bytes < 4096) continue;
    fake::Record& first = all.back();
    fake::Record second = first;
    first.bytes /= 2;
    first.end_ns = second.begin_ns = (first.begin_ns + first.end_ns) / 2;
    second.bytes -= first.bytes;
    all.push_back(second);
  }
  return all;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cupti::Result cuptiActivityRegisterCallbacks(cupti::Api::RequestBuffer request, cupti::Api::TakeBuffer take) {
  request_buffer = request;
  take_buffer = take;
  return cupti::kOk;
}
cupti::Result cuptiActivityEnable(cupti::ActivityKind) {
  if (fake::cuptiMode() == fake::Cupti::kRefuses) return cupti::kSeveralSubscribers;
  batches = 0;
  fake::setRecording(true);
  return cupti::kOk;
}
cupti::Result cuptiActivityDisable(cupti::ActivityKind) {
  fake::setRecording(false);
  return cupti::kOk;
}
cupti::Result cuptiActivityFlushAll(uint32_t) {
  std::vector<fake::Record> records = fake::takeRecords();
  if (!records.empty()) ++batches;
  const bool loses = fake::cuptiMode() == fake::Cupti::kLosesAKernel ||
                     (fake::cuptiMode() == fake::Cupti::kLosesALaterOne && batches == 2);
  if (loses && !records.empty()) records.pop_back();
  uint8_t* buffer = nullptr;
  size_t bytes = 0, most = 0, used = 0;
  for (const fake::Record& record : shuffled(records)) {
    const size_t size = sizeOf(static_cast<cupti::ActivityKind>(record.kind));
    if (buffer != nullptr && used + size > bytes) {
      take_buffer(nullptr, 0, buffer, bytes, used);
      buffer = nullptr;
    }
    if (buffer == nullptr) {
      request_buffer(&buffer, &bytes, &most);
      used = 0;
    }
    write(buffer + used, record);
    used += size;
  }
  if (buffer != nullptr) take_buffer(nullptr, 0, buffer, bytes, used);
  return cupti::kOk;
}
cupti::Result cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, cupti::ActivityRecord** record) {
  auto* at = reinterpret_cast<uint8_t*>(*record);
  at = at == nullptr ? buffer : at + sizeOf((*record)->kind);
  if (at >= buffer + valid) return kEndOfRecords;
  *record = reinterpret_cast<cupti::ActivityRecord*>(at);
  return cupti::kOk;
}
cupti::Result cuptiGetResultString(cupti::Result result, const char** name) {
  *name = result == cupti::kSeveralSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                               : "CUPTI_OF_TEST";
  return cupti::kOk;
}
cupti::Result cuptiRegisterComputeCrcCallback(cupti::Api::CubinCallback) {
  return cupti::kNotSupported;
}

#define WARPSCOPE_FAKE_CUPTI(member, entry, Params, last) \
  cupti::Result fake_##member(void*) __asm__(entry);      \
  cupti::Result fake_##member(void*) {                    \
    return cupti::kNotSupported;                          \
  }
WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_FAKE_CUPTI)

}  // extern "C"
#pragma GCC visibility pop
