// Points, triangles and solids.

// The nearest of 48 triangles along each ray.
// warpscope ray_triangles: block = (8, 16), width = 320, height = 240, grid = (ceil(width / block.x), ceil(height / block.y)), corners = random[3 * 48] in -1..1, out = zeros[width * height]
__global__ void ray_triangles(const float4* corners, float* out, int width, int height) {
  __shared__ float4 local[144];
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < 144; k += blockDim.x * blockDim.y)
    local[k] = corners[k];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float dx = 2.0f * x / width - 1, dy = 2.0f * y / height - 1, dz = 2;
  float nearest = 1e30f;
  for (int k = 0; k < 48; ++k) {
    const float4 a = local[3 * k], b = local[3 * k + 1], c = local[3 * k + 2];
    const float ex = b.x - a.x, ey = b.y - a.y, ez = b.z - a.z, fx = c.x - a.x, fy = c.y - a.y,
                fz = c.z - a.z;
    const float px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx;
    const float determinant = ex * px + ey * py + ez * pz;
    if (fabsf(determinant) < 1e-6f) continue;
    const float inverse = 1 / determinant, sx = -a.x, sy = -a.y, sz = -3 - a.z;
    const float u = (sx * px + sy * py + sz * pz) * inverse;
    if (u < 0 || u > 1) continue;
    const float qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
    const float v = (dx * qx + dy * qy + dz * qz) * inverse;
    if (v < 0 || u + v > 1) continue;
    const float along = (fx * qx + fy * qy + fz * qz) * inverse;
    if (along > 0) nearest = fminf(nearest, along);
  }
  out[y * width + x] = nearest;
}

// A walk through a tree of boxes with a stack of its own.
// warpscope box_tree: block = 64, rays = 20000, grid = ceil(rays / block), boxes = random[2 * 1023], rays_in = random[rays] in -1..1, out = zeros[rays]
__global__ void box_tree(const float4* boxes, const float4* rays_in, int* out, int rays) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  const float4 ray = rays_in[i];
  const float ix = 1 / ray.x, iy = 1 / ray.y, iz = 1 / ray.z;
  int stack[12], height = 0, hits = 0;
  stack[height++] = 0;
  while (height > 0) {
    const int node = stack[--height];
    const float4 place = boxes[2 * node], size = boxes[2 * node + 1];
    const float ax = place.x * ix, bx = (place.x + size.x) * ix, ay = place.y * iy,
                by = (place.y + size.y) * iy;
    const float az = place.z * iz, bz = (place.z + size.z) * iz;
    const float enter = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0));
    const float leave = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
    if (enter > leave) continue;
    if (node >= 511) {
      ++hits;
    } else {
      stack[height++] = 2 * node + 1;
      stack[height++] = 2 * node + 2;
    }
  }
  out[i] = hits;
}

// Whether points lie in a polygon of 60 sides.
// warpscope in_polygon: block = 256, n = 100000, grid = ceil(n / block), polygon = random[61], points = random[n]:2, out = zeros[n]
__global__ void in_polygon(const float2* polygon, const float2* points, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = points[i];
  bool inside = false;
  for (int k = 0; k < 60; ++k) {
    const float2 a = polygon[k], b = polygon[k + 1];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
  }
  out[i] = inside;
}

// The point of a cloud that lies farthest in each direction: a block for each.
// warpscope support_points: block = 128 fixed, directions = 256, points = 8192, grid = directions, cloud = random[points] in -1..1, out = zeros[directions]
__global__ void support_points(const float4* cloud, int* out, int points) {
  __shared__ float best_of[128];
  __shared__ int place_of[128];
  const int t = threadIdx.x;
  float sine, cosine;
  sincospif(blockIdx.x / 128.0f, &sine, &cosine);
  const float rise = blockIdx.x / 128.0f - 1;
  float best = -1e30f;
  int place = 0;
  for (int k = t; k < points; k += 128) {
    const float4 p = cloud[k];
    const float along = p.x * cosine + p.y * sine + p.z * rise;
    if (along > best) best = along, place = k;
  }
  best_of[t] = best;
  place_of[t] = place;
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (t < d && best_of[t + d] > best_of[t]) {
      best_of[t] = best_of[t + d];
      place_of[t] = place_of[t + d];
    }
  }
  if (t == 0) out[blockIdx.x] = place_of[0];
}

// Whether a fourth point lies in the circle through three, in double precision where single does not tell.
// warpscope in_circle: block = 128, n = 150000, grid = ceil(n / block), points = random[4 * n], out = zeros[n]
__global__ void in_circle(const float2* points, signed char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 a = points[i], b = points[n + i], c = points[2 * n + i], d = points[3 * n + i];
  const auto determinant = [](auto ax, auto ay, auto bx, auto by, auto cx, auto cy) {
    return (ax * ax + ay * ay) * (bx * cy - by * cx) - (bx * bx + by * by) * (ax * cy - ay * cx) +
           (cx * cx + cy * cy) * (ax * by - ay * bx);
  };
  const float value = determinant(a.x - d.x, a.y - d.y, b.x - d.x, b.y - d.y, c.x - d.x, c.y - d.y);
  int sign = value > 0 ? 1 : -1;
  if (fabsf(value) < 0.002f) {
    const double dx = d.x, dy = d.y;
    sign = determinant(a.x - dx, a.y - dy, b.x - dx, b.y - dy, c.x - dx, c.y - dy) > 0 ? 1 : -1;
  }
  out[i] = sign;
}

// A step of the search for the nearest site, at a distance of 32 pixels.
// warpscope jump_flood: block = (32, 8), side = 1024, jump = 32, grid = (side / block.x, side / block.y), sites = random[side * side] in 0..1023, out = zeros[side * side]
__global__ void jump_flood(const short2* sites, short2* out, int side, int jump) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  short2 best = sites[y * side + x];
  int least = (best.x - x) * (best.x - x) + (best.y - y) * (best.y - y);
  for (int k = 0; k < 9; ++k) {
    const int nx = x + (k % 3 - 1) * jump, ny = y + (k / 3 - 1) * jump;
    if (nx < 0 || ny < 0 || nx >= side || ny >= side || k == 4) continue;
    const short2 site = sites[ny * side + nx];
    const int apart = (site.x - x) * (site.x - x) + (site.y - y) * (site.y - y);
    if (apart < least) {
      least = apart;
      best = site;
    }
  }
  out[y * side + x] = best;
}

// Corners of a volume's cells above a level: which, and how many cells a block must draw.
// warpscope surface_cells: block = (8, 8, 8), side = 128, grid = (side / 8, side / 8, side / 8), volume = random[side * side * side], out = zeros[side * side * side], counts = zeros[blocks]
__global__ void surface_cells(const float* volume, unsigned char* out, int* counts, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned which = 0;
  if (max(x, max(y, z)) < side - 1) {
    for (int k = 0; k < 8; ++k) {
      const float value = volume[((z + k / 4) * side + y + k / 2 % 2) * side + x + k % 2];
      which |= static_cast<unsigned>(value > 0.85f) << k;
    }
    out[(z * side + y) * side + x] = which;
  }
  const int count = __syncthreads_count(which != 0 && which != 255);
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    counts[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = count;
}

// warpscope turn_points: block = 384, n = 400000, grid = ceil(n / block), turns = random[n] in -1..1, points = random[3 * n], out = zeros[3 * n]
__global__ void turn_points(const float4* turns, const float* points, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = turns[i];
  const float scale = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-12f);
  q = make_float4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
  const float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
  const float tx = 2 * (q.y * z - q.z * y), ty = 2 * (q.z * x - q.x * z), tz = 2 * (q.x * y - q.y * x);
  out[3 * i] = x + q.w * tx + q.y * tz - q.z * ty;
  out[3 * i + 1] = y + q.w * ty + q.z * tx - q.x * tz;
  out[3 * i + 2] = z + q.w * tz + q.x * ty - q.y * tx;
}

// Steps along a ray until a solid is near, as far as its distance allows.
// warpscope march_solid: block = (32, 2), width = 480, height = 270, grid = (ceil(width / block.x), ceil(height / block.y)), out = zeros[width * height]
__global__ void march_solid(float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float dx = (x - 0.5f * width) / height, dy = (y - 0.5f * height) / height,
              length = norm3df(dx, dy, 1.2f);
  float along = 0;
  for (int step = 0; step < 40 && along < 10; ++step) {
    const float px = along * dx / length, py = along * dy / length, pz = along * 1.2f / length - 3;
    const float around = sqrtf(px * px + pz * pz) - 1, ring = sqrtf(around * around + py * py) - 0.4f;
    const float bumps = 0.05f * __sinf(9 * px) * __sinf(9 * py) * __sinf(9 * pz);
    const float distance = ring + bumps;
    if (distance < 0.001f) break;
    along += 0.8f * distance;
  }
  out[y * width + x] = along;
}
