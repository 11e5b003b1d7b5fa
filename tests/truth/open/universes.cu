// Small worlds of agents, cells and events, stepped in time.
#include <cstdint>

__device__ __forceinline__ uint32_t drawn(uint32_t& s) {
  s = s * 747796405u + 2891336453u;
  const uint32_t word = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
  return word >> 22 ^ word;
}
__device__ __forceinline__ float unit(uint32_t& s) {
  return (drawn(s) >> 8) * (1.0f / 16777216);
}

// Electrons that run along wires: heads and tails as rows of 64 bits, neighbours counted with carries, a
// torus of 64 x 64 a block.
// warpscope wired_electrons: block = 128 fixed, tiles = 264, grid = tiles, wires = u64 random[tiles * 64], heads = u64 random[tiles * 64], out = u64 zeros[tiles * 64], steps = 12
__global__ void wired_electrons(const uint64_t* wires, const uint64_t* heads, uint64_t* out, int steps) {
  __shared__ uint64_t head[64], tail[64];
  const int t = threadIdx.x, y = t % 64;
  const uint64_t wire = wires[blockIdx.x * 64 + y] | wires[blockIdx.x * 64 + (y ^ 1)];
  if (t < 64) {
    head[y] = heads[blockIdx.x * 64 + y] & heads[blockIdx.x * 64 + (y ^ 1)] & wire;
    tail[y] = 0;
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    uint64_t ones = 0, twos = 0, more = 0;
    const uint64_t h = head[y], old = tail[y];
    auto count = [&](uint64_t row) {
      const uint64_t carry = ones & row;
      ones ^= row;
      more |= twos & carry;
      twos ^= carry;
    };
    for (int dy = -1; dy <= 1; ++dy) {
      const uint64_t row = head[(y + dy) & 63];
      count(row << 1 | row >> 63);
      count(row >> 1 | row << 63);
      if (dy) count(row);
    }
    __syncthreads();
    if (t < 64) {
      const uint64_t excited = (ones ^ twos) & ~more;
      head[y] = wire & ~h & ~old & excited;
      tail[y] = h;
    }
    __syncthreads();
  }
  if (t < 64) out[blockIdx.x * 64 + y] = head[y];
}

// Ants of Langton: each thread has a torus of 32 x 32 cells as bits in shared memory and lets an ant turn on
// it for 256 steps.
// warpscope turning_ants: block = 64 fixed, worlds = 2^11, grid = worlds / block, seeds = u32 random[worlds], out = u32 zeros[worlds]
__global__ void turning_ants(const uint32_t* seeds, uint32_t* out, int worlds) {
  __shared__ uint32_t rows[32][64];
  const int t = threadIdx.x, w = blockIdx.x * blockDim.x + t;
  if (w >= worlds) return;
  uint32_t luck = seeds[w];
  for (int k = 0; k < 32; ++k) rows[k][t] = drawn(luck) & drawn(luck);
  int x = luck & 31, y = luck >> 5 & 31, way = 0, painted = 0;
  for (int step = 0; step < 256; ++step) {
    const uint32_t row = rows[y][t], bit = 1u << x;
    way = row & bit ? way + 1 : way + 3;
    rows[y][t] = row ^ bit;
    painted += row & bit ? -1 : 1;
    switch (way & 3) {
      case 0:
        y = (y + 31) & 31;
        break;
      case 1:
        x = (x + 1) & 31;
        break;
      case 2:
        y = (y + 1) & 31;
        break;
      case 3:
        x = (x + 31) & 31;
        break;
    }
  }
  out[w] = painted << 10 | y << 5 | x;
}

// A forest that grows, burns and is struck by lightning: one step, trees as bytes with a border in shared
// memory.
// warpscope burning_forest: block = (32, 8) fixed, width = 512, height = 256, grid = (width / 32, height / 8), forest = u8 random[width * height], next = u8 zeros[width * height], step = 3
__global__ void burning_forest(const uint8_t* forest, uint8_t* next, int width, int height, int step) {
  enum Cell { Bare, Tree, Fire };
  __shared__ uint8_t tile[10][36];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
    const int x = x0 + k % 34, y = y0 + k / 34;
    uint8_t cell = Bare;
    if (x >= 0 && y >= 0 && x < width && y < height) {
      const uint8_t raw = forest[y * width + x];
      cell = raw < 90 ? Bare : raw < 250 ? Tree : Fire;
    }
    tile[k / 34][k % 34] = cell;
  }
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, place = (y0 + y) * width + x0 + x;
  uint32_t luck = place * 9781u + step * 6271u;
  uint8_t cell = tile[y][x];
  if (cell == Fire)
    cell = Bare;
  else if (cell == Bare)
    cell = unit(luck) < 0.02f ? Tree : Bare;
  else {
    bool near = false;
    for (int dy = -1; dy <= 1 && !near; ++dy)
      for (int dx = -1; dx <= 1 && !near; ++dx) near = tile[y + dy][x + dx] == Fire;
    if (near || drawn(luck) < 40000u) cell = Fire;
  }
  next[place] = cell;
}

// A counter with several clerks: customers arrive at random, wait for the clerk that is free first, one
// office a thread.
template <int Clerks>
__device__ float officeDay(uint32_t luck, int customers, float load) {
  float free[Clerks], now = 0, waited = 0;
#pragma unroll
  for (int k = 0; k < Clerks; ++k) free[k] = 0;
  for (int c = 0; c < customers; ++c) {
    now -= __logf(unit(luck) + 1e-7f) / (load * Clerks);
    int which = 0;
    float soonest = free[0];
#pragma unroll
    for (int k = 1; k < Clerks; ++k)
      if (free[k] < soonest) soonest = free[k], which = k;
    const float start = fmaxf(now, soonest), end = start - __logf(unit(luck) + 1e-7f);
#pragma unroll
    for (int k = 0; k < Clerks; ++k) free[k] = k == which ? end : free[k];
    waited += start - now;
  }
  return waited / customers;
}
// warpscope clerks_and_customers: block = 128, offices = 2^13, grid = ceil(offices / block), loads = f32 random[offices] in 0.5..0.95, out = f32 zeros[offices]
__global__ void clerks_and_customers(const float* loads, float* out, int offices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= offices) return;
  switch (blockIdx.x % 3) {
    case 0:
      out[i] = officeDay<2>(i, 60, loads[i]);
      break;
    case 1:
      out[i] = officeDay<4>(i, 60, loads[i]);
      break;
    default:
      out[i] = officeDay<7>(i, 60, loads[i]);
      break;
  }
}

// Water that seeps through random rock: clusters of a 32 x 32 sample that touch the top, by a warp with a row
// a lane, until nothing spreads.
// warpscope seeping_rock: block = 256, samples = 4096, grid = samples / 8, rock = u32 random[samples * 32 * 2], through = s32 zeros[samples]
__global__ void seeping_rock(const uint2* rock, int* through, int samples) {
  const int lane = threadIdx.x % 32, s = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (s >= samples) return;
  const uint2 two = rock[s * 32 + lane];
  const uint32_t open = two.x | (two.y & 0x5A5A5A5Au);
  uint32_t wet = lane == 0 ? open : 0;
  int rounds = 0;
  bool more = true;
  while (more) {
    const uint32_t above = __shfl_up_sync(~0u, wet, 1), below = __shfl_down_sync(~0u, wet, 1);
    uint32_t grown = wet | (lane > 0 ? above & open : 0) | (lane < 31 ? below & open : 0);
    for (uint32_t side; (side = (grown | grown << 1 | grown >> 1) & open) != grown;) grown = side;
    more = __any_sync(~0u, grown != wet);
    wet = grown;
    ++rounds;
  }
  const int area = __reduce_add_sync(~0u, __popc(wet));
  const bool passed = __shfl_sync(~0u, wet, 31) != 0;
  if (lane == 0) through[s] = passed ? area : -rounds;
}

// A shop's stock with a level to order at and one to fill up to: 90 days of sales, deliveries under way in a
// ring of days.
// warpscope stocked_shelves: block = 96, shops = 2^13, grid = ceil(shops / block), levels = u8 random[shops * 4], cost = f32 zeros[shops]
__global__ void stocked_shelves(const uchar4* levels, float* cost, int shops) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= shops) return;
  const uchar4 l = levels[i];
  const int reorder = 10 + l.x % 40, full = reorder + 20 + l.y % 40, lead = 1 + l.z % 6;
  int stock = full, ordered = 0;
  uint64_t under_way = 0;
  float total = 0;
  uint32_t luck = i;
  for (int day = 0; day < 90; ++day) {
    const int arrived = under_way & 255;
    under_way >>= 8;
    stock += arrived;
    ordered -= arrived;
    float chance = unit(luck), term = __expf(-7.0f), sum = term;
    int wanted = 0;
    while (chance > sum && wanted < 25) {
      ++wanted;
      term *= 7.0f / wanted;
      sum += term;
    }
    const int sold = min(wanted, stock);
    stock -= sold;
    total += 0.1f * stock + 4.0f * (wanted - sold);
    if (stock + ordered <= reorder) {
      const int amount = full - stock - ordered;
      under_way |= static_cast<uint64_t>(amount & 255) << 8 * lead;
      ordered += amount;
      total += 12;
    }
  }
  cost[i] = total;
}

// Families that are content only among enough neighbours of their kind: those who are not are marked, counted
// and given a number in the order of the rows.
// warpscope unsettled_families: block = 256 fixed, side = 256, grid = side, homes = u8 random[side * side], list = s32 zeros[side * side], counts = s32 zeros[side]
__global__ void unsettled_families(const uint8_t* homes, int* list, int* counts, int side) {
  __shared__ int ends[8];
  const int x = threadIdx.x, y = blockIdx.x, lane = x % 32, warp = x / 32;
  auto kind = [&](int px, int py) { return homes[(py & (side - 1)) * side + (px & (side - 1))] % 5; };
  const int mine = kind(x, y);
  bool unhappy = false;
  if (mine < 4) {
    int like = 0, all = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      if (k == 4) continue;
      const int other = kind(x + k % 3 - 1, y + k / 3 - 1);
      all += other < 4;
      like += other < 4 && (other & 1) == (mine & 1);
    }
    unhappy = like * 2 < all;
  }
  const unsigned votes = __ballot_sync(~0u, unhappy);
  if (lane == 0) ends[warp] = __popc(votes);
  __syncthreads();
  int before = __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) before += ends[w];
  if (unhappy) list[y * side + before] = x;
  if (x == side - 1) counts[y] = before + unhappy;
}

// Genes of a small population drift: 64 carriers in a word, each generation draws its parents at random,
// until one kind is left.
// warpscope drifting_genes: block = 128, runs = 2^12, grid = ceil(runs / block), out = u16 zeros[runs], advantage = 1.05
__global__ void drifting_genes(uint16_t* out, float advantage, int runs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= runs) return;
  uint32_t luck = i * 31 + 7;
  uint64_t carriers = 0x00000000FFFF0F0Full;
  int generation = 0;
  while (generation < 40) {
    const int held = __popcll(carriers);
    if (held == 0 || held == 64) break;
    const float weighted = held * advantage;
    const uint32_t threshold = static_cast<uint32_t>(weighted / (weighted + 64 - held) * 65536.0f);
    uint64_t next = 0;
    for (int k = 0; k < 32; ++k) {
      const uint32_t r = drawn(luck);
      next = next << 2 | static_cast<uint64_t>((r & 0xFFFF) < threshold) << 1 | ((r >> 16) < threshold);
    }
    carriers = next;
    ++generation;
  }
  out[i] = generation | (__popcll(carriers) > 32) << 15;
}

// Packets cross a ring of eight routers with queues of four: 64 ticks of one network a group of eight lanes,
// handed on by shuffles.
// warpscope routed_packets: block = 64 fixed, rings = 2^12, grid = rings / 8, seeds = u32 random[rings], out = u32 zeros[rings]
__global__ void routed_packets(const uint32_t* seeds, uint32_t* out, int rings) {
  const int port = threadIdx.x % 8, r = blockIdx.x * 8 + threadIdx.x / 8;
  if (r >= rings) return;
  uint32_t luck = seeds[r] + port * 77777u, queue = 0, delivered = 0, dropped = 0;
  int held = 0;
  for (int tick = 0; tick < 64; ++tick) {
    uint32_t sent = 0;
    if (held > 0) {
      sent = queue & 255;
      queue >>= 8;
      --held;
    }
    const uint32_t came = __shfl_sync(~0u, sent, (port + 7) % 8, 8);
    if (came) {
      if ((came & 7) == port)
        delivered += 1 + (tick - (came >> 4)) % 16;
      else
        queue |= came << 8 * held, ++held;
    }
    if (unit(luck) < 0.3f) {
      const uint32_t packet = (tick & 15) << 4 | 8 | ((port + 1 + drawn(luck) % 7) & 7);
      if (held < 4)
        queue |= packet << 8 * held, ++held;
      else
        ++dropped;
    }
  }
  for (int d = 4; d > 0; d /= 2) {
    delivered += __shfl_xor_sync(~0u, delivered, d, 8);
    dropped += __shfl_xor_sync(~0u, dropped, d, 8);
  }
  if (port == 0) out[r] = delivered << 16 | dropped;
}
