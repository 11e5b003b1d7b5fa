// What our own headers (assets/cuda_headers) offer to clang, on the simulated H100: results against the C++
// library's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>

#include "tests/support/clang_test.h"
#include "tests/support/parse_json.h"

namespace warpscope {
namespace {

class CudaHeaders : public testing::ClangTest {
 protected:
  // Runs the only kernel and returns what it left in its arguments.
  Json outputs(const std::string& source, const std::string& launch) const {
    std::ofstream(folder_ / "mine.cu") << source;
    const auto outcome = testing::runProgram(
        fmt::format("exec '{}/mine.cu' --compiler clang --device sim:h100 --checks --json {}",
                    folder_.string(), launch),
        WARPSCOPE_SOURCE_FOLDER "/assets", folder_);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return outcome.status == 0 ? testing::parseJson(outcome.out).at("outputs") : Json();
  }
};

struct Function {
  const char* name;
  double (*reference)(double);
  double scale = 1;  // of the argument
};
const Function kFunctions[] = {
    {"exp", std::exp},          {"exp2", std::exp2, 0.5},    {"log", std::log},
    {"log2", std::log2},        {"log10", std::log10},       {"log1p", std::log1p},
    {"expm1", std::expm1, 0.1}, {"sqrt", std::sqrt},         {"cbrt", std::cbrt},
    {"sin", std::sin, 37},      {"cos", std::cos, -37},      {"tan", std::tan},
    {"asin", std::asin, -0.02}, {"acos", std::acos, -0.02},  {"atan", std::atan},
    {"sinh", std::sinh},        {"cosh", std::cosh},         {"tanh", std::tanh, 0.1},
    {"asinh", std::asinh},      {"atanh", std::atanh, 0.02}, {"erf", std::erf, 0.1},
    {"erfc", std::erfc, 0.1},   {"floor", std::floor},       {"ceil", std::ceil},
    {"round", std::round, 0.5}, {"trunc", std::trunc, -1},   {"fabs", std::fabs, -1}};

TEST_F(CudaHeaders, MathematicsIsThatOfTheLibrary) {
  constexpr int kPoints = 64;
  std::string source = "__global__ void k(double* d, float* f) {\n  const int i = threadIdx.x;\n";
  int index = 0;
  for (const Function& one : kFunctions) {
    source += fmt::format(
        "  d[{0} * 64 + i] = {1}((0.37 * (i + 1)) * {2:.17g});\n"
        "  f[{0} * 64 + i] = {1}f((float)((0.37 * (i + 1)) * {2:.17g}));\n",
        index++, one.name, one.scale);
  }
  const Json out = outputs(source + "}\n", fmt::format("--block 64 --arg f64[{0}]=zeros --arg f32[{0}]=zeros "
                                                       "--print 0 --print 1",
                                                       index * kPoints));
  ASSERT_TRUE(out.isObject());
  for (int f = 0; f < index; ++f) {
    for (int i = 0; i < kPoints; ++i) {
      const double x = 0.37 * (i + 1) * kFunctions[f].scale;
      const auto at = static_cast<size_t>(f) * kPoints + static_cast<size_t>(i);
      const double expected = kFunctions[f].reference(x);
      const double of_float = kFunctions[f].reference(static_cast<float>(x));
      EXPECT_NEAR(out.at("0").at(at).get<double>(), expected, std::abs(expected) * 4e-15)
          << kFunctions[f].name << " " << x;
      EXPECT_NEAR(out.at("1").at(at).get<double>(), of_float, std::abs(of_float) * 4e-7 + 1e-7)
          << kFunctions[f].name << "f " << x;
    }
  }
}

TEST_F(CudaHeaders, MathematicsOfUnusualArguments) {
  const Json out = outputs(R"(
    __global__ void k(float* f) {
      const float inf = __int_as_float(0x7f800000), zero = f[63];
      const float r[] = {expf(inf), expf(-inf), logf(zero), logf(inf), powf(zero, 2.0f), powf(-2.0f, 3.0f), powf(-8.0f, 0.5f),
                         fmodf(-7.0f, 3.0f), roundf(0.5f), roundf(-2.5f), rintf(2.5f), atan2f(zero, -1.0f), hypotf(inf, 1.0f),
                         ldexpf(3.0f, 4), copysignf(1.0f, -zero), expf(__int_as_float(0x7fc00000))};
      for (int i = 0; i < 16; ++i) f[i] = r[i] == inf ? 1e30f : r[i] == -inf ? -1e30f : isnan(r[i]) ? 12345.0f : r[i];
    })",
                           "--arg f32[64]=zeros --print 0:0,16");
  ASSERT_TRUE(out.isObject());
  const std::vector<double> expected{1e30, 0,  -1e30, 1e30, 0,    -8, 12345, -1,
                                     1,    -3, 2,     M_PI, 1e30, 48, -1,    12345};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_FLOAT_EQ(out.at("0").at(i).get<float>(), static_cast<float>(expected[i])) << i;
  }
}

TEST_F(CudaHeaders, CooperativeGroups) {
  const Json out = outputs(R"(
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __global__ void k(int* q) {
      const auto block = cg::this_thread_block();
      const auto tile = cg::tiled_partition<16>(block);
      const auto part = cg::tiled_partition<4>(tile);
      const int i = (int)block.thread_rank();
      q[i] = cg::reduce(tile, i, cg::plus<int>());
      q[64 + i] = cg::inclusive_scan(part, i);
      q[128 + i] = (int)tile.ballot(i % 3 == 0);
      q[192 + i] = 0;
      if (i % 3 == 0) {
        const auto group = cg::coalesced_threads();
        q[192 + i] = (int)(group.size() * 10000 + group.thread_rank() * 100) + group.shfl(i, 1);
      }
      block.sync();
    })",
                           "--block 64 --arg s32[256]=zeros --print 0");
  ASSERT_TRUE(out.isObject());
  const Json& q = out.at("0");
  for (int i = 0; i < 64; ++i) {
    const auto at = [&](int row) {
      return q.at(static_cast<size_t>(row) * 64 + static_cast<size_t>(i)).get<int>();
    };
    const int first = i / 16 * 16;
    int scan = 0, votes = 0;
    for (int j = i / 4 * 4; j <= i; ++j) scan += j;
    for (int j = 0; j < 16; ++j) votes |= ((first + j) % 3 == 0) << j;
    EXPECT_EQ(at(0), first * 16 + 120) << i;
    EXPECT_EQ(at(1), scan) << i;
    EXPECT_EQ(at(2), votes) << i;
    const int second = i < 32 ? 3 : 36, rank = i < 32 ? i / 3 : (i - 33) / 3;
    EXPECT_EQ(at(3), i % 3 != 0 ? 0 : 110000 + rank * 100 + second) << i;
  }
}

TEST_F(CudaHeaders, HalvesAndAsynchronousCopies) {
  const Json out = outputs(R"(
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    #include <cuda_pipeline.h>
    __global__ void k(const float* in, float* out) {
      __shared__ float s[64];
      const int i = threadIdx.x;
      __pipeline_memcpy_async(&s[i], &in[i], 4);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      __syncthreads();
      const half a = __float2half(1.5f), b = __half(2);
      half2 h = __floats2half2_rn(1.0f, 2.0f);
      h = __hfma2(h, h, h) + h;
      __nv_bfloat16 c = __float2bfloat16(2.0f);
      c = c * c + c;
      c += c;
      out[i] = s[63 - i];
      out[64 + i] = __half2float(a * b - a / b) + (a < b ? 100 : 0);
      out[128 + i] = __low2float(h) * 100 + __high2float(h);
      out[192 + i] = __bfloat162float(c);
    })",
                           "--block 64 --arg f32[64]=iota --arg f32[256]=zeros --print 1");
  ASSERT_TRUE(out.isObject());
  const Json& f = out.at("1");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(f.at(i), 63 - i);
  EXPECT_EQ(f.at(64), 102.25);
  EXPECT_EQ(f.at(128), 308);
  EXPECT_EQ(f.at(192), 12);
}

TEST_F(CudaHeaders, WarpsAtomicsAndBits) {
  const Json out = outputs(R"(
    __global__ void k(unsigned int* q, const unsigned int* in) {
      const unsigned int i = threadIdx.x, all = 0xffffffffu;
      double wide = __shfl_xor_sync(all, (double)i, 1);
      q[i] = (unsigned int)wide + __shfl_up_sync(all, i, 2, 8) + __shfl_sync(all, i, 3) + __reduce_max_sync(all, i);
      q[32 + i] = __ballot_sync(all, i < 4) + __popc(i) + __ffs((int)i) + (unsigned int)__clz((int)i) + (__brev(i) >> 24);
      atomicAdd(&q[64], i), atomicMax(&q[65], i), atomicOr_block(&q[66], 1u << i), atomicInc(&q[67], 100);
      atomicAdd((float*)&q[68], 0.5f), atomicSub_system(&q[69], 1u);
      if (atomicCAS(&q[70], 0u, i + 1) == 0) q[71] = 1;
      q[96 + i] = __ldg(&in[i]) + __ldcg(&in[i]) + min(i, 5) + __umulhi(i << 16, 1u << 17) + (unsigned int)__syncthreads_count(i < 7) +
                  __byte_perm(i, 0, 0x4440) + __match_any_sync(all, i / 16) % 7 + (unsigned int)abs(-3);
    })",
                           "--block 32 --arg u32[128]=zeros --arg u32[32]=iota --print 0");
  ASSERT_TRUE(out.isObject());
  const Json& q = out.at("0");
  const auto at = [&q](size_t index) { return q.at(index).get<uint32_t>(); };
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t up = i % 8 < 2 ? i : i - 2;
    EXPECT_EQ(at(i), (i ^ 1) + up + 3 + 31) << i;
    uint32_t reversed = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) reversed |= ((i >> bit) & 1u) << (31 - bit);
    const auto ones = static_cast<uint32_t>(std::popcount(i)),
               clear = static_cast<uint32_t>(std::countl_zero(i));
    const uint32_t first = i == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(i)) + 1;
    EXPECT_EQ(at(32 + i), 15 + ones + first + clear + (reversed >> 24)) << i;
    EXPECT_EQ(at(96 + i), 2 * i + std::min(i, 5U) + 2 * i + 7 + i + (i < 16 ? 0xffffU : 0xffff0000U) % 7 + 3)
        << i;
  }
  EXPECT_EQ(at(64), 496U);
  EXPECT_EQ(at(65), 31U);
  EXPECT_EQ(at(66), 0xffffffffU);
  EXPECT_EQ(at(67), 32U);
  EXPECT_EQ(at(68), 0x41800000U);  // 16
  EXPECT_EQ(at(69), 0xffffffe0U);
  EXPECT_EQ(at(71), 1U);
}

struct MatrixCase {
  const char *name, *factor, *sum;  // types
  int m, n, k;
  const char *exec_factor, *exec_sum;
};
const MatrixCase kMatrixCases[] = {
    {"halves", "half", "float", 16, 16, 16, "f16", "f32"},
    {"halves to halves", "half", "half", 32, 8, 16, "f16", "f16"},
    {"wide halves", "half", "float", 8, 32, 16, "f16", "f32"},
    {"bfloats", "__nv_bfloat16", "float", 16, 16, 16, "b16", "f32"},
    {"wide bfloats", "__nv_bfloat16", "float", 8, 32, 16, "b16", "f32"},
    {"bytes", "signed char", "int", 16, 16, 16, "s8", "s32"},
    {"tall bytes", "unsigned char", "int", 32, 8, 16, "u8", "s32"},
    {"tf32", "wmma::precision::tf32", "float", 16, 16, 8, "f32", "f32"},
};

TEST_F(CudaHeaders, MatricesOfEachShapeAndType) {
  for (const MatrixCase& one : kMatrixCases) {
    // Small whole numbers, whose products are exact: a[i][k] = (i + 2 k) % 5, b[k][j] = (3 k + j) % 4, c = 1.
    const std::string stored = std::string(one.factor) == "wmma::precision::tf32" ? "float" : one.factor;
    const std::string source = fmt::format(
        R"(#include <mma.h>
    using namespace nvcuda;
    __global__ void k({0}* a, {0}* b, {1}* c) {{
      constexpr int m = {2}, n = {3}, k = {4};
      for (int i = threadIdx.x; i < m * k; i += 32) a[i] = ({0})(float)((i / k + 2 * (i % k)) % 5);
      for (int i = threadIdx.x; i < k * n; i += 32) b[i] = ({0})(float)((3 * (i % k) + i / k) % 4);
      __syncwarp();
      wmma::fragment<wmma::matrix_a, m, n, k, {5}, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, m, n, k, {5}, wmma::col_major> fb;
      wmma::fragment<wmma::accumulator, m, n, k, {1}> fc;
      wmma::fill_fragment(fc, ({1})1.0f);
      wmma::load_matrix_sync(fa, a, k);
      wmma::load_matrix_sync(fb, b, k);
      wmma::mma_sync(fc, fa, fb, fc);
      for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = ({1})((float)fc.x[i] * 2.0f);
      wmma::store_matrix_sync(c, fc, m, wmma::mem_col_major);
      __syncwarp();
      wmma::load_matrix_sync(fc, c, m, wmma::mem_col_major);
      __syncwarp();
      wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
    }})",
        stored, one.sum, one.m, one.n, one.k, one.factor);
    const Json out = outputs(
        source, fmt::format("--block 32 --arg {}[{}]=zeros --arg {}[{}]=zeros --arg {}[{}]=zeros --print 2",
                            one.exec_factor, one.m * one.k, one.exec_factor, one.k * one.n, one.exec_sum,
                            one.m * one.n));
    ASSERT_TRUE(out.isObject()) << one.name;
    for (int row = 0; row < one.m; ++row) {
      for (int column = 0; column < one.n; ++column) {
        int sum = 1;
        for (int k = 0; k < one.k; ++k) sum += (row + 2 * k) % 5 * ((3 * k + column) % 4);
        EXPECT_EQ(out.at("2").at(static_cast<size_t>(row * one.n + column)).get<double>(), 2 * sum)
            << one.name << ", " << row << ", " << column;
      }
    }
  }
}

TEST_F(CudaHeaders, TexturesOfEachTypeAndDimension) {
  // Texel i of each image is i, so that a fetch says where it was.
  const Json out =
      outputs(R"(
    template <class T> __device__ float sum(T v) { return (float)v.x + 100.0f * (float)v.y; }
    __global__ void k(cudaTextureObject_t line, cudaTextureObject_t words, cudaTextureObject_t bytes,
                      cudaTextureObject_t cube, float* q) {
      const int i = threadIdx.x;
      q[i] = tex1Dfetch<float>(line, i + 4);
      q[8 + i] = sum(tex2D<short2>(words, i + 0.5f, 1.5f));
      q[16 + i] = sum(tex2D<uchar4>(bytes, i + 0.5f, 1.5f));
      q[24 + i] = tex3D<float>(cube, i % 4 + 1.0f, 0.5f, i / 4 + 0.5f);
      unsigned char last;
      tex2D(&last, bytes, 7.5f, i / 4 + 0.5f);
      q[32 + i] = last;
      q[40 + i] = tex2DLod<uchar4>(bytes, i, 0, 0).w + tex3DLod<float4>(cube, 0.5f, 0.5f, 0.5f, 0).w;
    })",
              "--block 8 --arg texbuffer:f32[10]=iota --arg tex2d:s16x2[8x2]=iota "
              "--arg tex2d:u8x4[8x2]=iota --arg tex3d:f32[4x2x2]=iota,linear --arg f32[48]=zeros "
              "--print 4");
  ASSERT_TRUE(out.isObject());
  for (int i = 0; i < 8; ++i) {
    const auto at = [&](int row) {
      return out.at("4").at(static_cast<size_t>(row) * 8 + static_cast<size_t>(i)).get<float>();
    };
    EXPECT_EQ(at(0), i < 6 ? static_cast<float>(i + 4) : 0.0F) << i;
    EXPECT_EQ(at(1), static_cast<float>(16 + 2 * i + 100 * (17 + 2 * i))) << i;
    EXPECT_EQ(at(2), static_cast<float>(32 + 4 * i + 100 * (33 + 4 * i))) << i;
    const int left = i % 4, right = std::min(left + 1, 3), half = i / 4;
    EXPECT_EQ(at(3), 0.5F * static_cast<float>(left + right) + static_cast<float>(half * 8)) << i;
    EXPECT_EQ(at(4), half == 0 ? 28.0F : 60.0F) << i;
    EXPECT_EQ(at(5), static_cast<float>(4 * i + 3)) << i;
  }
}

TEST_F(CudaHeaders, SurfacesOfEachSizeDimensionAndMode) {
  const Json out =
      outputs(R"(
    __global__ void k(cudaSurfaceObject_t bytes, cudaSurfaceObject_t line, cudaSurfaceObject_t plane,
                      cudaSurfaceObject_t cube, float* q) {
      const int i = threadIdx.x;
      q[i] = surf1Dread<unsigned char>(bytes, i - 2, cudaBoundaryModeClamp);
      q[8 + i] = surf1Dread<unsigned char>(bytes, i - 2, cudaBoundaryModeZero);
      surf1Dwrite((short)(surf1Dread<short>(line, 2 * i) * 3), line, 2 * i);
      const float2 pair = surf2Dread<float2>(plane, 8 * i, 1);
      q[16 + i] = pair.x + pair.y;
      surf2Dwrite(make_float2(-pair.x, (float)i), plane, 8 * (i + 4), 0, cudaBoundaryModeZero);
      float4 four;
      surf3Dread(&four, cube, 16 * (i % 2), i / 2 % 2, i / 4);
      q[24 + i] = four.w;
      surf3Dwrite(make_float4(four.y, four.z, four.w, four.x), cube, 16 * (i % 2), i / 2 % 2, i / 4);
    })",
              "--block 8 --arg surf1d:u8[8]=iota --arg surf1d:s16[8]=iota --arg surf2d:f32x2[8x2]=iota "
              "--arg surf3d:f32x4[2x2x2]=iota --arg f32[32]=zeros --print 1 --print 2 --print 3 "
              "--print 4");
  ASSERT_TRUE(out.isObject());
  const auto value = [&](const char* argument, int i) {
    return out.at(argument).at(static_cast<size_t>(i)).get<float>();
  };
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(value("4", i), static_cast<float>(std::max(i - 2, 0))) << i;
    EXPECT_EQ(value("4", 8 + i), static_cast<float>(std::max(i - 2, 0))) << i;
    EXPECT_EQ(value("1", i), static_cast<float>(3 * i)) << i;
    EXPECT_EQ(value("4", 16 + i), static_cast<float>(33 + 4 * i)) << i;
    EXPECT_EQ(value("2", 2 * i), static_cast<float>(i < 4 ? 2 * i : -(16 + 2 * (i - 4)))) << i;
    EXPECT_EQ(value("4", 24 + i), static_cast<float>(4 * i + 3)) << i;
    EXPECT_EQ(value("3", 4 * i), static_cast<float>(4 * i + 1)) << i;
    EXPECT_EQ(value("3", 4 * i + 3), static_cast<float>(4 * i)) << i;
  }
}

// The host part of a file is read, though not run.
TEST_F(CudaHeaders, HalvesOnTheHost) {
  const Json out = outputs(R"(
    #include <cuda_fp16.h>
    void fill(half* a, int n) {
      for (int i = 0; i < n; ++i) a[i] = i % 3 ? -static_cast<half>(float(i)) : static_cast<half>(float(i));
      if (a[0] < a[1] || a[0] == a[2]) a[0] = a[1];
    }
    __global__ void k(half* a) { a[threadIdx.x] = threadIdx.x % 2 ? -a[threadIdx.x] : a[threadIdx.x]; })",
                           "--block 4 --arg f16[4]=iota --print 0");
  ASSERT_TRUE(out.isObject());
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(out.at("0").at(i).get<double>(), i % 2 == 1 ? -static_cast<double>(i) : static_cast<double>(i));
}

}  // namespace
}  // namespace warpscope
