#include "kernels/sim/simulated_backend.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "kernels/backend/stream_allocations.h"
#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/lanes/record_lanes.h"
#include "kernels/sim/listing.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"
#include "kernels/sim/simt/tensor_map.h"
#include "kernels/sim/sm/modelled_addresses.h"
#include "kernels/sim/sm/other_blocks.h"
#include "kernels/sim/sm/sampled_sms.h"
#include "kernels/sim/sm/shifting_parameters.h"
#include "kernels/sim/sm/timed_grid.h"
#include "kernels/sim/sm/value_recorder.h"
#include "kernels/sim/sm/worker_pool.h"
#include "kernels/sim/streams/bare_launch.h"
#include "kernels/sim/streams/stream_machine.h"

namespace warpscope::sim {
namespace {

// A launch whose blocks wait for each other is given up after so many times the instructions that blocks
// execute until they wait.
constexpr uint64_t kMostSteps = 4, kLeastStepLimit = 500'000;
constexpr uint64_t kConditionHandles = 0x6'0000'0000;  // handles of conditions count from here: no address
constexpr double kHostMemoryShare = 0.5;  // the largest share of the host's memory that a simulated GPU takes

uint64_t hostMemoryBytes() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : uint64_t{4} << 30;
}

struct Kernel {
  std::shared_ptr<const Code> code;
  MachineCode machine;
  std::shared_ptr<const Listing> listing;
  const LoadedModule* module = nullptr;
  uint32_t barriers = 0;
  Influence influence = Influence::kAny;
  std::optional<std::vector<bool>> shifting{};  // shiftingParameters(), once they are asked for
};

std::shared_ptr<const Listing> listingOf(const Code& code) {
  Listing listing;
  const FileName file = [&](uint32_t number) {
    return number < code.files.size() ? code.files[number] : std::string();
  };
  for (size_t i = 0; i < code.instructions.size(); ++i)
    listing.push_back(listInstruction(code.texts[i], code.lines[i], file));
  return std::make_shared<const Listing>(std::move(listing));
}

class SimulatedBackend final : public ModellingBackend {
 public:
  SimulatedBackend(DeviceProfile profile, SimulatedOptions options, std::unique_ptr<GlobalMemory> memory)
      : profile_(std::move(profile)),
        options_(options),
        description_(describe(profile_)),
        memory_(std::move(memory)),
        caches_(profile_) {
    description_.memory_bytes = memory_->capacity();
  }

  const DeviceDescription& description() const override { return description_; }

  Expected<KernelHandle> kernel(const ModuleImage& image, const std::string& entry) override {
    const auto key = std::pair(std::string(image.name), entry);
    if (const auto known = handles_.find(key); known != handles_.end()) return known->second;
    const auto module = loadedModule(image);
    if (!module) return tl::unexpected(module.error());
    auto code = decodeKernel(**module, entry);
    if (!code) return tl::unexpected(code.error());
    MachineCode machine = lowerToMachine(**code, profile_);
    auto listing = listingOf(**code);
    const Influence influence = influenceOfBlocks(**code);
    kernels_.push_back({std::move(*code), std::move(machine), std::move(listing), *module,
                        barriersOf(image, entry), influence});
    return handles_.emplace(key, KernelHandle{kernels_.size()}).first->second;
  }

  Expected<KernelResources> resources(KernelHandle handle, uint32_t dynamic_shared_bytes) override {
    const Kernel& kernel = kernelOf(handle);
    uint32_t local_bytes = 0;
    for (const CodeFunction& function : kernel.code->functions) local_bytes += function.local_bytes;
    return KernelResources{kernel.machine.registers_per_thread, kernel.code->static_shared_bytes,
                           dynamic_shared_bytes, local_bytes, kernel.barriers};
  }

  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes) override {
    const auto needed = resources(handle, dynamic_shared_bytes);
    if (!needed) return tl::unexpected(needed.error());
    return theoreticalOccupancy(description_.limits, *needed, block_threads).blocks_per_sm;
  }

  Expected<DeviceAddress> symbol(const ModuleImage& image, const std::string& name, uint64_t bytes) override {
    const auto loaded = loadedModule(image);
    if (!loaded) return tl::unexpected(loaded.error());
    const std::vector<ptx::Variable>& variables = (*loaded)->module->variables;
    const auto found = std::ranges::find(variables, symbolName(name), &ptx::Variable::name);
    if (found == variables.end() || found->bytes < bytes) {
      return fail(ErrorKind::kBadRequest, "module {} has no variable {} of {} bytes", image.name, name,
                  bytes);
    }
    return (*loaded)->variable_addresses.at(static_cast<size_t>(found - variables.begin()));
  }

  Expected<MemoryInfo> memory() override {
    return MemoryInfo{memory_->capacity() - memory_->used(), memory_->capacity()};
  }
  Expected<DeviceAddress> allocate(uint64_t bytes) override {
    auto address = memory_->allocate(bytes, fmt::format("buffer {}", ++allocations_));
    if (address) written_.allocated(*address, bytes);
    return address;
  }
  // All GPUs' memory is one of the host's; of GPU 1's it is known where it is.
  Expected<DeviceAddress> allocateOn(uint32_t gpu, uint64_t bytes) override {
    if (gpu >= description_.limits.gpus) return Backend::allocateOn(gpu, bytes);
    auto address = allocate(bytes);
    if (address && gpu == 1) of_peer_.push_back({*address, *address + bytes});
    return address;
  }
  // The host's side is the caller's (StreamWork::managed).
  Expected<DeviceAddress> allocateManaged(uint64_t bytes) override { return allocate(bytes); }
  void free(DeviceAddress address) override {
    if (address == 0) return;
    std::erase_if(of_peer_, [&](const AddressRange& range) { return range.begin == address; });
    static_cast<void>(memory_->free(address));
    written_.freed(address);
  }

  Expected<void> upload(DeviceAddress to, std::span<const std::byte> from) override {
    const auto host = range(to, from.size(), "uploading");
    if (!host) return tl::unexpected(host.error());
    std::copy(from.begin(), from.end(), *host);
    memory_->noteWritten(to, from.size());
    written(to, from.size());
    return {};
  }
  Expected<void> download(std::span<std::byte> to, DeviceAddress from) override {
    const auto host = range(from, to.size(), "downloading");
    if (!host) return tl::unexpected(host.error());
    std::copy_n(*host, to.size(), to.begin());
    return {};
  }
  // Device memory is host memory: nothing is copied, and no slot is needed.
  Expected<std::span<const std::byte>> downloadView(size_t /*slot*/, DeviceAddress from,
                                                    uint64_t bytes) override {
    const auto host = range(from, bytes, "reading");
    if (!host) return tl::unexpected(host.error());
    return std::span<const std::byte>(*host, bytes);
  }
  Expected<void> copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override {
    const auto target = range(to, bytes, "copying");
    if (!target) return tl::unexpected(target.error());
    const auto source = range(from, bytes, "copying");
    if (!source) return tl::unexpected(source.error());
    if (bytes == 0) return {};
    memory_->copy(to, from, bytes);
    cachesAt(to).touchL2(addresses_.of(to), bytes);
    written_.copied(to, from, bytes);
    return {};
  }
  Expected<void> fill(DeviceAddress to, uint8_t value, uint64_t bytes) override {
    const auto host = range(to, bytes, "filling");
    if (!host) return tl::unexpected(host.error());
    memory_->fill(to, value, bytes);
    written(to, bytes);
    return {};
  }

  // Texels stay where they are: a fetch reads the buffer's memory.
  Expected<ImageHandle> createImage(const ImageDescription& image, DeviceAddress texels) override {
    if (auto possible = checkImage(image); !possible) return tl::unexpected(possible.error());
    if (const auto host = range(texels, image.bytes(), "making an image of"); !host)
      return tl::unexpected(host.error());
    const auto unused = std::ranges::find(images_, 0U, &BoundImage::texels);
    const auto slot = static_cast<uint64_t>(unused - images_.begin());
    if (unused == images_.end()) images_.emplace_back();
    images_[slot] = {image, texels};
    return ImageHandle{kImageHandles + slot, image.use};
  }
  Expected<std::vector<std::byte>> encodeTensorMap(const TensorMapDescription& map,
                                                   DeviceAddress tensor) override {
    if (auto possible = checkTensorMap(map, tensor); !possible) return tl::unexpected(possible.error());
    if (const auto host = range(tensor, map.bytes(), "making a map of"); !host)
      return tl::unexpected(host.error());
    return sim::encodeTensorMap({map, tensor});
  }
  void freeImage(ImageHandle image) override {
    const uint64_t slot = image.value - kImageHandles;
    if (slot < images_.size()) images_[slot].texels = 0;
  }

  Expected<LaunchReport> launch(const LaunchSpec& spec, const std::stop_token& stop,
                                const LaunchListener& listener) override {
    LaunchReport report;
    auto done = forEachLaunch(spec, report, listener, [&](const LaunchSpec& one, const Launch& launch) {
      written_.everythingWritten();
      FunctionalOptions options{.threads = options_.threads};
      options.progress = listener.progress;
      options.all_resident = one.cooperative;
      return runFunctional(launch, options, stop).map([&](const FunctionalResult& result) {
        report.instructions.push_back(result.warp_instructions);
      });
    });
    if (!done) return tl::unexpected(done.error());
    return report;
  }

  uint32_t sampledSms(const LaunchSpec& spec, uint32_t at_least) const override {
    if (hasClusters(spec)) return 0;  // whose blocks reach each other
    return sim::sampledSms(influence(spec), spec.grid.count(), description_.limits.sm_count, at_least);
  }

  Expected<ModelledReport> launchModelled(const LaunchSpec& spec, const ModelledLaunch& how,
                                          const std::stop_token& stop,
                                          const LaunchListener& listener) override {
    ModelledReport report;
    report.listing = kernelOf(spec.kernel).listing;
    auto done = forEachLaunch(
        spec, report, listener, [&](const LaunchSpec& one, const Launch& launch) -> Expected<void> {
          const bool first = &one == &spec;
          written_.everythingWritten();
          const std::vector<AddressRange> recording = bufferRanges(how.probe_params);
          if (first) prepareCaches(how.caches, spec, recording);
          TimedOptions options{.threads = options_.threads,
                               .begin_cycle = clock_cycles_,
                               .step_limit = how.step_limit,
                               .blocks_per_sm = blocks_per_sm_,
                               .addresses = &addresses_,
                               .pools = &pools_};
          if (how.sampled_sms > 0 && launch.cluster.count() == 1)
            options.sampled_sms = first ? how.sampled_sms : sampledSms(one, 0);
          if (first && how.log) {
            options.log_first_blocks = how.log->first_blocks;
            options.log_sms = how.log->sms;
            options.log_limit = how.log->limit;
          }
          options.recorded_rounds = how.recorded_rounds;
          if (how.recorded_rounds > 0) {
            for (const AddressRange& range : recording)
              options.recording.push_back(modelled(range, range.end - range.begin));
          }
          options.progress = listener.progress;
          std::optional<ValueRecording> values;
          if (first && how.values) {
            values.emplace(how.values->block, how.values->snapshot_after);
            options.values = &*values;
          }
          const LaunchSpec& plain = first && how.plain ? *how.plain : one;
          const Influence influence = this->influence(plain);
          if (how.outputs && influence == Influence::kBarrier) options.sampled_sms = 0;
          const bool sampled = options.sampled_sms > 0;
          const bool waits = sampled && influence == Influence::kBarrier;
          std::optional<FunctionalResult> others;
          if (sampled && influence != Influence::kNone) {
            auto before = othersBefore(plain, options, how.outputs, stop);
            if (!before) return tl::unexpected(before.error());
            others = before->all;
            // If they do not only wait for the others to arrive, they would wait forever.
            if (waits && !before->foreseen) return unevenLaunch(report);
            if (waits && options.step_limit == 0) options.step_limit = before->step_limit;
          }
          auto timed = runTimed(launch, kernelOf(one.kernel).machine, profile_, cachesOf(one), options, stop);
          caches_.setPeerMemory({});
          if (!timed && waits && !stop.stop_requested()) return unevenLaunch(report);
          if (!timed) return tl::unexpected(timed.error());
          if (values) {
            report.values = values->take();
            report.values->listing = report.listing;
            report.values->buffers = buffers();
          }
          if (sampled && how.outputs && !others) {
            auto done = executeOthers(plain, options, stop);
            if (!done) return tl::unexpected(done.error());
            others = *done;
          }
          const BlockWork& work = timed->work;
          const ModelledBlocks blocks{timed->blocks, work.instructions, work.most, work.fewest};
          if (others && !how.plain) {
            const uint64_t left = launch.grid.count() - blocks.blocks;
            report.uneven = report.uneven || areUneven(blocks, others->warp_instructions, left);
          }
          // A block that waits executes more the longer it waits, which says nothing about its work.
          report.blocks.push_back(waits ? ModelledBlocks{launch.grid.count()} : blocks);
          report.complete = report.complete && (!sampled || others);
          take(std::move(*timed), report, first);
          return {};
        });
    if (!done) return tl::unexpected(done.error());
    return report;
  }

  // Each launch is executed by itself when it becomes ready, on all SMs; the streams' model then says which
  // blocks of all launches run when and where.
  Expected<StreamReport> runStreams(const StreamWork& work, const std::stop_token& stop,
                                    const LaunchListener& listener) override {
    return runOperations(work, nullptr, stop, listener);
  }

  Expected<ModelledStreamReport> runStreamsModelled(const StreamWork& work, const ModelledStreams& how,
                                                    const std::stop_token& stop,
                                                    const LaunchListener& listener) override {
    return runOperations(work, &how, stop, listener);
  }

  Expected<CheckedReport> launchChecked(const LaunchSpec& spec, uint64_t step_limit,
                                        const std::stop_token& stop, const LaunchListener& listener,
                                        TouchedMemory* touched) override {
    CheckedReport report;
    std::shared_ptr<PrimaryLaunch> before;
    auto done = forEachLaunch(spec, report, listener, [&](const LaunchSpec& one, const Launch& launch) {
      CheckOptions options{.touched = touched};
      if (step_limit > 0) options.step_limit = step_limit;
      options.progress = listener.progress;
      if (one.programmatic) options.primary = before;
      options.keep_accesses = !spec.following.empty();
      return runChecked(launch, written_, options, stop).map([&](CheckReport&& checked) {
        std::ranges::move(checked.hazards, std::back_inserter(report.hazards));
        before = std::move(checked.accesses);
      });
    });
    if (!done) return tl::unexpected(done.error());
    return report;
  }

  Expected<LaneLog> recordLanes(const LaunchSpec& spec, const LaneLogOptions& options,
                                const std::stop_token& stop) override {
    const auto launch = prepare(spec);
    if (!launch) return tl::unexpected(launch.error());
    written_.everythingWritten();
    auto log = sim::recordLanes(*launch, options, stop);
    if (!log) return log;
    log->listing = kernelOf(spec.kernel).listing;
    log->buffers = buffers();
    return log;
  }

  // The model's times do not scatter: one launch says as much as many.
  Expected<std::vector<double>> time(const LaunchSpec& spec, uint32_t warm_ups, uint32_t /*repeats*/,
                                     FillBefore reset) override {
    if (auto done = fill(reset.address, reset.value, reset.bytes); !done) return tl::unexpected(done.error());
    const auto caches = warm_ups > 0 ? ModelledLaunch::Caches::kWarm : ModelledLaunch::Caches::kCold;
    const auto report = launchModelled(spec, {.caches = caches}, {}, {});
    if (!report) return tl::unexpected(report.error());
    return std::vector<double>{report->time_us};
  }

  // Not simulated but computed: what the narrower of L2 and DRAM lets through, as a copy engine or a tuned
  // copy kernel reaches it, and one latency.
  Expected<std::vector<double>> timeCopy(DeviceAddress to, DeviceAddress from, uint64_t bytes,
                                         uint32_t /*warm_ups*/, uint32_t /*repeats*/) override {
    if (auto done = copy(to, from, bytes); !done) return tl::unexpected(done.error());
    const bool in_l2 = 2 * bytes <= profile_.l2.bytes;
    const double bytes_per_cycle = in_l2 ? profile_.l2.bytes_per_cycle : profile_.dram_bytes_per_cycle;
    const uint32_t latency_cycles = in_l2 ? profile_.l2.latency_cycles : profile_.dram_latency_cycles;
    const double cycles = 2.0 * static_cast<double>(bytes) / bytes_per_cycle + latency_cycles;
    return std::vector<double>{cycles / profile_.sm_clock_mhz + profile_.launch_overhead_ns / 1e3};
  }

  bool poisoned() const override { return false; }

 private:
  std::vector<LaneLogBuffer> buffers() const {
    std::vector<LaneLogBuffer> found;
    for (const auto& [address, allocation] : memory_->allocations()) {
      if (!allocation.freed) found.push_back({allocation.name, address, allocation.bytes});
    }
    return found;
  }

  // `how`: nullptr: all blocks are modelled.
  Expected<ModelledStreamReport> runOperations(const StreamWork& work, const ModelledStreams* how,
                                               const std::stop_token& stop, const LaunchListener& listener) {
    if (auto possible = checkAllocations(work); !possible) return tl::unexpected(possible.error());
    if (auto possible = checkGpus(work, description_.limits.gpus); !possible)
      return tl::unexpected(possible.error());
    addresses_.clear();
    ModelledStreamReport modelled;
    modelled.bare.resize(work.operations.size());
    uint32_t launches = 0, done = 0;
    for (const EnqueuedOperation& operation : work.operations) {
      if (operation.kind != OperationKind::kLaunch) continue;
      ++launches;
      for (const AddressRange& range : buffersOf(operation.launch))
        addresses_.add(range, usedBytes(operation.launch, range));
    }
    for (const StreamWork::Managed& memory : work.managed) {
      if (auto sent = upload(memory.address, memory.host); !sent) return tl::unexpected(sent.error());
    }
    // So that the same work takes the same time whatever ran before. Copies leave what they move in L2; what
    // the host writes to managed memory is not there.
    caches_.clear();
    if (peer_caches_) peer_caches_->clear();
    const StreamActions actions{
        .launch = [&](uint32_t index) -> Expected<LaunchedAlone> {
          const LaunchSpec& spec = work.operations[index].launch;
          const bool decides = decidedBy(work, index).has_value();
          auto plain = how == nullptr ? std::nullopt : plainOf(*how, index, spec, !decides);
          if (plain && plain->recording == 0 && plain->known == nullptr && !decides)
            plain->like = likeBefore(*how, index, modelled);
          auto alone = decides ? launchDeciding(index, spec, plain, modelled, stop, listener)
                               : launchAlone(spec, plain, modelled, stop, listener);
          if (listener.progress) listener.progress(static_cast<double>(++done) / launches);
          return alone;
        },
        .effect = [&](uint32_t index) { return carryOut(work.operations[index]); }};
    auto report = runOnStreams(work, profile_, actions, stop);
    for (const StreamWork::Managed& memory : work.managed) {
      if (!report) break;
      if (auto read = download(memory.host, memory.address); !read) return tl::unexpected(read.error());
    }
    if (!report) return tl::unexpected(report.error());
    report->printed = std::move(modelled.printed);
    static_cast<StreamReport&>(modelled) = std::move(*report);
    return modelled;
  }

  // A launch whose blocks do not influence each other.
  struct Plain {
    uint32_t operation = 0;
    const LaunchSpec* spec = nullptr;        // executes what is not modelled
    uint32_t sms = 0;                        // that are modelled; 0: all
    uint32_t recording = 0;                  // so many of them record; 0: none, the launch has no probes
    const BareLaunch* known = nullptr;       // what it took without probes
    std::shared_ptr<const BareLaunch> like;  // what one before it, which did the same, took
    uint64_t recorded_rounds = 1, most_rounds = 0;
    bool outputs = true;
  };
  // `may_be_known`: false of a launch that decides something, for which it must be executed.
  std::optional<Plain> plainOf(const ModelledStreams& how, uint32_t operation, const LaunchSpec& spec,
                               bool may_be_known) const {
    const LaunchSpec& bare = how.plain[operation];
    if (hasClusters(bare) || influence(bare) != Influence::kNone) return std::nullopt;
    Plain plain{.operation = operation,
                .spec = &bare,
                .recorded_rounds = how.recorded_rounds,
                .outputs = how.outputs};
    if (may_be_known && operation < how.known.size()) plain.known = how.known[operation].get();
    const bool records = bare.kernel.value != spec.kernel.value;
    if (records) plain.recording = std::max(how.recorded_sms, 1U);
    if (plain.known != nullptr && records) {
      if (how.warps_of_known > 0) {
        const uint64_t of_block = (bare.block.count() + kWarpSize - 1) / kWarpSize;
        const uint64_t recorded = (how.warps_of_known + of_block - 1) / of_block;
        plain.recording = static_cast<uint32_t>(std::min<uint64_t>(plain.recording, recorded));
        plain.most_rounds = (recorded + plain.recording - 1) / plain.recording;
      }
      plain.sms = plain.recording;
    } else {
      plain.sms = sampledSms(bare, plain.recording);
      // Where each block has an SM of its own, the first one and the last one show all that there is.
      const bool alone = bare.grid.count() <= description_.limits.sm_count;
      if (alone && plain.recording == 0) plain.sms = std::min(plain.sms, 2U);
    }
    return plain;
  }

  // The latest of the launches before this operation that does the same, elsewhere in memory perhaps.
  std::shared_ptr<const BareLaunch> likeBefore(const ModelledStreams& how, uint32_t operation,
                                               const ModelledStreamReport& report) {
    for (uint32_t before = operation; before-- > 0;) {
      if (report.bare[before] && doTheSame(how.plain[before], how.plain[operation]))
        return report.bare[before];
    }
    return nullptr;
  }
  bool doTheSame(const LaunchSpec& a, const LaunchSpec& b) {
    if (a.kernel.value != b.kernel.value) return false;
    Kernel& kernel = kernels_.at(a.kernel.value - 1);
    if (!kernel.shifting) kernel.shifting = shiftingParameters(*kernel.code);
    return sim::doTheSame(a, b, *kernel.shifting, [this](DeviceAddress address) { return gpuOf(address); });
  }

  TimedOptions optionsOf(const LaunchSpec& spec, const std::optional<Plain>& plain) {
    TimedOptions options{.threads = options_.threads,
                         .begin_cycle = clock_cycles_,
                         .blocks_per_sm = blocks_per_sm_,
                         .addresses = &addresses_,
                         .keep_stays = true,
                         .count = false,
                         .pools = &pools_};
    options.dependent = spec.programmatic;
    if (!plain || plain->sms == 0) return options;
    options.sampled_sms = plain->sms;
    options.recorded_rounds = plain->recorded_rounds;
    if (plain->known == nullptr) options.plain_sms = plain->sms / 2;
    if (plain->most_rounds > 0) options.most_rounds = plain->most_rounds + blocks_per_sm_;
    if (plain->recording == 0) return options;
    for (const AddressRange& range : bufferRanges(spec.parameters.front()))
      options.recording.push_back(modelled(range, range.end - range.begin));
    return options;
  }

  // Executes the blocks that are not modelled, if outputs are wanted. Blocks that record execute more than
  // those that do not, and cannot be compared with them.
  Expected<void> executeRest(const Plain& plain, const BlockSelection& modelled_blocks,
                             const ModelledBlocks& work, ModelledStreamReport& report,
                             const std::stop_token& stop) {
    const uint64_t blocks = plain.spec->grid.count();
    const uint64_t rest = blocks - modelled_blocks.count(blocks);
    if (rest == 0) return {};
    report.complete = report.complete && plain.outputs;
    if (!plain.outputs) return {};
    const auto others = executeBlocks(*plain.spec, modelled_blocks, stop);
    if (!others) return tl::unexpected(others.error());
    if (plain.recording == 0 && areUneven(work, others->warp_instructions, rest)) report.uneven = true;
    return {};
  }

  // A launch that need not be modelled again.
  Expected<LaunchedAlone> launchKnown(const Plain& plain, ModelledStreamReport& report,
                                      const std::stop_token& stop) {
    if (auto done = executeRest(plain, {}, plain.known->work, report, stop); !done)
      return tl::unexpected(done.error());
    return plain.known->alone;
  }

  Expected<LaunchedAlone> launchAlone(const LaunchSpec& spec, const std::optional<Plain>& plain,
                                      ModelledStreamReport& report, const std::stop_token& stop,
                                      const LaunchListener& listener) {
    if (plain && plain->known != nullptr && plain->recording == 0) return launchKnown(*plain, report, stop);
    if (plain && plain->like && plain->like->number >= kStandsForOthers) {
      auto known = *plain;
      known.known = plain->like.get();
      report.bare[plain->operation] = plain->like;
      return launchKnown(known, report, stop);
    }
    auto launch = prepare(spec);
    if (!launch) return tl::unexpected(launch.error());
    launch->print = [&](const std::string& text) {
      listener.printed ? listener.printed(text) : report.printed.append(text);
    };
    written_.everythingWritten();
    const TimedOptions options = optionsOf(spec, plain);
    const auto needed = resources(spec.kernel, spec.dynamic_shared_bytes);
    if (!needed) return tl::unexpected(needed.error());
    auto timed = runTimed(*launch, kernelOf(spec.kernel).machine, profile_, cachesOf(spec), options, stop);
    caches_.setPeerMemory({});
    if (!timed) return tl::unexpected(timed.error());
    LaunchedAlone alone{
        .stays = std::move(timed->stays),
        .begin_cycle = clock_cycles_,
        .needs = resourceBudgets({.limits = description_.limits,
                                  .resources = *needed,
                                  .block_threads = static_cast<uint32_t>(spec.block.count())}),
        .blocks_per_sm = options.blocks_per_sm,
        .demand = timed->demand};
    clock_cycles_ += timed->cycles + profile_.launch_cycles;
    if (!plain) return alone;
    const ModelledBlocks work{timed->blocks, timed->work.instructions, timed->work.most, timed->work.fewest};
    if (auto done = completeLaunch(*plain, options, work, alone, report, stop); !done)
      return tl::unexpected(done.error());
    if (plain->recording == 0)
      report.bare[plain->operation] = std::make_shared<const BareLaunch>(
          BareLaunch{alone, work, plain->like ? plain->like->number + 1 : 1});
    return alone;
  }

  // Adds the blocks that were not modelled: they stay as long as those that stand for them, or as without
  // probes.
  Expected<void> completeLaunch(const Plain& plain, const TimedOptions& options, const ModelledBlocks& work,
                                LaunchedAlone& alone, ModelledStreamReport& report,
                                const std::stop_token& stop) {
    const uint64_t blocks = plain.spec->grid.count();
    if (plain.known == nullptr) {
      if (options.sampled_sms == 0) return {};
      const TimedBlocks selection = timedBlocksOf(*plain.spec, options);
      if (auto done = executeRest(plain, selection, work, report, stop); !done) return done;
      alone.stays = staysOfAll(alone.stays, selection, blocks, plain.recording);
      return {};
    }
    report.complete = report.complete && work.blocks == blocks;
    std::vector<BlockStay> stays = plain.known->alone.stays;
    for (BlockStay& stay : alone.stays) stays[stay.block] = std::move(stay);
    alone.stays = std::move(stays);
    alone.demand = plain.known->alone.demand;
    return {};
  }

  // The same of a launch that decides whether another one of its graph is executed.
  Expected<LaunchedAlone> launchDeciding(uint32_t operation, LaunchSpec spec, std::optional<Plain> plain,
                                         ModelledStreamReport& report, const std::stop_token& stop,
                                         const LaunchListener& listener) {
    condition_ = {kConditionHandles + operation, 0};
    spec.parameters.back() = conditionParameter(condition_->handle);
    LaunchSpec bare;
    if (plain) {
      bare = *plain->spec;
      bare.parameters.back() = spec.parameters.back();
      plain->spec = &bare;
    }
    auto alone = launchAlone(spec, plain, report, stop, listener);
    if (alone) alone->continues = condition_->value != 0;
    condition_.reset();
    return alone;
  }

  std::string setCondition(uint64_t handle, uint32_t value) {
    if (!condition_ || handle != condition_->handle) {
      return fmt::format(
          "{:#x} is not the handle of a condition on which this launch decides: only those of the experiment "
          "graphs do",
          handle);
    }
    condition_->value = value;
    return {};
  }

  // The effect on memory of an operation that is no launch.
  Expected<void> carryOut(const EnqueuedOperation& operation) {
    switch (operation.kind) {
      case OperationKind::kCopyToDevice:
        return upload(operation.device, {operation.host, operation.bytes});
      case OperationKind::kCopyToHost:
        return download({operation.host, operation.bytes}, operation.device);
      case OperationKind::kCopyOnDevice:
      case OperationKind::kPeerCopy:
        return copy(operation.device, operation.from, operation.bytes);
      case OperationKind::kFill:
        return fill(operation.device, operation.value, operation.bytes);
      case OperationKind::kHostFunction:
        return callHost(operation);
      case OperationKind::kPrefetchToDevice:
        caches_.touchL2(addresses_.of(operation.device), operation.bytes);  // as by a copy
        return {};
      case OperationKind::kPrefetchToHost:
      case OperationKind::kLaunch:
      case OperationKind::kAllocate:  // its memory is there all the time
      case OperationKind::kFree:
      case OperationKind::kEvent:
      case OperationKind::kWait:
        break;
    }
    return {};
  }

  // Managed memory that it works on is the device's, in the model: its host's side is fetched and sent back.
  Expected<void> callHost(const EnqueuedOperation& operation) {
    const std::span<std::byte> bytes{operation.host, operation.bytes};
    const bool managed = operation.memory == HostMemory::kManaged && operation.work.usesMemory();
    auto done = managed ? download(bytes, operation.device) : Expected<void>{};
    if (!done) return done;
    operation.work.doTo(bytes);
    return managed && operation.work.add != 0 ? upload(operation.device, bytes) : Expected<void>{};
  }

  const Kernel& kernelOf(KernelHandle handle) const { return kernels_.at(handle.value - 1); }

  Expected<const LoadedModule*> loadedModule(const ModuleImage& image) {
    const std::string name(image.name);
    if (const auto known = modules_.find(name); known != modules_.end()) return &known->second;
    // What makes the names of users' modules unique says nothing to people.
    auto parsed = ptx::parseModule(image.ptx, name.substr(0, name.find('#')));
    if (!parsed) return tl::unexpected(parsed.error());
    if (parsed->files.empty()) ptx::nameOwnLines(*parsed);
    auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*parsed)), *memory_);
    if (!loaded) return tl::unexpected(loaded.error());
    return &modules_.emplace(name, std::move(*loaded)).first->second;
  }

  Expected<std::byte*> range(DeviceAddress address, uint64_t bytes, const char* doing) {
    if (bytes == 0) return nullptr;
    std::byte* host = memory_->at(address, bytes);
    if (host == nullptr) {
      return fail(ErrorKind::kBadRequest, "{} {} bytes at {:#x}: not memory of {}", doing, bytes, address,
                  description_.name);
    }
    return host;
  }

  uint32_t gpuOf(DeviceAddress address) const {
    const auto holds = [&](const AddressRange& range) {
      return address >= range.begin && address < range.end;
    };
    return std::ranges::any_of(of_peer_, holds) ? 1 : 0;
  }
  DeviceCaches& cachesAt(DeviceAddress address) { return gpuOf(address) == 0 ? caches_ : peerCaches(); }
  DeviceCaches& peerCaches() {
    if (!peer_caches_) peer_caches_.emplace(profile_);
    return *peer_caches_;
  }

  // The caches of the GPU that the launch is for, which know what memory is the other one's.
  DeviceCaches& cachesOf(const LaunchSpec& spec) {
    if (of_peer_.empty() && spec.gpu == 0) return caches_;
    std::vector<AddressRange> others;
    for (const AddressRange& range : buffersOf(spec)) {
      if (gpuOf(range.begin) != spec.gpu) others.push_back(modelled(range, usedBytes(spec, range)));
    }
    DeviceCaches& caches = spec.gpu == 0 ? caches_ : peerCaches();
    caches.setPeerMemory(others);
    return caches;
  }

  // Data that the host writes is left in L2, as by a real GPU's copy engine.
  void written(DeviceAddress address, uint64_t bytes) {
    if (bytes == 0) return;
    cachesAt(address).touchL2(addresses_.of(address), bytes);
    written_.written(address, bytes);
  }

  Expected<Launch> prepare(const LaunchSpec& spec) {
    const Kernel& kernel = kernelOf(spec.kernel);
    const Code& code = *kernel.code;
    const auto needed = resources(spec.kernel, spec.dynamic_shared_bytes);
    if (!needed) return tl::unexpected(needed.error());
    if (auto possible = validateGrid(code.kernel, spec.grid); !possible)
      return tl::unexpected(possible.error());
    const uint64_t threads = spec.block.count();
    const Occupancy occupancy = theoreticalOccupancy(
        description_.limits, *needed,
        static_cast<uint32_t>(std::min<uint64_t>(threads, std::numeric_limits<uint32_t>::max())));
    if (threads == 0 || threads > code.max_threads_per_block || occupancy.blocks_per_sm == 0) {
      return fail(
          ErrorKind::kBadRequest,
          "launching {} with grid {}x{}x{}, block {}x{}x{}, {} B dynamic shared memory: not possible on "
          "{} (at most {} threads a block for this kernel, {} B of shared memory)",
          code.kernel, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y, spec.block.z,
          spec.dynamic_shared_bytes, description_.name, code.max_threads_per_block,
          description_.limits.shared_bytes_per_block_opt_in);
    }
    blocks_per_sm_ = occupancy.blocks_per_sm;
    const uint64_t room = uint64_t{blocks_per_sm_} * description_.limits.sm_count;
    if (spec.cooperative && spec.grid.count() > room) {
      return fail(ErrorKind::kBadRequest, "launching {} cooperatively: {} blocks, but {} has room for {}",
                  code.kernel, spec.grid.count(), description_.name, room);
    }

    if (auto possible = checkCluster(spec, code); !possible) return tl::unexpected(possible.error());
    Launch launch{.code = &code,
                  .memory = memory_.get(),
                  .grid = spec.grid,
                  .block = spec.block,
                  .cluster = spec.cluster.value_or(code.required_cluster.value_or(Dim3{})),
                  .explicit_cluster = spec.cluster || code.required_cluster || code.explicit_cluster,
                  .dynamic_shared_bytes = spec.dynamic_shared_bytes,
                  .sm_count = description_.limits.sm_count,
                  .max_warps_per_sm = description_.limits.max_threads_per_sm / kWarpSize,
                  .grid_id = ++launches_,
                  .images = &images_};
    launch.set_condition = [this](uint64_t handle, uint32_t value) { return setCondition(handle, value); };
    if (auto possible = validateCluster(launch); !possible) return tl::unexpected(possible.error());
    auto filled = fillParameters(code, spec, launch.parameters);
    if (filled && spec.cooperative)
      filled = clearGridWorkspace().map([&] { launch.grid_workspace = grid_workspace_; });
    if (!filled) return tl::unexpected(filled.error());
    return launch;
  }

  // What validateCluster() cannot know: what the GPU has.
  Expected<void> checkCluster(const LaunchSpec& spec, const Code& code) const {
    const std::optional<Dim3> cluster = spec.cluster ? spec.cluster : code.required_cluster;
    if (!cluster) return {};
    if (auto possible = checkClusterSize(*cluster, description_, code.kernel); !possible) return possible;
    const uint32_t sms = description_.limits.sm_count / std::max(profile_.gpc_count, 1U);
    const uint64_t room = uint64_t{std::max(sms, 1U)} * blocks_per_sm_;
    if (cluster->count() <= room) return {};
    return fail(
        ErrorKind::kBadRequest,
        "launching {}: a cluster of {} blocks must be on one GPC, but one of {} has room for {}: choose "
        "smaller blocks or smaller clusters",
        code.kernel, cluster->count(), description_.name, room);
  }

  Expected<void> clearGridWorkspace() {
    constexpr std::array<uint32_t, 2> kContent{8, 0};
    if (grid_workspace_ == 0) {
      const auto address = memory_->allocate(sizeof(kContent), "the grid's barrier");
      if (!address) return tl::unexpected(address.error());
      grid_workspace_ = *address;
    }
    return upload(grid_workspace_, std::as_bytes(std::span(kContent)));
  }

  static Expected<void> fillParameters(const Code& code, const LaunchSpec& spec,
                                       std::vector<std::byte>& block) {
    if (spec.parameters.size() != code.parameters.size()) {
      return fail(ErrorKind::kBadRequest, "{} takes {} parameters; {} were given", code.kernel,
                  code.parameters.size(), spec.parameters.size());
    }
    block.assign(code.parameter_bytes, std::byte{});
    for (size_t i = 0; i < spec.parameters.size(); ++i) {
      const std::vector<std::byte>& given = spec.parameters[i];
      const KernelParameter& declared = code.parameters[i];
      if (given.size() != declared.bytes) {
        return fail(ErrorKind::kBadRequest, "{}: parameter {} is {} bytes; {} were given", code.kernel, i,
                    declared.bytes, given.size());
      }
      std::ranges::copy(given, block.begin() + declared.offset);
    }
    return {};
  }

  bool hasClusters(const LaunchSpec& spec) const {
    const std::optional<Dim3>& required = kernelOf(spec.kernel).code->required_cluster;
    return spec.cluster.value_or(required.value_or(Dim3{})).count() > 1;
  }
  Influence influence(const LaunchSpec& spec) const { return kernelOf(spec.kernel).influence; }

  struct OthersBefore {
    std::optional<FunctionalResult> all;  // if all others have been executed
    bool foreseen = false;
    uint64_t step_limit = 0;  // far more than the simulated blocks execute if they do not wait forever
  };
  // Brings memory to where the blocks that runTimed() leaves out would leave it, as far as that matters to
  // the others; they are all executed if outputs are wanted, or if a few do not show what all would do.
  Expected<OthersBefore> othersBefore(const LaunchSpec& spec, const TimedOptions& timed, bool outputs,
                                      const std::stop_token& stop) {
    OthersBefore before;
    uint64_t begin_block = 0;
    FunctionalResult executed;
    if (!outputs) {
      auto launch = prepareOther(spec);
      if (!launch) return tl::unexpected(launch.error());
      const TimedBlocks blocks = timedBlocksOf(spec, timed);
      const auto few = foreseeOthers(*launch, blocks, {.threads = options_.threads}, stop);
      if (!few) return tl::unexpected(few.error());
      const uint64_t grid = spec.grid.count();
      const uint64_t of_block = few->executed.warp_instructions / std::max<uint64_t>(few->executed_blocks, 1);
      before.step_limit = kLeastStepLimit + kMostSteps * of_block * blocks.count(grid);
      before.foreseen = few->foreseen;
      if (few->foreseen || influence(spec) == Influence::kBarrier) return before;
      begin_block = few->executed_until;
      executed = few->executed;
    }
    auto rest = executeOthers(spec, timed, stop, begin_block);
    if (!rest) return tl::unexpected(rest.error());
    before.all = FunctionalResult{executed.warp_instructions + rest->warp_instructions,
                                  executed.thread_instructions + rest->thread_instructions};
    return before;
  }

  // The simulated blocks cannot stand for the others: all are to be simulated.
  static Expected<void> unevenLaunch(ModelledReport& report) {
    report.uneven = true;
    report.complete = false;
    return {};
  }

  TimedBlocks timedBlocksOf(const LaunchSpec& spec, const TimedOptions& timed) const {
    const uint64_t blocks = spec.grid.count();
    return timedBlocks(timed, smsInUse(blocks, description_.limits.sm_count), blocks);
  }

  // A launch beside the one that is being prepared.
  Expected<Launch> prepareOther(const LaunchSpec& spec) {
    const uint32_t blocks_per_sm = blocks_per_sm_;
    auto launch = prepare(spec);
    blocks_per_sm_ = blocks_per_sm;
    return launch;
  }

  // Executes the blocks that runTimed() leaves out, from `begin_block` on.
  Expected<FunctionalResult> executeOthers(const LaunchSpec& spec, const TimedOptions& timed,
                                           const std::stop_token& stop, uint64_t begin_block = 0) {
    return executeBlocks(spec, timedBlocksOf(spec, timed), stop, begin_block);
  }
  Expected<FunctionalResult> executeBlocks(const LaunchSpec& spec, const BlockSelection& left_out,
                                           const std::stop_token& stop, uint64_t begin_block = 0) {
    auto launch = prepareOther(spec);
    if (!launch) return tl::unexpected(launch.error());
    FunctionalOptions options{.threads = options_.threads};
    options.left_out = left_out;
    options.begin_block = begin_block;
    return runFunctional(*launch, options, stop);
  }

  // Calls work(spec, launch) for `spec` and then for each launch that follows it, up to the first error. What
  // the kernels print goes to the listener, or into the report.
  template <class Work>
  Expected<void> forEachLaunch(const LaunchSpec& spec, LaunchReport& report, const LaunchListener& listener,
                               const Work& work) {
    const auto one = [&](const LaunchSpec& each) -> Expected<void> {
      auto launch = prepare(each);
      if (!launch) return tl::unexpected(launch.error());
      launch->print = [&](const std::string& text) {
        listener.printed ? listener.printed(text) : report.printed.append(text);
      };
      return work(each, *launch);
    };
    auto done = one(spec);
    for (size_t i = 0; i < spec.following.size() && done; ++i) done = one(spec.following[i]);
    return done;
  }

  // A launch with warm or cold caches takes the same time whatever came before it. Cold: nothing is cached.
  // Warm: each buffer that it uses has passed through L2 once, those that its parameters point into last, in
  // their order; if they do not all fit, the last ones remain there. Where probes record is written only.
  void prepareCaches(ModelledLaunch::Caches wanted, const LaunchSpec& spec,
                     const std::vector<AddressRange>& recording) {
    if (wanted == ModelledLaunch::Caches::kAsLeft) return;
    std::vector<AddressRange> used;
    const auto add = [&](const AddressRange& range) {
      if (std::ranges::find(recording, range.begin, &AddressRange::begin) == recording.end())
        used.push_back(range);
    };
    for (const DeviceBuffer& buffer : spec.buffers) {
      if (const auto range = allocationAt(buffer.address)) add(*range);
    }
    for (const LaunchSpec& one : spec.following) std::ranges::for_each(buffersOf(one), add);
    std::ranges::for_each(buffersOf(spec), add);

    addresses_.clear();
    for (const DeviceAddress variable : kernelOf(spec.kernel).module->variable_addresses) {
      if (const auto range = allocationAt(variable)) addresses_.add(*range, range->end - range->begin);
    }
    for (const AddressRange& range : used) addresses_.add(range, usedBytes(spec, range));
    for (const AddressRange& range : recording) addresses_.add(range, range.end - range.begin);
    caches_.clear();
    if (wanted == ModelledLaunch::Caches::kCold) return;
    const std::vector<AddressRange> written = buffersWrittenBy(spec);
    for (const AddressRange& range : used) {
      const AddressRange seen = modelled(range, usedBytes(spec, range));
      caches_.touchL2(seen.begin, seen.end - seen.begin,
                      std::ranges::find(written, range.begin, &AddressRange::begin) != written.end());
    }
  }

  static uint64_t usedBytes(const LaunchSpec& spec, const AddressRange& allocation) {
    const auto named = std::ranges::find(spec.buffers, allocation.begin, &DeviceBuffer::address);
    const uint64_t all = allocation.end - allocation.begin;
    return named == spec.buffers.end() ? all : std::min(named->bytes, all);
  }
  AddressRange modelled(const AddressRange& range, uint64_t bytes) const {
    const uint64_t begin = addresses_.of(range.begin);
    return {begin, begin + bytes};
  }

  std::optional<AddressRange> allocationAt(DeviceAddress address) const {
    if (memory_->at(address, 1) == nullptr) return std::nullopt;
    const auto allocation = memory_->find(address);
    if (!allocation || allocation->freed) return std::nullopt;
    return AddressRange{allocation->address, allocation->address + allocation->bytes};
  }
  // The buffers into which addresses among these parameters point, in their order.
  std::vector<AddressRange> bufferRanges(std::span<const std::byte> parameters) const {
    std::vector<AddressRange> ranges;
    for (size_t at = 0; at + sizeof(uint64_t) <= parameters.size(); at += sizeof(uint64_t)) {
      uint64_t value = 0;
      std::memcpy(&value, parameters.data() + at, sizeof value);
      if (value - kImageHandles < images_.size()) value = images_[value - kImageHandles].texels;
      if (const auto range = allocationAt(value)) ranges.push_back(*range);
    }
    return ranges;
  }

  std::vector<AddressRange> buffersOf(const LaunchSpec& spec) const {
    std::vector<AddressRange> ranges;
    for (const std::vector<std::byte>& parameter : spec.parameters)
      std::ranges::copy(bufferRanges(parameter), std::back_inserter(ranges));
    return ranges;
  }

  // Returns the buffers that the launch writes. They were written before it begins, too: by the same launch
  // made earlier, or when its inputs were restored.
  std::vector<AddressRange> buffersWrittenBy(const LaunchSpec& spec) const {
    const Kernel& kernel = kernelOf(spec.kernel);
    const std::vector<KernelParameter>& parameters = kernel.code->parameters;
    const WrittenParameters& written = kernel.machine.written_parameters;
    std::vector<AddressRange> ranges;
    for (size_t i = 0; i < std::min(spec.parameters.size(), parameters.size()); ++i) {
      const std::span<const std::byte> bytes = spec.parameters[i];
      for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        const size_t word = (parameters[i].offset + at) / sizeof(uint64_t);
        if (word < written.size() && written[word])
          std::ranges::copy(bufferRanges(bytes.subspan(at, sizeof(uint64_t))), std::back_inserter(ranges));
      }
    }
    return ranges;
  }

  // Times add up over the launches of a spec; everything else is from the first.
  void take(TimedResult timed, ModelledReport& report, bool first) {
    clock_cycles_ +=
        timed.cycles + static_cast<uint64_t>(profile_.launch_overhead_ns * profile_.sm_clock_mhz / 1e3);
    report.cycles += timed.cycles;
    report.time_us += timed.time_us;
    if (!first) return;
    report.counters = std::move(timed.counters);
    report.log_dropped = timed.log_dropped;
    report.log.reserve(timed.log.size());
    for (const IssuedInstruction& issued : timed.log) {
      report.log.push_back({issued.cycle, BlockId{issued.block}, issued.warp_in_block, issued.pc,
                            LaneMask{issued.mask}, issued.waited_for, issued.waited_cycles});
    }
  }

  DeviceProfile profile_;
  SimulatedOptions options_;
  DeviceDescription description_;
  std::unique_ptr<GlobalMemory> memory_;
  WorkerPools pools_;  // for launches one after another
  DeviceCaches caches_;
  std::optional<DeviceCaches> peer_caches_;  // of GPU 1, once it is used
  std::vector<AddressRange> of_peer_;        // the memory of GPU 1
  ModelledAddresses addresses_;              // of the latest launch that began with warm or cold caches
  WrittenMemory written_;
  std::map<std::string, LoadedModule> modules_;
  std::map<std::pair<std::string, std::string>, KernelHandle> handles_;
  std::vector<Kernel> kernels_;     // handle.value - 1
  std::vector<BoundImage> images_;  // handle.value - kImageHandles
  uint64_t allocations_ = 0, launches_ = 0;
  // Of the launch that is being executed, if it decides whether another one is.
  struct Condition {
    uint64_t handle = 0;
    uint32_t value = 0;
  };
  std::optional<Condition> condition_;
  DeviceAddress grid_workspace_ = 0;   // Launch::grid_workspace; 0: no launch needed it yet
  uint64_t clock_cycles_ = 1'000'000;  // what %clock64 shows next; continues from launch to launch
  uint32_t blocks_per_sm_ = 0;         // for the launch that is being prepared
};

}  // namespace

Expected<std::unique_ptr<ModellingBackend>> openSimulatedBackend(DeviceProfile profile,
                                                                 SimulatedOptions options) {
  const auto most = static_cast<uint64_t>(kHostMemoryShare * static_cast<double>(hostMemoryBytes()));
  auto memory = GlobalMemory::create(std::min(profile.memory_bytes, most));
  if (!memory) return tl::unexpected(memory.error());
  return std::make_unique<SimulatedBackend>(std::move(profile), options, std::move(*memory));
}

}  // namespace warpscope::sim
