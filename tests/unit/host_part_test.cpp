// What is taken out of a source for NVRTC, which compiles kernels alone.
#include "kernels/compile/host_part.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpscope {
namespace {

constexpr const char* kSource = R"cu(#include <vector>
struct Sum { __device__ int operator()(int a, int b) const { return a + b; } };
namespace mine {
__device__ int twice(int v) { return 2 * v; }
static int half(int v) { return v / 2; }
}
constexpr int kSize = 4;
std::vector<int> declared(const std::vector<int>& of);
static std::vector<int> global_list = {1, 2};
using Text = int;
struct Graph { std::vector<int> edges; int degree(int at) const { return edges[at]; } };
template <class T> __global__ void scan(T* p) { *p = mine::twice(kSize); }
template <class T> __global__ void other(T* p) { *p = 0; }
template __global__ void other<int>(int* p);
template <class T> bool check(T a) { scan<T><<<1, 1>>>(nullptr); return a == "}"; }  // { in a comment
std::vector<int> numbers() {
  const char* text = "a { brace // and no comment";
  char c = '{';
  return {1'000, c, text[0]};
}
int main() {
  scan<float><<<1, 1>>>(nullptr);
  other<int><<<1, 1>>>(nullptr);
  scan<double> <<<1, 1>>>(nullptr);
}
__global__ void last(int* p) { *p = 1; }
)cu";

TEST(HostPart, IsSpacesAfterwards) {
  const DevicePart part = withoutHostPart(kSource);
  const std::string source = kSource;
  ASSERT_EQ(part.text.size(), source.size());
  EXPECT_EQ(std::ranges::count(part.text, '\n'), std::ranges::count(source, '\n'));
  for (const char* gone :
       {"main", "numbers", "half", "check", "1'000", "declared", "global_list", "Graph", "<<<"})
    EXPECT_EQ(part.text.find(gone), std::string::npos) << gone;
  for (const char* kept : {"struct Sum", "operator()(int a, int b) const { return a + b; }", "twice(int v)",
                           "kSize = 4", "using Text = int;", "void scan(T* p) { *p",
                           "template __global__ void other<int>", "void last(int* p) { *p = 1; }"})
    EXPECT_EQ(part.text.find(kept), source.find(kept)) << kept;
}

TEST(HostPart, NamesTheTemplatesThatItLaunches) {
  EXPECT_EQ(withoutHostPart(kSource).launched, (std::vector<std::string>{"scan<float>", "scan<double>"}));
}

TEST(HostPart, OfBrokenTextIsWhatItIs) {
  const std::string source = kSource;
  for (size_t length = 0; length <= source.size(); ++length)
    EXPECT_EQ(withoutHostPart(source.substr(0, length)).text.size(), length);
  EXPECT_EQ(withoutHostPart("}}}{{{(((\"").text, "}}}{{{(((\"");
}

}  // namespace
}  // namespace warpscope
