// Layers of convolutional networks, forwards and backwards.

// warpscope im2col_kernel: block = 512, channels = 16, height = 56, width = 56, ksize = 3, pad = 1, n = channels * height * width, grid = ceil(n / block), data_im = random[n], data_col = zeros[n * 9]
__global__ void im2col_kernel(const int n, const float* data_im, const int height, const int width,
                              const int ksize, const int pad, float* data_col) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  for (; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % width;
    int h_index = index / width;
    int h_out = h_index % height;
    int channel_in = h_index / height;
    int channel_out = channel_in * ksize * ksize;
    int h_in = h_out - pad;
    int w_in = w_out - pad;
    float* col = data_col + (channel_out * height + h_out) * width + w_out;
    const float* im = data_im + (channel_in * height + h_in) * width + w_in;
    for (int i = 0; i < ksize; ++i) {
      for (int j = 0; j < ksize; ++j) {
        int h = h_in + i;
        int w = w_in + j;
        *col = (h >= 0 && w >= 0 && h < height && w < width) ? im[i * width + j] : 0;
        col += height * width;
      }
    }
  }
}

// The way back of im2col: each pixel gathers what it gave.
// warpscope col2im_kernel: block = 256, channels = 12, height = 60, width = 60, grid = ceil(channels * height * width / block), n = channels * height * width, data_col = random[9 * n], data_im = zeros[n]
__global__ void col2im_kernel(const int n, const float* __restrict__ data_col, const int height,
                              const int width, float* __restrict__ data_im) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n) return;
  float val = 0;
  const int w = index % width + 1, h = index / width % height + 1, c = index / (width * height);
  const int w_start = w < 3 ? 0 : w - 2, w_end = min(w + 1, width);
  const int h_start = h < 3 ? 0 : h - 2, h_end = min(h + 1, height);
  for (int h_col = h_start; h_col < h_end; ++h_col) {
    for (int w_col = w_start; w_col < w_end; ++w_col) {
      const int c_col = c * 9 + (h - h_col) * 3 + (w - w_col);
      val += data_col[(c_col * height + h_col) * width + w_col];
    }
  }
  data_im[index] = val;
}

// warpscope depthwise_conv3x3: block = (32, 8), channels = 64, height = 50, width = 90, grid = (ceil(width / block.x), ceil(height / block.y), channels), in = random[channels * height * width], weight = random[9 * channels] in -1..1, bias = random[channels], out = zeros[channels * height * width]
__global__ void depthwise_conv3x3(const float* __restrict__ in, const float* __restrict__ weight,
                                  const float* __restrict__ bias, float* __restrict__ out, int height,
                                  int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            c = blockIdx.z;
  if (x >= width || y >= height) return;
  const float* plane = in + (size_t)c * height * width;
  const float* w = weight + c * 9;
  float sum = bias[c];
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int yy = y + dy, xx = x + dx;
      if (yy >= 0 && yy < height && xx >= 0 && xx < width)
        sum += w[(dy + 1) * 3 + dx + 1] * plane[yy * width + xx];
    }
  }
  out[((size_t)c * height + y) * width + x] = fminf(fmaxf(sum, 0.0f), 6.0f);
}

// A 5 x 5 convolution of 16 by 16 outputs a block, input with its border in shared memory, all channels in
// turn.
// warpscope conv5x5_tiled: block = (16, 16) fixed, in_ch = 6, out_ch = 12, size = 80, grid = (size / 16, size / 16, out_ch), in = random[in_ch * (size + 4) * (size + 4)], weights = random[25 * in_ch * out_ch] in -1..1, out = zeros[out_ch * size * size]
__global__ void conv5x5_tiled(const float* in, const float* weights, float* out, int in_ch, int size) {
  __shared__ float tile[20][20];
  __shared__ float w[25];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, side = size + 4;
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  float acc = 0;
  for (int c = 0; c < in_ch; c++) {
    for (int i = t; i < 400; i += 256)
      tile[i / 20][i % 20] = in[(c * side + y0 + i / 20) * side + x0 + i % 20];
    if (t < 25) w[t] = weights[(blockIdx.z * in_ch + c) * 25 + t];
    __syncthreads();
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) acc += tile[ty + i][tx + j] * w[i * 5 + j];
    __syncthreads();
  }
  out[(blockIdx.z * size + y0 + ty) * size + x0 + tx] = acc > 0 ? acc : 0.1f * acc;
}

// Greatest of each window and where it was; strides of two, windows of three.
// warpscope max_pool_forward_argmax: block = 256, channels = 96, in_h = 55, in_w = 55, out_h = 27, out_w = 27, nthreads = channels * out_h * out_w, grid = ceil(nthreads / block), bottom = random[channels * in_h * in_w], top = zeros[nthreads], mask = zeros[nthreads]
__global__ void max_pool_forward_argmax(const int nthreads, const float* const bottom, const int in_h,
                                        const int in_w, const int out_h, const int out_w, float* const top,
                                        int* mask) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int pw = index % out_w;
    const int ph = (index / out_w) % out_h;
    const int c = index / out_w / out_h;
    const int hstart = ph * 2, wstart = pw * 2;
    const int hend = min(hstart + 3, in_h), wend = min(wstart + 3, in_w);
    float maxval = -3.402823466e+38f;
    int maxidx = -1;
    const float* const slice = bottom + c * in_h * in_w;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (slice[h * in_w + w] > maxval) {
          maxidx = h * in_w + w;
          maxval = slice[maxidx];
        }
      }
    }
    top[index] = maxval;
    mask[index] = maxidx;
  }
}

// Winograd's transform of 4 x 4 input tiles: B' d B.
// warpscope winograd_input_4x4: block = 128, tiles = 1600, channels = 64, grid = ceil(tiles * channels / block), in = random[16 * tiles * channels], out = zeros[16 * tiles * channels]
__global__ void winograd_input_4x4(const float* __restrict__ in, float* __restrict__ out, int tiles,
                                   int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = tiles * channels;
  if (i >= n) return;
  float d[4][4], t[4][4];
  const float4* from = reinterpret_cast<const float4*>(in + 16 * (size_t)i);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float4 v = from[r];
    d[r][0] = v.x, d[r][1] = v.y, d[r][2] = v.z, d[r][3] = v.w;
  }
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    t[0][c] = d[0][c] - d[2][c];
    t[1][c] = d[1][c] + d[2][c];
    t[2][c] = d[2][c] - d[1][c];
    t[3][c] = d[1][c] - d[3][c];
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    out[(r * 4 + 0) * n + i] = t[r][0] - t[r][2];
    out[(r * 4 + 1) * n + i] = t[r][1] + t[r][2];
    out[(r * 4 + 2) * n + i] = t[r][2] - t[r][1];
    out[(r * 4 + 3) * n + i] = t[r][1] - t[r][3];
  }
}

// Boxes that overlap too much, as bits of a mask: 64 by 64 boxes a block.
__device__ inline float iou_of(const float4& a, const float4& b) {
  const float left = fmaxf(a.x, b.x), right = fminf(a.x + a.z, b.x + b.z);
  const float top = fmaxf(a.y, b.y), bottom = fminf(a.y + a.w, b.y + b.w);
  const float w = fmaxf(right - left, 0.f), h = fmaxf(bottom - top, 0.f), inter = w * h;
  return inter / (a.z * a.w + b.z * b.w - inter);
}
// warpscope nms_mask: block = 64 fixed, boxes_num = 1500, col_blocks = ceil(boxes_num / 64), grid = (col_blocks, col_blocks), boxes = random[boxes_num] in 1..20, mask = zeros[boxes_num * col_blocks], threshold = 0.5
__global__ void nms_mask(const int boxes_num, const float threshold, const float4* boxes,
                         unsigned long long* mask, int col_blocks) {
  const int row_start = blockIdx.y, col_start = blockIdx.x;
  if (row_start > col_start) return;
  const int row_size = min(boxes_num - row_start * 64, 64), col_size = min(boxes_num - col_start * 64, 64);
  __shared__ float4 block_boxes[64];
  if (threadIdx.x < col_size) block_boxes[threadIdx.x] = boxes[64 * col_start + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < row_size) {
    const int cur = 64 * row_start + threadIdx.x;
    const float4 box = boxes[cur];
    unsigned long long t = 0;
    int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; i++) {
      if (iou_of(box, block_boxes[i]) > threshold) t |= 1ULL << i;
    }
    mask[cur * col_blocks + col_start] = t;
  }
}

// Features under boxes, by bilinear samples: four for each of 7 x 7 bins.
// warpscope roi_align_forward: block = 256, rois = 80, channels = 32, height = 38, width = 50, total = rois * channels * 49, grid = ceil(total / block), features = random[channels * height * width], boxes = random[rois] in 1..16, out = zeros[total]
__device__ float bilinear_sample(const float* data, int height, int width, float y, float x) {
  if (y < -1.0f || y > height || x < -1.0f || x > width) return 0;
  y = fmaxf(y, 0);
  x = fmaxf(x, 0);
  int y_low = (int)y, x_low = (int)x, y_high, x_high;
  if (y_low >= height - 1) {
    y_high = y_low = height - 1;
    y = y_low;
  } else {
    y_high = y_low + 1;
  }
  if (x_low >= width - 1) {
    x_high = x_low = width - 1;
    x = x_low;
  } else {
    x_high = x_low + 1;
  }
  const float ly = y - y_low, lx = x - x_low, hy = 1 - ly, hx = 1 - lx;
  return hy * hx * data[y_low * width + x_low] + hy * lx * data[y_low * width + x_high] +
         ly * hx * data[y_high * width + x_low] + ly * lx * data[y_high * width + x_high];
}
__global__ void roi_align_forward(const float* __restrict__ features, const float4* __restrict__ boxes,
                                  float* __restrict__ out, int total, int channels, int height, int width) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= total) return;
  const int pw = index % 7, ph = index / 7 % 7, c = index / 49 % channels, n = index / 49 / channels;
  const float4 roi = boxes[n];
  const float bin_w = fmaxf(roi.z, 1.f) / 7, bin_h = fmaxf(roi.w, 1.f) / 7;
  const float* plane = features + c * height * width;
  float sum = 0;
  for (int iy = 0; iy < 2; iy++) {
    const float y = roi.y + ph * bin_h + (iy + .5f) * bin_h / 2;
    for (int ix = 0; ix < 2; ix++) {
      const float x = roi.x + pw * bin_w + (ix + .5f) * bin_w / 2;
      sum += bilinear_sample(plane, height, width, y, x);
    }
  }
  out[index] = sum / 4;
}

// Twice the size, by bilinear weights.
// warpscope upsample_bilinear2x: block = (16, 16), channels = 24, in_h = 60, in_w = 70, grid = (ceil(2 * in_w / block.x), ceil(2 * in_h / block.y), channels), in = random[channels * in_h * in_w], out = zeros[4 * channels * in_h * in_w]
__global__ void upsample_bilinear2x(const float* in, float* out, int in_h, int in_w) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
  int out_h = in_h * 2, out_w = in_w * 2;
  if (ox >= out_w || oy >= out_h) return;
  float sx = fmaxf((ox + 0.5f) * 0.5f - 0.5f, 0.0f), sy = fmaxf((oy + 0.5f) * 0.5f - 0.5f, 0.0f);
  int x0 = (int)sx, y0 = (int)sy;
  int x1 = x0 + (x0 < in_w - 1), y1 = y0 + (y0 < in_h - 1);
  float fx = sx - x0, fy = sy - y0;
  const float* p = in + blockIdx.z * in_h * in_w;
  float top = p[y0 * in_w + x0] * (1 - fx) + p[y0 * in_w + x1] * fx;
  float bottom = p[y1 * in_w + x0] * (1 - fx) + p[y1 * in_w + x1] * fx;
  out[(blockIdx.z * out_h + oy) * out_w + ox] = top * (1 - fy) + bottom * fy;
}
