// Cellular automata, networks and agents.
#include <cuda_fp16.h>

#include <cstdint>

// A one-dimensional automaton of radius two on words of 32 cells, eight steps with wings from neighbours'
// lanes.
// warpscope radius_two_automaton: block = 256, n = 2^18, grid = ceil(n / (30 * 8)), rule = 1771465110, cells = random[n], out = zeros[n]
__global__ void radius_two_automaton(const uint32_t* cells, uint32_t* out, uint32_t rule, int n) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
            at = warp * 30 + lane - 1;
  uint32_t v = cells[(at + n) % n];
  for (int step = 0; step < 8; ++step) {
    const uint32_t before = __shfl_up_sync(~0u, v, 1), behind = __shfl_down_sync(~0u, v, 1);
    const uint32_t a = __funnelshift_l(before, v, 2), b = __funnelshift_l(before, v, 1),
                   d = __funnelshift_r(v, behind, 1), e = __funnelshift_r(v, behind, 2);
    uint32_t next = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if (!(rule >> k & 1)) continue;
      next |= (k & 16 ? a : ~a) & (k & 8 ? b : ~b) & (k & 4 ? v : ~v) & (k & 2 ? d : ~d) & (k & 1 ? e : ~e);
    }
    v = next;
  }
  if (lane > 0 && lane < 31 && at < n) out[at] = v;
}

// Traffic on ring roads (Nagel and Schreckenberg): a block a road of 512 places, speeds in bytes, random
// braking.
// warpscope braking_traffic: block = 128 fixed, roads = 132, grid = roads, road = random[roads * 512] in 0..15, speed = zeros[roads * 512]
__global__ void braking_traffic(const uint8_t* road, uint8_t* speed) {
  __shared__ int8_t now[512], next[512];
  const int base = blockIdx.x * 512;
  for (int k = threadIdx.x; k < 512; k += 128) now[k] = road[base + k] < 4 ? road[base + k] : -1;
  for (int step = 0; step < 10; ++step) {
    for (int k = threadIdx.x; k < 512; k += 128) next[k] = -1;
    __syncthreads();
    for (int k = threadIdx.x; k < 512; k += 128) {
      int v = now[k];
      if (v < 0) continue;
      if (v < 5) ++v;
      for (int gap = 1; gap <= v; ++gap)
        if (now[(k + gap) & 511] >= 0) {
          v = gap - 1;
          break;
        }
      const uint32_t h = ((base + k) * 32 + step) * 0x9E3779B1u;
      if (v > 0 && (h >> 24) < 60) --v;
      next[(k + v) & 511] = v;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 512; k += 128) now[k] = next[k];
    __syncthreads();
  }
  for (int k = threadIdx.x; k < 512; k += 128) speed[base + k] = now[k] + 1;
}

__device__ __forceinline__ float dice(uint32_t person, uint32_t day, uint32_t k) {
  uint32_t h = person * 0x85ebca6bu ^ day * 0xc2b2ae35u ^ k * 0x27d4eb2fu;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  return (h >> 8) * 5.9604645e-8f;
}

// A disease among households and workplaces: who is healthy meets eight others; dice by a hash; phases by a
// switch.
// warpscope infection_day: block = 256, people = 2^17, grid = ceil(people / block), day = 5, phase = random[people] in 0..9, meets = random[people * 4], next = zeros[people], tally = zeros[4]
__global__ void infection_day(const uint8_t* phase, const uint32_t* meets, uint8_t* next, int* tally, int day,
                              int people) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= people) return;
  uint8_t p = phase[i];
  switch (p) {
    case 0:
    case 1:
    case 2:
    case 3: {
      int ill = 0;
      for (int k = 0; k < 4; ++k) {
        const uint8_t other = phase[meets[i * 4 + k] % people];
        ill += other >= 5 && other <= 7;
      }
      if (dice(i, day, 0) < 1 - __powf(0.85f, float(ill))) p = 4;
      break;
    }
    case 4:
      if (dice(i, day, 1) < 0.3f) p = 5;
      break;
    case 5:
    case 6:
    case 7:
      p += dice(i, day, 2) < 0.4f;
      break;
    default:
      break;
  }
  next[i] = p;
  const int kind = p < 4 ? 0 : p < 5 ? 1 : p < 8 ? 2 : 3;
  for (int k = 0; k < 4; ++k) {
    const unsigned all = __ballot_sync(__activemask(), kind == k);
    if (threadIdx.x % 32 == 0) atomicAdd(&tally[k], __popc(all));
  }
}

// Ants choose among eight neighbours by trails and lay some of their own: halves are read, floats are added.
// warpscope trail_of_ants: block = 64, ants = 2^13, side = 256, grid = ceil(ants / block), steps = 12, trail = random[side * side], laid = zeros[side * side], place = random[ants], out = zeros[ants]
__global__ void trail_of_ants(const __half* trail, float* laid, const uint32_t* place, uint32_t* out,
                              int ants, int side, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= ants) return;
  uint32_t random = place[i] | 1;
  int x = place[i] % side, y = (place[i] >> 16) % side, heading = i & 7;
  for (int s = 0; s < steps; ++s) {
    float weights[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
      const int d = (heading + k + 7) & 7;
      const int u = (x + ((0x9241 >> d * 2 & 3) + side - 1)) % side,
                v = (y + ((0x1A90 >> d * 2 & 3) + side - 1)) % side;
      sum += fabsf(__half2float(trail[v * side + u])) + 0.01f;
      weights[k] = sum;
    }
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    const float pick = (random >> 8) * 5.96e-8f * sum;
    const int k = pick < weights[0] ? 0 : pick < weights[1] ? 1 : 2;
    heading = (heading + k + 7) & 7;
    x = (x + ((0x9241 >> heading * 2 & 3) + side - 1)) % side;
    y = (y + ((0x1A90 >> heading * 2 & 3) + side - 1)) % side;
    atomicAdd(&laid[y * side + x], 0.1f);
  }
  out[i] = y * side + x;
}

// Boolean networks of genes: each gene has three inputs and a truth table of eight bits; a block a network,
// until it repeats its state or 40 steps are over.
// warpscope gene_switches: block = 256 fixed, networks = 264, grid = networks, inputs = random[networks * 256], rules = random[networks * 256], out = zeros[networks]
__global__ void gene_switches(const uint32_t* inputs, const uint8_t* rules, int* out) {
  __shared__ uint32_t state[2][8];
  __shared__ int busy;
  const int t = threadIdx.x;
  const uint32_t in = inputs[blockIdx.x * 256 + t];
  const int a = in & 255, b = in >> 8 & 255, c = in >> 16 & 255,
            rule = rules[blockIdx.x * 256 + t] & (in >> 24 | 15);
  if (t < 8) state[0][t] = 0x9E3779B1u * (t + 1);
  int step = 0;
  for (; step < 40; ++step) {
    if (t == 0) busy = 0;
    __syncthreads();
    const uint32_t* s = state[step & 1];
    const int index =
        (s[a >> 5] >> (a & 31) & 1) | (s[b >> 5] >> (b & 31) & 1) << 1 | (s[c >> 5] >> (c & 31) & 1) << 2;
    const uint32_t word = __ballot_sync(~0u, rule >> index & 1);
    if (t % 32 == 0) {
      if (word != s[t / 32]) busy = 1;
      state[~step & 1][t / 32] = word;
    }
    __syncthreads();
    const int still = busy;
    __syncthreads();
    if (!still) break;
  }
  if (t == 0) out[blockIdx.x] = step;
}

// A network of queues: parcels wait at stations with one server, each thread follows a station's arrivals
// (Lindley's recursion).
// warpscope waits_at_counters: block = 128, stations = 2^13, arrivals = 64, grid = ceil(stations / block), between = random[stations * arrivals], service = random[stations * arrivals]:8, longest = zeros[stations], mean = zeros[stations]
__global__ void waits_at_counters(const float* __restrict__ between, const float* __restrict__ service,
                                  float* __restrict__ longest, float* __restrict__ mean, int stations,
                                  int arrivals) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= stations) return;
  float wait = 0, most = 0, sum = 0;
#pragma unroll 8
  for (int k = 0; k < arrivals; ++k) {
    const float gap = -__logf(between[k * stations + s] + 1e-7f), work = service[k * stations + s] * 1.6f;
    wait = fmaxf(wait + work - gap, 0.0f);
    most = fmaxf(most, wait);
    sum += wait;
  }
  longest[s] = most;
  mean[s] = sum / arrivals;
}

// Excitable media: cells at rest, excited or tired, in a tile with borders.
// warpscope excitable_cells: block = (32, 16), side = 512, grid = (side / 32, side / 16), in = random[side * side] in 0..7, out = zeros[side * side]
__global__ void excitable_cells(const uint8_t* in, uint8_t* out, int side) {
  __shared__ uint8_t tile[18][36];
  const int bx = blockIdx.x * 32, by = blockIdx.y * 16;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512)
    tile[k / 34][k % 34] = in[((by + k / 34 - 1) & (side - 1)) * side + ((bx + k % 34 - 1) & (side - 1))];
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, mine = tile[y][x];
  int excited = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) excited += tile[y + dy][x + dx] == 1;
  out[(by + threadIdx.y) * side + bx + threadIdx.x] = mine == 0 ? excited >= 2 : mine == 7 ? 0 : mine + 1;
}

// Votes of a divided town: each person leans to the mean of friends whose opinion is near; doubles, lists by
// offsets.
// warpscope near_opinions: block = 192, n = 2^15, grid = ceil(n / block), friends = random[n * 6], old = random[n], now = zeros[n]
__global__ void near_opinions(const uint32_t* friends, const double* old, double* now, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double mine = old[i];
  double sum = mine;
  int count = 1;
  const int degree = 2 + i * 7 % 5;
  for (int k = 0; k < degree; ++k) {
    const double other = old[friends[i * 6 + k] & (n - 1)];
    if (fabs(other - mine) < 0.25) {
      sum += other;
      ++count;
    }
  }
  now[i] = sum / count;
}
