// Games and puzzles.
#include <cstdint>

// Sudoku: candidates of 81 cells as masks of nine bits, naked singles are struck out until nothing changes; a
// warp a puzzle.
// warpscope naked_singles: block = 128 fixed, boards = 2112, grid = boards / 4, cells = random[boards * 81], left = zeros[boards]
__global__ void naked_singles(const uint16_t* cells, int* left, int boards) {
  __shared__ uint16_t mask[4][81];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, board = blockIdx.x * 4 + w;
  if (board >= boards) return;
  uint16_t* m = mask[w];
  for (int k = lane; k < 81; k += 32) {
    const uint16_t v = cells[board * 81 + k];
    m[k] = v >> 13 ? 511 : 1 << v % 9;
  }
  bool changed = true;
  for (int round = 0; changed && round < 20; ++round) {
    __syncwarp();
    uint16_t next[3];
    changed = false;
#pragma unroll
    for (int part = 0; part < 3; ++part) {
      const int cell = part * 32 + lane;
      if (cell >= 81) break;
      const int row = cell / 9, column = cell % 9, corner = row / 3 * 27 + column / 3 * 3;
      uint16_t mine = m[cell];
      if (mine & (mine - 1)) {
        uint16_t used = 0;
        for (int k = 0; k < 9; ++k) {
          const uint16_t a = m[row * 9 + k], b = m[k * 9 + column], c = m[corner + k / 3 * 9 + k % 3];
          if (!(a & (a - 1))) used |= a;
          if (!(b & (b - 1))) used |= b;
          if (!(c & (c - 1))) used |= c;
        }
        changed |= (mine & used) != 0;
        mine &= ~used;
      }
      next[part] = mine;
    }
    __syncwarp();
    for (int part = 0; part < 3; ++part)
      if (part * 32 + lane < 81) m[part * 32 + lane] = next[part];
    changed = __any_sync(~0u, changed);
  }
  __syncwarp();
  int bits = 0;
  for (int k = lane; k < 81; k += 32) bits += __popc(m[k]);
  bits = __reduce_add_sync(~0u, bits);
  if (lane == 0) left[board] = bits;
}

__device__ __forceinline__ uint32_t push_row(uint32_t row) {
  uint32_t out = 0, last = 0;
  int at = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint32_t v = row >> 4 * k & 15;
    if (!v) continue;
    if (v == last) {
      out += 1u << 4 * (at - 1);
      last = 0;
    } else {
      out |= v << 4 * at++;
      last = v;
    }
  }
  return out & 65535;
}
__device__ uint64_t flipped(uint64_t b) {
  uint64_t r = 0;
  for (int k = 0; k < 16; ++k) r |= (b >> 4 * k & 15) << 4 * (k % 4 * 4 + k / 4);
  return r;
}

// 2048: a row of four numbers is pushed left and joined; boards are 16 nibbles, four moves are tried, the
// best by free places.
// warpscope pushed_nibbles: block = 256, n = 2^16, grid = ceil(n / block), boards = random[n], best = zeros[n]
__global__ void pushed_nibbles(const uint64_t* boards, uint8_t* best, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t board = boards[i] & 0x3373373733373337ull;
  int most = -1, which = 4;
  for (int move = 0; move < 4; ++move) {
    uint64_t b = move & 1 ? flipped(board) : board, next = 0;
    for (int r = 0; r < 4; ++r) {
      uint32_t row = b >> 16 * r & 65535;
      if (move & 2) row = (row & 15) << 12 | (row & 240) << 4 | (row >> 4 & 240) | row >> 12;
      next |= uint64_t(push_row(row)) << 16 * r;
    }
    if (next == b) continue;
    uint64_t used = next | next >> 1;
    used |= used >> 2;
    const int free = 16 - __popcll(used & 0x1111111111111111ull);
    if (free > most) most = free, which = move;
  }
  best[i] = which;
}

// Poker: hands of seven cards of 52 are ranked by counts of faces and masks of colours; a thread a hand.
// warpscope seven_card_hands: block = 192, n = 2^15, grid = ceil(n / block), seeds = random[n], rank = zeros[n]
__global__ void seven_card_hands(const uint32_t* seeds, uint16_t* rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t r = seeds[i] | 1;
  uint64_t drawn = 0, faces = 0;
  uint32_t colours[4] = {};
  for (int k = 0; k < 7;) {
    r ^= r << 13, r ^= r >> 17, r ^= r << 5;
    const int card = (r >> 16) * 52 >> 16;
    if (drawn >> card & 1) continue;
    drawn |= 1ull << card;
    faces += 1ull << card % 13 * 4;
    colours[card / 13] |= 1u << card % 13;
    ++k;
  }
  uint32_t any = 0, flush = 0;
  for (int c = 0; c < 4; ++c) {
    any |= colours[c];
    if (__popc(colours[c]) >= 5) flush = colours[c];
  }
  auto straight = [](uint32_t m) {
    const uint32_t w = m << 1 | m >> 12;
    return w & w >> 1 & w >> 2 & w >> 3 & w >> 4;
  };
  int pairs = 0, threes = 0, fours = 0;
  for (uint64_t f = faces; f; f >>= 4) {
    const int c = f & 15;
    pairs += c == 2, threes += c == 3, fours += c == 4;
  }
  int kind;
  if (flush && straight(flush))
    kind = 8;
  else if (fours)
    kind = 7;
  else if (threes > 1 || (threes && pairs))
    kind = 6;
  else if (flush)
    kind = 5;
  else if (straight(any))
    kind = 4;
  else
    kind = threes ? 3 : pairs > 1 ? 2 : pairs;
  rank[i] = kind << 13 | (flush ? flush : any);
}

// Lights out: boards of 5 x 5 are solved by elimination over bits; the first row's 32 presses are tried by
// the lanes of a warp.
// warpscope lights_chased: block = 256, n = 2^13, grid = n / 8, boards = random[n], presses = zeros[n]
__global__ void lights_chased(const uint32_t* boards, uint8_t* presses, int n) {
  const int lane = threadIdx.x & 31, i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (i >= n) return;
  const uint32_t board = boards[i] & 0x1FFFFFF;
  uint32_t row = board & 31, next = board >> 5, press = lane;
  int count = 0;
#pragma unroll
  for (int y = 0; y < 5; ++y) {
    count += __popc(press);
    row ^= (press ^ press << 1 ^ press >> 1) & 31;
    const uint32_t below = (next & 31) ^ press;
    press = row;
    row = below;
    next >>= 5;
  }
  const unsigned fewest = __reduce_min_sync(~0u, press == 0 ? count : 99);
  if (lane == 0) presses[i] = fewest;
}

// Sliding tiles: the sum of distances of fifteen tiles from home, and conflicts of neighbours in their own
// rows.
// warpscope fifteen_heuristic: block = 128, n = 2^16, grid = ceil(n / block), seeds = random[n], cost = zeros[n]
__global__ void fifteen_heuristic(const uint64_t* seeds, uint8_t* cost, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t board = 0xFEDCBA9876543210ull, dice = seeds[i];
  for (int k = 15; k > 0; --k) {
    const int j = (dice & 15) * (k + 1) >> 4;
    dice >>= 4;
    const uint64_t difference = (board >> 4 * k ^ board >> 4 * j) & 15;
    board ^= difference << 4 * k | (j == k ? 0 : difference << 4 * j);
  }
  int sum = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const int tile = board >> 4 * k & 15;
    if (tile == 0) continue;
    sum += abs(tile / 4 - k / 4) + abs(tile % 4 - k % 4);
    if (k % 4 < 3) {
      const int right = board >> 4 * k + 4 & 15;
      if (right && tile / 4 == k / 4 && right / 4 == k / 4 && tile > right) sum += 2;
    }
  }
  cost[i] = sum;
}

__device__ __forceinline__ bool four_in_line(uint64_t b) {
  const int ways[4] = {1, 6, 7, 8};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint64_t two = b & b >> ways[k];
    if (two & two >> 2 * ways[k]) return true;
  }
  return false;
}

// Connect four: both sides drop stones at random until four stand in line, on bit boards of seven columns of
// seven bits.
// warpscope dropped_stones: block = 64, n = 2^13, grid = ceil(n / block), seeds = random[n], winner = zeros[n]
__global__ void dropped_stones(const uint32_t* seeds, int8_t* winner, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t side[2] = {0, 0};
  uint32_t heights = 0, r = seeds[i] | 1;
  int8_t result = -1;
  for (int turn = 0; turn < 42; ++turn) {
    r = r * 1664525u + 1013904223u;
    int column = (r >> 16) * 7 >> 16;
    while ((heights >> 3 * column & 7) == 6) column = column == 6 ? 0 : column + 1;
    const uint64_t stone = 1ull << (column * 7 + (heights >> 3 * column & 7));
    heights += 1u << 3 * column;
    uint64_t& mine = turn & 1 ? side[1] : side[0];
    mine |= stone;
    if (turn >= 6 && four_in_line(mine)) {
      result = turn & 1;
      break;
    }
  }
  winner[i] = result;
}

// Mine fields: the numbers around each square, and safe squares are opened where a number has all its mines
// flagged.
// warpscope opened_squares: block = (32, 8), width = 1024, height = 512, grid = (width / 32, height / 8), mines = random[width * height / 32], flags = random[width * height / 32]:2, opened = zeros[width * height / 32]
__global__ void opened_squares(const uint32_t* mines, const uint32_t* flags, uint32_t* opened, int width,
                               int height) {
  const int x = threadIdx.x, word = blockIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, words = width / 32;
  int around = 0, flagged = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const int row = y + dy;
    if (row < 0 || row >= height) continue;
    const int at = row * words + word;
    const uint64_t left = word > 0 ? mines[at - 1] & mines[at - 1] >> 7 : 0,
                   middle = mines[at] & mines[at] >> 7,
                   right = word + 1 < words ? mines[at + 1] & mines[at + 1] >> 7 : 0;
    const uint64_t wide = (left >> 31) | middle << 1 | right << 33;
    around += __popc(uint32_t(wide >> x) & 7);
    const uint32_t f = flags[at];
    flagged += __popc((x ? f >> (x - 1) : f << 1) & 7 & wide >> x);
  }
  const uint32_t all = __ballot_sync(~0u, around == flagged);
  if (x == 0) opened[y * words + word] = all;
}
