// Games and puzzles: positions searched, dice thrown, boards scored.
#include <cstdint>

__device__ __forceinline__ uint32_t tossed(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

// Sudoku by single candidates: a warp has three cells a lane, masks of rows, columns and boxes in shared
// memory, until nothing more follows.
// warpscope single_candidates: block = 128 fixed, puzzles = 2048, grid = puzzles / 4, keep = u8 random[puzzles * 81], out = u8 zeros[puzzles]
__global__ void single_candidates(const uint8_t* keep, uint8_t* out) {
  __shared__ uint32_t rows[4][9], columns[4][9], boxes[4][9];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, puzzle = blockIdx.x * 4 + warp;
  if (lane < 9) rows[warp][lane] = columns[warp][lane] = boxes[warp][lane] = 0x1FF;
  __syncwarp();
  bool open[3];
  for (int k = 0; k < 3; ++k) {
    const int cell = k * 32 + lane, r = cell / 9, c = cell % 9;
    open[k] = false;
    if (cell >= 81) continue;
    const int digit = (r * 3 + r / 3 + c + puzzle) % 9;
    open[k] = keep[puzzle * 81 + cell] < 140;
    if (open[k]) continue;
    atomicAnd(&rows[warp][r], ~(1u << digit));
    atomicAnd(&columns[warp][c], ~(1u << digit));
    atomicAnd(&boxes[warp][r / 3 * 3 + c / 3], ~(1u << digit));
  }
  __syncwarp();
  bool any = true;
  while (any) {
    uint32_t only[3];
    for (int k = 0; k < 3; ++k) {
      const int cell = k * 32 + lane, r = cell / 9 % 9, c = cell % 9;
      const uint32_t mask = open[k] ? rows[warp][r] & columns[warp][c] & boxes[warp][r / 3 * 3 + c / 3] : 0;
      only[k] = __popc(mask) == 1 ? mask : 0;
    }
    __syncwarp();
    bool mine = false;
    for (int k = 0; k < 3; ++k) {
      if (!only[k]) continue;
      const int cell = k * 32 + lane, r = cell / 9, c = cell % 9;
      atomicAnd(&rows[warp][r], ~only[k]);
      atomicAnd(&columns[warp][c], ~only[k]);
      atomicAnd(&boxes[warp][r / 3 * 3 + c / 3], ~only[k]);
      open[k] = false;
      mine = true;
    }
    __syncwarp();
    any = __any_sync(~0u, mine);
  }
  const int left = __reduce_add_sync(~0u, open[0] + open[1] + open[2]);
  if (lane == 0) out[puzzle] = left;
}

// Four in a row to a depth of three moves by alpha and beta, boards as words of bits, recursion by template.
__device__ __forceinline__ bool fourInLine(uint64_t b) {
  for (const int d : {1, 6, 7, 8}) {
    const uint64_t two = b & b >> d;
    if (two & two >> 2 * d) return true;
  }
  return false;
}
template <int Depth>
__device__ int lookAhead(uint64_t mine, uint64_t theirs, int alpha, int beta) {
  if (fourInLine(theirs)) return -100 - Depth;
  if constexpr (Depth == 0) {
    const uint64_t middle = 0x7Full << 21 | 0x3Full << 14 | 0x3Full << 28;
    return __popcll(mine & middle) - __popcll(theirs & middle);
  } else {
    const uint64_t all = mine | theirs;
    for (int column = 0; column < 7; ++column) {
      const uint64_t place = (all + (1ull << 7 * column)) & 0x3Full << 7 * column;
      if (!place || (all & place)) continue;
      const uint64_t lowest = place & (0 - place);
      const int value = -lookAhead<Depth - 1>(theirs, mine | lowest, -beta, -alpha);
      if (value > alpha) alpha = value;
      if (alpha >= beta) break;
    }
    return alpha;
  }
}
// warpscope four_connected: block = 64, boards = 2^11, grid = ceil(boards / block), seeds = u32 random[boards], out = s16 zeros[boards]
__global__ void four_connected(const uint32_t* seeds, short* out, int boards) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= boards) return;
  uint32_t s = seeds[b] | 1;
  uint64_t side[2] = {0, 0};
  for (int move = 0; move < 10; ++move) {
    const int column = tossed(s) % 7;
    const uint64_t all = side[0] | side[1], place = (all + (1ull << 7 * column)) & 0x3Full << 7 * column;
    if (place) {
      const uint64_t lowest = place & (0 - place);
      if (move % 2)
        side[1] |= lowest;
      else
        side[0] |= lowest;
    }
  }
  out[b] = lookAhead<3>(side[0], side[1], -1000, 1000);
}

// A row of tiles of 2048 slid to the left, for the four directions of a board in 64 bits; the best of 8
// random games a thread.
__device__ uint32_t slidRow(uint32_t row, uint32_t& score) {
  uint32_t result = 0, held = 0;
  int at = 0;
#pragma unroll
  for (int k = 0; k < 16; k += 4) {
    const uint32_t tile = row >> k & 15;
    if (!tile) continue;
    if (held == tile && tile < 15) {
      result |= (tile + 1) << at;
      score += 2u << tile;
      at += 4;
      held = 0;
    } else {
      if (held) {
        result |= held << at;
        at += 4;
      }
      held = tile;
    }
  }
  return held ? result | held << at : result;
}
__device__ uint64_t turnedBoard(uint64_t b) {
  const uint64_t a =
      (b & 0xF0F00F0FF0F00F0Full) | (b & 0x0000F0F00000F0F0ull) << 12 | (b & 0x0F0F00000F0F0000ull) >> 12;
  return (a & 0xFF00FF0000FF00FFull) | (a & 0x00FF00FF00000000ull) >> 24 | (a & 0x00000000FF00FF00ull) << 24;
}
// warpscope doubled_tiles: block = 128, games = 2^12, grid = ceil(games / block), seeds = u32 random[games], out = u32 zeros[games]
__global__ void doubled_tiles(const uint32_t* seeds, uint32_t* out, int games) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= games) return;
  uint32_t luck = seeds[g] | 1, score = 0;
  uint64_t board = 0x0000001000200001ull;
  for (int move = 0; move < 40; ++move) {
    uint64_t after = board;
    for (int tries = 0; tries < 4 && after == board; ++tries) {
      const int way = tossed(luck) % 3;
      uint64_t b = way % 2 ? turnedBoard(board) : board;
      uint64_t slid = 0;
      for (int r = 0; r < 64; r += 16) {
        const uint32_t row = b >> r & 0xFFFF;
        if (way == 2) {
          const uint32_t mirrored = (row & 15) << 12 | (row & 240) << 4 | (row >> 4 & 240) | row >> 12,
                         moved = slidRow(mirrored, score);
          slid |= static_cast<uint64_t>((moved & 15) << 12 | (moved & 240) << 4 | (moved >> 4 & 240) |
                                        moved >> 12)
                  << r;
        } else
          slid |= static_cast<uint64_t>(slidRow(row, score)) << r;
      }
      after = way % 2 ? turnedBoard(slid) : slid;
    }
    if (after == board) break;
    int place = tossed(luck) % 16;
    while (after >> 4 * place & 15) place = (place + 1) % 16;
    board = after | (tossed(luck) % 10 == 0 ? 2ull : 1ull) << 4 * place;
  }
  out[g] = score;
}

// Which guess at a code of four pegs in six colours leaves the fewest in the worst case: a block a guess, a
// thread for each few secrets.
__device__ int pegs(int a, int b) {
  int black = 0, seen = 0;
  uint32_t left = 0, right = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int x = a % 6, y = b % 6;
    a /= 6;
    b /= 6;
    black += x == y;
    left += 1u << 4 * x;
    right += 1u << 4 * y;
  }
#pragma unroll
  for (int c = 0; c < 24; c += 4) seen += min(left >> c & 15, right >> c & 15);
  return black * 5 + seen - black;
}
// warpscope pegs_guessed: block = 256, guesses = 648, grid = guesses, possible = u32 random[41], worst = s32 zeros[guesses]
__global__ void pegs_guessed(const uint32_t* possible, int* worst) {
  __shared__ int answers[25];
  if (threadIdx.x < 25) answers[threadIdx.x] = 0;
  __syncthreads();
  for (int secret = threadIdx.x; secret < 1296; secret += blockDim.x)
    if (possible[secret / 32] >> secret % 32 & 1) atomicAdd(&answers[pegs(blockIdx.x * 2, secret)], 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    const int most = __reduce_max_sync(~0u, threadIdx.x < 25 ? answers[threadIdx.x] : 0);
    if (threadIdx.x == 0) worst[blockIdx.x] = most;
  }
}

// Stones without liberties are taken off boards of nine rows: floods in rows of bits, one board a group of 16
// lanes.
// warpscope breathless_stones: block = 128 fixed, boards = 2^12, grid = boards / 8, black = u16 random[boards * 9], white = u16 random[boards * 9], taken = s32 zeros[boards]
__global__ void breathless_stones(const uint16_t* black, const uint16_t* white, int* taken, int boards) {
  const int lane = threadIdx.x % 16, b = blockIdx.x * 8 + threadIdx.x / 16;
  uint32_t mine = 0, empty = 0;
  if (lane < 9 && b < boards) {
    mine = black[b * 9 + lane] & 511;
    const uint32_t others = white[b * 9 + lane] & 511 & ~mine;
    empty = ~(mine | others) & 511 & (white[b * 9 + lane] >> 7 | 0xF1);
  }
  auto grown = [lane](uint32_t row) {
    const uint32_t above = __shfl_up_sync(~0u, row, 1, 16), below = __shfl_down_sync(~0u, row, 1, 16);
    return (row | row << 1 | row >> 1 | (lane > 0 ? above : 0) | (lane < 8 ? below : 0)) & 511;
  };
  uint32_t alive = grown(empty) & mine;
  while (true) {
    const uint32_t next = grown(alive) & mine;
    const bool changed = next != alive;
    alive = next;
    if (!__any_sync(~0u, changed)) break;
  }
  int dead = __popc(mine & ~alive);
  for (int d = 8; d > 0; d /= 2) dead += __shfl_xor_sync(~0u, dead, d, 16);
  if (lane == 0 && b < boards) taken[b] = dead;
}

// Coloured answers to guessed words of five letters, all pairs of two lists; the sum of squares of their
// counts for each guess.
// warpscope coloured_letters: block = 128 fixed, guesses = 512, secrets = 1024, grid = guesses, words = u32 random[guesses + secrets], out = u32 zeros[guesses]
__global__ void coloured_letters(const uint32_t* words, uint32_t* out, int guesses, int secrets) {
  __shared__ int counts[243];
  for (int k = threadIdx.x; k < 243; k += 128) counts[k] = 0;
  __syncthreads();
  const uint32_t guess = words[blockIdx.x];
  for (int s = threadIdx.x; s < secrets; s += 128) {
    const uint32_t secret = words[guesses + s];
    int pattern = 0, scale = 1;
    uint64_t left = 0;
    uint32_t green = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const int g = guess >> 4 * k & 15, x = secret >> 4 * k & 15;
      if (g == x)
        green |= 1u << k;
      else
        left += 1ull << 4 * x;
    }
#pragma unroll
    for (int k = 0; k < 5; ++k, scale *= 3) {
      const int g = guess >> 4 * k & 15;
      if (green >> k & 1)
        pattern += 2 * scale;
      else if (left >> 4 * g & 15) {
        pattern += scale;
        left -= 1ull << 4 * g;
      }
    }
    atomicAdd(&counts[pattern], 1);
  }
  __syncthreads();
  uint32_t sum = 0;
  for (int k = threadIdx.x; k < 243; k += 128) sum += counts[k] * counts[k];
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

// Lights that toggle their neighbours, on boards of 5 x 5: the solution by elimination over bits, one board a
// warp, a row a lane.
// warpscope lights_turned_out: block = 256, boards = 2^12, grid = boards / 8, lit = u32 random[boards], out = u32 zeros[boards]
__global__ void lights_turned_out(const uint32_t* lit, uint32_t* out, int boards) {
  const int lane = threadIdx.x % 32, b = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (b >= boards) return;
  uint32_t row = 0;
  if (lane < 25) {
    const int x = lane % 5, y = lane / 5;
    row = 1u << lane | (x > 0) << (lane ? lane - 1 : 0) | (x < 4) << (lane + 1);
    if (y > 0) row |= 1u << (lane - 5);
    if (y < 4) row |= 1u << (lane + 5);
    row = (row & 0x1FFFFFF) | (lit[b] >> lane & 1) << 25;
  }
  bool used = false;
  int owner = -1;
  for (int column = 0; column < 25; ++column) {
    const uint32_t able = __ballot_sync(~0u, !used && (row >> column & 1));
    if (!able) continue;
    const int pivot = __ffs(able) - 1;
    const uint32_t its = __shfl_sync(~0u, row, pivot);
    if (lane == pivot) {
      used = true;
      owner = column;
    } else if (row >> column & 1)
      row ^= its;
  }
  const uint32_t presses = __reduce_or_sync(~0u, owner >= 0 && row >> 25 & 1 ? 1u << owner : 0);
  const bool failed = __any_sync(~0u, !used && row >> 25);
  if (lane == 0) out[b] = failed ? 0xFFFFFFFFu : presses;
}

// Hands of a card game where the bank draws to seventeen: the mean win of a rule to stand, by playing on from
// shuffled luck, with aces of two values.
// warpscope stand_or_draw: block = 192, n = 2^14, grid = ceil(n / block), wins = s32 zeros[22], seed = 4711
__global__ void stand_or_draw(int* wins, unsigned seed, int n) {
  __shared__ int sums[22];
  if (threadIdx.x < 22) sums[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uint32_t luck = seed + i * 0x9E3779B9u | 1;
    const int limit = 12 + i % 8;
    auto hand = [&luck](int until) {
      int sum = 0, aces = 0;
      while (sum < until) {
        const int card = min(1 + static_cast<int>(__umulhi(tossed(luck), 13)), 10);
        aces += card == 1;
        sum += card == 1 ? 11 : card;
        while (sum > 21 && aces > 0) sum -= 10, --aces;
      }
      return sum;
    };
    for (int game = 0; game < 8; ++game) {
      const int mine = hand(limit);
      int result = -1;
      if (mine <= 21) {
        const int bank = hand(17);
        result = bank > 21 || mine > bank ? 1 : mine == bank ? 0 : -1;
      }
      if (result) atomicAdd(&sums[limit], result);
    }
  }
  __syncthreads();
  if (threadIdx.x < 22 && sums[threadIdx.x]) atomicAdd(&wins[threadIdx.x], sums[threadIdx.x]);
}
