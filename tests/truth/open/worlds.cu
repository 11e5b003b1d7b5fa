// Simulations of systems: automata, traffic, agents, queues.

#include <cstdint>

// The game of life with 64 cells in a word: neighbours are added bit by bit.
// warpscope life_in_words: block = (16, 8), width = 128, height = 2048, grid = (ceil(width / block.x), ceil(height / block.y)), now = random[width * height], next = zeros[width * height]
__global__ void life_in_words(const uint64_t* __restrict__ now, uint64_t* next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint64_t one = 0, two = 0, four = 0, centre = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    const uint64_t* row = now + (y + dy + height) % height * width;
    const uint64_t c = row[x], left = c << 1 | row[(x + width - 1) % width] >> 63,
                   right = c >> 1 | row[(x + 1) % width] << 63;
    const uint64_t words[3] = {left, right, c};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (dy == 0 && k == 2) continue;
      const uint64_t carry = one & words[k];
      one ^= words[k];
      four |= two & carry;
      two ^= carry;
    }
    if (dy == 0) centre = c;
  }
  next[y * width + x] = two & ~four & (one | centre);
}

// Wires with electrons: four states a byte, a tile with a border in shared memory.
// warpscope electron_wires: block = (32, 16) fixed, size = 512, grid = (size / 32, size / 16), cells = random[size * size] in 0..3, out = zeros[size * size]
__global__ void electron_wires(const uint8_t* cells, uint8_t* out, int size) {
  __shared__ uint8_t tile[18][36];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
    const int x = x0 + k % 34, y = y0 + k / 34;
    tile[k / 34][k % 34] = x >= 0 && y >= 0 && x < size && y < size ? cells[y * size + x] : 0;
  }
  __syncthreads();
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  uint8_t state = tile[ty][tx] & 3;
  switch (state) {
    case 0:
      break;
    case 1:
      state = 2;
      break;
    case 2:
      state = 3;
      break;
    case 3: {
      int heads = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) heads += (tile[ty + dy][tx + dx] & 3) == 1;
      state = heads == 1 || heads == 2 ? 1 : 3;
    }
  }
  out[(y0 + ty) * size + x0 + tx] = state;
}

// Cars on ring roads of 512 cells, one road a block: they speed up, brake for the car ahead, dawdle and move.
// warpscope ring_roads: block = 512 fixed, grid = 200, steps = 20, start = random[200 * 512] in 0..7, flow = zeros[200]
__global__ void ring_roads(const uint8_t* start, int* flow, int steps) {
  __shared__ int8_t road[2][512];
  const int t = threadIdx.x;
  road[0][t] = start[blockIdx.x * 512 + t] < 2 ? start[blockIdx.x * 512 + t] : -1;
  int moved = 0;
  for (int step = 0; step < steps; ++step) {
    int8_t* now = road[step & 1];
    int8_t* next = road[~step & 1];
    next[t] = -1;
    __syncthreads();
    int speed = now[t];
    if (speed >= 0) {
      speed = min(speed + 1, 5);
      int gap = 0;
      while (gap < speed && now[(t + gap + 1) & 511] < 0) ++gap;
      speed = gap;
      const unsigned dice = (t * 2654435761u ^ step * 40503u) * 2246822519u >> 24;
      if (speed > 0 && dice < 64) --speed;
      next[(t + speed) & 511] = speed;
      moved += speed;
    }
    __syncthreads();
  }
  moved = __reduce_add_sync(0xffffffffu, moved);
  if (t == 0) flow[blockIdx.x] = 0;
  __syncthreads();
  if (t % 32 == 0) atomicAdd(flow + blockIdx.x, moved);
}

// Grains topple within tiles until nothing moves or after 40 rounds.
// warpscope toppling_tiles: block = (16, 16) fixed, grid = 528, grains = random[528 * 256] in 0..6, rounds = zeros[528], left = zeros[528 * 256]
__global__ void toppling_tiles(const int* grains, int* rounds, int* left) {
  __shared__ int sand[18][18];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, at = blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
  if (threadIdx.y == 0) sand[0][x] = sand[17][x] = sand[x][0] = sand[x][17] = 0;
  sand[y][x] = grains[at];
  int round = 0;
  while (__syncthreads_or(sand[y][x] >= 4) && round < 40) {
    const int spill = sand[y][x] / 4;
    __syncthreads();
    if (spill) {
      atomicSub(&sand[y][x], spill * 4);
      atomicAdd(&sand[y - 1][x], spill);
      atomicAdd(&sand[y + 1][x], spill);
      atomicAdd(&sand[y][x - 1], spill);
      atomicAdd(&sand[y][x + 1], spill);
    }
    __syncthreads();
    ++round;
  }
  left[at] = sand[y][x];
  if (at % 256 == 0) rounds[blockIdx.x] = round;
}

// Half a sweep of a magnet on a lattice: cells of one colour flip with a probability from a table.
// warpscope spin_half_sweep: block = 256, width = 1024, grid = width * width / 2 / block, spins = random[width * width] in 0..1, colour = 0, seed = 99, table = random[5], after = zeros[width * width / 2]
__global__ void spin_half_sweep(const signed char* __restrict__ spins, const float* table, signed char* after,
                                int width, int colour, unsigned seed) {
  __shared__ float chance[5];
  if (threadIdx.x < 5) chance[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * i / width,
            x = 2 * i % width + ((y + colour) & 1), mask = width - 1;
  const int sum = spins[((y + 1) & mask) * width + x] + spins[((y - 1) & mask) * width + x] +
                  spins[y * width + ((x + 1) & mask)] + spins[y * width + ((x - 1) & mask)];
  const int me = spins[y * width + x];
  unsigned r = i ^ seed;
  r = (r ^ 61) ^ r >> 16;
  r *= 9;
  r ^= r >> 4;
  r *= 0x27d4eb2d;
  r ^= r >> 15;
  const bool flip = (r >> 8) * (1.0f / 16777216) < chance[max(0, min(4, sum))];
  after[i] = flip ? 1 - me : me;
}

struct Customer {
  float arrival, service;
};
// Waiting in a queue with three counters, one simulated day a thread: exponential times by logarithms.
// warpscope three_counters: block = 64, days = 8192, grid = ceil(days / block), customers = 40, rate = 1.3, waited = zeros[days], longest = zeros[days]
__global__ void three_counters(double* waited, float* longest, float rate, int customers, int days) {
  const int day = blockIdx.x * blockDim.x + threadIdx.x;
  if (day >= days) return;
  unsigned long long state = day * 6364136223846793005ull + 1442695040888963407ull;
  auto exponential = [&state](float mean) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return -mean * __logf(((unsigned)(state >> 40) + 0.5f) * (1.0f / 16777216));
  };
  float clock = 0, free[3] = {0, 0, 0}, most = 0;
  double total = 0;
  for (int k = 0; k < customers; ++k) {
    clock += exponential(1 / rate);
    const Customer c{clock, exponential(2.0f)};
    int counter = 0;
    if (free[1] < free[0]) counter = 1;
    if (free[2] < fminf(free[0], free[1])) counter = 2;
    const float begin = fmaxf(c.arrival, counter == 0 ? free[0] : counter == 1 ? free[1] : free[2]);
#pragma unroll
    for (int j = 0; j < 3; ++j)
      if (j == counter) free[j] = begin + c.service;
    total += begin - c.arrival;
    most = fmaxf(most, begin - c.arrival);
  }
  waited[day] = total;
  longest[day] = most;
}

// Agents of a flock steer by those in a tile of shared memory: keep apart, align, come together.
// warpscope flock_steering: block = 128 fixed, agents = 2048, grid = agents / 128, places = random[agents * 4], steering = zeros[agents * 2]
__global__ void flock_steering(const float4* __restrict__ places, float2* steering, int agents) {
  __shared__ float4 tile[128];
  const float4 me = places[blockIdx.x * 128 + threadIdx.x];
  float2 apart{0, 0}, centre{0, 0}, speed{0, 0};
  int seen = 0;
  for (int base = 0; base < agents; base += 128) {
    tile[threadIdx.x] = places[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - me.x, dy = other.y - me.y, d = dx * dx + dy * dy;
      if (d > 0.02f || d == 0) continue;
      ++seen;
      centre.x += dx, centre.y += dy;
      speed.x += other.z, speed.y += other.w;
      if (d < 0.002f) {
        const float r = rsqrtf(d);
        apart.x -= dx * r, apart.y -= dy * r;
      }
    }
    __syncthreads();
  }
  const float share = seen ? 1.0f / seen : 0.0f;
  steering[blockIdx.x * 128 + threadIdx.x] = make_float2(apart.x + share * (centre.x + speed.x) - me.z,
                                                         apart.y + share * (centre.y + speed.y) - me.w);
}
