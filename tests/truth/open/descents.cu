// Methods of optimisation: populations, swaps, simplices that walk, shrinkage, transport.

__device__ inline unsigned drawn(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

// Facilities are placed in buildings; each warp cools its own plan by exchanging two, with the difference of
// cost summed by its lanes.
// warpscope cooled_floor_plans: block = 64, plans = 512, tries = 80, grid = plans / 2, flow = random[1024] in 0..9, distance = random[1024] in 1..30, cost = zeros[plans]
__global__ void cooled_floor_plans(const int* __restrict__ flow, const int* __restrict__ distance,
                                   int* __restrict__ cost, int tries) {
  __shared__ int flows[1024], distances[1024];
  __shared__ unsigned char plan[2][32];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) flows[k] = flow[k], distances[k] = distance[k];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, which = blockIdx.x * 2 + warp;
  plan[warp][lane] = (unsigned char)((lane * 5 + which) & 31);
  __syncthreads();
  unsigned state = which * 2654435761u + 1;
  float heat = 400.0f;
  int gained = 0;
  for (int t = 0; t < tries; ++t) {
    const int a = drawn(state) & 31, b = (a + 1 + drawn(state) % 31) & 31;
    const int pa = plan[warp][a], pb = plan[warp][b], mine = plan[warp][lane];
    int change = 0;
    if (lane != a && lane != b) {
      change = (flows[a * 32 + lane] - flows[b * 32 + lane]) *
               (distances[pb * 32 + mine] - distances[pa * 32 + mine]);
      change += (flows[lane * 32 + a] - flows[lane * 32 + b]) *
                (distances[mine * 32 + pb] - distances[mine * 32 + pa]);
    }
    change = __reduce_add_sync(~0u, change);
    const float luck = drawn(state) * 2.3283064e-10f;
    __syncwarp();
    if (change < 0 || luck < __expf(-change / heat)) {
      gained += change;
      if (lane == a) plan[warp][a] = (unsigned char)pb;
      if (lane == b) plan[warp][b] = (unsigned char)pa;
    }
    heat *= 0.97f;
    __syncwarp();
  }
  if (lane == 0) cost[which] = gained;
}

// A generation of differential evolution: a mutant of three others, crossed with the parent, and kept if it
// does better.
__device__ __noinline__ float bumpyCost(const float* x, int sides) {
  float sum = 0, product = 1;
  for (int k = 0; k < sides; ++k) {
    sum += x[k] * x[k];
    product *= cosf(x[k] * rsqrtf(k + 1.0f));
  }
  return 1.0f + sum / 4000.0f - product;
}
// warpscope mutants_and_parents: block = 128, people = 2^14, sides = 16, grid = people / block, genes = random[people * sides] in -50..50, next = zeros[people * sides], fitness = zeros[people], weight = 0.6
__global__ void mutants_and_parents(const float* genes, float* next, float* fitness, float weight, int people,
                                    int sides) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = i * 747796405u + 17;
  const int a = drawn(s) % people, b = drawn(s) % people, c = drawn(s) % people, sure = drawn(s) % sides;
  float mine[16], mutant[16];
  for (int k = 0; k < sides; ++k) {
    mine[k] = genes[k * people + i];
    const bool cross = k == sure || (drawn(s) & 15) < 11;
    mutant[k] =
        cross ? genes[k * people + a] + weight * (genes[k * people + b] - genes[k * people + c]) : mine[k];
  }
  const float old = bumpyCost(mine, sides), fresh = bumpyCost(mutant, sides);
  const bool better = fresh < old;
  for (int k = 0; k < sides; ++k) next[k * people + i] = better ? mutant[k] : mine[k];
  fitness[i] = better ? fresh : old;
}

// Triangles that walk downhill from many starts: reflect, expand, contract or shrink, over Himmelblau's
// valley.
struct Corner {
  float x, y, value;
};
__device__ inline float fourValleys(float x, float y) {
  const float a = x * x + y - 11, b = x + y * y - 7;
  return a * a + b * b;
}
__device__ inline Corner cornerAt(float x, float y) {
  return {x, y, fourValleys(x, y)};
}
// warpscope walking_triangles: block = 96, starts = 24576, grid = starts / block, from = random[2 * starts] in -5..5, found = zeros[2 * starts], rounds = zeros[starts]
__global__ void walking_triangles(const float2* from, float2* found, int* rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 p = from[i];
  Corner best = cornerAt(p.x, p.y), good = cornerAt(p.x + 0.5f, p.y), worst = cornerAt(p.x, p.y + 0.5f);
  int round = 0;
  for (; round < 60; ++round) {
    if (good.value < best.value) {
      const Corner c = good;
      good = best;
      best = c;
    }
    if (worst.value < good.value) {
      const Corner c = worst;
      worst = good;
      good = c;
    }
    if (good.value < best.value) {
      const Corner c = good;
      good = best;
      best = c;
    }
    if (worst.value - best.value < 1e-5f) break;
    const float mx = 0.5f * (best.x + good.x), my = 0.5f * (best.y + good.y);
    const Corner mirrored = cornerAt(2 * mx - worst.x, 2 * my - worst.y);
    if (mirrored.value < best.value) {
      const Corner further = cornerAt(3 * mx - 2 * worst.x, 3 * my - 2 * worst.y);
      worst = further.value < mirrored.value ? further : mirrored;
    } else if (mirrored.value < good.value) {
      worst = mirrored;
    } else {
      const Corner nearer = mirrored.value < worst.value
                                ? cornerAt(1.5f * mx - 0.5f * worst.x, 1.5f * my - 0.5f * worst.y)
                                : cornerAt(0.5f * (mx + worst.x), 0.5f * (my + worst.y));
      if (nearer.value < fminf(mirrored.value, worst.value)) {
        worst = nearer;
      } else {
        good = cornerAt(0.5f * (good.x + best.x), 0.5f * (good.y + best.y));
        worst = cornerAt(0.5f * (worst.x + best.x), 0.5f * (worst.y + best.y));
      }
    }
  }
  found[i] = make_float2(best.x, best.y);
  rounds[i] = round;
}

// Sparse answers by coordinates: a block holds a Gram matrix of 64 columns, and its first warp sweeps the
// coefficients in turn.
// warpscope swept_coefficients: block = 64, tasks = 132, sweeps = 2, grid = tasks, gram = random[4096] in -0.05..0.05, right = random[64 * tasks] in -1..1, answer = zeros[64 * tasks], threshold = 0.3
__global__ void swept_coefficients(const float* __restrict__ gram, const float* __restrict__ right,
                                   float* __restrict__ answer, float threshold, int sweeps) {
  __shared__ float rest[64], now;
  const int t = threadIdx.x;
  float mine = 0;
  rest[t] = right[blockIdx.x * 64 + t];
  __syncthreads();
  for (int s = 0; s < sweeps; ++s) {
    for (int c = 0; c < 64; ++c) {
      if (t == c) {
        const float pull = rest[c] + mine, size = fabsf(pull) - threshold;
        const float fresh = size > 0 ? copysignf(size, pull) : 0.0f;
        now = fresh - mine;
        mine = fresh;
      }
      __syncthreads();
      const float step = now;
      if (step != 0) rest[t] -= step * (t == c ? 1.0f : gram[c * 64 + t]);
      __syncthreads();
    }
  }
  answer[blockIdx.x * 64 + t] = mine;
}

// Moving one heap of sand into another at least cost, smoothed: rows and columns of the kernel are scaled in
// turn; a block solves a pair of heaps.
// warpscope heaps_moved_smoothly: block = 128, pairs = 132, rounds = 6, grid = pairs, a = random[64 * pairs] in 0.5..1, b = random[64 * pairs] in 0.5..1, where = random[128] in 0..4, cost = zeros[pairs]
__global__ void heaps_moved_smoothly(const float* a, const float* b, const float* where, float* cost,
                                     int rounds) {
  __shared__ float kernel[64][65], u[64], v[64], total;
  const int t = threadIdx.x, i = t / 2, half = t % 2;
  for (int k = t; k < 4096; k += 128) {
    const float gap = where[k / 64] - where[64 + k % 64];
    kernel[k / 64][k % 64] = __expf(-2.0f * gap * gap);
  }
  if (t < 64) v[t] = 1.0f;
  if (t == 0) total = 0;
  __syncthreads();
  const float mineA = a[blockIdx.x * 64 + i], mineB = b[blockIdx.x * 64 + i];
  for (int r = 0; r < rounds; ++r) {
    float sum = 0;
#pragma unroll 8
    for (int j = half * 32; j < half * 32 + 32; ++j) sum += kernel[i][j] * v[j];
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (half == 0) u[i] = mineA / (sum + 1e-9f);
    __syncthreads();
    sum = 0;
#pragma unroll 8
    for (int j = half * 32; j < half * 32 + 32; ++j) sum += kernel[j][i] * u[j];
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (half == 0) v[i] = mineB / (sum + 1e-9f);
    __syncthreads();
  }
  float sum = 0;
  for (int j = half * 32; j < half * 32 + 32; ++j)
    sum -= 0.5f * u[i] * kernel[i][j] * v[j] * __logf(kernel[i][j] + 1e-30f);
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (t % 32 == 0) atomicAdd(&total, sum);
  __syncthreads();
  if (t == 0) cost[blockIdx.x] = total;
}

// Labels of pixels are chosen anew one colour of a chequered board at a time: the cost of the pixel and of
// disagreeing with four neighbours.
// warpscope agreeable_labels: block = (32, 8), width = 512, height = 512, grid = (width / 64, height / 8), data = u8 random[8 * width * height], labels = u8 random[width * height] in 0..7, colour = 1, dear = 40
__global__ void agreeable_labels(const uint2* __restrict__ data, unsigned char* labels, int width, int height,
                                 int colour, int dear) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y,
            x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y ^ colour) & 1);
  const int at = y * width + x;
  const uint2 packed = data[at];
  const int around[4] = {x > 0 ? labels[at - 1] & 7 : -1, x < width - 1 ? labels[at + 1] & 7 : -1,
                         y > 0 ? labels[at - width] & 7 : -1, y < height - 1 ? labels[at + width] & 7 : -1};
  int best = 1 << 30, which = 0;
#pragma unroll
  for (int l = 0; l < 8; ++l) {
    int cost = ((l < 4 ? packed.x >> 8 * l : packed.y >> 8 * (l - 4)) & 255);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (around[k] >= 0) cost += min(abs(around[k] - l), 2) * dear;
    if (cost < best) best = cost, which = l;
  }
  labels[at] = (unsigned char)which;
}

// Directions of steepest improvement from six kept steps and changes of slope, as two passes over them; small
// problems, one to a warp.
// warpscope six_kept_steps: block = 128, problems = 2048, size = 128, grid = problems / 4, slopes = random[problems * size] in -1..1, kept = random[12 * problems * size] in 0.1..1, direction = zeros[problems * size]
__global__ void six_kept_steps(const float4* __restrict__ slopes, const float4* __restrict__ kept,
                               float4* __restrict__ direction, int problems) {
  const int p = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  auto together = [](float4 a, float4 b) {
    float v = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return v;
  };
  auto added = [](float4 a, float f, float4 b) {
    return make_float4(a.x + f * b.x, a.y + f * b.y, a.z + f * b.z, a.w + f * b.w);
  };
  float4 q = slopes[p * 32 + lane];
  float alpha[6], rho[6];
#pragma unroll
  for (int k = 5; k >= 0; --k) {
    const float4 s = kept[(2 * k * problems + p) * 32 + lane],
                 y = kept[((2 * k + 1) * problems + p) * 32 + lane];
    rho[k] = 1.0f / together(s, y);
    alpha[k] = rho[k] * together(s, q);
    q = added(q, -alpha[k], y);
  }
  const float4 s = kept[(10 * problems + p) * 32 + lane], y = kept[(11 * problems + p) * 32 + lane];
  const float scale = together(s, y) / together(y, y);
  q = make_float4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const float4 s = kept[(2 * k * problems + p) * 32 + lane],
                 y = kept[((2 * k + 1) * problems + p) * 32 + lane];
    q = added(q, alpha[k] - rho[k] * together(y, q), s);
  }
  direction[p * 32 + lane] = make_float4(-q.x, -q.y, -q.z, -q.w);
}

// Bidders for tasks, in one round of an auction: the best and second best value of each bidder, and its bid
// by an atomic maximum of 64 bits.
// warpscope bids_for_tasks: block = 256, bidders = 1024, tasks = 512, grid = bidders / 8, worth = random[bidders * tasks] in 0..1000, prices = random[tasks] in 0..500, bids = zeros[tasks], least = 3
__global__ void bids_for_tasks(const short* __restrict__ worth, const int* __restrict__ prices,
                               unsigned long long* bids, int least, int tasks) {
  const int bidder = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  int best = -100000, second = -100000, task = 0;
  for (int t = lane * 2; t < tasks; t += 64) {
    const short2 w = *reinterpret_cast<const short2*>(worth + bidder * tasks + t);
    const int2 p = *reinterpret_cast<const int2*>(prices + t);
    const int a = w.x - p.x, b = w.y - p.y;
    if (a > best)
      second = best, best = a, task = t;
    else
      second = max(second, a);
    if (b > best)
      second = best, best = b, task = t + 1;
    else
      second = max(second, b);
  }
  const int top = __reduce_max_sync(~0u, best);
  const unsigned holders = __ballot_sync(~0u, best == top);
  const int winner = __ffs(holders) - 1;
  const int next = __reduce_max_sync(~0u, lane == winner ? second : best);
  if (lane == winner)
    atomicMax(bids + task, (unsigned long long)(prices[task] + top - next + least) << 32 | (unsigned)bidder);
}
