#include "app/gui/find/glossary.h"

#include <array>

#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr const char* kSimt = "CUDA C++ Programming Guide: SIMT Architecture";
constexpr const char* kMultithreading = "CUDA C++ Programming Guide: Hardware Multithreading";
constexpr const char* kModel = "CUDA C++ Programming Guide: Programming Model";
constexpr const char* kMemory = "CUDA C++ Programming Guide: Device Memory Accesses";
constexpr const char* kCoalescing = "CUDA C++ Best Practices Guide: Coalesced Access to Global Memory";
constexpr const char* kShared = "CUDA C++ Best Practices Guide: Shared Memory and Memory Banks";
constexpr const char* kSync = "CUDA C++ Programming Guide: Synchronization Functions";
constexpr const char* kWarpFunctions = "CUDA C++ Programming Guide: Warp Shuffle and Warp Vote Functions";
constexpr const char* kAtomics = "CUDA C++ Programming Guide: Atomic Functions";
constexpr const char* kProfiling = "Nsight Compute: Kernel Profiling Guide";
constexpr const char* kOccupancy = "CUDA C++ Best Practices Guide: Occupancy";
constexpr const char* kPtx = "PTX ISA";
constexpr const char* kHere = "docs/simulated_gpu.md";

constexpr std::array kTerms{
    Term{trMark("warp"), "wavefront AMD subgroup",
         trMark("32 threads of a block that execute together: an instruction is issued once for all of them. "
                "The threads 0 to 31 of a block are its warp 0, the next 32 its warp 1, and so on."),
         kSimt},
    Term{trMark("lane"), "thread in a warp laneid",
         trMark(
             "A thread's place in its warp, 0 to 31. A lane that does not take part in an instruction still "
             "takes its place: its share of the hardware is lost."),
         kSimt},
    Term{trMark("active mask"), "activemask predicate",
         trMark("Which lanes of a warp execute an instruction, one bit for each. The height of a bar in the "
                "timeline is the share of its bits that are set."),
         kSimt},
    Term{trMark("divergence"), "divergent branch",
         trMark("Lanes of a warp take different paths of a branch. The warp executes the paths one after the "
                "other, each with the other lanes idle, so its time is the sum of the paths."),
         kSimt},
    Term{
        trMark("reconvergence"), "converge join",
        trMark("The point after a branch where the lanes of a warp execute together again. Since Volta it is "
               "not guaranteed before __syncwarp()."),
        kSimt},
    Term{trMark("predication"), "predicated select",
         trMark(
             "Both sides of a short branch are issued for all lanes, and each lane keeps the results of its "
             "own side. There is no branch, but every lane takes the time of both."),
         kPtx},
    Term{
        trMark("block"), "thread block CTA",
        trMark("Threads that run on one SM, share its shared memory and can wait for each other at barriers. "
               "It starts when the SM has room for all of its warps, and keeps that room until it ends."),
        kModel},
    Term{trMark("grid"), "launch blocks",
         trMark("All blocks of one launch. They start in no guaranteed order, as many at a time as fit."),
         kModel},
    Term{trMark("SM"), "streaming multiprocessor",
         trMark("Streaming multiprocessor: the part of the GPU that executes blocks. It has warp schedulers, "
                "registers, shared memory and an L1 cache; an H100 SXM has 132 of them."),
         kMultithreading},
    Term{trMark("scheduler"), "sub-partition SMSP issue slot",
         trMark(
             "Each of an SM's four sub-partitions has one: every cycle it issues at most one instruction of "
             "one of its warps that is ready. If none is, the cycle is lost."),
         kProfiling},
    Term{trMark("stall"), "wait reason warp state",
         trMark(
             "What a warp waits for before its next instruction: data from memory, a result, a barrier, the "
             "scheduler. One stalled warp costs nothing while others are ready."),
         kProfiling},
    Term{trMark("scoreboard"), "long scoreboard short scoreboard dependency",
         trMark(
             "Where the hardware notes which registers still wait for a value. A long scoreboard stall waits "
             "for global or local memory, a short one for shared memory and the like."),
         kProfiling},
    Term{
        trMark("latency"), "latency hiding delay",
        trMark("The cycles from an instruction's issue to its result: some tens for arithmetic, several "
               "hundred for device memory. It is hidden by other warps, or by other instructions of the same "
               "warp that do not need the result."),
        kMultithreading},
    Term{trMark("instruction-level parallelism"), "ILP independent instructions",
         trMark("Instructions of one warp that do not need each other's results can be in flight at the same "
                "time. More of it makes fewer warps suffice."),
         kMultithreading},
    Term{trMark("occupancy"), "theoretical achieved resident warps",
         trMark(
             "Warps that are resident on an SM, as a share of the most it can hold. Theoretical occupancy is "
             "what block size, registers and shared memory allow; achieved occupancy is the mean over the "
             "run."),
         kOccupancy},
    Term{trMark("limiter"), "occupancy limit registers shared memory",
         trMark("The resource that prevents one more block on an SM: warps, block slots, registers, shared "
                "memory or barriers."),
         kOccupancy},
    Term{trMark("register"), "register pressure allocation",
         trMark("A thread's own memory on the SM. An SM has 65,536 of 32 bits; those of a resident warp are "
                "reserved for its whole life, so that many registers per thread mean few warps."),
         kMultithreading},
    Term{trMark("spilling"), "local memory register spill",
         trMark(
             "Values that do not fit into a thread's registers are kept in local memory, which is a part of "
             "device memory behind the caches."),
         kMemory},
    Term{trMark("shared memory"), "smem scratchpad __shared__",
         trMark("Memory on the SM that the threads of a block share. It takes some tens of cycles instead of "
                "hundreds, and is divided into 32 banks."),
         kShared},
    Term{
        trMark("bank"), "shared memory bank",
        trMark("Shared memory has 32 banks of 4 bytes: word i is in bank i modulo 32. Each delivers one word "
               "per cycle."),
        kShared},
    Term{trMark("bank conflict"), "n-way conflict serialisation",
         trMark("Lanes of a warp access different words of the same bank, so that the access takes several "
                "wavefronts, one after the other. Lanes that read the same word do not conflict."),
         kShared},
    Term{trMark("wavefront"), "pass transaction",
         trMark("One pass of an access through the L1 cache or shared memory. An access of a warp takes one "
                "wavefront if nothing conflicts, and up to 32 if all lanes meet in one bank. (AMD calls its "
                "warps wavefronts.)"),
         kProfiling},
    Term{trMark("padding"), "pad column +1",
         trMark(
             "An unused word at the end of each row in shared memory. It moves each row by one bank, so that "
             "a column lies in different banks."),
         kShared},
    Term{trMark("swizzle"), "xor permutation",
         trMark(
             "Exchanging the places of elements, usually by an exclusive or of row and column, so that rows "
             "and columns are both free of bank conflicts, without the memory that padding takes."),
         kShared},
    Term{trMark("coalescing"), "coalesced access global memory",
         trMark(
             "The addresses of a warp's lanes are combined into as few sectors as possible. 32 neighbouring "
             "4-byte words take 4 sectors; 32 scattered ones take 32, of which 7/8 is thrown away."),
         kCoalescing},
    Term{
        trMark("sector"), "32 bytes transaction",
        trMark("32 aligned bytes: the smallest piece that moves between the L2 cache and an SM. A cache line "
               "has four."),
        kCoalescing},
    Term{trMark("cache line"), "L1 L2 128 bytes",
         trMark("128 aligned bytes with one tag in the L1 or L2 cache, loaded by sectors."), kMemory},
    Term{trMark("request"), "memory instruction L1",
         trMark(
             "A memory instruction of one warp on its way to the L1 cache; sectors per request say how well "
             "its addresses are coalesced."),
         kProfiling},
    Term{trMark("effective bandwidth"), "GB/s throughput",
         trMark("The bytes that a kernel must move at least, divided by its time. It is compared with a copy "
                "that moves as many bytes on the same device."),
         "CUDA C++ Best Practices Guide: Bandwidth"},
    Term{trMark("bytes in flight"), "Little's law concurrency",
         trMark(
             "Bytes requested from memory that have not arrived. Little's law: to reach a bandwidth, as many "
             "must be in flight as bandwidth times latency."),
         kHere},
    Term{trMark("roofline"), "arithmetic intensity ceiling",
         trMark("Attainable speed over operations per byte: memory bounds it on the left, arithmetic on the "
                "right. A kernel far below its roof is bounded by something else, often latency."),
         kProfiling},
    Term{trMark("wave"), "wave of blocks",
         trMark("As many blocks as fit on the whole GPU at a time. A grid takes as many waves as its blocks "
                "divided by these, rounded up."),
         kProfiling},
    Term{
        trMark("tail effect"), "tail last wave",
        trMark("The last wave has fewer blocks than fit, so that SMs are idle at the end of the launch. Many "
               "small blocks or many waves make it small."),
        kProfiling},
    Term{trMark("barrier"), "__syncthreads bar.sync",
         trMark("A place where the warps of a block wait until all have arrived. Threads that do not arrive, "
                "for instance in a divergent branch, make it undefined."),
         kSync},
    Term{
        trMark("memory fence"), "__threadfence ordering",
        trMark("Makes a thread's writes before it visible to others before its writes after it. It waits for "
               "nobody."),
        kSync},
    Term{trMark("data race"), "race condition hazard",
         trMark("Two threads access the same place, at least one writes, and nothing orders them: the result "
                "depends on chance."),
         kSync},
    Term{trMark("shuffle"), "__shfl_sync exchange",
         trMark("A lane reads a register of another lane of its warp, without memory and without a barrier."),
         kWarpFunctions},
    Term{
        trMark("vote"), "__ballot_sync any all match",
        trMark(
            "All lanes of a warp learn for which of them a condition holds: for any, for all, or as a mask."),
        kWarpFunctions},
    Term{trMark("atomic operation"), "atomicAdd contention",
         trMark("Reads, changes and writes a place in memory without anybody in between. Many on one address "
                "follow one another: contention."),
         kAtomics},
    Term{
        trMark("reduction"), "sum tree",
        trMark("Combining many numbers into one, such as their sum. In a tree, each step halves how many are "
               "left."),
        "Mark Harris: Optimizing Parallel Reduction in CUDA"},
    Term{trMark("asynchronous copy"), "cp.async memcpy_async pipeline",
         trMark("Copies from global to shared memory without a register in between, while the threads go on "
                "computing."),
         "CUDA C++ Programming Guide: Asynchronous Data Copies"},
    Term{trMark("region"), "mark probe span",
         trMark("A part of a kernel's source between two marks. Its colour is the same in all views."),
         kHere},
    Term{trMark("probe"), "probed run overhead",
         trMark(
             "What records the lanes and the clock at a mark. Runs with probes are launched apart: the times "
             "are those of the bare kernel."),
         kHere},
    Term{trMark("lane-cycle"), "lost lanes",
         trMark(
             "One lane for one cycle. A warp that lives for 100 cycles has 3,200; those in which a lane does "
             "not execute are lost."),
         kHere},
    Term{trMark("modelled"), "simulated GPU model",
         trMark(
             "Computed from a model of the GPU, not measured. Results, lanes and conflicts are exact; cycles "
             "are within some percent on average."),
         kHere},
};

}  // namespace

std::span<const Term> glossary() {
  return kTerms;
}

}  // namespace warpscope
