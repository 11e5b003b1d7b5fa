// Pictures, video and rendering: filters over windows, colour tables, shading, smoothing of edges, curves and
// fields.

// Painterly smoothing: of four quarters of a window, the mean of that which varies least.
// warpscope painterly_quarters: block = (16, 16), width = 640, height = 360, grid = (ceil(width / 16), ceil(height / 16)), in = u8 random[4 * width * height], out = u8 zeros[4 * width * height]
__global__ void painterly_quarters(const uchar4* __restrict__ in, uchar4* __restrict__ out, int width,
                                   int height) {
  __shared__ uchar4 tile[22][22];
  const int left = blockIdx.x * 16 - 3, top = blockIdx.y * 16 - 3;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 22 * 22; i += 256) {
    const int x = min(max(left + i % 22, 0), width - 1), y = min(max(top + i / 22, 0), height - 1);
    tile[i / 22][i % 22] = in[y * width + x];
  }
  __syncthreads();
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  float least = 1e30f;
  float3 chosen = {0, 0, 0};
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int ox = threadIdx.x + (quarter & 1) * 3, oy = threadIdx.y + (quarter >> 1) * 3;
    float3 sum = {0, 0, 0};
    float bright = 0, square = 0;
    for (int dy = 0; dy < 4; ++dy) {
#pragma unroll
      for (int dx = 0; dx < 4; ++dx) {
        const uchar4 c = tile[oy + dy][ox + dx];
        sum.x += c.x, sum.y += c.y, sum.z += c.z;
        const float l = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
        bright += l;
        square += l * l;
      }
    }
    const float spread = square - bright * bright * (1.0f / 16);
    if (spread < least) {
      least = spread;
      chosen = sum;
    }
  }
  out[y * width + x] = make_uchar4(chosen.x / 16, chosen.y / 16, chosen.z / 16, 255);
}

// Colours looked up in a cube of 17 x 17 x 17, blended in the tetrahedron that the colour falls in.
// warpscope cube_of_colours: block = 256, n = 2^18, grid = ceil(n / block), in = u8 random[4 * n], cube = random[4 * 4913], out = u8 zeros[4 * n]
__global__ void cube_of_colours(const uchar4* in, const float4* cube, uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 c = in[i];
  const int r = c.x >> 4, g = c.y >> 4, b = c.z >> 4;
  const float fr = (c.x & 15) / 16.0f, fg = (c.y & 15) / 16.0f, fb = (c.z & 15) / 16.0f;
  const int base = (b * 17 + g) * 17 + r;
  int one, two;
  float high, middle, low;
  if (fr >= fg) {
    if (fg >= fb)
      one = 1, two = 18, high = fr, middle = fg, low = fb;
    else if (fr >= fb)
      one = 1, two = 290, high = fr, middle = fb, low = fg;
    else
      one = 289, two = 290, high = fb, middle = fr, low = fg;
  } else {
    if (fr >= fb)
      one = 17, two = 18, high = fg, middle = fr, low = fb;
    else if (fg >= fb)
      one = 17, two = 306, high = fg, middle = fb, low = fr;
    else
      one = 289, two = 306, high = fb, middle = fg, low = fr;
  }
  const float4 v0 = __ldg(cube + base), v1 = __ldg(cube + base + one), v2 = __ldg(cube + base + two),
               v3 = __ldg(cube + base + 307);
  const float w0 = 1 - high, w1 = high - middle, w2 = middle - low;
  out[i] = make_uchar4(255 * (w0 * v0.x + w1 * v1.x + w2 * v2.x + low * v3.x),
                       255 * (w0 * v0.y + w1 * v1.y + w2 * v2.y + low * v3.y),
                       255 * (w0 * v0.z + w1 * v1.z + w2 * v2.z + low * v3.z), c.w);
}

// Straightening a picture of a wide lens: each pixel is found by a polynomial in its distance from the centre
// and blended of four.
// warpscope straightened_lens: block = (32, 8), width = 1024, height = 512, grid = (width / 32, height / 8), in = u8 random[width * height], out = u8 zeros[width * height], k1 = -0.28, k2 = 0.07, k3 = -0.01
__global__ void straightened_lens(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                                  int width, int height, float k1, float k2, float k3) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float focal = 0.8f * width;
  const float u = (x - 0.5f * width) / focal, v = (y - 0.5f * height) / focal;
  const float r2 = u * u + v * v;
  const float stretch = 1.0f + r2 * (k1 + r2 * (k2 + r2 * k3));
  const float fx = u * stretch * focal + 0.5f * width + 2e-3f * (r2 + 2 * u * u),
              fy = v * stretch * focal + 0.5f * height + 2e-3f * u * v;
  if (fx < 0 || fy < 0 || fx >= width - 1 || fy >= height - 1) {
    out[y * width + x] = 0;
    return;
  }
  const int ix = __float2int_rd(fx), iy = __float2int_rd(fy);
  const int wx = (int)((fx - ix) * 256), wy = (int)((fy - iy) * 256);
  const unsigned char* p = in + iy * width + ix;
  const int upper = p[0] * (256 - wx) + p[1] * wx, lower = p[width] * (256 - wx) + p[width + 1] * wx;
  out[y * width + x] = (unsigned char)((upper * (256 - wy) + lower * wy + 32768) >> 16);
}

// Likeness of two pictures, window by window of 8 x 8; a warp takes a window, each lane two pixels, and
// blocks add up.
// warpscope likeness_of_windows: block = 256, width = 1024, height = 768, grid = width * height / 64 / 8, a = u8 random[width * height], b = u8 random[width * height]:9, map = zeros[width * height / 64], sum = zeros[1]
__global__ void likeness_of_windows(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b,
                                    float* __restrict__ map, float* sum, int width) {
  __shared__ float parts[8];
  const int window = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int across = width / 8,
            at = (window / across * 8 + lane / 4) * width + window % across * 8 + lane % 4 * 2;
  const uchar2 p = *reinterpret_cast<const uchar2*>(a + at), q = *reinterpret_cast<const uchar2*>(b + at);
  unsigned sa = p.x + p.y, sb = q.x + q.y, saa = p.x * p.x + p.y * p.y, sbb = q.x * q.x + q.y * q.y,
           sab = p.x * q.x + p.y * q.y;
  sa = __reduce_add_sync(~0u, sa), sb = __reduce_add_sync(~0u, sb);
  saa = __reduce_add_sync(~0u, saa), sbb = __reduce_add_sync(~0u, sbb), sab = __reduce_add_sync(~0u, sab);
  if (lane == 0) {
    const float ma = sa / 64.0f, mb = sb / 64.0f;
    const float va = saa / 64.0f - ma * ma, vb = sbb / 64.0f - mb * mb, cov = sab / 64.0f - ma * mb;
    const float like =
        (2 * ma * mb + 6.5f) * (2 * cov + 58.5f) / ((ma * ma + mb * mb + 6.5f) * (va + vb + 58.5f));
    map[window] = parts[threadIdx.x / 32] = like;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int k = 0; k < 8; ++k) total += parts[k];
    atomicAdd(sum, total);
  }
}

// A new frame is blended with the last one, moved; what is outside the range of its neighbours now is clipped
// into it.
// warpscope steadied_frames: block = (8, 8), width = 480, height = 272, grid = (width / 8, height / 8), now = random[4 * width * height], last = random[4 * width * height]:3, motion = random[2 * width * height] in -6..6, out = zeros[4 * width * height]
__global__ void steadied_frames(const float4* now, const float4* last, const float2* motion, float4* out,
                                int width, int height) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at = y * width + x;
  float4 low = {1e9f, 1e9f, 1e9f, 0}, high = {-1e9f, -1e9f, -1e9f, 0}, c = now[at];
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const float4 o = now[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
      low.x = fminf(low.x, o.x), low.y = fminf(low.y, o.y), low.z = fminf(low.z, o.z);
      high.x = fmaxf(high.x, o.x), high.y = fmaxf(high.y, o.y), high.z = fmaxf(high.z, o.z);
    }
  }
  const float2 m = motion[at];
  const float fx = x - m.x, fy = y - m.y;
  if (fx < 0 || fy < 0 || fx > width - 2 || fy > height - 2) {
    out[at] = c;
    return;
  }
  const int ix = (int)fx, iy = (int)fy;
  const float ax = fx - ix, ay = fy - iy;
  const float4* p = last + iy * width + ix;
  const float4 a = p[0], b = p[1], d = p[width], e = p[width + 1];
  float3 h = {(a.x * (1 - ax) + b.x * ax) * (1 - ay) + (d.x * (1 - ax) + e.x * ax) * ay,
              (a.y * (1 - ax) + b.y * ax) * (1 - ay) + (d.y * (1 - ax) + e.y * ax) * ay,
              (a.z * (1 - ax) + b.z * ax) * (1 - ay) + (d.z * (1 - ax) + e.z * ax) * ay};
  h.x = fminf(fmaxf(h.x, low.x), high.x), h.y = fminf(fmaxf(h.y, low.y), high.y),
  h.z = fminf(fmaxf(h.z, low.z), high.z);
  const float keep = 0.9f / (1.0f + 0.1f * (fabsf(m.x) + fabsf(m.y)));
  out[at] = make_float4(c.x + keep * (h.x - c.x), c.y + keep * (h.y - c.y), c.z + keep * (h.z - c.z), c.w);
}

// Bell-shaped blobs in space are projected onto the picture: centre, the three numbers of the ellipse,
// radius, and colour by harmonics.
// warpscope projected_blobs: block = 256, n = 2^16, grid = ceil(n / block), places = random[4 * n] in -2..2, turns = random[4 * n] in -1..1, sizes = random[4 * n] in 0.01..0.1, harmonics = random[12 * n] in -1..1, centres = zeros[2 * n], ellipses = zeros[4 * n], colours = zeros[4 * n], visible = zeros[n]
__global__ void projected_blobs(const float4* __restrict__ places, const float4* __restrict__ turns,
                                const float4* __restrict__ sizes, const float* __restrict__ harmonics,
                                float2* __restrict__ centres, float4* __restrict__ ellipses,
                                float4* __restrict__ colours, int* __restrict__ visible, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = places[i];
  const float depth = p.z + 2.5f;
  if (depth < 1.0f || fabsf(p.x) > 1.3f * depth || fabsf(p.y) > 1.3f * depth) {
    visible[i] = 0;
    return;
  }
  float4 q = turns[i];
  const float norm = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-9f);
  q.x *= norm, q.y *= norm, q.z *= norm, q.w *= norm;
  const float4 s = sizes[i];
  const float turn[3][3] = {
      {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
      {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
      {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
  const float scale[3] = {s.x, s.y, s.z};
  const float f = 500.0f / depth;
  const float jx[3] = {f, 0, -f * p.x / depth}, jy[3] = {0, f, -f * p.y / depth};
  float xx = 0.3f, xy = 0, yy = 0.3f;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float u = (jx[0] * turn[0][k] + jx[2] * turn[2][k]) * scale[k],
                v = (jy[1] * turn[1][k] + jy[2] * turn[2][k]) * scale[k];
    xx += u * u, xy += u * v, yy += v * v;
  }
  const float det = xx * yy - xy * xy, inverse = 1.0f / det;
  const float mid = 0.5f * (xx + yy);
  const float radius = ceilf(3.0f * sqrtf(mid + sqrtf(fmaxf(0.1f, mid * mid - det))));
  centres[i] = make_float2(320 + f * p.x, 240 + f * p.y);
  ellipses[i] = make_float4(yy * inverse, -xy * inverse, xx * inverse, radius);
  const float away = rsqrtf(p.x * p.x + p.y * p.y + depth * depth);
  const float* h = harmonics + 12 * (size_t)i;
  float rgb[3];
#pragma unroll
  for (int c = 0; c < 3; ++c)
    rgb[c] = fmaxf(
        0.5f + 0.2820948f * h[c] + 0.4886025f * away * (-p.y * h[3 + c] + depth * h[6 + c] - p.x * h[9 + c]),
        0.0f);
  colours[i] = make_float4(rgb[0], rgb[1], rgb[2], p.w);
  visible[i] = 1;
}

// Sheen of rough surfaces: for each texel of roughness and angle, the light of 128 directions drawn by a
// sequence of bit reversals.
// warpscope rough_sheen_table: block = (8, 8), side = 128, samples = 128, grid = (side / 8, side / 8), table = zeros[2 * side * side]
__global__ void rough_sheen_table(float2* table, int side, int samples) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float cosine = (x + 0.5f) / side, rough = (y + 0.5f) / side, alpha = rough * rough;
  const float vx = sqrtf(1.0f - cosine * cosine), vz = cosine;
  float a = 0, b = 0;
  for (int k = 0; k < samples; ++k) {
    const float u = (float)k / samples, v = __brev(k) * 2.3283064e-10f;
    const float high = sqrtf((1.0f - v) / (1.0f + (alpha * alpha - 1.0f) * v)),
                flat = sqrtf(1.0f - high * high);
    const float hx = flat * cospif(2.0f * u);
    const float vh = fmaxf(vx * hx + vz * high, 0.0f);
    const float lz = 2.0f * vh * high - vz;
    if (lz > 0) {
      const float k2 = alpha / 2, g = lz / (lz * (1 - k2) + k2) * vz / (vz * (1 - k2) + k2);
      const float seen = g * vh / (high * vz + 1e-6f);
      const float fresnel = powf(1.0f - vh, 5.0f);
      a += (1.0f - fresnel) * seen;
      b += fresnel * seen;
    }
  }
  table[y * side + x] = make_float2(a / samples, b / samples);
}

// A quaternion fractal is marched by its distance estimate; the trip counts differ from ray to ray.
// warpscope quaternion_fractal: block = (8, 4), width = 192, height = 108, grid = (ceil(width / 8), ceil(height / 4)), shade = zeros[width * height], cx = -0.2, cy = 0.6, cz = 0.2, cw = 0.1
__global__ void quaternion_fractal(float* shade, int width, int height, float cx, float cy, float cz,
                                   float cw) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float dx = (px - 0.5f * width) / height, dy = (py - 0.5f * height) / height, dz = 1.2f;
  const float norm = rsqrtf(dx * dx + dy * dy + dz * dz);
  dx *= norm, dy *= norm, dz *= norm;
  float far = 1.0f;
  int steps = 0;
  for (; steps < 40 && far < 4.5f; ++steps) {
    float x = dx * far, y = dy * far, z = dz * far - 2.6f, w = 0, slope = 1.0f, size = 0;
    for (int k = 0; k < 9; ++k) {
      size = x * x + y * y + z * z + w * w;
      if (size > 16.0f) break;
      slope *= 2.0f * sqrtf(size);
      const float nx = x * x - y * y - z * z - w * w + cx;
      y = 2 * x * y + cy, z = 2 * x * z + cz, w = 2 * x * w + cw;
      x = nx;
    }
    const float length = sqrtf(size), step = 0.5f * length * __logf(length + 1e-9f) / slope;
    if (step < 0.002f) break;
    far += fminf(step, 0.5f);
  }
  shade[py * width + px] = far >= 4.5f ? 0.0f : 1.0f - steps / 40.0f;
}

// The light around a scene, given on a sphere, becomes nine numbers for each colour: a block takes some rows,
// and adds its sums.
// warpscope nine_harmonics_of_sky: block = 256, width = 512, height = 256, grid = height / 2, sky = random[4 * width * height], sums = zeros[27]
__global__ void nine_harmonics_of_sky(const float4* sky, float* sums, int width, int height) {
  __shared__ float total[27];
  if (threadIdx.x < 27) total[threadIdx.x] = 0;
  __syncthreads();
  float mine[27] = {};
  for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
    const int row = blockIdx.x * 2 + i / width, column = i % width;
    float st, ct, sp, cp;
    __sincosf(3.14159265f * (row + 0.5f) / height, &st, &ct);
    __sincosf(6.2831853f * (column + 0.5f) / width, &sp, &cp);
    const float x = st * cp, y = st * sp, z = ct;
    const float basis[9] = {0.282095f,
                            0.488603f * y,
                            0.488603f * z,
                            0.488603f * x,
                            1.092548f * x * y,
                            1.092548f * y * z,
                            0.315392f * (3 * z * z - 1),
                            1.092548f * x * z,
                            0.546274f * (x * x - y * y)};
    const float4 c = sky[row * width + column];
#pragma unroll
    for (int k = 0; k < 9; ++k)
      mine[3 * k] += st * basis[k] * c.x, mine[3 * k + 1] += st * basis[k] * c.y,
          mine[3 * k + 2] += st * basis[k] * c.z;
  }
#pragma unroll
  for (int k = 0; k < 27; ++k) {
    float v = mine[k];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total[k], v);
  }
  __syncthreads();
  if (threadIdx.x < 27) atomicAdd(sums + threadIdx.x, total[threadIdx.x]);
}
