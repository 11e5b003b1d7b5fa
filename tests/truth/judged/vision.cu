// Computer vision: filters, features, matching.

// A separable filter's row pass with the taps in constant memory.
__constant__ float row_taps[17] = {.01f, .02f, .03f, .05f, .06f, .08f, .09f, .10f, .12f,
                                   .10f, .09f, .08f, .06f, .05f, .03f, .02f, .01f};
// warpscope convolution_rows: block = (16, 4) fixed, w = 960, h = 400, pitch = 960, grid = (w / 128, h / 4), src = random[pitch * h], dst = zeros[pitch * h]
__global__ void convolution_rows(float* dst, const float* src, int w, int h, int pitch) {
  __shared__ float s[4][16 * 10];
  const int base_x = (blockIdx.x * 8 - 1) * 16 + threadIdx.x, base_y = blockIdx.y * 4 + threadIdx.y;
  src += base_y * pitch + base_x;
  dst += base_y * pitch + base_x;
#pragma unroll
  for (int i = 1; i < 9; i++) s[threadIdx.y][threadIdx.x + i * 16] = base_x + i * 16 < w ? src[i * 16] : 0;
  s[threadIdx.y][threadIdx.x] = base_x >= 0 ? src[0] : 0;
  s[threadIdx.y][threadIdx.x + 9 * 16] = base_x + 9 * 16 < w ? src[9 * 16] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 9; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -8; j <= 8; j++) sum += row_taps[8 - j] * s[threadIdx.y][threadIdx.x + i * 16 + j];
    if (base_x + i * 16 < w) dst[i * 16] = sum;
  }
}

// Corners by Harris: products of gradients summed over 3 x 3, all from one tile.
// warpscope harris_response: block = (16, 16) fixed, w = 500, h = 375, grid = (ceil(w / 16), ceil(h / 16)), img = random[w * h], response = zeros[w * h], k = 0.04
__global__ void harris_response(const unsigned char* img, float* response, int w, int h, float k) {
  __shared__ float px[20][21];
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
    int sx = min(max((int)blockIdx.x * 16 - 2 + i % 20, 0), w - 1),
        sy = min(max((int)blockIdx.y * 16 - 2 + i / 20, 0), h - 1);
    px[i / 20][i % 20] = img[sy * w + sx] * (1.0f / 255);
  }
  __syncthreads();
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float a = 0, b = 0, c = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int u = threadIdx.x + 2 + dx, v = threadIdx.y + 2 + dy;
      float gx = px[v][u + 1] - px[v][u - 1], gy = px[v + 1][u] - px[v - 1][u];
      a += gx * gx;
      b += gx * gy;
      c += gy * gy;
    }
  }
  response[y * w + x] = a * c - b * b - k * (a + c) * (a + c);
}

// The nearest of many descriptors of 256 bits by Hamming distance, with the ratio test's second.
// warpscope match_orb: block = 128 fixed, queries = 2000, train = 1500, grid = ceil(queries / 128), query = random[2 * queries], trained = random[2 * train]:4, best = zeros[queries]
__global__ void match_orb(const uint4* __restrict__ query, const uint4* __restrict__ trained, int4* best,
                          int queries, int train) {
  __shared__ uint4 tile[64][2];
  const int q = blockIdx.x * 128 + threadIdx.x;
  uint4 a = make_uint4(0, 0, 0, 0), b = a;
  if (q < queries) a = query[2 * q], b = query[2 * q + 1];
  int d1 = 999, d2 = 999, who = -1;
  for (int first = 0; first < train; first += 64) {
    const int count = min(64, train - first);
    if (threadIdx.x < 2 * count) tile[threadIdx.x / 2][threadIdx.x % 2] = trained[2 * first + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < count; ++i) {
      const uint4 c = tile[i][0], d = tile[i][1];
      const int distance = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) + __popc(a.w ^ c.w) +
                           __popc(b.x ^ d.x) + __popc(b.y ^ d.y) + __popc(b.z ^ d.z) + __popc(b.w ^ d.w);
      if (distance < d1) {
        d2 = d1;
        d1 = distance;
        who = first + i;
      } else if (distance < d2) {
        d2 = distance;
      }
    }
    __syncthreads();
  }
  if (q < queries) best[q] = make_int4(who, d1, d2, d1 * 10 < d2 * 7);
}

// The census of a window of 9 x 7, and the disparity whose census is nearest.
// warpscope census_9x7: block = (32, 4), w = 450, h = 375, grid = (ceil(w / block.x), ceil(h / block.y)), img = random[w * h], out = zeros[w * h]
__global__ void census_9x7(const unsigned char* img, unsigned long long* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 4 || y < 3 || x >= w - 4 || y >= h - 3) return;
  unsigned char centre = img[y * w + x];
  unsigned long long bits = 0;
  for (int dy = -3; dy <= 3; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if (dx == 0 && dy == 0) continue;
      bits = bits << 1 | (img[(y + dy) * w + x + dx] < centre);
    }
  }
  out[y * w + x] = bits;
}
// warpscope stereo_winner: block = 160, w = 450, h = 375, max_disp = 48, grid = (ceil(w / block), h), left = random[w * h], right = random[w * h]:3, disparity = zeros[w * h]
__global__ void stereo_winner(const unsigned long long* left, const unsigned long long* right,
                              unsigned char* disparity, int w, int max_disp) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * w;
  if (x >= w) return;
  const unsigned long long c = left[row + x];
  int best = 65, at = 0;
  for (int d = 0; d < max_disp && d <= x; ++d) {
    const int cost = __popcll(c ^ right[row + x - d]);
    if (cost < best) best = cost, at = d;
  }
  disparity[row + x] = at;
}

// Flow by Lucas and Kanade: a window of 7 x 7, then a 2 x 2 system.
// warpscope lucas_kanade_flow: block = (32, 8), w = 320, h = 240, grid = (ceil(w / block.x), ceil(h / block.y)), prev = random[w * h], next = random[w * h]:2, flow = zeros[w * h]
__global__ void lucas_kanade_flow(const float* __restrict__ prev, const float* __restrict__ next,
                                  float2* __restrict__ flow, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float2 result = make_float2(0, 0);
  if (x >= 4 && y >= 4 && x < w - 4 && y < h - 4) {
    float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    for (int j = -3; j <= 3; ++j) {
#pragma unroll
      for (int i = -3; i <= 3; ++i) {
        const int p = (y + j) * w + x + i;
        const float ix = 0.5f * (prev[p + 1] - prev[p - 1]), iy = 0.5f * (prev[p + w] - prev[p - w]),
                    it = next[p] - prev[p];
        xx += ix * ix;
        xy += ix * iy;
        yy += iy * iy;
        xt += ix * it;
        yt += iy * it;
      }
    }
    const float det = xx * yy - xy * xy;
    if (fabsf(det) > 1e-6f) {
      result.x = (xy * yt - yy * xt) / det;
      result.y = (xy * xt - xx * yt) / det;
    }
  }
  flow[y * w + x] = result;
}

// Histograms of gradients: cells of 8 x 8, nine directions, a warp's lanes on two rows' pixels each.
// warpscope hog_cells: block = (32, 4) fixed, cells_x = 60, cells_y = 40, grid = (cells_x / 4, cells_y), img = random[(cells_x * 8 + 2) * (cells_y * 8 + 2)], hist = zeros[9 * cells_x * cells_y]
__global__ void hog_cells(const float* img, float* hist, int cells_x) {
  __shared__ float bins[4][9];
  const int lane = threadIdx.x, cell = blockIdx.x * 4 + threadIdx.y, stride = cells_x * 8 + 2;
  if (lane < 9) bins[threadIdx.y][lane] = 0;
  __syncwarp();
  for (int i = lane; i < 64; i += 32) {
    const int x = cell * 8 + i % 8 + 1, y = blockIdx.y * 8 + i / 8 + 1;
    const float gx = img[y * stride + x + 1] - img[y * stride + x - 1];
    const float gy = img[(y + 1) * stride + x] - img[(y - 1) * stride + x];
    const float magnitude = sqrtf(gx * gx + gy * gy);
    float angle = atan2f(gy, gx) * (9.0f / 3.14159265f);
    if (angle < 0) angle += 9.0f;
    const int b0 = (int)angle % 9, b1 = (b0 + 1) % 9;
    const float part = angle - floorf(angle);
    atomicAdd(&bins[threadIdx.y][b0], magnitude * (1 - part));
    atomicAdd(&bins[threadIdx.y][b1], magnitude * part);
  }
  __syncwarp();
  if (lane < 9) hist[(blockIdx.y * cells_x + cell) * 9 + lane] = bins[threadIdx.y][lane];
}

// Lines vote in an accumulator: each edge pixel for every angle.
// warpscope hough_vote: block = 180 fixed, w = 320, h = 200, rhos = 800, grid = h, edges = random[w * h], accumulator = zeros[180 * rhos]
__global__ void hough_vote(const unsigned char* edges, int* accumulator, int w, int rhos) {
  __shared__ int columns[320];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int x = threadIdx.x; x < w; x += blockDim.x)
    if (edges[blockIdx.x * w + x] > 235) columns[atomicAdd(&count, 1)] = x;
  __syncthreads();
  const float theta = threadIdx.x * 0.01745329f, c = cosf(theta), s = sinf(theta) * blockIdx.x;
  for (int i = 0; i < count; i++) {
    const int rho = (int)rintf(columns[i] * c + s) + rhos / 2;
    atomicAdd(&accumulator[threadIdx.x * rhos + rho], 1);
  }
}

// Non-local means: patches of 3 x 3 in a window of 9 x 9.
// warpscope nl_means: block = (16, 8), w = 240, h = 180, grid = (ceil(w / block.x), ceil(h / block.y)), src = random[w * h], dst = zeros[w * h], inv_h2 = 12
__global__ void nl_means(const float* src, float* dst, int w, int h, float inv_h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  if (x < 5 || y < 5 || x >= w - 5 || y >= h - 5) {
    dst[y * w + x] = src[y * w + x];
    return;
  }
  float sum = 0, weights = 0;
  for (int j = -4; j <= 4; ++j) {
    for (int i = -4; i <= 4; ++i) {
      float distance = 0;
#pragma unroll
      for (int v = -1; v <= 1; ++v)
#pragma unroll
        for (int u = -1; u <= 1; ++u) {
          const float d = src[(y + v) * w + x + u] - src[(y + j + v) * w + x + i + u];
          distance += d * d;
        }
      const float weight = __expf(-distance * inv_h2);
      sum += weight * src[(y + j) * w + x + i];
      weights += weight;
    }
  }
  dst[y * w + x] = sum / weights;
}

// Bicubic, from a larger picture to a smaller of four channels.
// warpscope resize_bicubic_rgba: block = (16, 16), sw = 800, sh = 600, dw = 500, dh = 333, grid = (ceil(dw / block.x), ceil(dh / block.y)), src = random[sw * sh], dst = zeros[dw * dh]
__device__ __forceinline__ float cubic_weight(float t) {
  t = fabsf(t);
  return t < 1 ? (1.5f * t - 2.5f) * t * t + 1 : t < 2 ? ((-0.5f * t + 2.5f) * t - 4) * t + 2 : 0;
}
__global__ void resize_bicubic_rgba(const uchar4* src, uchar4* dst, int sw, int sh, int dw, int dh) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dw || y >= dh) return;
  const float fx = (x + 0.5f) * sw / dw - 0.5f, fy = (y + 0.5f) * sh / dh - 0.5f;
  const int ix = (int)floorf(fx), iy = (int)floorf(fy);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int j = -1; j <= 2; ++j) {
    const float wy = cubic_weight(fy - (iy + j));
    const uchar4* row = src + min(max(iy + j, 0), sh - 1) * sw;
    for (int i = -1; i <= 2; ++i) {
      const float wgt = wy * cubic_weight(fx - (ix + i));
      const uchar4 p = row[min(max(ix + i, 0), sw - 1)];
      sum.x += wgt * p.x;
      sum.y += wgt * p.y;
      sum.z += wgt * p.z;
      sum.w += wgt * p.w;
    }
  }
  dst[y * dw + x] = make_uchar4(
      (unsigned char)fminf(fmaxf(sum.x + 0.5f, 0), 255), (unsigned char)fminf(fmaxf(sum.y + 0.5f, 0), 255),
      (unsigned char)fminf(fmaxf(sum.z + 0.5f, 0), 255), (unsigned char)fminf(fmaxf(sum.w + 0.5f, 0), 255));
}
