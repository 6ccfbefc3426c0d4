/* The inner loops of one format on one instruction set. No include guard: each source of this folder includes
 * it through fp64.h and through fp32.h, each time after it defines
 *   V, LANES           register of the format, its elements
 *   SET1 LOAD STORE STREAM FMA MAX, and where they are faster than single elements GATHER, TOTAL
 * and once
 *   TARGET, FENCE      attribute that selects the instruction set; order after streaming stores
 *   REGISTER(v)        asm operand that keeps v in a register
 *   ROWS, COLUMNS      rows and registers of the tile of a product
 * and, where they differ from what follows here,
 *   STEPS              of its depth that are written out
 */
#ifndef STEPS
#define STEPS 16
#endif
#define BYTES sizeof(V)
#define W (BYTES / sizeof(T))
#define MUL(a, b) ((a) * (b))
#define NEGATE(v) (-(v))
typedef BITS NAME(bits) __attribute__((vector_size(sizeof(V)), aligned(sizeof(V))));

#if defined(__clang__) /* it unrolls constant loops unasked; asked, it takes minutes under sanitizers */
#define UNROLL(times)
#else
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(times) PRAGMA(GCC unroll times)
#endif
#define INLINE TARGET static inline __attribute__((always_inline))
#define CODELET INLINE
#if defined(__clang__)
#if __has_feature(address_sanitizer) /* once each: instrumented in every pass it takes minutes to compile */
#undef CODELET
#define CODELET TARGET static inline __attribute__((noinline))
#endif
#endif
#define AHEAD(p) __builtin_prefetch((const char *)(p) + 1024)
#define BLOCK ((size_t)4096)
#define LINE (64 / sizeof(T)) /* elements */

#ifndef TOTAL
#define TOTAL(v) NAME(added)(v)
TARGET static inline T NAME(added)(V v) {
  T total = 0;
  for (size_t i = 0; i < W; i++) {
    total += v[i];
  }
  return total;
}
#endif

TARGET static inline T NAME(total)(V v) {
  return TOTAL(v);
}

/* Loads into registers and nothing else: what arithmetic would cost does not show. */
INLINE void NAME(read)(const void *data, size_t count, size_t repeats, bool stream) {
  const T *x = data;
  for (size_t r = 0; r < repeats; r++) {
    for (size_t i = 0; i + 4 * W <= count; i += 4 * W) {
      if (stream) {
        AHEAD(x + i);
        AHEAD(x + i + W);
        AHEAD(x + i + 2 * W);
        AHEAD(x + i + 3 * W);
      }
      V v0 = LOAD(x + i), v1 = LOAD(x + i + W), v2 = LOAD(x + i + 2 * W), v3 = LOAD(x + i + 3 * W);
      __asm__ volatile("" ::REGISTER(v0), REGISTER(v1), REGISTER(v2), REGISTER(v3) : "memory");
    }
  }
}

/* Eight chains: as many as keep two pipes of four cycles busy. */
INLINE void NAME(mix_twice)(V sums[8], const V v[4], V factor) {
  UNROLL(4) for (size_t j = 0; j < 4; j++) {
    sums[j] = FMA(sums[j], factor, v[j]);
    sums[4 + j] = FMA(sums[4 + j], factor, v[j]);
  }
}

TARGET static double NAME(mix)(const void *data, size_t count, size_t steps) {
  const T *x = data;
  const V factor = SET1((T)-1);
  V sums[8], v[4];
  for (size_t j = 0; j < 8; j++) {
    sums[j] = SET1(0);
  }
  for (size_t i = 0; i + 4 * W <= count; i += 4 * W) {
    UNROLL(4) for (size_t j = 0; j < 4; j++) {
      AHEAD(x + i + j * W);
      v[j] = LOAD(x + i + j * W);
    }
    size_t left = steps;
    for (; left >= 8; left -= 8) {
      NAME(mix_twice)(sums, v, factor);
      NAME(mix_twice)(sums, v, factor);
      NAME(mix_twice)(sums, v, factor);
      NAME(mix_twice)(sums, v, factor);
    }
    for (; left >= 2; left -= 2) {
      NAME(mix_twice)(sums, v, factor);
    }
    for (size_t j = 0; j < 4 && left > 0; j++) {
      sums[j] = FMA(sums[j], factor, v[j]);
    }
  }
  double total = 0;
  for (size_t j = 0; j < 8; j++) {
    total += (double)NAME(total)(sums[j]);
  }
  return total;
}

/* Blocks keep the rounding error of long vectors small: partial sums are added in double. */
INLINE double NAME(dot)(const void *left, const void *right, size_t count, bool stream) {
  const T *x = left, *y = right;
  double total = 0;
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK;
    V sums[4] = {SET1(0), SET1(0), SET1(0), SET1(0)};
    size_t i = begin;
    for (; i + 4 * W <= end; i += 4 * W) {
      for (size_t j = 0; j < 4; j++) {
        if (stream) {
          AHEAD(x + i + j * W);
          AHEAD(y + i + j * W);
        }
        sums[j] = FMA(LOAD(x + i + j * W), LOAD(y + i + j * W), sums[j]);
      }
    }
    T rest = 0;
    for (; i < end; i++) {
      rest += x[i] * y[i];
    }
    total += (double)NAME(total)((sums[0] + sums[1]) + (sums[2] + sums[3])) + (double)rest;
  }
  return total;
}

/* Rows of a matrix times one vector, which is loaded once for all of them. */
INLINE void NAME(dots)(const void *matrix, size_t stride, const void *right, size_t count, double *results,
                       bool stream) {
  const T *a = matrix, *x = right;
  for (size_t r = 0; r < RF_DOTS; r++) {
    results[r] = 0;
  }
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK, whole = begin + (end - begin) / W * W;
    V sums[RF_DOTS] = {SET1(0), SET1(0), SET1(0), SET1(0)};
    for (size_t i = begin; i < whole; i += W) {
      V factor = LOAD(x + i);
      for (size_t r = 0; r < RF_DOTS; r++) {
        if (stream) {
          AHEAD(a + r * stride + i);
        }
        sums[r] = FMA(LOAD(a + r * stride + i), factor, sums[r]);
      }
    }
    for (size_t r = 0; r < RF_DOTS; r++) {
      T rest = 0;
      for (size_t i = whole; i < end; i++) {
        rest += a[r * stride + i] * x[i];
      }
      results[r] += (double)NAME(total)(sums[r]) + (double)rest;
    }
  }
}

/* y is read just before, so there is nothing to gain from storing past the caches. */
INLINE void NAME(axpy)(double scale, const void *in, void *out, size_t count, bool stream) {
  const T *x = in;
  T *y = out, a = (T)scale;
  V factor = SET1(a);
  size_t i = 0;
  for (; i + W <= count; i += W) {
    if (stream) {
      AHEAD(x + i);
      AHEAD(y + i);
    }
    STORE(y + i, FMA(factor, LOAD(x + i), LOAD(y + i)));
  }
  for (; i < count; i++) {
    y[i] += a * x[i];
  }
}

INLINE void NAME(put)(T *p, V v, bool stream) {
  if (stream) {
    STREAM(p, v);
  } else {
    STORE(p, v);
  }
}

/** Elements before the first aligned register of `p`, at most `count`: streaming stores need alignment. */
static inline size_t NAME(lead)(const T *p, size_t count) {
  size_t lead = (sizeof(V) - (size_t)p % sizeof(V)) % sizeof(V) / sizeof(T);
  return lead < count ? lead : count;
}

INLINE void NAME(triad)(void *out, const void *left, const void *right, double scale, size_t count,
                        bool stream) {
  T *a = out, s = (T)scale;
  const T *b = left, *c = right;
  V factor = SET1(s);
  size_t i = 0;
  for (size_t lead = NAME(lead)(a, count); i < lead; i++) {
    a[i] = b[i] + s * c[i];
  }
  for (; i + W <= count; i += W) {
    if (stream) {
      AHEAD(b + i);
      AHEAD(c + i);
    }
    NAME(put)(a + i, FMA(factor, LOAD(c + i), LOAD(b + i)), stream);
  }
  for (; i < count; i++) {
    a[i] = b[i] + s * c[i];
  }
  FENCE;
}

/* a = s b; s = 1 copies. Without the fence, which costs more than a row does. */
INLINE void NAME(scale)(void *out, const void *in, double scale, size_t count, bool stream) {
  T *a = out, s = (T)scale;
  const T *b = in;
  V factor = SET1(s);
  size_t i = 0;
  for (size_t lead = NAME(lead)(a, count); i < lead; i++) {
    a[i] = s * b[i];
  }
  for (; i + W <= count; i += W) {
    if (stream) {
      AHEAD(b + i);
    }
    NAME(put)(a + i, LOAD(b + i) * factor, stream);
  }
  for (; i < count; i++) {
    a[i] = s * b[i];
  }
}

/* Fetches ahead in `in`, and at its end in `after`, which is copied next. */
INLINE void NAME(copy)(void *out, const void *in, const void *after, size_t count, bool stream) {
  T *a = out;
  const T *b = in, *next = after;
  size_t i = 0, far = 1024 / sizeof(T), inside = count > far ? count - far : 0;
  for (size_t lead = NAME(lead)(a, count); i < lead; i++) {
    a[i] = b[i];
  }
  for (; i + W <= count; i += W) {
    if (stream) {
      __builtin_prefetch(i < inside ? b + i + far : next + (i - inside));
    }
    NAME(put)(a + i, LOAD(b + i), stream);
  }
  for (; i < count; i++) {
    a[i] = b[i];
  }
}

INLINE void NAME(fill)(void *out, double value, size_t count, bool stream) {
  T *a = out;
  V all = SET1((T)value);
  size_t i = 0;
  for (size_t lead = NAME(lead)(a, count); i < lead; i++) {
    a[i] = (T)value;
  }
  for (; i + W <= count; i += W) {
    NAME(put)(a + i, all, stream);
  }
  for (; i < count; i++) {
    a[i] = (T)value;
  }
  FENCE;
}

/* Four terms of e^r = 1 + r + r^2 / 2 + ... from one on, divided by r to its power; of the last, where no three follow, itself. */
INLINE V NAME(terms)(V r, V square, int first) {
  static const T terms[] = {(T)1.0,
                            (T)1.0,
                            (T)(1 / 2.0),
                            (T)(1 / 6.0),
                            (T)(1 / 24.0),
                            (T)(1 / 120.0),
                            (T)(1 / 720.0),
                            (T)(1 / 5040.0),
                            (T)(1 / 40320.0),
                            (T)(1 / 362880.),
                            (T)(1 / 3628800.0),
                            (T)(1 / 39916800.0),
                            (T)(1 / 479001600.0)};
  if (first == DEGREE) {
    return SET1(terms[first]);
  }
  V low = FMA(r, SET1(terms[first + 1]), SET1(terms[first]));
  return FMA(FMA(r, SET1(terms[first + 3]), SET1(terms[first + 2])), square, low);
}

/* e^x for x <= 0: x = n ln 2 + r, e^r by its Taylor series, 2^n by the exponent bits. The terms are added up in groups after Estrin:
 * one after the other each would wait for the one before, longer than processors look ahead. */
TARGET static inline V NAME(exp)(V x) {
  x = MAX(x, SET1((T)LEAST));
  V shifted = FMA(x, SET1((T)1.44269504088896340736), SET1((T)ROUNDER));
  V n = shifted - SET1((T)ROUNDER);
  V r = FMA(n, SET1((T)-LN2_HIGH), x);
  r = FMA(n, SET1((T)-LN2_LOW), r);
  V square = r * r, fourth = square * square, series = NAME(terms)(r, square, DEGREE / 4 * 4);
  for (int first = DEGREE / 4 * 4 - 4; first >= 0; first -= 4) {
    series = FMA(series, fourth, NAME(terms)(r, square, first));
  }
  NAME(bits) scale = ((NAME(bits))shifted + EXPONENT_BIAS) << EXPONENT_SHIFT;
  return series * (V)scale;
}

TARGET static inline T NAME(largest)(V v) {
  T largest = v[0];
  for (size_t j = 1; j < W; j++) {
    largest = v[j] > largest ? v[j] : largest;
  }
  return largest;
}

TARGET static T NAME(maximum)(const T *x, size_t count) {
  V m0 = SET1(x[0]), m1 = m0;
  size_t i = 0;
  for (; i + 2 * W <= count; i += 2 * W) {
    m0 = MAX(m0, LOAD(x + i));
    m1 = MAX(m1, LOAD(x + i + W));
  }
  T maximum = NAME(largest)(MAX(m0, m1));
  for (; i < count; i++) {
    maximum = x[i] > maximum ? x[i] : maximum;
  }
  return maximum;
}

/** scratch = e^(x - maximum); returns its sum. Streaming, it fetches the next row meanwhile. */
INLINE T NAME(exponentials)(const T *x, T *scratch, T maximum, size_t count, bool stream) {
  V s0 = SET1(0), s1 = s0, shift = SET1(maximum);
  size_t i = 0;
  for (; i + 2 * W <= count; i += 2 * W) {
    if (stream) {
      __builtin_prefetch(x + count + i);
      __builtin_prefetch(x + count + i + W);
    }
    V e0 = NAME(exp)(LOAD(x + i) - shift), e1 = NAME(exp)(LOAD(x + i + W) - shift);
    STORE(scratch + i, e0);
    STORE(scratch + i + W, e1);
    s0 += e0;
    s1 += e1;
  }
  T rest = 0;
  for (; i < count; i++) {
    scratch[i] = NAME(exp)(SET1(x[i] - maximum))[0];
    rest += scratch[i];
  }
  return NAME(total)(s0 + s1) + rest;
}

TARGET static double NAME(maximum_of)(const void *x, size_t count) {
  return (double)NAME(maximum)(x, count);
}

TARGET static double NAME(exponentials_of)(const void *x, void *y, double maximum, size_t count) {
  return (double)NAME(exponentials)(x, y, (T)maximum, count, false);
}

INLINE void NAME(pack)(const void *from, size_t stride, size_t rows, size_t registers, void *to, size_t apart,
                       bool stream) {
  const T *x = from;
  T *y = to;
  for (size_t i = 0; i < rows; i++, x += stride, y += apart) {
    for (size_t j = 0; j < registers; j++) {
      NAME(put)(y + j * W, LOAD(x + j * W), stream);
    }
  }
}

#include "kernels/lanes/tile.h"
#include "kernels/lanes/update.h"

#include "kernels/lanes/layers.h"
#include "kernels/lanes/rows.h"
#include "kernels/lanes/transfers.h"
#include "kernels/lanes/turn.h"

#include "kernels/lanes/fft.h"

static void NAME(fence)(void) {
  FENCE;
}

/* The two forms of a loop, with `stream` a constant in each. */
#define FORMS(result, name, parameters, call)                                                                \
  TARGET static result NAME(name##_cached) parameters {                                                      \
    const bool stream = false;                                                                               \
    call;                                                                                                    \
  }                                                                                                          \
  TARGET static result NAME(name##_streamed) parameters {                                                    \
    const bool stream = true;                                                                                \
    call;                                                                                                    \
  }
FORMS(void, read, (const void *x, size_t count, size_t repeats), NAME(read)(x, count, repeats, stream))
FORMS(double, dot, (const void *x, const void *y, size_t count), return NAME(dot)(x, y, count, stream))
FORMS(void, dots, (const void *a, size_t stride, const void *x, size_t count, double *results),
      NAME(dots)(a, stride, x, count, results, stream))
FORMS(void, axpy, (double a, const void *x, void *y, size_t count), NAME(axpy)(a, x, y, count, stream))
FORMS(void, triad, (void *a, const void *b, const void *c, double s, size_t count),
      NAME(triad)(a, b, c, s, count, stream))
FORMS(void, scale, (void *a, const void *b, double s, size_t count), NAME(scale)(a, b, s, count, stream);
      FENCE)
FORMS(void, copy, (void *a, const void *b, const void *after, size_t count),
      NAME(copy)(a, b, after, count, stream))
FORMS(void, look_up, (const void *table, const uint32_t *rows, void *out, size_t count, size_t width),
      NAME(look_up)(table, rows, out, count, width, stream))
FORMS(void, fill, (void *a, double value, size_t count), NAME(fill)(a, value, count, stream))
FORMS(void, softmax, (const void *x, void *y, void *scratch, size_t rows, size_t count),
      NAME(softmax)(x, y, scratch, rows, count, stream))
FORMS(double, sum, (const void *x, size_t count), return NAME(sum)(x, count, false, stream))
FORMS(double, asum, (const void *x, size_t count), return NAME(sum)(x, count, true, stream))
FORMS(void, relu, (const void *x, void *y, size_t count), NAME(relu_all)(x, y, count, stream))
FORMS(void, gelu, (const void *x, void *y, size_t count), NAME(gelu_all)(x, y, count, stream))
FORMS(void, silu, (const void *x, void *y, size_t count), NAME(silu_all)(x, y, count, stream))
FORMS(void, layernorm,
      (const void *x, void *y, const void *gain, const void *shift, size_t rows, size_t count),
      NAME(normalise_rows)(x, y, gain, shift, rows, count, stream))
FORMS(void, rmsnorm, (const void *x, void *y, const void *gain, size_t rows, size_t count),
      NAME(normalise_rows)(x, y, gain, NULL, rows, count, stream))
FORMS(void, stencil,
      (void *y, const void *x, size_t row, size_t plane, double centre, double side, size_t count),
      NAME(stencil)(y, x, row, plane, centre, side, count, stream))
FORMS(void, pack, (const void *from, size_t stride, size_t rows, size_t registers, void *to, size_t apart),
      NAME(pack)(from, stride, rows, registers, to, apart, stream))
FORMS(void, turn, (const void *from, size_t stride, size_t rows, size_t columns, void *to, size_t wide),
      NAME(turn)(from, stride, rows, columns, to, wide, stream))

static const rf_loops NAME(loops) = {
    .lanes = W,
    .tile_rows = ROWS,
    .tile_columns = COLUMNS * W,
    .read = {NAME(read_cached), NAME(read_streamed)},
    .mix = NAME(mix),
    .dot = {NAME(dot_cached), NAME(dot_streamed)},
    .dots = {NAME(dots_cached), NAME(dots_streamed)},
    .axpy = {NAME(axpy_cached), NAME(axpy_streamed)},
    .triad = {NAME(triad_cached), NAME(triad_streamed)},
    .scale = {NAME(scale_cached), NAME(scale_streamed)},
    .copy = {NAME(copy_cached), NAME(copy_streamed)},
    .look_up = {NAME(look_up_cached), NAME(look_up_streamed)},
    .fill = {NAME(fill_cached), NAME(fill_streamed)},
    .softmax = {NAME(softmax_cached), NAME(softmax_streamed)},
    .maximum = NAME(maximum_of),
    .exponentials = NAME(exponentials_of),
    .sum = {NAME(sum_cached), NAME(sum_streamed)},
    .asum = {NAME(asum_cached), NAME(asum_streamed)},
    .relu = {NAME(relu_cached), NAME(relu_streamed)},
    .gelu = {NAME(gelu_cached), NAME(gelu_streamed)},
    .silu = {NAME(silu_cached), NAME(silu_streamed)},
    .layernorm = {NAME(layernorm_cached), NAME(layernorm_streamed)},
    .rmsnorm = {NAME(rmsnorm_cached), NAME(rmsnorm_streamed)},
    .stencil = {NAME(stencil_cached), NAME(stencil_streamed)},
    .tile = {HEIGHTS(TILE_ROW)},
    .update = NAME(update),
    .pack = NAME(pack_cached),
    .pack_past = NAME(pack_streamed),
    .turn = {NAME(turn_cached), NAME(turn_streamed)},
    .fft = NAME(fft),
    .fft_alone = NAME(fft_alone),
    .twist = NAME(twist),
    .fence = NAME(fence),
    .spmv = NAME(spmv),
};

#undef BYTES
#undef W
#undef LANES
#undef UNROLL
#undef PRAGMA
#undef MUL
#undef NEGATE
#undef BLOCK
#undef LINE
#undef TILE_ROW
#undef HEIGHTS
#undef INLINE
#undef CODELET
#undef AHEAD
#undef FORMS
#undef T
#undef BITS
#undef V
#undef NAME
#undef SET1
#undef LOAD
#undef STORE
#undef STREAM
#undef FMA
#undef MAX
#undef GATHER
#undef TOTAL
#undef EXPONENT_SHIFT
#undef EXPONENT_BIAS
#undef ROUNDER
#undef LN2_HIGH
#undef LN2_LOW
#undef LEAST
#undef LOWEST
#undef DEGREE
