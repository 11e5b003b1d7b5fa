// Sequences of bases and amino acids: seeds, alignments, indices, models.

__device__ __forceinline__ unsigned long long mixed(unsigned long long k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdull;
  k ^= k >> 29;
  return k;
}

// Counts words of 15 bases, the lesser of a word and its complement, in a table of 2^16 counters.
// warpscope word_counts: block = 128, bases = 500000, k = 15, grid = ceil(bases / 8 / block), sequence = random[bases + 64] in 0..3, counts = zeros[2^16]
__global__ void word_counts(const char* __restrict__ sequence, unsigned* counts, int bases, int k) {
  const int start = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (start >= bases) return;
  const unsigned mask = (1u << (2 * k)) - 1;
  unsigned forward = 0, backward = 0;
  for (int i = 0; i < k + 7; ++i) {
    const unsigned base = sequence[start + i] & 3;
    forward = ((forward << 2) | base) & mask;
    backward = (backward >> 2) | ((3u - base) << (2 * (k - 1)));
    if (i >= k - 1) atomicAdd(&counts[mixed(min(forward, backward)) & 0xffff], 1u);
  }
}

// The least hash among ten neighbouring words: a window that slides over shared memory.
// warpscope minimisers: block = 256 fixed, grid = 900, packed = random[900 * 16 + 2], out = zeros[900 * 256]
__global__ void minimisers(const unsigned* packed, unsigned* out) {
  __shared__ unsigned hashes[256 + 9];
  const int first = blockIdx.x * 256;
  for (int t = threadIdx.x; t < 265; t += 256) {
    const int at = first + t;
    const unsigned long long pair = packed[at / 16] | (unsigned long long)packed[at / 16 + 1] << 32;
    hashes[t] = unsigned(mixed(pair >> (2 * (at % 16)) & 0x3ffffff));
  }
  __syncthreads();
  unsigned least = 0xffffffffu;
#pragma unroll
  for (int j = 0; j < 10; ++j) least = min(least, hashes[threadIdx.x + j]);
  out[first + threadIdx.x] = least;
}

struct Cell {
  short h, e;
};

// Local alignment with affine gaps; a thread keeps its own row of 48 cells in shared memory.
// warpscope affine_rows: block = 64 fixed, pairs = 4224, grid = pairs / 64, queries = random[48 * pairs] in 0..3, targets = random[64 * pairs]:2 in 0..3, best = zeros[pairs]
__global__ void affine_rows(const char* queries, const char* targets, short* best, int pairs) {
  __shared__ Cell row[48][64];
  const int p = blockIdx.x * 64 + threadIdx.x;
  for (int j = 0; j < 48; ++j) row[j][threadIdx.x] = Cell{0, -100};
  int top = 0;
  for (int i = 0; i < 64; ++i) {
    const char t = targets[i * pairs + p];
    int diagonal = 0, left = 0, f = -100;
    for (int j = 0; j < 48; ++j) {
      const Cell above = row[j][threadIdx.x];
      const int e = max(above.e - 1, above.h - 4);
      f = max(f - 1, left - 4);
      int h = diagonal + (queries[j * pairs + p] == t ? 2 : -3);
      h = max(max(h, 0), max(e, f));
      diagonal = above.h;
      left = h;
      top = max(top, h);
      row[j][threadIdx.x] = Cell{short(h), short(e)};
    }
  }
  best[p] = top;
}

// A banded global alignment: one warp holds the band, each lane one diagonal.
// warpscope banded_warp: block = 96, pairs = 3000, grid = ceil(pairs / 3), a = random[160 * pairs] in 0..3, b = random[192 * pairs]:4 in 0..3, scores = zeros[pairs]
__global__ void banded_warp(const unsigned char* a, const unsigned char* b, int* scores, int pairs) {
  const int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (pair >= pairs) return;
  a += 160 * pair;
  b += 192 * pair;
  int h = -lane;
  for (int i = 0; i < 160; ++i) {
    const int diagonal = h + (a[i] == b[i + lane] ? 1 : -1);
    int from_above = __shfl_down_sync(0xffffffffu, h, 1) - 2;
    if (lane == 31) from_above = -10000;
    h = max(diagonal, from_above);
    for (int d = 1; d < 32; d *= 2) {
      const int left = __shfl_up_sync(0xffffffffu, h, d) - 2 * d;
      if (lane >= d) h = max(h, left);
    }
  }
  if (lane == 16) scores[pair] = h;
}

// Backward search in an index by the Burrows-Wheeler transform: rank counts by blocks of 64 bases.
// warpscope backward_search: block = 128, reads = 60000, blocks_of = 2^15, grid = ceil(reads / block), ranks = u32 random[4 * blocks_of] in 0..500000, planes = u64 random[2 * blocks_of]:2, patterns = random[reads]:3, found = zeros[reads]
__global__ void backward_search(const uint4* __restrict__ ranks, const ulonglong2* __restrict__ planes,
                                const unsigned* __restrict__ patterns, unsigned* found, int reads,
                                int blocks_of) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  unsigned pattern = patterns[r], low = r & 7, high = blocks_of * 64 - 1 - low;
  auto occurrences = [&](unsigned base, unsigned at) {
    const unsigned block = at / 64 % blocks_of;
    const uint4 four = ranks[block];
    const ulonglong2 bits = planes[block];
    const unsigned long long same = ((base & 1) ? bits.x : ~bits.x) & ((base & 2) ? bits.y : ~bits.y);
    const unsigned before = base == 0 ? four.x : base == 1 ? four.y : base == 2 ? four.z : four.w;
    return before + __popcll(same & ((1ull << (at & 63)) - 1));
  };
  int steps = 0;
  while (low < high && steps < 12) {
    const unsigned base = pattern & 3;
    pattern >>= 2;
    low = occurrences(base, low);
    high = occurrences(base, high);
    ++steps;
  }
  found[r] = steps * 65536 + (high - low) % 65536;
}

// How many places differ, for all pairs of 512 sequences of 256 packed bases.
// warpscope differing_bases: block = (16, 16) fixed, count = 512, grid = (count / 16, count / 16), packed = random[8 * count], distance = zeros[count * count]
__global__ void differing_bases(const unsigned long long* packed, unsigned short* distance, int count) {
  __shared__ unsigned long long rows[16][9], columns[16][9];
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < 8) {
    rows[y][x] = packed[(blockIdx.y * 16 + y) * 8 + x];
  } else {
    columns[y][x - 8] = packed[(blockIdx.x * 16 + y) * 8 + x - 8];
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned long long both = rows[y][k] ^ columns[x][k];
    sum += __popcll((both | both >> 1) & 0x5555555555555555ull);
  }
  distance[(blockIdx.y * 16 + y) * count + blockIdx.x * 16 + x] = sum;
}

__constant__ signed char acid_of_codon[64] = {10, 13, 10, 13, 19, 19, 19, 19, 16, 18, 16, 18, 8,  8,  11, 8,
                                              15, 7,  15, 7,  14, 14, 14, 14, 16, 16, 16, 16, 9,  9,  9,  9,
                                              3,  2,  3,  2,  0,  0,  0,  0,  6,  6,  6,  6,  20, 20, 20, 20,
                                              -1, 21, -1, 21, 18, 18, 18, 18, -1, 4,  12, 4,  9,  5,  9,  5};

// Bases to amino acids in three frames, by a table in constant memory that lanes index differently.
// warpscope translate_frames_too: block = 192, codons = 200000, grid = (ceil(codons / block), 3), bases = random[3 * codons + 3] in 0..3, acids = zeros[3 * codons]
__global__ void translate_frames_too(const unsigned char* bases, signed char* acids, int codons) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= codons) return;
  const unsigned char* at = bases + 3 * i + blockIdx.y;
  const int codon = at[0] * 16 + at[1] * 4 + at[2];
  acids[blockIdx.y * codons + i] = acid_of_codon[codon & 63];
}

// A profile of 20 positions is laid against every place of a protein.
// warpscope profile_scan: block = 320, n = 200000, grid = ceil(n / block), profile = random[20 * 24] in -5..9, protein = random[n + 20] in 0..21, hits = zeros[n]
__global__ void profile_scan(const int* profile, const unsigned char* protein, int* hits, int n) {
  __shared__ int table[20 * 24];
  __shared__ unsigned char text[340];
  for (int k = threadIdx.x; k < 480; k += blockDim.x) table[k] = profile[k];
  const int first = blockIdx.x * blockDim.x;
  for (int k = threadIdx.x; k < 340; k += blockDim.x) text[k] = first + k < n + 20 ? protein[first + k] : 0;
  __syncthreads();
  int score = 0, best = 0;
  for (int p = 0; p < 20; ++p) {
    score += table[p * 24 + text[threadIdx.x + p]];
    if (score < -12) break;
    best = max(best, score);
  }
  if (first + threadIdx.x < n) hits[first + threadIdx.x] = best;
}

// Cuts the poor end off each read: 100 qualities, packed four a word, scanned from behind.
// warpscope trim_reads: block = 256, reads = 100000, grid = ceil(reads / block), qualities = random[25 * reads] , lengths = zeros[reads]
__global__ void trim_reads(const unsigned* qualities, unsigned char* lengths, int reads) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  int sum = 0, worst = 0, cut = 100;
  for (int w = 24; w >= 0; --w) {
    const unsigned four = qualities[w * reads + r];
    for (int b = 3; b >= 0; --b) {
      sum += 20 - int(four >> (8 * b) & 41);
      if (sum < 0) goto done;
      if (sum > worst) {
        worst = sum;
        cut = 4 * w + b;
      }
    }
  }
done:
  lengths[r] = cut;
}

// The forward algorithm of a pair model (match, insertion, deletion) along anti-diagonals, a block a pair.
// warpscope pair_model: block = 64 fixed, pairs = 528, grid = pairs, length = 80, reads = random[64 * pairs] in 0..3, haplotypes = random[length * pairs]:2 in 0..3, errors = random[64 * pairs] in 0.001..0.1, likelihood = zeros[pairs]
__global__ void pair_model(const char* reads, const char* haplotypes, const float* errors, float* likelihood,
                           int length) {
  __shared__ float m[3][65], ins[3][65], del[3][65];
  __shared__ char haplotype[128];
  const int t = threadIdx.x;
  const char mine = reads[blockIdx.x * 64 + t];
  const float error = errors[blockIdx.x * 64 + t];
  for (int k = t; k < length; k += 64) haplotype[k] = haplotypes[blockIdx.x * length + k];
  for (int k = 0; k < 3; ++k) {
    m[k][t + 1] = ins[k][t + 1] = del[k][t + 1] = 0;
    if (t == 0) m[k][0] = ins[k][0] = 0, del[k][0] = 1.f / length;
  }
  float sum = 0;
  for (int d = 0; d < 64 + length - 1; ++d) {
    __syncthreads();
    const int now = d % 3, last = (d + 2) % 3, before = (d + 1) % 3, j = d - t;
    if (j >= 0 && j < length) {
      const float prior = haplotype[j] == mine ? 1 - error : error / 3;
      const float x = prior * (0.9f * m[before][t] + 0.8f * (ins[before][t] + del[before][t]));
      m[now][t + 1] = x;
      ins[now][t + 1] = 0.05f * m[last][t] + 0.2f * ins[last][t];
      del[now][t + 1] = 0.05f * m[last][t + 1] + 0.2f * del[last][t + 1];
      if (t == 63) sum += x + ins[now][64];
    }
  }
  if (t == 63) likelihood[blockIdx.x] = log10f(sum + 1e-35f);
}
