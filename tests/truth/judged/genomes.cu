// Sequences of bases and proteins.

// Needleman-Wunsch on tiles of 16 along a diagonal of tiles; the tile is walked by its own diagonals.
__device__ int best_of_three(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}
// warpscope needle_tiles: block = 16 fixed, cols = 2049, tiles = 128, penalty = 10, grid = tiles, similarity = random[cols * cols] in -4..8, itemsets = random[cols * cols] in -20..20
__global__ void needle_tiles(const int* similarity, int* itemsets, int cols, int penalty, int tiles) {
  __shared__ int temp[17][17];
  __shared__ int ref[16][16];
  const int tx = threadIdx.x, bx = blockIdx.x, by = tiles - 1 - bx;
  const int index = cols * 16 * by + 16 * bx + tx + cols + 1;
  const int index_n = cols * 16 * by + 16 * bx + tx + 1, index_w = cols * 16 * by + 16 * bx + cols;
  const int index_nw = cols * 16 * by + 16 * bx;
  if (tx == 0) temp[tx][0] = itemsets[index_nw];
  for (int ty = 0; ty < 16; ty++) ref[ty][tx] = similarity[index + cols * ty];
  __syncthreads();
  temp[tx + 1][0] = itemsets[index_w + cols * tx];
  __syncthreads();
  temp[0][tx + 1] = itemsets[index_n];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (tx <= m) {
      int x = tx + 1, y = m - tx + 1;
      temp[y][x] = best_of_three(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty,
                                 temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + 16 - m, y = 16 - tx;
      temp[y][x] = best_of_three(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty,
                                 temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int ty = 0; ty < 15; ty++) itemsets[index + ty * cols] = temp[ty + 1][tx + 1];
}

// Scores of one query against many short sequences: a thread a sequence, the row in local memory.
// warpscope smith_waterman_inter: block = 64, sequences = 10000, length = 40, grid = ceil(sequences / block), query = random[32] in 0..19, database = random[sequences * length] in 0..19, scores = zeros[sequences]
__global__ void smith_waterman_inter(const char* query, const char* database, int* scores, int sequences,
                                     int length) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= sequences) return;
  short h[33], e[33];
  for (int j = 0; j <= 32; ++j) h[j] = 0, e[j] = -1000;
  int best = 0;
  for (int i = 0; i < length; ++i) {
    const char base = database[i * sequences + s];
    int diagonal = 0, f = -1000;
    for (int j = 1; j <= 32; ++j) {
      const int up = h[j], left = h[j - 1];
      e[j] = max(e[j] - 2, up - 11);
      f = max(f - 2, left - 11);
      int score = diagonal + (query[j - 1] == base ? 5 : -3);
      score = max(max(score, 0), max((int)e[j], f));
      diagonal = up;
      h[j] = score;
      best = max(best, score);
    }
  }
  scores[s] = best;
}

// Words of k bases, canonical, counted in a table with open addresses.
// warpscope kmer_count: block = 256, bases = 200000, k = 21, grid = ceil(bases / block), sequence = random[bases] in 0..3, keys = zeros[2^19], counts = zeros[2^19], unordered = (keys, counts)
__device__ unsigned long long mix_kmer(unsigned long long x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}
__global__ void kmer_count(const unsigned char* __restrict__ sequence, unsigned long long* keys,
                           unsigned* counts, int bases, int k) {
  const int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start + k > bases) return;
  unsigned long long forward = 0, reverse = 0;
  for (int i = 0; i < k; ++i) {
    const unsigned long long b = sequence[start + i];
    forward = forward << 2 | b;
    reverse = reverse >> 2 | (3 - b) << (2 * k - 2);
  }
  const unsigned long long key = (forward < reverse ? forward : reverse) + 1;
  const unsigned mask = (1u << 19) - 1;
  unsigned slot = mix_kmer(key) & mask;
  while (true) {
    const unsigned long long old = atomicCAS(&keys[slot], 0ULL, key);
    if (old == 0 || old == key) break;
    slot = (slot + 1) & mask;
  }
  atomicAdd(&counts[slot], 1u);
}

// Edit distance of 64 letters against a text, a word of bits for a column.
// warpscope myers_bitvector: block = 128, reads = 24000, length = 100, grid = ceil(reads / block), pattern_masks = random[4 * reads], text = random[length * reads] in 0..3, distances = zeros[reads]
__global__ void myers_bitvector(const unsigned long long* pattern_masks, const unsigned char* text,
                                int* distances, int reads, int length) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  unsigned long long pv = ~0ULL, mv = 0, peq[4];
  for (int b = 0; b < 4; ++b) peq[b] = pattern_masks[b * reads + r];
  int score = 64;
  for (int i = 0; i < length; ++i) {
    const int c = text[i * reads + r];
    const unsigned long long eq = c == 0 ? peq[0] : c == 1 ? peq[1] : c == 2 ? peq[2] : peq[3];
    const unsigned long long xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
    unsigned long long ph = mv | ~(xh | pv), mh = pv & xh;
    score += (int)(ph >> 63) - (int)(mh >> 63);
    ph = ph << 1 | 1;
    mh <<= 1;
    pv = mh | ~(xv | ph);
    mv = ph & xv;
  }
  distances[r] = score;
}

// Steps of a backward search in a compressed index: ranks by counting bits.
struct occ_block {
  unsigned before[4];
  unsigned long long low, high;
};
__device__ __forceinline__ unsigned occ(const occ_block* __restrict__ blocks, unsigned pos, int base) {
  const occ_block& b = blocks[pos >> 6];
  const unsigned long long lows = base & 1 ? b.low : ~b.low, highs = base & 2 ? b.high : ~b.high;
  const unsigned long long mask = (1ULL << (pos & 63)) - 1;
  return b.before[base] + __popcll(lows & highs & mask);
}
// warpscope fm_index_search: block = 128, queries = 30000, blocks_of_text = 16384, length = 24, grid = ceil(queries / block), blocks = u32 random[8 * blocks_of_text] in 0..500000, query = random[queries], ranges = zeros[queries]
__global__ void fm_index_search(const occ_block* __restrict__ blocks,
                                const unsigned long long* __restrict__ query, uint2* __restrict__ ranges,
                                int queries, int length, unsigned blocks_of_text) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  unsigned long long bases = query[q];
  const unsigned size = blocks_of_text * 64;
  unsigned low = 0, high = size - 1;
  for (int i = 0; i < length && low < high; ++i, bases >>= 2) {
    const int base = bases & 3;
    low = occ(blocks, low, base) % size;
    high = occ(blocks, high, base) % size;
  }
  ranges[q] = make_uint2(low, high);
}

// Likelihoods up a tree: both children's matrices times their four states, for each site and rate.
// warpscope phylo_partials: block = 256, sites = 12000, rates = 4, grid = ceil(sites * rates / block), left = random[4 * sites * rates], right = random[4 * sites * rates], p_left = random[16 * rates], p_right = random[16 * rates], out = zeros[4 * sites * rates]
__global__ void phylo_partials(const double* left, const double* right, const double* p_left,
                               const double* p_right, double* out, int sites, int rates) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sites * rates) return;
  const int rate = i % rates;
  double l[4], r[4];
  for (int s = 0; s < 4; ++s) {
    l[s] = left[4 * i + s];
    r[s] = right[4 * i + s];
  }
  for (int s = 0; s < 4; ++s) {
    double a = 0, b = 0;
    for (int t = 0; t < 4; ++t) {
      a += p_left[16 * rate + 4 * s + t] * l[t];
      b += p_right[16 * rate + 4 * s + t] * r[t];
    }
    out[4 * i + s] = a * b;
  }
}

// The pair hidden Markov model of a haplotype and a read: a warp, a row of states a lane, diagonals by
// shuffles.
// warpscope pair_hmm_warp: block = 128, pairs = 1600, hap_len = 120, grid = ceil(pairs * 32 / block), reads = random[32 * pairs] in 0..3, quals = random[32 * pairs] in 10..40, haps = random[pairs * hap_len] in 0..3, likelihood = zeros[pairs]
__global__ void pair_hmm_warp(const char* reads, const char* quals, const char* haps, float* likelihood,
                              int pairs, int hap_len) {
  const int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (pair >= pairs) return;
  const char base = reads[pair * 32 + lane];
  const float error = exp10f(-0.1f * quals[pair * 32 + lane]);
  const float match = 1.0f - error, mismatch = error / 3.0f, open = 1e-4f, extend = 0.1f;
  float m = 0, x = 0, y = 0, m_diag = 0, x_diag = 0, y_diag = 0, total = 0;
  for (int step = 0; step < hap_len + 31; ++step) {
    const float m_up = __shfl_up_sync(0xffffffff, m, 1), x_up = __shfl_up_sync(0xffffffff, x, 1),
                y_up = __shfl_up_sync(0xffffffff, y, 1);
    const int column = step - lane;
    if (column >= 0 && column < hap_len) {
      const float prior = base == haps[pair * hap_len + column] ? match : mismatch;
      const float y_start = 1.0f / hap_len;
      const float md = lane == 0 ? 0.0f : m_diag, xd = lane == 0 ? 0.0f : x_diag,
                  yd = lane == 0 ? y_start : y_diag;
      const float new_m = prior * (md * (1 - 2 * open) + (xd + yd) * (1 - extend));
      const float new_x = lane == 0 ? 0.0f : m_up * open + x_up * extend;
      const float new_y = m * open + y * extend;
      m = new_m;
      x = new_x;
      y = new_y;
      if (lane == 31) total += m + x;
    }
    m_diag = m_up;
    x_diag = x_up;
    y_diag = y_up;
  }
  if (lane == 31) likelihood[pair] = log10f(total + 1e-37f);
}

// Three bases are an amino acid: a frame for each row of blocks.
__constant__ char codon_table[64] = {'K', 'N', 'K', 'N', 'T', 'T', 'T', 'T', 'R', 'S', 'R', 'S', 'I',
                                     'I', 'M', 'I', 'Q', 'H', 'Q', 'H', 'P', 'P', 'P', 'P', 'R', 'R',
                                     'R', 'R', 'L', 'L', 'L', 'L', 'E', 'D', 'E', 'D', 'A', 'A', 'A',
                                     'A', 'G', 'G', 'G', 'G', 'V', 'V', 'V', 'V', '*', 'Y', '*', 'Y',
                                     'S', 'S', 'S', 'S', '*', 'C', 'W', 'C', 'L', 'F', 'L', 'F'};
// warpscope translate_frames: block = 256, bases = 1500000, codons = bases / 3 - 1, grid = (ceil(codons / block), 3), dna = random[bases] in 0..3, protein = zeros[3 * codons]
__global__ void translate_frames(const unsigned char* dna, char* protein, int codons) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, frame = blockIdx.y;
  if (i >= codons) return;
  const unsigned char* c = dna + 3 * i + frame;
  protein[frame * codons + i] = codon_table[c[0] << 4 | c[1] << 2 | c[2]];
}
