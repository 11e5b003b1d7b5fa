// Reads, genes, populations and the folding of molecules.
#include <cstdint>

// Where enzymes may cut: sites of up to 8 bases with ambiguous letters, as masks of four bits, slid over the
// sequence.
// warpscope enzyme_cuts: block = 256 fixed, n = 2^17, grid = ceil(n / block), bases = u8 random[n + 8], sites = u32 random[12], hits = zeros[12]
__global__ void enzyme_cuts(const uint8_t* bases, const uint32_t* sites, int* hits, int n) {
  __shared__ uint8_t tile[256 + 8];
  __shared__ int found[12];
  const int start = blockIdx.x * 256;
  for (int k = threadIdx.x; k < 264; k += blockDim.x)
    tile[k] = start + k < n + 8 ? 1 << (bases[start + k] & 3) : 0;
  if (threadIdx.x < 12) found[threadIdx.x] = 0;
  __syncthreads();
  uint32_t window = 0;
  for (int k = 0; k < 8; ++k) window |= static_cast<uint32_t>(tile[threadIdx.x + k]) << 4 * k;
  for (int s = 0; s < 12; ++s) {
    const uint32_t site = sites[s] | 0x11100000u << s % 4;
    uint32_t agree = window & site;
    agree |= agree >> 1;
    agree |= agree >> 2;
    const bool hit = (agree & 0x11111111u) == 0x11111111u;
    const unsigned all = __ballot_sync(~0u, hit);
    if (threadIdx.x % 32 == 0 && all) atomicAdd(&found[s], __popc(all));
  }
  __syncthreads();
  if (threadIdx.x < 12 && found[threadIdx.x]) atomicAdd(&hits[threadIdx.x], found[threadIdx.x]);
}

// The longest open reading frame in each of three frames and both directions of a read.
// warpscope six_frames: block = (32, 6) fixed, reads = 2^12, grid = reads / 32, bases = u8 random[reads * 96], out = u16 zeros[reads * 6]
__global__ void six_frames(const uint8_t* bases, uint16_t* out, int reads) {
  const int r = blockIdx.x * 32 + threadIdx.x, frame = threadIdx.y % 3;
  const bool backward = threadIdx.y >= 3;
  if (r >= reads) return;
  int longest = 0, from = -1;
  for (int at = frame; at + 3 <= 96; at += 3) {
    int codon = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int b = bases[(backward ? 95 - at - k : at + k) * reads + r] & 3;
      codon = codon * 4 + (backward ? 3 - b : b);
    }
    if (from < 0 && (codon == 14 || codon == 30))
      from = at;
    else if (from >= 0 && (codon == 48 || codon == 50 || codon == 56)) {
      longest = max(longest, at - from);
      from = -1;
    }
  }
  if (from >= 0) longest = max(longest, 96 - from);
  out[r * 6 + threadIdx.y] = longest;
}

// The most base pairs in a fold of 48 bases, one block for each molecule, diagonals in turn.
// warpscope paired_bases: block = 64 fixed, molecules = 512, grid = molecules, bases = u8 random[molecules * 48], out = zeros[molecules]
__global__ void paired_bases(const uint8_t* bases, int* out, int molecules) {
  __shared__ uint8_t s[48], most[48][49];
  const int t = threadIdx.x;
  if (t < 48) s[t] = bases[blockIdx.x * 48 + t] & 3;
  for (int k = t; k < 48 * 49; k += 64) most[k / 49][k % 49] = 0;
  __syncthreads();
  for (int span = 4; span < 48; ++span) {
    const int i = t, j = t + span;
    if (j < 48) {
      int best = max(most[i + 1][j], most[i][j - 1]);
      const int sum = s[i] + s[j];
      if (sum == 3 || (s[i] >= 2 && sum == 5)) best = max(best, most[i + 1][j - 1] + 1);
      for (int k = i + 4; k < j - 4; ++k) best = max(best, most[i][k] + most[k + 1][j]);
      most[i][j] = best;
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = most[0][47];
}

// Paired-end reads of 64 bases are laid over each other: the overlap with the fewest mismatches for its
// length, in packed bits.
// warpscope overlapping_mates: block = 128, pairs = 2^14, grid = ceil(pairs / block), forward = u64 random[2 * pairs], backward = u64 random[2 * pairs], out = zeros[pairs]
__global__ void overlapping_mates(const ulonglong2* forward, const ulonglong2* backward, int* out,
                                  int pairs) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  const ulonglong2 f = forward[p], b = backward[p];
  const uint64_t high = ~__brevll(b.x), low = ~__brevll(b.y);
  int best = -1;
  float least = 1;
  for (int overlap = 64; overlap >= 12; --overlap) {
    const int shift = 64 - overlap;
    const uint64_t mask = ~0ull >> shift;
    const uint64_t wrong = ((f.x >> shift ^ high) | (f.y >> shift ^ low)) & mask;
    const float part = __fdividef(__popcll(wrong), overlap);
    if (part < least) {
      least = part;
      best = overlap;
    }
  }
  out[p] = least < 0.6f ? best : 0;
}

// Each read goes to the sample whose barcode of 16 bases differs least, if no other is as near.
// warpscope barcodes_to_samples: block = 256, reads = 2^15, grid = ceil(reads / block), tags = random[reads], barcodes = random[96], sample = u8 zeros[reads], counts = zeros[97]
__global__ void barcodes_to_samples(const uint32_t* tags, const uint32_t* barcodes, uint8_t* sample,
                                    int* counts, int reads) {
  __shared__ uint32_t codes[96];
  if (threadIdx.x < 96) codes[threadIdx.x] = barcodes[threadIdx.x];
  __syncthreads();
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < reads; r += gridDim.x * blockDim.x) {
    const uint32_t tag = tags[r];
    int first = 99, second = 99, which = 96;
#pragma unroll 8
    for (int k = 0; k < 96; ++k) {
      const uint32_t x = tag ^ codes[k];
      const int d = __popc((x | x >> 1) & 0x55555555u);
      if (d < first)
        second = first, first = d, which = k;
      else if (d < second)
        second = d;
    }
    if (second == first || first > 7) which = 96;
    sample[r] = which;
    atomicAdd(&counts[which], 1);
  }
}

// How often neighbouring variants are inherited together: r squared of pairs from bit planes of 512 people.
// warpscope linked_variants: block = (16, 16) fixed, variants = 512, grid = (variants / 16, variants / 64), planes = u32 random[variants * 16], out = zeros[variants * variants / 4]
__global__ void linked_variants(const uint32_t* planes, float* out, int variants) {
  __shared__ uint32_t left[16][17], right[16][17];
  const int x = threadIdx.x, y = threadIdx.y, a = blockIdx.x * 16 + x, b = blockIdx.y * 16 + y;
  left[y][x] = planes[(blockIdx.x * 16 + y) * 16 + x];
  right[y][x] = planes[(blockIdx.y * 16 + y) * 16 + x];
  __syncthreads();
  int both = 0, one = 0, other = 0;
#pragma unroll
  for (int w = 0; w < 16; ++w) {
    const uint32_t l = left[x][w], r = right[y][w];
    both += __popc(l & r);
    one += __popc(l);
    other += __popc(r);
  }
  const float pa = one / 512.0f, pb = other / 512.0f, d = both / 512.0f - pa * pb;
  const float spread = pa * (1 - pa) * pb * (1 - pb);
  out[b * variants + a] = spread > 0 ? d * d / spread : 0;
}

// The temperature at which a short piece of DNA comes apart, from the energies of its neighbouring pairs.
__constant__ float2 stacked[16] = {{-7.9f, -22.2f}, {-8.4f, -22.4f}, {-7.8f, -21.0f},  {-7.2f, -20.4f},
                                   {-8.5f, -22.7f}, {-8.0f, -19.9f}, {-10.6f, -27.2f}, {-7.8f, -21.0f},
                                   {-8.2f, -22.2f}, {-9.8f, -24.4f}, {-8.0f, -19.9f},  {-8.4f, -22.4f},
                                   {-7.2f, -21.3f}, {-8.2f, -22.2f}, {-8.5f, -22.7f},  {-7.9f, -22.2f}};
// warpscope melting_primers: block = 128, n = 2^16, grid = ceil(n / block), primers = u64 random[n], out = zeros[n]
__global__ void melting_primers(const uint64_t* primers, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t p = primers[i];
  const int length = 16 + (p >> 60);
  float enthalpy = 0.2f, entropy = -5.7f;
  for (int k = 1; k < length; ++k, p >>= 2) {
    const float2 e = stacked[p & 15];
    enthalpy += e.x;
    entropy += e.y;
  }
  const bool weak = (p & 3) == 0 || (p & 3) == 3;
  if (weak) enthalpy += 2.2f, entropy += 6.9f;
  entropy += 0.368f * (length - 1) * logf(0.05f);
  out[i] = 1000 * enthalpy / (entropy + 1.987f * logf(2.5e-7f)) - 273.15f;
}

// Whether genotypes of cases and controls differ: Fisher's exact test of a table of two by two, with
// logarithms of factorials in shared memory.
// warpscope exact_tables: block = 128, n = 2^13, grid = ceil(n / block), tables = u8 random[4 * n], out = zeros[n]
__global__ void exact_tables(const uchar4* tables, float* out, int n) {
  __shared__ float log_factorial[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) log_factorial[k] = lgammaf(k + 1.0f);
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 t = tables[i];
  const int a = t.x % 48, b = t.y % 48, c = t.z % 48, d = t.w % 48;
  const int row = a + b, column = a + c, all = a + b + c + d;
  const float fixed = log_factorial[row] + log_factorial[c + d] + log_factorial[column] +
                      log_factorial[b + d] - log_factorial[all];
  auto chance = [&](int x) {
    return fixed - log_factorial[x] - log_factorial[row - x] - log_factorial[column - x] -
           log_factorial[all - row - column + x];
  };
  const float seen = chance(a) + 1e-5f;
  float sum = 0;
  for (int x = max(0, row + column - all); x <= min(row, column); ++x) {
    const float l = chance(x);
    if (l <= seen) sum += __expf(l);
  }
  out[i] = fminf(sum, 1.0f);
}
