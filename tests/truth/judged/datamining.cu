// Clusters, classifiers, series.
#include <cooperative_groups.h>

// The nearest of the centres in constant memory, for points in columns.
__constant__ float km_centres[16 * 8] = {0.1f, 0.9f, 0.3f, 0.7f, 0.5f, 0.2f, 0.8f, 0.4f, 0.6f, 0.15f};
// warpscope kmeans_point: block = 256, points = 80000, features = 8, clusters = 16, grid = ceil(points / block), data = random[points * features], membership = zeros[points]
__global__ void kmeans_point(const float* data, int* membership, int points, int features, int clusters) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= points) return;
  int index = -1;
  float min_dist = 3.402823466e+38f;
  for (int i = 0; i < clusters; i++) {
    float ans = 0;
    for (int j = 0; j < features; j++) {
      const float diff = data[j * points + id] - km_centres[i * features + j];
      ans += diff * diff;
    }
    if (ans < min_dist) {
      min_dist = ans;
      index = i;
    }
  }
  membership[id] = index;
}

// New centres: sums of members in shared memory, then added to the global ones.
// warpscope kmeans_accumulate: block = 128 fixed, points = 60000, grid = 132, data = random[4 * points], membership = random[points] in 0..15, sums = zeros[16 * 5], tolerance = 1e-2
__global__ void kmeans_accumulate(const float* data, const unsigned char* membership, float* sums,
                                  int points) {
  __shared__ float local[16][5];
  for (int i = threadIdx.x; i < 80; i += blockDim.x) local[i / 5][i % 5] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < points; p += gridDim.x * blockDim.x) {
    const int c = membership[p];
    for (int d = 0; d < 4; d++) atomicAdd(&local[c][d], data[d * points + p]);
    atomicAdd(&local[c][4], 1.0f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 80; i += blockDim.x) atomicAdd(&sums[i], local[i / 5][i % 5]);
}

// The five nearest neighbours of each query: an insertion list in registers.
// warpscope knn_brute: block = 128, queries = 17000, train = 400, grid = ceil(queries / block), query = f32 random[3 * queries], points = f32 random[3 * train]:8, index = zeros[5 * queries]
__global__ void knn_brute(const float3* __restrict__ query, const float3* __restrict__ points,
                          int* __restrict__ index, int queries, int train) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  const float3 p = query[q];
  float best[5];
  int who[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) best[k] = INFINITY, who[k] = -1;
  for (int t = 0; t < train; ++t) {
    const float3 o = points[t];
    const float dx = p.x - o.x, dy = p.y - o.y, dz = p.z - o.z;
    float d = dx * dx + dy * dy + dz * dz;
    if (d >= best[4]) continue;
    int id = t;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      if (d < best[k]) {
        const float keep = best[k];
        const int keep_id = who[k];
        best[k] = d, who[k] = id;
        d = keep, id = keep_id;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 5; ++k) index[k * queries + q] = who[k];
}

// A forest's votes: a warp's lanes are samples, trees of depth six as arrays.
struct tree_node {
  float threshold;
  int feature;
};
// warpscope forest_predict: block = 256, samples = 30000, trees = 24, grid = ceil(samples / block), nodes = u32 random[2 * 63 * trees] in 0..15, leaves = random[64 * trees] in 0..3, data = random[16 * samples], votes = zeros[samples]
__global__ void forest_predict(const tree_node* __restrict__ nodes, const unsigned char* __restrict__ leaves,
                               const float* __restrict__ data, unsigned char* __restrict__ votes, int samples,
                               int trees) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= samples) return;
  int counts[4] = {0, 0, 0, 0};
  for (int t = 0; t < trees; ++t) {
    int at = 0;
#pragma unroll
    for (int depth = 0; depth < 6; ++depth) {
      const tree_node n = nodes[t * 63 + at];
      const float value = data[n.feature * samples + s];
      at = 2 * at + 1 + (value * 0.5f > n.threshold + 0.02f * (at + 1) ? 1 : 0);
    }
    ++counts[leaves[t * 64 + at - 63]];
  }
  int best = 0;
  for (int k = 1; k < 4; ++k)
    if (counts[k] > counts[best]) best = k;
  votes[s] = best;
}

// The least sum of a way down through a field, rows at a time in shared memory with a halo.
// warpscope pathfinder_pyramid: block = 256 fixed, cols = 60000, height = 8, grid = ceil(cols / 240), wall = random[cols * height] in 0..9, src = random[cols] in 0..9, result = zeros[cols]
__global__ void pathfinder_pyramid(const int* wall, const int* src, int* result, int cols, int height) {
  __shared__ int prev[256], next[256];
  const int tx = threadIdx.x, x = 240 * (int)blockIdx.x - 8 + tx;
  const bool inside = x >= 0 && x < cols;
  prev[tx] = inside ? src[x] : 1000000;
  __syncthreads();
  for (int i = 0; i < height; i++) {
    if (tx >= i + 1 && tx <= 254 - i && inside) {
      const int left = prev[tx - 1], up = prev[tx], right = prev[tx + 1];
      next[tx] = min(min(left, up), right) + wall[cols * i + x];
    } else {
      next[tx] = 1000000;
    }
    __syncthreads();
    prev[tx] = next[tx];
    __syncthreads();
  }
  if (tx >= 8 && tx < 248 && inside) result[x] = prev[tx];
}

// A hidden layer's sums: 16 inputs a block, products in shared memory, a tree over them.
// warpscope backprop_layerforward: block = (16, 16) fixed, in = 16384, hid = 16, grid = (1, in / 16), input = random[in + 1], hidden_weights = random[(in + 1) * (hid + 1)], partial = zeros[in], cuda_weights = zeros[(in + 1) * (hid + 1)]
__global__ void backprop_layerforward(const float* input, const float* hidden_weights, float* cuda_weights,
                                      float* partial, int hid) {
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1), index_in = 16 * by + ty + 1;
  __shared__ float input_node[16];
  __shared__ float weight_matrix[16][16];
  if (tx == 0) input_node[ty] = input[index_in];
  __syncthreads();
  weight_matrix[ty][tx] = hidden_weights[index] * input_node[ty];
  __syncthreads();
  for (int i = 1; i <= 4; i++) {
    const int power_two = 1 << i;
    if (ty % power_two == 0)
      weight_matrix[ty][tx] = weight_matrix[ty][tx] + weight_matrix[ty + power_two / 2][tx];
    __syncthreads();
  }
  cuda_weights[index] = weight_matrix[ty][tx];
  if (tx == 0) partial[by * hid + ty] = weight_matrix[0][ty];
}

// Gaussian mixtures: responsibilities of each point, with diagonal covariances.
// warpscope gmm_estep: block = 128, points = 30000, components = 12, dims = 6, grid = ceil(points / block), x = random[points * dims], mean = random[components * dims], inv_var = random[components * dims] in 1..4, log_weight = random[components] in -4..-2, resp = zeros[points * components]
__global__ void gmm_estep(const float* x, const float* mean, const float* inv_var, const float* log_weight,
                          float* resp, int points, int components, int dims) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= points) return;
  float most = -1e30f;
  for (int c = 0; c < components; c++) {
    float like = log_weight[c];
    for (int d = 0; d < dims; d++) {
      const float diff = x[d * points + p] - mean[c * dims + d];
      like -= 0.5f * diff * diff * inv_var[c * dims + d];
    }
    resp[c * points + p] = like;
    most = fmaxf(most, like);
  }
  float sum = 0;
  for (int c = 0; c < components; c++) sum += expf(resp[c * points + p] - most);
  const float log_sum = most + logf(sum);
  for (int c = 0; c < components; c++) resp[c * points + p] = expf(resp[c * points + p] - log_sum);
}

// Kernel rows of a support vector machine: distances to a few points under an exponential, a block a sample.
// warpscope svm_rbf_decision: block = 128 fixed, samples = 1200, vectors = 256, dims = 32, grid = samples, x = random[samples * dims], sv = random[vectors * dims], alpha = random[vectors] in -1..1, out = zeros[samples], gamma = 0.4
__global__ void svm_rbf_decision(const float* x, const float* sv, const float* alpha, float* out, int vectors,
                                 int dims, float gamma) {
  __shared__ float point[32], partial[128];
  if (threadIdx.x < dims) point[threadIdx.x] = x[blockIdx.x * dims + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int v = threadIdx.x; v < vectors; v += blockDim.x) {
    float distance = 0;
    for (int d = 0; d < dims; d += 4) {
      const float4 s = *reinterpret_cast<const float4*>(sv + v * dims + d);
      const float a = s.x - point[d], b = s.y - point[d + 1], c = s.z - point[d + 2], e = s.w - point[d + 3];
      distance += a * a + b * b + c * c + e * e;
    }
    sum += alpha[v] * __expf(-gamma * distance);
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// Resampling of a particle filter: each new particle looks for its place in the cumulated weights, from the
// start.
// warpscope particle_find_index: block = 512, particles = 8192, grid = ceil(particles / block), cdf = iota[particles], u = random[particles] in 0..500, xs = random[particles], xj = zeros[particles]
__global__ void particle_find_index(const float* cdf, const float* u, const float* xs, float* xj,
                                    int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  int index = -1;
  for (int x = 0; x < particles; x++) {
    if (cdf[x] >= u[i]) {
      index = x;
      break;
    }
  }
  if (index == -1) index = particles - 1;
  xj[i] = xs[index];
}

// Sweeps of a relaxation within one launch: the whole grid waits between them.
// warpscope grid_sync_jacobi: block = 256, n = 67584, sweeps = 6, grid = ceil(n / block), cooperative = true, a = random[n], b = random[n]
__global__ void grid_sync_jacobi(float* a, float* b, int n, int sweeps) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < sweeps; ++s) {
    if (i > 0 && i < n - 1) b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    grid.sync();
    float* swap = a;
    a = b;
    b = swap;
  }
}

// The best split of a feature: each block's gain goes to the record under a lock.
struct split_record {
  float gain;
  int feature;
};
// warpscope best_split_locked: block = 128 fixed, features = 64, bins = 128, grid = features, positives = random[features * bins] in 1..100, negatives = random[features * bins] in 1..100, lock = zeros[1], best = u32 zeros[2]
__global__ void best_split_locked(const int* positives, const int* negatives, int* lock,
                                  volatile split_record* best, int bins) {
  __shared__ int pos[128], neg[128];
  __shared__ float gains[128];
  const int t = threadIdx.x;
  pos[t] = positives[blockIdx.x * bins + t];
  neg[t] = negatives[blockIdx.x * bins + t];
  __syncthreads();
  for (int o = 1; o < 128; o *= 2) {
    const int p = t >= o ? pos[t - o] : 0, n = t >= o ? neg[t - o] : 0;
    __syncthreads();
    pos[t] += p;
    neg[t] += n;
    __syncthreads();
  }
  const float lp = pos[t], ln = neg[t], rp = pos[127] - lp, rn = neg[127] - ln;
  gains[t] = lp * lp / (lp + ln) + (rp + rn > 0 ? rp * rp / (rp + rn) : 0.0f);
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) gains[t] = fmaxf(gains[t], gains[t + s]);
    __syncthreads();
  }
  if (t == 0) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(100);
    __threadfence();
    if (gains[0] > best->gain || (gains[0] == best->gain && (int)blockIdx.x < best->feature)) {
      best->gain = gains[0];
      best->feature = blockIdx.x;
    }
    __threadfence();
    atomicExch(lock, 0);
  }
}
