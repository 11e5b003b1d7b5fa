// The price of a call option by Black and Scholes: mathematics that keeps all lanes busy the same way.
#include <cmath>
#include <cstdio>

__host__ __device__ inline float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
__host__ __device__ inline float priceOf(float stock, float strike, float years) {
  const float rate = 0.02f, volatility = 0.3f, root = volatility * sqrtf(years);
  const float d = (logf(stock / strike) + (rate + 0.5f * volatility * volatility) * years) / root;
  return stock * normal(d) - strike * expf(-rate * years) * normal(d - root);
}

// warpscope: block = 256, n = 2^15, grid = ceil(n / block), stock = random[n] in 5..30, strike = random[n]:2 in 1..100
// warpscope: years = random[n]:3 in 0.25..10, price = zeros[n], reference = host priceOnHost, tolerance = 1e-3
__global__ void callPrice(const float* stock, const float* strike, const float* years, float* price, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) price[i] = priceOf(stock[i], strike[i], years[i]);
}

void priceOnHost(const float* stock, const float* strike, const float* years, float* price, int n) {
  for (int i = 0; i < n; ++i) price[i] = priceOf(stock[i], strike[i], years[i]);
}

int main() {
  float* in[3];
  float* price;
  for (float*& each : in) cudaMallocManaged(&each, 256 * sizeof(float));
  cudaMallocManaged(&price, 256 * sizeof(float));
  for (int i = 0; i < 256; ++i) in[0][i] = 20, in[1][i] = 15 + i % 10, in[2][i] = 1;
  callPrice<<<1, 256>>>(in[0], in[1], in[2], price, 256);
  cudaDeviceSynchronize();
  std::printf("price: %g\n", price[0]);
}
