// Filters and transforms of signals.

// One pass of a transform of radix 4 over global memory.
// warpscope radix4_pass: block = 256, n = 2^20, stride = 256, grid = ceil(n / 4 / block), in = random[n], out = zeros[n]
__global__ void radix4_pass(const float2* in, float2* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4;
  if (i >= quarter) return;
  const int k = i % stride;
  float2 v[4];
  for (int j = 0; j < 4; ++j) {
    const float2 x = in[i + j * quarter];
    float sine, cosine;
    __sincosf(-1.5707963f * j * k / stride, &sine, &cosine);
    v[j] = make_float2(x.x * cosine - x.y * sine, x.x * sine + x.y * cosine);
  }
  const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
               b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
  const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
               d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
  float2* to = out + (i - k) * 4 + k;
  to[0] = make_float2(a.x + c.x, a.y + c.y);
  to[stride] = make_float2(b.x + d.x, b.y + d.y);
  to[2 * stride] = make_float2(a.x - c.x, a.y - c.y);
  to[3 * stride] = make_float2(b.x - d.x, b.y - d.y);
}

// A whole transform of 512 points in shared memory.
// warpscope transform512: block = 256 fixed, count = 1024, grid = count, data = random[512 * count]
__global__ void transform512(float2* data) {
  __shared__ float re[512], im[512];
  const int t = threadIdx.x;
  float2* mine = data + blockIdx.x * 512;
  for (int k = t; k < 512; k += 256) {
    const float2 x = mine[k];
    const int at = __brev(k) >> 23;
    re[at] = x.x;
    im[at] = x.y;
  }
  for (int half_size = 1; half_size < 512; half_size *= 2) {
    __syncthreads();
    const int k = t % half_size, low = 2 * (t - k) + k, high = low + half_size;
    float sine, cosine;
    __sincosf(-3.1415927f * k / half_size, &sine, &cosine);
    const float x = re[high] * cosine - im[high] * sine, y = re[high] * sine + im[high] * cosine;
    re[high] = re[low] - x;
    im[high] = im[low] - y;
    re[low] += x;
    im[low] += y;
  }
  __syncthreads();
  for (int k = t; k < 512; k += 256) mine[k] = make_float2(re[k], im[k]);
}

__constant__ float taps[48] = {0.01f,  0.02f, 0.01f,  -0.02f, -0.03f, 0.01f, 0.05f,  0.04f,  -0.03f, -0.08f,
                               -0.02f, 0.1f,  0.12f,  -0.05f, -0.2f,  -0.1f, 0.25f,  0.5f,   0.6f,   0.5f,
                               0.25f,  -0.1f, -0.2f,  -0.05f, 0.12f,  0.1f,  -0.02f, -0.08f, -0.03f, 0.04f,
                               0.05f,  0.01f, -0.03f, -0.02f, 0.01f,  0.02f, 0.01f,  0.005f, 0.002f, 0.001f,
                               0.03f,  0.02f, 0.07f,  0.01f,  0.04f,  0.06f, 0.01f,  0.02f};

// warpscope finite_filter: block = 192, n = 700000, grid = ceil(n / block), in = random[n + 48] in -1..1, out = zeros[n]
__global__ void finite_filter(const float* in, float* out, int n) {
  __shared__ float tile[1024 + 48];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  for (int k = threadIdx.x; k < blockDim.x + 47; k += blockDim.x)
    tile[k] = first + k < n + 48 ? in[first + k] : 0;
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < 48; ++k) sum += taps[k] * tile[threadIdx.x + k];
  out[i] = sum;
}

// Two biquads in a row for each channel; a channel's samples follow each other.
// warpscope biquads: block = 32, channels = 1500, samples = 200, grid = ceil(channels / block), data = random[channels * samples] in -1..1
__global__ void biquads(float* data, int channels, int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float x1 = 0, x2 = 0, y1 = 0, y2 = 0, z1 = 0, z2 = 0;
  for (int k = 0; k < samples; ++k) {
    float* at = data + channel * samples + k;
    const float x = *at, y = 0.2f * x + 0.4f * x1 + 0.2f * x2 + 0.37f * y1 - 0.2f * y2;
    const float z = 0.6f * y - 1.1f * y1 + 0.6f * y2 + 1.0f * z1 - 0.4f * z2;
    x2 = x1, x1 = x;
    y2 = y1, y1 = y;
    z2 = z1, z1 = z;
    *at = z;
  }
}

// The strength of 16 tones in each frame, by Goertzel's method.
// warpscope tones: block = (16, 8), frames = 4000, samples = 205, grid = ceil(frames / block.y), in = random[frames * samples] in -20000..20000, out = zeros[16 * frames]
__global__ void tones(const short* in, float* out, int frames, int samples) {
  const int frame = blockIdx.x * blockDim.y + threadIdx.y;
  if (frame >= frames) return;
  const float factor = 2 * cosf(0.09f * (threadIdx.x + 3));
  float before = 0, last = 0;
  for (int k = 0; k < samples; ++k) {
    const float next = in[frame * samples + k] + factor * last - before;
    before = last;
    last = next;
  }
  out[frame * 16 + threadIdx.x] = before * before + last * last - factor * before * last;
}

// All levels of Haar's wavelets of 1024 values.
// warpscope wavelets: block = 512 fixed, rows = 900, grid = rows, data = random[1024 * rows]
__global__ void wavelets(float* data) {
  __shared__ float values[1024];
  const int t = threadIdx.x;
  float2* row = reinterpret_cast<float2*>(data + blockIdx.x * 1024);
  const float2 pair = row[t];
  values[2 * t] = pair.x;
  values[2 * t + 1] = pair.y;
  __syncthreads();
  for (int count = 512; count >= 1; count /= 2) {
    float low = 0, high = 0;
    if (t < count) {
      low = 0.70710678f * (values[2 * t] + values[2 * t + 1]);
      high = 0.70710678f * (values[2 * t] - values[2 * t + 1]);
    }
    __syncthreads();
    if (t < count) {
      values[t] = low;
      values[count + t] = high;
    }
    __syncthreads();
  }
  row[t] = make_float2(values[2 * t], values[2 * t + 1]);
}

// warpscope autocorrelation: block = 128, n = 16384, lags = 256, grid = (lags / block, 64), in = random[n + lags] in -1..1, out = zeros[lags]
__global__ void autocorrelation(const float* in, float* out, int n, int lags) {
  const int lag = blockIdx.x * blockDim.x + threadIdx.x, share = n / gridDim.y;
  if (lag >= lags) return;
  float sum = 0;
  for (int k = blockIdx.y * share; k < (blockIdx.y + 1) * share; ++k) sum += in[k] * in[k + lag];
  atomicAdd(&out[lag], sum);
}

// A Walsh-Hadamard transform of 128 values by a warp, four in each lane.
// warpscope walsh: block = 256, rows = 20000, grid = ceil(32 * rows / block), data = random[32 * rows] in -100..100
__global__ void walsh(int4* data, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i / 32 >= rows) return;
  int4 v = data[i];
  v = make_int4(v.x + v.y, v.x - v.y, v.z + v.w, v.z - v.w);
  v = make_int4(v.x + v.z, v.y + v.w, v.x - v.z, v.y - v.w);
  for (int d = 1; d < 32; d *= 2) {
    const int4 other = make_int4(__shfl_xor_sync(0xFFFFFFFF, v.x, d), __shfl_xor_sync(0xFFFFFFFF, v.y, d),
                                 __shfl_xor_sync(0xFFFFFFFF, v.z, d), __shfl_xor_sync(0xFFFFFFFF, v.w, d));
    const int sign = lane & d ? -1 : 1;
    v = make_int4(other.x + sign * v.x, other.y + sign * v.y, other.z + sign * v.z, other.w + sign * v.w);
  }
  data[i] = v;
}

// From 48 to 44.1 thousand samples a second: phases of 147 to 160.
// warpscope resample: block = 147 fixed, chunks = 4000, grid = chunks, filter = random[147 * 12] in -0.1..0.3, in = random[160 * chunks + 16] in -1..1, out = zeros[147 * chunks]
__global__ void resample(const float* filter, const float* in, float* out) {
  const int first = blockIdx.x * 160 + threadIdx.x * 160 / 147, phase = threadIdx.x * 160 % 147;
  float sum = 0;
  for (int k = 0; k < 12; ++k) sum += filter[phase * 12 + k] * in[first + k];
  out[blockIdx.x * 147 + threadIdx.x] = sum;
}

// Integrators and combs in whole numbers of 64 bits, a channel each.
// warpscope decimate: block = 96, channels = 6144, samples = 64, grid = ceil(channels / block), in = random[channels * samples], out = zeros[channels * samples / 16]
__global__ void decimate(const short* in, long long* out, int channels, int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  long long a = 0, b = 0, c = 0, p = 0, q = 0, r = 0;
  for (int k = 0; k < samples; ++k) {
    a += in[k * channels + channel];
    b += a;
    c += b;
    if (k % 16 != 15) continue;
    const long long x = c - p, y = x - q;
    p = c;
    q = x;
    out[k / 16 * channels + channel] = y - r;
    r = y;
  }
}

// warpscope envelope: block = 640, n = 1000000, grid = ceil(n / block), in = random[n] in -1..1, out = zeros[n]
__global__ void envelope(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 x = in[i];
  out[i] = 8.685890f * logf(hypotf(x.x, x.y) + 1e-9f);
}

// warpscope reversed_order: block = 256, bits = 20, grid = 2^bits / block, in = random[2^bits], out = zeros[2^bits]
__global__ void reversed_order(const float2* in, float2* out, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 << bits) out[i] = in[__brev(i) >> (32 - bits)];
}
