// What our own headers offer of CUDA's libraries: random numbers, cuda::atomic_ref, copies by groups, and the
// rarer functions of halves and doubles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/clang_test.h"
#include "tests/support/parse_json.h"

namespace warpscope {
namespace {

class CudaLibraries : public testing::ClangTest {
 protected:
  // Runs the only kernel with one block, and returns its outputs: 256 words and 256 floats.
  Json outputs(const std::string& source, int block = 32) const {
    std::ofstream(folder_ / "mine.cu") << source;
    const auto outcome =
        testing::runProgram(fmt::format("exec '{}/mine.cu' --compiler clang --device sim:h100 --checks "
                                        "--json --block {} --arg u32[256]=zeros "
                                        "--arg f32[256]=zeros --print 0 --print 1",
                                        folder_.string(), block),
                            WARPSCOPE_SOURCE_FOLDER "/assets", folder_);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    if (outcome.status != 0) return {};
    const Json report = testing::parseJson(outcome.out);
    EXPECT_TRUE(report.at("hazards").empty()) << outcome.out;
    return report.at("outputs");
  }
};

TEST_F(CudaLibraries, PhiloxHasItsPublishedNumbers) {
  const Json out = outputs(R"(
    #include <curand_kernel.h>
    __global__ void k(unsigned int* q, float* f) {
      curandStatePhilox4_32_10_t state;
      curand_init(0, 0, 0, &state);
      for (int i = 0; i < 4; ++i) q[i] = curand(&state);
      curand_init(0, 0, 2, &state);
      q[4] = curand(&state);
      const uint4 rest = curand4(&state);
      curand_init(0, 0, 0, &state);
      skipahead(6, &state);
      q[5] = curand(&state) == rest.w;
      curand_init(0, 0, 0, &state);
      f[0] = curand_uniform(&state);
    })",
                           1);
  ASSERT_TRUE(out.isObject());
  // Random123's known answers (kat_vectors) for philox4x32, 10 rounds, counter and key 0.
  EXPECT_EQ(out.at("0").at(0), 0x6627e8d5U);
  EXPECT_EQ(out.at("0").at(1), 0xe169c58dU);
  EXPECT_EQ(out.at("0").at(2), 0xbc57ac4cU);
  EXPECT_EQ(out.at("0").at(3), 0x9b00dbd8U);
  EXPECT_EQ(out.at("0").at(4), 0xbc57ac4cU);
  EXPECT_EQ(out.at("0").at(5), 1U);
  EXPECT_FLOAT_EQ(out.at("1").at(0).get<float>(), static_cast<float>(0x6627e8d5U / 4294967296.0));
}

TEST_F(CudaLibraries, RandomNumbersHaveTheirDistributions) {
  const Json out = outputs(R"(
    #include <curand_kernel.h>
    __global__ void k(unsigned int* q, float* f) {
      curandState state;
      curand_init(7, threadIdx.x, 0, &state);
      float uniform = 0, normal = 0, squares = 0;
      for (int i = 0; i < 64; ++i) {
        uniform += curand_uniform(&state);
        const float value = curand_normal(&state);
        normal += value;
        squares += value * value;
      }
      f[threadIdx.x] = uniform, f[64 + threadIdx.x] = normal, f[128 + threadIdx.x] = squares;
    })",
                           64);
  ASSERT_TRUE(out.isObject());
  double sums[3] = {};
  for (size_t i = 0; i < 192; ++i) sums[i / 64] += out.at("1").at(i).get<double>() / (64 * 64);
  EXPECT_NEAR(sums[0], 0.5, 0.02);
  EXPECT_NEAR(sums[1], 0, 0.05);
  EXPECT_NEAR(sums[2], 1, 0.1);
}

TEST_F(CudaLibraries, AtomicReferences) {
  const Json out = outputs(R"(
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> tickets;
    __global__ void k(unsigned int* q, float* f) {
      cuda::atomic_ref<unsigned int, cuda::thread_scope_device> sum(q[0]), most(q[1]), bits(q[2]);
      sum.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
      most.fetch_max(threadIdx.x);
      bits.fetch_or(1u << threadIdx.x, cuda::std::memory_order_relaxed);
      cuda::atomic_ref<float, cuda::thread_scope_block> real(f[0]);
      real.fetch_add(0.5f);
      q[32 + tickets++ % 32] = 1;  // the launch for the checks has taken 32 already
      unsigned int expected = 0;
      cuda::atomic_ref<unsigned int> once(q[3]);
      if (once.compare_exchange_strong(expected, 9)) ++once;
    })");
  ASSERT_TRUE(out.isObject());
  const Json& q = out.at("0");
  EXPECT_EQ(q.at(0), 496U);
  EXPECT_EQ(q.at(1), 31U);
  EXPECT_EQ(q.at(2), 0xffffffffU);
  EXPECT_EQ(q.at(3), 10U);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(q.at(32 + i), 1U) << i;
  EXPECT_EQ(out.at("1").at(0), 16);
}

TEST_F(CudaLibraries, GroupsCopyAndTilesForgetTheirParents) {
  const Json out = outputs(R"(
    #include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    #include <memory>
    namespace cg = cooperative_groups;
    __device__ unsigned int rankIn(const cg::thread_block_tile<8>& tile) { return tile.thread_rank(); }
    __global__ void k(unsigned int* q, float* f) {
      __shared__ unsigned int words[32];
      __shared__ char bytes[8];
      const auto block = cg::this_thread_block();
      q[threadIdx.x] = threadIdx.x * 3;
      block.sync();
      cg::memcpy_async(block, words, q, sizeof words);
      cg::memcpy_async(block, bytes, (const char*)q + 4, 3);
      cg::wait(block);
      q[32 + threadIdx.x] = words[31 - threadIdx.x];
      q[64 + threadIdx.x] = rankIn(cg::tiled_partition<8>(block));
      q[96] = bytes[0];
    })");
  ASSERT_TRUE(out.isObject());
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out.at("0").at(32 + i), 3 * (31 - i)) << i;
    EXPECT_EQ(out.at("0").at(64 + i), i % 8) << i;
  }
  EXPECT_EQ(out.at("0").at(96), 3U);
}

TEST_F(CudaLibraries, RarerFunctionsOfHalvesAndDoubles) {
  const Json out = outputs(R"(
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    __global__ void k(unsigned int* q, float* f) {
      __shared__ __half sum;
      __shared__ __nv_bfloat162 pair;
      if (threadIdx.x == 0) sum = __float2half(0), pair = __float2bfloat162_rn(0);
      __syncthreads();
      atomicAdd(&sum, __float2half(0.5f));
      atomicAdd(&pair, __floats2bfloat162_rn(1, 2));
      __syncthreads();
      if (threadIdx.x > 0) return;
      f[0] = __half2float(sum), f[1] = __low2float(pair), f[2] = __high2float(pair);
      f[3] = __bfloat162int_rn(__int2bfloat16_rn(7));
      f[4] = __low2float(__lowhigh2highlow(__floats2half2_rn(1, 2)));
      const double tiny = f[10] + 1e-20;
      q[0] = __dadd_ru(1, tiny) > 1, q[1] = __dadd_rd(1, tiny) > 1, q[2] = __drcp_ru(3) > __drcp_rd(3), q[3] = __dsub_rz(1, tiny) < 1;
    })");
  ASSERT_TRUE(out.isObject());
  const float expected[] = {16, 32, 64, 7, 2};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(out.at("1").at(i).get<float>(), expected[i]) << i;
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(out.at("0").at(i), i == 1 ? 0U : 1U) << i;
}

TEST_F(CudaLibraries, WhatIsMissingIsNamedWithWhatOffersIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"#include <thrust/sort.h>\n", "Thrust: it comes with NVIDIA's CUDA Toolkit"},
      {"#include <cub/cub.cuh>\n", "CUB: it comes with"},
      {"#include <cufft.h>\n", "cuFFT: it comes with"},
      {"#include \"elsewhere.h\"\n", "--include FOLDER"},
      {"__global__ void k(float* f) { *f = __nonsuch(1.0f); }\n", "own headers do not offer this"}};
  for (const auto& [source, expected] : cases) {
    std::ofstream(folder_ / "mine.cu") << source;
    const auto outcome =
        testing::runProgram(fmt::format("ptx '{}/mine.cu' --compiler clang", folder_.string()),
                            WARPSCOPE_SOURCE_FOLDER "/assets", folder_);
    EXPECT_EQ(outcome.status, 2) << source;
    EXPECT_NE(outcome.err.find("mine.cu:1:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace warpscope
