// Sequences of bases and amino acids, and what is counted in them.
#include <cstdint>

// Both strands of k-mers (k = 15) of packed reads, the smaller of the two, hashed to a sketch: smallest hash
// of each of 16 windows of a read.
// warpscope canonical_sketch: block = 128, reads = 2^13, grid = ceil(reads / block), packed = random[reads * 8], sketch = zeros[reads * 4]
__global__ void canonical_sketch(const uint32_t* packed, uint32_t* sketch, int reads) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  uint32_t forward = 0, backward = 0, best = ~0u;
  const uint32_t mask = (1u << 30) - 1;
  for (int p = 0; p < 128; ++p) {
    const uint32_t base = packed[r * 8 + p / 16] >> p % 16 * 2 & 3;
    forward = (forward << 2 | base) & mask;
    backward = backward >> 2 | (3 - base) << 28;
    if (p >= 14) {
      uint32_t h = min(forward, backward) * 0x85ebca6bu;
      h ^= h >> 15;
      best = min(best, h * 0xc2b2ae35u);
    }
    if (p % 32 == 31) {
      sketch[r * 4 + p / 32] = best;
      best = ~0u;
    }
  }
}

// Masses of the fragments (b and y ions) of peptides, binned and compared with a spectrum; a warp a peptide.
// warpscope ion_series_score: block = 256, peptides = 2^13, grid = peptides / 8, residues = random[peptides * 32] in 0..19, masses = random[20] in 57..186, spectrum = random[4096], scores = zeros[peptides]
__global__ void ion_series_score(const uint8_t* residues, const float* masses, const float* spectrum,
                                 float* scores, int peptides) {
  const int lane = threadIdx.x % 32, which = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (which >= peptides) return;
  float mass = masses[residues[which * 32 + lane]];
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const float other = __shfl_up_sync(~0u, mass, d);
    if (lane >= d) mass += other;
  }
  const float total = __shfl_sync(~0u, mass, 31);
  float score = 0;
  if (lane < 31) {
    const int b = int((mass + 1.00728f) * 0.7f) & 4095, y = int((total - mass + 19.0178f) * 0.7f) & 4095;
    const float vb = spectrum[b], vy = spectrum[y];
    if (vb > 0.5f) score += vb;
    if (vy > 0.5f) score += vy * 1.1f;
  }
  for (int d = 16; d; d >>= 1) score += __shfl_down_sync(~0u, score, d);
  if (lane == 0) scores[which] = score;
}

// Nussinov's folding of short RNA: the most pairs of bases that do not cross; a block a sequence, diagonals
// of a table in shared memory.
// warpscope folded_pairs: block = 64 fixed, sequences = 528, grid = sequences, bases = random[sequences * 64] in 0..3, out = zeros[sequences]
__global__ void folded_pairs(const uint8_t* bases, int* out) {
  __shared__ uint8_t s[64];
  __shared__ uint8_t best[64][68];
  const int t = threadIdx.x;
  s[t] = bases[blockIdx.x * 64 + t];
  for (int k = 0; k < 68; ++k) best[t][k] = 0;
  __syncthreads();
  for (int length = 4; length < 64; ++length) {
    const int i = t, j = i + length;
    int v = 0;
    if (j < 64) {
      v = best[i + 1][j] > best[i][j - 1] ? best[i + 1][j] : best[i][j - 1];
      const int sum = s[i] + s[j];
      if (sum == 3 || (sum == 5 && s[i] != s[j])) v = max(v, best[i + 1][j - 1] + 1);
      for (int k = i + 1; k < j; ++k) v = max(v, int(best[i][k]) + best[k + 1][j]);
    }
    __syncthreads();
    if (j < 64) best[i][j] = v;
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = best[0][63];
}

// Transitions and transversions between aligned rows of bases, four to a byte pair of planes; the Kimura
// distance.
// warpscope kimura_distances: block = (16, 16), rows = 256, words = 16, grid = (rows / 16, rows / 16), purine = random[rows * words], other = random[rows * words]:2, distance = zeros[rows * rows]
__global__ void kimura_distances(const uint32_t* purine, const uint32_t* other, float* distance, int rows,
                                 int words) {
  __shared__ uint32_t a[2][16][17], b[2][16][17];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  a[0][y][x] = purine[row * words + x];
  a[1][y][x] = other[row * words + x];
  b[0][y][x] = purine[(blockIdx.x * 16 + y) * words + x];
  b[1][y][x] = other[(blockIdx.x * 16 + y) * words + x] & 0x11111111;
  __syncthreads();
  int transitions = 0, transversions = 0;
  for (int w = 0; w < words; ++w) {
    const uint32_t across = (a[0][y][w] ^ b[0][x][w]) & 0x10204081,
                   within = (a[1][y][w] ^ b[1][x][w]) & ~across & 0x11011011;
    transversions += __popc(across);
    transitions += __popc(within);
  }
  const float p = transitions / (words * 32.0f), q = transversions / (words * 32.0f);
  distance[row * rows + column] = -0.5f * logf(1 - 2 * p - q) - 0.25f * logf(1 - 2 * q);
}

__constant__ uint8_t first_allele[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
__constant__ uint8_t second_allele[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};

// The likelihood of genotypes at sites with piles of bases: qualities by table, ten genotypes.
// warpscope pile_genotypes: block = 128, sites = 2^13, grid = ceil(sites / block), depth = random[sites] in 4..40, bases = random[sites * 40], best = zeros[sites], quality = zeros[sites]
__global__ void pile_genotypes(const uint8_t* depth, const uint8_t* bases, uint8_t* best, float* quality,
                               int sites) {
  const int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites) return;
  float likelihood[10] = {};
  for (int k = 0; k < depth[site]; ++k) {
    const uint8_t packed = bases[site * 40 + k];
    const int base = packed & 3;
    const float error = exp2f(-float(packed >> 2) * 0.332f * 0.5f) * 0.7f + 0.001f;
#pragma unroll
    for (int g = 0; g < 10; ++g) {
      const float a = base == first_allele[g] ? 1 - error : error / 3,
                  b = base == second_allele[g] ? 1 - error : error / 3;
      likelihood[g] += __logf(0.5f * (a + b));
    }
  }
  float most = -1e30f, next = -1e30f;
  int which = 0;
#pragma unroll
  for (int g = 0; g < 10; ++g) {
    if (likelihood[g] > most) {
      next = most;
      most = likelihood[g];
      which = g;
    } else if (likelihood[g] > next) {
      next = likelihood[g];
    }
  }
  best[site] = which;
  quality[site] = most - next;
}

// Contacts of a chain of residues: pairs closer than a threshold, far enough in the chain; a tile of
// coordinates a block.
// warpscope residue_contacts: block = 128 fixed, n = 2^11, grid = (n / 128, 8), atoms = f32 random[n * 3], contacts = zeros[n]
__global__ void residue_contacts(const float3* atoms, int* contacts, int n) {
  __shared__ float3 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float3 mine = atoms[i];
  int count = 0;
  for (int start = blockIdx.y * (n / 8); start < (blockIdx.y + 1) * (n / 8); start += 128) {
    __syncthreads();
    tile[threadIdx.x] = atoms[start + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 128; ++k) {
      const float x = mine.x - tile[k].x, y = mine.y - tile[k].y, z = mine.z - tile[k].z;
      if (x * x + y * y + z * z < 0.01f && abs(start + k - i) > 3) ++count;
    }
  }
  if (count) atomicAdd(&contacts[i], count);
}

// An alignment without gaps, extended to the right of seeds until the score falls by more than ten below its
// best.
// warpscope extend_seeds: block = 256, seeds = 2^15, grid = ceil(seeds / block), length = 2^16, subject = random[length + 64] in 0..3, query = random[length + 64]:5 in 0..3, at = random[2 * seeds], scores = zeros[seeds]
__global__ void extend_seeds(const uint8_t* __restrict__ subject, const uint8_t* __restrict__ query,
                             const uint32_t* __restrict__ at, short* __restrict__ scores, int seeds,
                             int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= seeds) return;
  const uint8_t *s = subject + at[2 * i] % length, *q = query + at[2 * i + 1] % length;
  int score = 11, best = 11;
  for (int k = 0; k < 64; ++k) {
    score += s[k] == q[k] ? 5 : -4;
    if (score > best) best = score;
    if (best - score > 20) break;
  }
  scores[i] = best;
}

__device__ __noinline__ float charge_at(const float* counts, float acidity) {
  const float constant[7] = {3.9f, 4.1f, 8.3f, 10.1f, 6.0f, 10.5f, 12.5f};
  float charge = 1 / (1 + exp10f(acidity - 8.0f)) - 1 / (1 + exp10f(3.1f - acidity));
  for (int k = 0; k < 7; ++k)
    charge += k < 4 ? -counts[k] / (1 + exp10f(constant[k] - acidity))
                    : counts[k] / (1 + exp10f(acidity - constant[k]));
  return charge;
}

// Isoelectric points of proteins by bisection of the charge; counts of charged residues are in shorts.
// warpscope isoelectric_points: block = 96, n = 2^14, grid = ceil(n / block), counts = s16 random[n * 8] in 0..20, out = zeros[n]
__global__ void isoelectric_points(const short4* counts, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const short4 a = counts[2 * i], b = counts[2 * i + 1];
  const float all[7] = {float(a.x), float(a.y), float(a.z), float(a.w), float(b.x), float(b.y), float(b.z)};
  float low = 0, high = 14;
  while (high - low > 0.05f) {
    const float middle = 0.5f * (low + high);
    if (charge_at(all, middle) > 0)
      low = middle;
    else
      high = middle;
  }
  out[i] = low;
}
