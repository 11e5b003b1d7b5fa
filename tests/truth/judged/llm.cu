// Inference of language models: what the runtimes launch for a token or a short prompt.
#include <cuda_fp16.h>

static __device__ __forceinline__ float warp_sum_f32(float x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_xor_sync(0xffffffff, x, offset, 32);
  return x;
}

static __device__ __forceinline__ float warp_max_f32(float x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset, 32));
  return x;
}

// warpscope rms_norm_f32: block = 256 fixed, ncols = 2048, rows = 512, grid = rows, x = random[ncols * rows] in -2..2, w = random[ncols], dst = zeros[ncols * rows], eps = 0.00001
template <int block_size>
__global__ void rms_norm_f32(const float* x, const float* w, float* dst, const int ncols, const float eps) {
  const int row = blockIdx.x, tid = threadIdx.x;
  x += (size_t)row * ncols;
  dst += (size_t)row * ncols;
  float tmp = 0.0f;
  for (int col = tid; col < ncols; col += block_size) {
    const float xi = x[col];
    tmp += xi * xi;
  }
  tmp = warp_sum_f32(tmp);
  if (block_size > 32) {
    __shared__ float s_sum[32];
    const int warp_id = tid / 32, lane_id = tid % 32;
    if (lane_id == 0) s_sum[warp_id] = tmp;
    __syncthreads();
    tmp = lane_id < block_size / 32 ? s_sum[lane_id] : 0.0f;
    tmp = warp_sum_f32(tmp);
  }
  const float scale = rsqrtf(tmp / ncols + eps);
  for (int col = tid; col < ncols; col += block_size) dst[col] = scale * x[col] * w[col];
}
template __global__ void rms_norm_f32<256>(const float*, const float*, float*, const int, const float);

// Blocks of 32 weights of four bits with a scale, times a vector: a warp for a row.
struct block_q4 {
  __half d;
  unsigned char qs[16];
};
// warpscope mul_mat_vec_q4: block = (32, 4) fixed, ncols = 2048, nrows = 4000, grid = ceil(nrows / 4), vx = u8 random[18 * (ncols / 32) * nrows] in 0..52, y = random[ncols] in -1..1, dst = zeros[nrows]
__global__ void mul_mat_vec_q4(const block_q4* __restrict__ vx, const float* __restrict__ y,
                               float* __restrict__ dst, const int ncols, const int nrows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= nrows) return;
  const int blocks_per_row = ncols / 32, lane = threadIdx.x;
  const block_q4* x = vx + (size_t)row * blocks_per_row;
  float sum = 0.0f;
  for (int ib = lane / 2; ib < blocks_per_row; ib += 16) {
    const float d = __half2float(x[ib].d);
    const int half_block = lane % 2 * 8;
    float part = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int q = x[ib].qs[half_block + j];
      part += ((q & 0xF) - 8) * y[ib * 32 + half_block + j];
      part += ((q >> 4) - 8) * y[ib * 32 + half_block + j + 16];
    }
    sum += d * part;
  }
  sum = warp_sum_f32(sum);
  if (lane == 0) dst[row] = sum;
}

// Activations to bytes with a scale for each 32, as before a product of integers.
struct block_q8 {
  float d;
  float s;
  signed char qs[32];
};
// warpscope quantize_q8: block = 256, ncols = 4096, rows = 240, grid = (ceil(ncols / block), rows), x = random[ncols * rows] in -3..3, vy = u32 zeros[10 * (ncols / 32) * rows]
__global__ void quantize_q8(const float* __restrict__ x, block_q8* __restrict__ vy, const int ncols) {
  const int ix = blockDim.x * blockIdx.x + threadIdx.x;
  if (ix >= ncols) return;
  const int i = blockIdx.y * ncols + ix, ib = i / 32, iqs = i % 32;
  const float xi = x[i];
  const float amax = warp_max_f32(fabsf(xi)), sum = warp_sum_f32(xi);
  const float d = amax / 127;
  const signed char q = amax == 0.0f ? 0 : (signed char)roundf(xi / d);
  vy[ib].qs[iqs] = q;
  if (iqs > 0) return;
  vy[ib].d = d;
  vy[ib].s = sum;
}

// Turns pairs by an angle that falls with their place; the two halves of a head are paired.
// warpscope rope_neox_f16: block = (1, 256), head_dim = 128, heads = 32, tokens = 96, grid = (heads * tokens, ceil(head_dim / 2 / block.y)), x = random[head_dim * heads * tokens] in -1..1, pos = iota[tokens], dst = zeros[head_dim * heads * tokens], freq_base = 10000
__global__ void rope_neox_f16(const __half* x, __half* dst, const int* pos, const int head_dim,
                              const int heads, const float freq_base) {
  const int i0 = blockDim.y * blockIdx.y + threadIdx.y;
  if (i0 >= head_dim / 2) return;
  const int row = blockIdx.x, token = row / heads;
  const int i = row * head_dim + i0;
  const float theta = pos[token] * powf(freq_base, -2.0f * i0 / head_dim);
  const float c = cosf(theta), s = sinf(theta);
  const float x0 = __half2float(x[i]), x1 = __half2float(x[i + head_dim / 2]);
  dst[i] = __float2half(x0 * c - x1 * s);
  dst[i + head_dim / 2] = __float2half(x0 * s + x1 * c);
}

// Softmax of scores with a causal mask: row r sees the first past + r + 1 columns.
// warpscope softmax_causal: block = 128 fixed, rows = 256, heads = 8, cols = 384, past = 128, grid = (rows, heads), scores = random[rows * heads * cols] in -4..4, out = zeros[rows * heads * cols], scale = 0.125
__global__ void softmax_causal(const float* scores, float* out, int cols, int past, float scale) {
  __shared__ float buf[4];
  const size_t base = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * cols;
  const int visible = past + blockIdx.x + 1, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < visible; c += blockDim.x) m = fmaxf(m, scores[base + c] * scale);
  m = warp_max_f32(m);
  if (lane == 0) buf[warp] = m;
  __syncthreads();
  m = fmaxf(fmaxf(buf[0], buf[1]), fmaxf(buf[2], buf[3]));
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < visible; c += blockDim.x) {
    const float e = expf(scores[base + c] * scale - m);
    out[base + c] = e;
    sum += e;
  }
  sum = warp_sum_f32(sum);
  if (lane == 0) buf[warp] = sum;
  __syncthreads();
  const float inv = 1.0f / (buf[0] + buf[1] + buf[2] + buf[3]);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[base + c] = c < visible ? out[base + c] * inv : 0.0f;
}

// The gate of the feed-forward part, two halves at once.
// warpscope swiglu_half2: block = 512, n2 = 600000, grid = ceil(n2 / block), gate = f16 random[2 * n2] in -4..4, up = f16 random[2 * n2] in -1..1, out = f16 zeros[2 * n2]
__global__ void swiglu_half2(const __half2* __restrict__ gate, const __half2* __restrict__ up,
                             __half2* __restrict__ out, int n2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n2) return;
  const float2 g = __half22float2(gate[i]), u = __half22float2(up[i]);
  float2 r;
  r.x = g.x / (1.0f + __expf(-g.x)) * u.x;
  r.y = g.y / (1.0f + __expf(-g.y)) * u.y;
  out[i] = __float22half2_rn(r);
}

// One new query against a cache of keys and values, a block for a head; the softmax is kept up on the way.
// warpscope decode_attention: block = 128 fixed, head_dim = 64, context = 700, heads = 160, grid = heads, shared = 4 * context, q = random[heads * head_dim] in -1..1, k = random[heads * context * head_dim] in -1..1, v = random[heads * context * head_dim], out = zeros[heads * head_dim]
__global__ void decode_attention(const float* __restrict__ q, const __half* __restrict__ k,
                                 const __half* __restrict__ v, float* __restrict__ out, int head_dim,
                                 int context) {
  extern __shared__ float logits[];
  __shared__ float sq[64], red[4], partial[2][64];
  const int head = blockIdx.x, tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  if (tid < 64) sq[tid] = q[head * 64 + tid] * 0.125f;
  __syncthreads();
  const __half* kh = k + (size_t)head * context * head_dim;
  for (int t = warp; t < context; t += 4) {
    const __half2 kk = reinterpret_cast<const __half2*>(kh + t * head_dim)[lane];
    const float2 f = __half22float2(kk);
    const float dot = warp_sum_f32(f.x * sq[2 * lane] + f.y * sq[2 * lane + 1]);
    if (lane == 0) logits[t] = dot;
  }
  __syncthreads();
  float m = -1e30f;
  for (int t = tid; t < context; t += 128) m = fmaxf(m, logits[t]);
  m = warp_max_f32(m);
  if (lane == 0) red[warp] = m;
  __syncthreads();
  m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
  __syncthreads();
  float sum = 0;
  for (int t = tid; t < context; t += 128) {
    const float e = __expf(logits[t] - m);
    logits[t] = e;
    sum += e;
  }
  sum = warp_sum_f32(sum);
  if (lane == 0) red[warp] = sum;
  __syncthreads();
  sum = red[0] + red[1] + red[2] + red[3];
  const int d = tid % 64, part = tid / 64;
  const __half* vh = v + (size_t)head * context * head_dim;
  float acc = 0;
  for (int t = part; t < context; t += 2) acc += logits[t] * __half2float(vh[t * head_dim + d]);
  partial[part][d] = acc;
  __syncthreads();
  if (tid < 64) out[head * 64 + tid] = (partial[0][tid] + partial[1][tid]) / sum;
}

// The two best experts of each token, their weights normalised: a warp for a token.
// warpscope moe_gate_top2: block = 256, tokens = 12000, experts = 64, grid = ceil(32 * tokens / block), logits = random[tokens * experts] in -3..3, ids = zeros[2 * tokens], weights = zeros[2 * tokens]
__global__ void moe_gate_top2(const float* __restrict__ logits, int* __restrict__ ids,
                              float* __restrict__ weights, int tokens, int experts) {
  const int token = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (token >= tokens) return;
  float best[2];
  int who[2];
  int taken = -1;
  for (int k = 0; k < 2; ++k) {
    float value = -INFINITY;
    int index = 0;
    for (int e = lane; e < experts; e += 32) {
      const float l = logits[token * experts + e];
      if (e != taken && l > value) {
        value = l;
        index = e;
      }
    }
    for (int o = 16; o > 0; o >>= 1) {
      const float ov = __shfl_xor_sync(0xffffffff, value, o);
      const int oi = __shfl_xor_sync(0xffffffff, index, o);
      if (ov > value || (ov == value && oi < index)) {
        value = ov;
        index = oi;
      }
    }
    best[k] = value;
    who[k] = taken = index;
  }
  if (lane < 2) {
    const float w1 = 1.0f / (1.0f + __expf(best[1] - best[0]));
    ids[token * 2 + lane] = lane == 0 ? who[0] : who[1];
    weights[token * 2 + lane] = lane == 0 ? w1 : 1.0f - w1;
  }
}

// New keys go to pages of the cache that a table names.
// warpscope paged_cache_store: block = 192, kv_dim = 1024, tokens = 600, page_size = 16, pages = 80, grid = tokens, key = random[tokens * kv_dim], table = iota[pages], cache = zeros[pages * page_size * kv_dim]
__global__ void paged_cache_store(const __half* __restrict__ key, const int* __restrict__ table,
                                  float* __restrict__ cache, int kv_dim, int page_size, int pages) {
  const int token = blockIdx.x;
  const int page = table[token / page_size], slot = token % page_size;
  if (page < 0 || page >= pages) return;
  float* to = cache + ((size_t)page * page_size + slot) * kv_dim;
  for (int i = threadIdx.x; i < kv_dim; i += blockDim.x)
    to[i] = __half2float(key[(size_t)token * kv_dim + i]);
}
