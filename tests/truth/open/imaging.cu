// What programs do with pictures.

// warpscope bilateral: block = (16, 16), width = 640, height = 480, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[width * height], out = zeros[width * height]
__global__ void bilateral(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float centre = in[y * width + x];
  float sum = 0, weights = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
      const float value = in[sy * width + sx], apart = value - centre;
      const float weight = __expf(-0.125f * (dx * dx + dy * dy) - 8 * apart * apart);
      sum += weight * value;
      weights += weight;
    }
  }
  out[y * width + x] = sum / weights;
}

// Keeps the pixels whose gradient is the largest along its direction.
// warpscope thin_edges: block = (64, 4), width = 1024, height = 1024, grid = (ceil(width / block.x), ceil(height / block.y)), gx = random[width * height] in -1..1, gy = random[width * height]:2 in -1..1, out = zeros[width * height]
__global__ void thin_edges(const float* gx, const float* gy, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  const float a = gx[i], b = gy[i], size = a * a + b * b;
  int step;
  if (fabsf(a) > 2.414f * fabsf(b)) {
    step = 1;
  } else if (fabsf(b) > 2.414f * fabsf(a)) {
    step = width;
  } else {
    step = a * b > 0 ? width + 1 : width - 1;
  }
  const float before = gx[i - step] * gx[i - step] + gy[i - step] * gy[i - step];
  const float after = gx[i + step] * gx[i + step] + gy[i + step] * gy[i + step];
  out[i] = size > 0.1f && size >= before && size >= after ? 255 : 0;
}

// warpscope tone_table: block = 192, n = 3000000, grid = 396, table = random[256], in = random[n], out = zeros[n]
__global__ void tone_table(const unsigned char* table, const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char local[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = table[k];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = local[in[i]];
}

// warpscope erode7: block = (32, 16) fixed, width = 1920, height = 1080, grid = (ceil(width / 32), ceil(height / 16)), in = random[width * height], out = zeros[width * height]
__global__ void erode7(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[22][40], rows[22][32];
  const int left = blockIdx.x * 32 - 3, top = blockIdx.y * 16 - 3, t = threadIdx.y * 32 + threadIdx.x;
  for (int k = t; k < 22 * 38; k += 512) {
    const int x = min(max(left + k % 38, 0), width - 1), y = min(max(top + k / 38, 0), height - 1);
    tile[k / 38][k % 38] = in[y * width + x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 22; r += 16) {
    unsigned char least = 255;
    for (int k = 0; k < 7; ++k) least = min(least, tile[r][threadIdx.x + k]);
    rows[r][threadIdx.x] = least;
  }
  __syncthreads();
  unsigned char least = 255;
  for (int k = 0; k < 7; ++k) least = min(least, rows[threadIdx.y + k][threadIdx.x]);
  const int x = left + 3 + threadIdx.x, y = top + 3 + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = least;
}

// A sensor's pixels, each of one colour, to three colours at each.
// warpscope demosaic: block = (32, 6), width = 1200, height = 900, grid = (ceil(width / block.x), ceil(height / block.y)), raw = random[width * height] in 0..4095, out = zeros[3 * width * height]
__global__ void demosaic(const unsigned short* raw, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned short* p = raw + y * width + x;
  const float here = p[0], sides = 0.5f * (p[-1] + p[1]), ends = 0.5f * (p[-width] + p[width]);
  const float corners = 0.25f * (p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1]);
  float red, green, blue;
  if (y % 2 == 0) {
    red = x % 2 == 0 ? here : sides;
    green = x % 2 == 0 ? 0.5f * (sides + ends) : here;
    blue = x % 2 == 0 ? corners : ends;
  } else {
    red = x % 2 == 0 ? ends : corners;
    green = x % 2 == 0 ? here : 0.5f * (sides + ends);
    blue = x % 2 == 0 ? sides : here;
  }
  float* to = out + 3 * (y * width + x);
  to[0] = red / 4095;
  to[1] = green / 4095;
  to[2] = blue / 4095;
}

// warpscope turn_picture: block = (16, 8), side = 1024, grid = (ceil(side / block.x), ceil(side / block.y)), in = random[side * side], out = zeros[side * side]
__global__ void turn_picture(const float* in, float* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  float sine, cosine;
  sincosf(0.6f, &sine, &cosine);
  const float u = x - 0.5f * side, v = y - 0.5f * side;
  const float sx = cosine * u - sine * v + 0.5f * side, sy = sine * u + cosine * v + 0.5f * side;
  const int ix = static_cast<int>(floorf(sx)), iy = static_cast<int>(floorf(sy));
  float value = 0;
  if (ix >= 0 && iy >= 0 && ix + 1 < side && iy + 1 < side) {
    const float fx = sx - ix, fy = sy - iy;
    const float* p = in + iy * side + ix;
    value = (1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[side] + fx * p[side + 1]);
  }
  out[y * side + x] = value;
}

// warpscope shrink3: block = (32, 4), width = 640, height = 360, grid = (ceil(width / block.x), ceil(height / block.y)), in = random[9 * width * height], out = zeros[width * height]
__global__ void shrink3(const uchar4* in, uchar4* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int r = 0, g = 0, b = 0, a = 0;
  for (int k = 0; k < 9; ++k) {
    const uchar4 p = in[(3 * y + k / 3) * 3 * width + 3 * x + k % 3];
    r += p.x;
    g += p.y;
    b += p.z;
    a += p.w;
  }
  out[y * width + x] = make_uchar4(r / 9, g / 9, b / 9, a / 9);
}

// warpscope hue: block = 160, pixels = 700000, grid = ceil(pixels / block), in = random[3 * pixels], out = zeros[pixels]
__global__ void hue(const float* in, float4* out, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
  const float most = fmaxf(r, fmaxf(g, b)), least = fminf(r, fminf(g, b)), range = most - least;
  float angle = 0;
  if (range > 0) {
    if (most == r) {
      angle = (g - b) / range;
    } else if (most == g) {
      angle = 2 + (b - r) / range;
    } else {
      angle = 4 + (r - g) / range;
    }
    if (angle < 0) angle += 6;
  }
  out[i] = make_float4(60 * angle, most > 0 ? range / most : 0, most, 1);
}

// The sums of a row up to each pixel: a warp goes along its row.
// warpscope row_integrals: block = 128, width = 1000, rows = 1500, grid = ceil(32 * rows / block), in = random[width * rows], out = zeros[width * rows]
__global__ void row_integrals(const unsigned char* in, unsigned* out, int width, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  unsigned before = 0;
  for (int x = lane; x - lane < width; x += 32) {
    unsigned value = x < width ? in[row * width + x] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const unsigned other = __shfl_up_sync(0xFFFFFFFF, value, d);
      if (lane >= d) value += other;
    }
    if (x < width) out[row * width + x] = before + value;
    before += __shfl_sync(0xFFFFFFFF, value, 31);
  }
}

// Errors of rounding to black and white go on along the row.
// warpscope dither: block = 32, width = 256, rows = 2400, grid = ceil(rows / block), in = random[width * rows], out = zeros[width * rows]
__global__ void dither(const unsigned char* in, unsigned char* out, int width, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int error = 0;
  for (int x = 0; x < width; ++x) {
    const int wanted = in[row * width + x] + error, given = wanted > 127 ? 255 : 0;
    error = (wanted - given) * 7 / 8;
    out[row * width + x] = given;
  }
}

// warpscope cosine8x8: block = (8, 8) fixed, columns = 80, rows = 60, grid = (columns, rows), in = random[64 * columns * rows], out = zeros[64 * columns * rows]
__global__ void cosine8x8(const unsigned char* in, short* out, int columns, int rows) {
  __shared__ float pixels[8][8], half_done[8][8], cosines[8][9];
  const int x = threadIdx.x, y = threadIdx.y, width = 8 * columns;
  const int at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
  if (blockIdx.y >= rows) return;
  pixels[y][x] = in[at] - 128.0f;
  cosines[y][x] = (y == 0 ? 0.3535534f : 0.5f) * cospif((2 * x + 1) * y / 16.0f);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += cosines[x][k] * pixels[y][k];
  half_done[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += cosines[y][k] * half_done[k][x];
  out[at] = static_cast<short>(__float2int_rn(sum / (1 + x + y)));
}

// warpscope blend: block = 384, n = 1500000, grid = ceil(n / block), above = random[n], below = random[n]:2, out = zeros[n]
__global__ void blend(const uchar4* above, const uchar4* below, uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 a = above[i], b = below[i];
  const int weight = a.w + (a.w >> 7), rest = 256 - weight;
  out[i] = make_uchar4((a.x * weight + b.x * rest) >> 8, (a.y * weight + b.y * rest) >> 8,
                       (a.z * weight + b.z * rest) >> 8, max(a.w, b.w));
}

// One step in which each pixel takes the least label of those around it.
// warpscope least_label: block = (20, 12), width = 1000, height = 600, grid = (ceil(width / block.x), ceil(height / block.y)), mask = random[width * height] in 0..3, labels = iota[width * height], out = zeros[width * height]
__global__ void least_label(const unsigned char* mask, const int* labels, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  int label = labels[i];
  if (mask[i] != 0) {
    if (x > 0 && mask[i - 1] != 0) label = min(label, labels[i - 1]);
    if (x + 1 < width && mask[i + 1] != 0) label = min(label, labels[i + 1]);
    if (y > 0 && mask[i - width] != 0) label = min(label, labels[i - width]);
    if (y + 1 < height && mask[i + width] != 0) label = min(label, labels[i + width]);
  } else {
    label = -1;
  }
  out[i] = label;
}
