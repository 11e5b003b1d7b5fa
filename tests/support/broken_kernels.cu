// Kernels that are broken on purpose, each with one mistake, and right ones that look alike. What the checks
// must say of each is in tests/unit/sim_checks_test.cpp, which finds the lines by the words behind "HERE".
//
// Made into PTX, which is committed beside, from the root of the repository:
//   nvcc -ptx -arch=compute_75 -lineinfo -o tests/support/broken_kernels.ptx tests/support/broken_kernels.cu
//   sed -i "s#$PWD/##" tests/support/broken_kernels.ptx
#include <cstdint>

extern "C" {

__global__ void missing_barrier(const float* in, float* out) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  values[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) values[t] += values[t + s];  // HERE missing_barrier
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

__global__ void with_barrier(const float* in, float* out) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  values[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) values[t] += values[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

// A reader that comes before its writer sees shared memory that nobody wrote; the mistake is the barrier.
__global__ void early_reader(const float* in, float* out) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  values[t] = in[t];
  out[t] = values[blockDim.x - 1 - t];  // HERE early_reader
}

__global__ void divergent_barrier(const float* in, float* out) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  values[t] = in[t];
  if (t < 16) {
    __syncthreads();  // HERE divergent_barrier
    values[t] += 1.0F;
  }
  __syncthreads();
  out[t] = values[blockDim.x - 1 - t];
}

// Threads that leave are not waited for.
__global__ void early_exit(const float* in, float* out, unsigned count) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  if (t >= count) return;
  values[t] = in[t];
  __syncthreads();
  out[t] = values[count - 1 - t];
}

__global__ void read_past_end(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];  // HERE read_past_end
}

__global__ void write_past_end(float* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= count) out[i] = 1.0F;  // HERE write_past_end
}

__global__ void shared_past_end(float* out) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x;
  values[t + 1] = 1.0F;  // HERE shared_past_end
  __syncthreads();
  if (t != 0) out[t] = values[t];
}

__global__ void misaligned(const char* in, double* out) {
  out[threadIdx.x] = *reinterpret_cast<const double*>(in + 4 + 8 * threadIdx.x);  // HERE misaligned
}

__global__ void unwritten_shared(float* out) {
  __shared__ float values[256];
  const unsigned t = threadIdx.x;
  if (t % 2 == 0) values[t] = 1.0F;
  __syncthreads();
  out[t] = values[t] * 2.0F;  // HERE unwritten_shared
}

// What was copied from unwritten memory is not reported again.
__global__ void unwritten_global(const float* in, float* copy, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  copy[i] = in[i];  // HERE unwritten_global
  out[i] = copy[i] + 1.0F;
}

__global__ void copy_values(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // HERE copy_values
}

__global__ void last_warp_volatile(const float* in, float* out) {
  __shared__ float values[64];
  const unsigned t = threadIdx.x;
  values[t] = in[t];
  values[t + 32] = in[t + 32];
  __syncthreads();
  volatile float* v = values;
  v[t] += v[t + 32];
  v[t] += v[t + 16];  // HERE last_warp_volatile
  v[t] += v[t + 8];
  v[t] += v[t + 4];
  v[t] += v[t + 2];
  v[t] += v[t + 1];
  if (t == 0) *out = v[0];
}

__global__ void last_warp_synced(const float* in, float* out) {
  __shared__ float values[64];
  const unsigned t = threadIdx.x;
  values[t] = in[t];
  values[t + 32] = in[t + 32];
  __syncwarp();
  for (unsigned s = 32; s > 0; s /= 2) {
    const float sum = values[t] + values[t + s];
    __syncwarp();
    if (t < s) values[t] = sum;
    __syncwarp();
  }
  if (t == 0) *out = values[0];
}

__global__ void block_race(float* cells) {
  if (threadIdx.x == 0) cells[0] = static_cast<float>(blockIdx.x);  // HERE block_race
}

__global__ void missing_fence(float* data, unsigned* flag, float* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1.0F;  // HERE missing_fence_write
    atomicExch(flag, 1U);
  } else {
    while (atomicAdd(flag, 0U) == 0U) {
    }
    __threadfence();
    *out = *data;  // HERE missing_fence_read
  }
}

__global__ void with_fence(float* data, unsigned* flag, float* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1.0F;
    __threadfence();
    atomicExch(flag, 1U);
  } else {
    while (atomicAdd(flag, 0U) == 0U) {
    }
    __threadfence();
    *out = *data;
  }
}

__global__ void endless_loop(unsigned* out, unsigned mask) {
  unsigned x = threadIdx.x;
  while (x < 1000000U) {
    x = (x * 5U + 3U) & mask;  // HERE endless_loop
  }
  *out = x;
}

// Ends after longer than anybody waits, if mask has many bits.
__global__ void counting_loop(unsigned long long* out, unsigned long long mask) {
  unsigned long long x = threadIdx.x;
  while (x < mask) {
    x += (x >> 60) + 1ULL;  // HERE counting_loop
  }
  *out = x;
}

__global__ void spin_deadlock(unsigned* flag, unsigned* out) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0U) == 0U) {  // HERE spin_deadlock
    }
    *out = 1U;
  }
}

__global__ void last_block(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  __shared__ float values[128];
  const unsigned t = threadIdx.x;
  values[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) values[t] += values[t + s];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = values[0];
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  float sum = 0.0F;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
}

__global__ void grid_barrier(float* cells, unsigned* arrived, float* out) {
  const unsigned t = threadIdx.x;
  cells[blockIdx.x * blockDim.x + t] = 1.0F;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicAdd(arrived, 1U);
    while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = cells[(blockIdx.x + 1) % gridDim.x * blockDim.x + t];
}

__global__ void double_buffer(const float* in, float* out, unsigned tiles) {
  __shared__ float tile[2][128];
  const unsigned t = threadIdx.x;
  tile[0][t] = in[t];
  __syncthreads();
  float sum = 0.0F;
  for (unsigned i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) tile[(i + 1) % 2][t] = in[(i + 1) * blockDim.x + t];
    sum += tile[i % 2][blockDim.x - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// Warps 0 and 1 hand over to 2 and 3 through barriers of their own.
__global__ void producer_consumer(const float* in, float* out) {
  __shared__ float values[64];
  const unsigned t = threadIdx.x;
  if (t < 64) {
    values[t] = in[t];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[t - 64] = values[127 - t];
  }
}

__global__ void same_flag(const unsigned* in, unsigned* found) {
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0U;
  __syncthreads();
  if (in[threadIdx.x] > 3U) flag = 1U;
  __syncthreads();
  if (threadIdx.x == 0) *found = flag;
}

__global__ void shared_histogram(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[32];
  const unsigned t = threadIdx.x;
  if (t < 32) bins[t] = 0U;
  __syncthreads();
  atomicAdd(&bins[in[t] % 32U], 1U);
  __syncthreads();
  if (t < 32) atomicAdd(&out[t], bins[t]);
}

__global__ void histogram_read_early(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[32];
  const unsigned t = threadIdx.x;
  if (t < 32) bins[t] = 0U;
  __syncthreads();
  atomicAdd(&bins[in[t] % 32U], 1U);  // HERE histogram_read_early_atomic
  if (t < 32) out[t] = bins[t];       // HERE histogram_read_early
}

}  // extern "C"
