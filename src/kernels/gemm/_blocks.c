#include "kernels/gemm/_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/_tile.h"

enum { LINE = 64, STEP = 16, THIN = 12, SHALLOW = 32 };

/** The length of equal parts of `whole`, multiples of `step`, each at most `most`. */
static size_t equal_parts(size_t whole, size_t most, size_t step) {
  size_t parts = (whole + most - 1) / most;
  return roof_round_up((whole + parts - 1) / parts, step);
}

static size_t at_least(double value, size_t step) {
  return value < (double)step ? step : (size_t)value / step * step;
}

roof_blocks roof_gemm_blocks(const roof_kernel_run *run) {
  const roof_loops *loops = roof_lanes_loops(roof_lanes_best(), run->dtype);
  roof_shape s = roof_gemm_shape(run);
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  double element = roof_dtype_bytes(run->dtype);
  roof_blocks b = {.direct = s.m <= THIN && s.n % (size_t)loops->lanes == 0};
  size_t depth = at_least(2 * roof_cache_level(1) / ((double)(tall + wide) * element), STEP);
  b.depth = equal_parts(s.k, b.direct ? SHALLOW : depth, STEP);
  double bytes = (double)b.depth * element;
  size_t threads = (size_t)run->threads, height = at_least(roof_cache_level(2) / 2 / bytes, tall);
  size_t others =
      s.m <= height ? 0 : roof_round_up((s.m - 1) / height, threads); /* as many for each thread */
  b.height = roof_round_up((s.m + others) / (others + 1), tall);
  b.width = equal_parts(s.n, at_least(roof_cache_level(2) * 8 / bytes, wide), wide);
  return b;
}

size_t roof_gemm_square(const roof_kernel_run *run) {
  return at_least(sqrt(roof_cache_level(2) / 2 / roof_dtype_bytes(run->dtype)), STEP);
}

/** Where a thread packs. */
typedef struct buffers {
  char *left; /**< a block of A; rows a power of two apart would share few sets of the first cache */
  size_t left_stride;
  char *right; /**< B: all panels where other rows need them, else one of the thread's own; NULL: in place */
  bool keep;
} buffers;

/** Bytes of the panels that all threads share. */
static size_t shared_bytes(const roof_kernel_run *run, const roof_blocks *b) {
  bool keep = !b->direct && roof_gemm_shape(run).m > b->height;
  return keep ? b->width * b->depth * (size_t)roof_dtype_bytes(run->dtype) : 0;
}

/** Bytes of one thread's block of A and panel of B. */
static size_t own_bytes(const roof_kernel_run *run, const roof_blocks *b) {
  const roof_loops *loops = roof_lanes_loops(roof_lanes_best(), run->dtype);
  size_t wide = (size_t)loops->tile_columns;
  size_t elements = b->height * (b->depth + STEP) + wide * b->depth;
  return roof_round_up(elements * (size_t)roof_dtype_bytes(run->dtype), LINE);
}

static buffers buffers_of(const roof_kernel_run *run, const roof_blocks *b, size_t thread) {
  char *scratch = ((const roof_operands *)run->state)->scratch;
  size_t shared = shared_bytes(run, b), element = (size_t)roof_dtype_bytes(run->dtype);
  buffers to = {.left = scratch + shared + thread * own_bytes(run, b), .left_stride = b->depth + STEP};
  to.keep = shared > 0;
  to.right = b->direct ? NULL : to.keep ? scratch : to.left + b->height * to.left_stride * element;
  return to;
}

roof_status roof_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error) {
  roof_blocks b = roof_gemm_blocks(run);
  size_t bytes = shared_bytes(run, &b) + (size_t)run->threads * own_bytes(run, &b);
  return roof_gemm_prepare(run, (double)bytes, error);
}

size_t roof_panel_count(const roof_loops *loops, size_t columns) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  return ((columns + lanes - 1) / lanes + widest - 1) / widest;
}

size_t roof_panel_begin(const roof_loops *loops, size_t columns, size_t panel) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  size_t registers = (columns + lanes - 1) / lanes, count = (registers + widest - 1) / widest;
  if (panel >= count) {
    return registers * lanes;
  }
  bool narrow = widest > 2 && registers % widest == 1 && panel > 0 && panel == count - 1;
  return (panel * widest - narrow) * lanes;
}

roof_panel roof_gemm_panel(const roof_block *b, size_t panel) {
  size_t begin = roof_panel_begin(b->loops, b->columns, panel);
  size_t wide = roof_panel_begin(b->loops, b->columns, panel + 1) - begin;
  roof_panel p = {begin, roof_smaller(wide, b->columns - begin), wide, b->b + begin * b->element,
                  b->b_stride};
  if (b->packed != NULL) {
    p.b = b->packed + (begin - roof_panel_begin(b->loops, b->columns, b->first)) * b->depth * b->element;
    p.stride = wide;
  }
  return p;
}

/** Copies the rows of A one after the other. */
static void pack_left(roof_block *b, size_t stride, char *to) {
  for (size_t i = 0; i < b->rows; i++) {
    memcpy(to + i * stride * b->element, b->a + i * b->a_stride * b->element, b->depth * b->element);
  }
  b->a = to;
  b->a_stride = stride;
}

/** Copies a panel of B, with zeros where B ends. */
static void pack_right(const roof_block *b, size_t panel, char *to) {
  roof_panel p = roof_gemm_panel(b, panel);
  size_t here = p.columns * b->element, wide = p.wide * b->element;
  for (size_t row = 0; row < b->depth; row++, to += wide, p.b += p.stride * b->element) {
    memcpy(to, p.b, here);
    memset(to + here, 0, wide - here);
  }
}

/** The first rows of C: each panel of B is packed by the thread that multiplies it, and stays for the others.
 */
static void first_rows(roof_block b, size_t height, const buffers *to, roof_gemm_multiply *multiply) {
  size_t panels = roof_panel_count(b.loops, b.columns);
  b.rows = roof_smaller(height, b.rows);
  pack_left(&b, to->left_stride, to->left);
#pragma omp for schedule(static)
  for (size_t panel = 0; panel < panels; panel++) {
    roof_block one = b;
    if (to->right != NULL) {
      size_t begin = to->keep ? roof_panel_begin(b.loops, b.columns, panel) : 0;
      char *packed = to->right + begin * b.depth * b.element;
      pack_right(&b, panel, packed);
      one.packed = packed;
    }
    one.first = panel;
    one.last = panel + 1;
    multiply(&one);
  }
}

/** The rows beneath, `height` at a time, as threads get free. */
static void other_rows(const roof_block *all, size_t height, const buffers *to,
                       roof_gemm_multiply *multiply) {
#pragma omp for schedule(dynamic)
  for (size_t i = height; i < all->rows; i += height) {
    roof_block b = *all;
    b.rows = roof_smaller(height, all->rows - i);
    b.a += i * b.a_stride * b.element;
    b.c += i * b.c_stride * b.element;
    b.packed = to->right;
    b.last = roof_panel_count(b.loops, b.columns);
    pack_left(&b, to->left_stride, to->left);
    multiply(&b);
  }
}

void roof_gemm_product(const roof_kernel_run *run, roof_gemm_multiply *multiply) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  roof_blocks blocks = roof_gemm_blocks(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  buffers to = buffers_of(run, &blocks, (size_t)omp_get_thread_num());
  for (size_t j = 0; j < s.n; j += blocks.width) {
    for (size_t p = 0; p < s.k; p += blocks.depth) {
      roof_block slice = {.loops = o->loops,
                          .element = element,
                          .rows = s.m,
                          .columns = roof_smaller(blocks.width, s.n - j),
                          .depth = roof_smaller(blocks.depth, s.k - p),
                          .a = (const char *)o->in[0] + p * element,
                          .a_stride = s.k,
                          .b = (const char *)o->in[1] + (p * s.n + j) * element,
                          .b_stride = s.n,
                          .c = (char *)o->out + j * element,
                          .c_stride = s.n,
                          .add = p > 0};
      first_rows(slice, blocks.height, &to, multiply);
      if (s.m > blocks.height) {
        other_rows(&slice, blocks.height, &to, multiply);
      }
    }
  }
}
