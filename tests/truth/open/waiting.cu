// Blocks that wait for each other through global memory: what they execute depends on time.
#include <cuda/atomic>

__device__ unsigned seen(const unsigned* at) {
  return *const_cast<const volatile unsigned*>(at);
}

// One lock that all blocks want, each 4 times.
// warpscope spin_lock: block = 64, grid = 132, lock = zeros[1], sum = zeros[64]
__global__ void spin_lock(unsigned* lock, unsigned* sum) {
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0u, 1u) != 0) {
      }
      __threadfence();
    }
    __syncthreads();
    sum[threadIdx.x] += blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, 0u);
  }
}

// As above, but who fails waits longer and longer before he tries again.
// warpscope sleeping_lock: block = 64, grid = 132, lock = zeros[1], sum = zeros[64]
__global__ void sleeping_lock(unsigned* lock, unsigned* sum) {
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x == 0) {
      unsigned nanoseconds = 32;
      while (atomicCAS(lock, 0u, 1u) != 0) {
        __nanosleep(nanoseconds);
        if (nanoseconds < 1024) nanoseconds *= 2;
      }
      __threadfence();
    }
    __syncthreads();
    sum[threadIdx.x] += blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, 0u);
  }
}

// Looks before it tries to take one of 64 locks.
// warpscope many_locks: block = 32, grid = 528, locks = zeros[64 * 32], sums = zeros[64 * 32]
__global__ void many_locks(unsigned* locks, unsigned* sums) {
  for (int k = 0; k < 4; ++k) {
    const unsigned which = (blockIdx.x * 7 + k * 13) % 64;
    unsigned* lock = &locks[which * 32];
    if (threadIdx.x == 0) {
      while (true) {
        while (seen(lock) != 0) {
        }
        if (atomicCAS(lock, 0u, 1u) == 0) break;
      }
      __threadfence();
    }
    __syncwarp();
    sums[which * 32 + threadIdx.x] += k + 1;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) atomicExch(lock, 0u);
  }
}

// warpscope ticket_lock: block = 32, grid = 132, next = zeros[1], serving = zeros[1], sum = zeros[32]
__global__ void ticket_lock(unsigned* next, unsigned* serving, unsigned* sum) {
  for (int k = 0; k < 3; ++k) {
    unsigned ticket = 0;
    if (threadIdx.x == 0) {
      ticket = atomicAdd(next, 1u);
      while (seen(serving) != ticket) {
      }
      __threadfence();
    }
    __syncwarp();
    sum[threadIdx.x] += ticket;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) atomicAdd(serving, 1u);
  }
}

// Each lane of a warp takes the lock of its own element.
// warpscope lane_locks: block = 128, n = 2^14, grid = ceil(n / block), in = random[n], locks = zeros[1024], sums = zeros[1024]
__global__ void lane_locks(const unsigned* in, unsigned* locks, unsigned* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = in[i] % 1024;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[at], 0u, 1u) == 0) {
      __threadfence();
      sums[at] += in[i] >> 16;
      __threadfence();
      atomicExch(&locks[at], 0u);
      done = true;
    }
  }
}

// A scan in one pass: each block adds what its predecessors have published, block by block.
// warpscope scan_in_turn: block = 256, n = 2^18, grid = ceil(n / block), in = random[n] in 0..9, tickets = zeros[1], published = zeros[grid], out = zeros[n]
__global__ void scan_in_turn(const unsigned* in, unsigned* tickets, unsigned* published, unsigned* out,
                             int n) {
  __shared__ unsigned tile[256], which, before;
  if (threadIdx.x == 0) which = atomicAdd(tickets, 1u);
  __syncthreads();
  const int i = which * 256 + threadIdx.x;
  unsigned v = i < n ? in[i] : 0;
  tile[threadIdx.x] = v;
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    const unsigned other = threadIdx.x >= d ? tile[threadIdx.x - d] : 0;
    __syncthreads();
    tile[threadIdx.x] = v += other;
  }
  if (threadIdx.x == 255) {
    unsigned sum = 0;
    if (which > 0) {
      while ((sum = seen(&published[which - 1])) == 0) {
      }
      --sum;
    }
    *const_cast<volatile unsigned*>(&published[which]) = sum + v + 1;
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + v;
}

// The same with decoupled look-back: 32 predecessors at once, by the status beside each value.
// warpscope look_back: block = 256, n = 2^20, grid = ceil(n / 1024), in = random[n] in 0..9, tickets = zeros[1], status = zeros[grid], out = zeros[n]
__global__ void look_back(const uint4* in, unsigned* tickets, unsigned long long* status, uint4* out, int n) {
  __shared__ unsigned of_warp[8], which, before;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) which = atomicAdd(tickets, 1u);
  __syncthreads();
  const int i = which * 256 + threadIdx.x;
  uint4 v = in[i];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  unsigned sum = v.w;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(0xFFFFFFFF, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  unsigned earlier = 0, total = 0;
  for (int w = 0; w < 8; ++w) {
    earlier += w < warp ? of_warp[w] : 0;
    total += of_warp[w];
  }
  volatile unsigned long long* state = status;
  if (warp == 0) {
    unsigned prefix = 0;
    if (which == 0) {
      if (lane == 0) state[0] = 2ull << 32 | total;
    } else {
      if (lane == 0) state[which] = 1ull << 32 | total;
      for (int at = static_cast<int>(which) - 1 - lane;; at -= 32) {
        unsigned long long s = 2ull << 32;
        do {
          if (at >= 0) s = state[at];
        } while (__any_sync(0xFFFFFFFF, s >> 32 == 0));
        const unsigned complete = __ballot_sync(0xFFFFFFFF, s >> 32 == 2);
        const int last = complete ? __ffs(complete) - 1 : 31;
        prefix += __reduce_add_sync(0xFFFFFFFF, lane <= last ? static_cast<unsigned>(s) : 0u);
        if (complete) break;
      }
      if (lane == 0) state[which] = 2ull << 32 | (prefix + total);
    }
    if (lane == 0) before = prefix;
  }
  __syncthreads();
  const unsigned base = before + earlier + sum - v.w;
  out[i] = make_uint4(base + v.x, base + v.y, base + v.z, base + v.w);
}

// Half of the blocks produce, half consume, through a flag for each pair.
// warpscope block_pairs: block = 128, grid = 128, rounds = 16, in = random[128 * 64], boxes = zeros[128 * 64], flags = zeros[64 * 32], out = zeros[128 * 64]
__global__ void block_pairs(const unsigned* in, unsigned* boxes, unsigned* flags, unsigned* out, int rounds) {
  const int pair = blockIdx.x / 2;
  unsigned* flag = &flags[pair * 32];
  unsigned* box = &boxes[pair * 128];
  const bool produces = blockIdx.x % 2 == 0;
  unsigned v = produces ? in[pair * 128 + threadIdx.x] : 0;
  for (int k = 0; k < rounds; ++k) {
    if (threadIdx.x == 0) {
      while (seen(flag) != 2 * k + (produces ? 0 : 1)) {
      }
      __threadfence();
    }
    __syncthreads();
    if (produces) {
      box[threadIdx.x] = v;
      v = v * 5 + k;
    } else {
      v += __ldcg(&box[threadIdx.x]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *const_cast<volatile unsigned*>(flag) = 2 * k + (produces ? 1 : 2);
  }
  if (!produces) out[pair * 128 + threadIdx.x] = v;
}

// A barrier of the grid made of one counter.
// warpscope counter_barrier: block = 128, grid = 132, rounds = 8, counter = zeros[1], cells = zeros[132 * 128]
__global__ void counter_barrier(unsigned* counter, unsigned* cells, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int k = 0; k < rounds; ++k) {
    const unsigned other = __ldcg(&cells[(i + 128 * (k + 1)) % n]);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1u);
      while (seen(counter) < gridDim.x * (2 * k + 1)) {
      }
    }
    __syncthreads();
    cells[i] = other * 3 + i;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1u);
      while (seen(counter) < gridDim.x * (2 * k + 2)) {
      }
    }
    __syncthreads();
  }
}

// One with a sense that the last to come turns, with acquire and release as libcu++ writes them.
// warpscope sense_barrier: block = 64, grid = 264, rounds = 8, state = zeros[2], out = zeros[264]
__global__ void sense_barrier(unsigned* state, unsigned* out, int rounds) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(state[0]), sense(state[1]);
  unsigned sum = 0;
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned mine = sense.load(cuda::memory_order_relaxed);
      if (count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
        count.store(0, cuda::memory_order_relaxed);
        sense.store(mine + 1, cuda::memory_order_release);
      } else {
        while (sense.load(cuda::memory_order_acquire) == mine) {
        }
      }
      sum += mine;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Values pass from block to block in a row, each after some work.
// warpscope relay: block = 32, grid = 64, flags = zeros[64], out = zeros[64 * 32]
__global__ void relay(unsigned* flags, unsigned* out) {
  unsigned v = threadIdx.x;
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      while (seen(&flags[blockIdx.x - 1]) == 0) __nanosleep(100);
      __threadfence();
    }
    __syncwarp();
    v = __ldcg(&out[(blockIdx.x - 1) * 32 + threadIdx.x]);
  }
  for (int k = 0; k < 16; ++k) v = v * 1664525u + __shfl_xor_sync(0xFFFFFFFF, v, 1);
  out[blockIdx.x * 32 + threadIdx.x] = v;
  __threadfence();
  __syncwarp();
  if (threadIdx.x == 0) *const_cast<volatile unsigned*>(&flags[blockIdx.x]) = 1;
}
