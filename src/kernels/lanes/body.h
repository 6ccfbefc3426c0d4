/* The inner loops of one format on one instruction set. No include guard: each source of this folder includes
 * it once for fp64 and once for fp32, after it defines
 *   T, BITS, V         element, unsigned integer as wide, register
 *   TARGET, NAME(x)    attribute that selects the instruction set, name with the format's suffix
 *   SET1 LOAD STORE STREAM FMA MAX
 *   ROWS, COLUMNS      rows and registers of the tile of a product
 *   EXPONENT_SHIFT, EXPONENT_BIAS, ROUNDER, LN2_HIGH, LN2_LOW, LEAST, DEGREE   of exp
 */
#define W (sizeof(V) / sizeof(T))
typedef BITS NAME(bits) __attribute__((vector_size(sizeof(V)), aligned(sizeof(V))));

#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

/* Twelve chains hide the latency of two pipes on every core so far; eight do not (93 % of the peak on Zen 4).
 */
TARGET static double NAME(fma)(size_t rounds) {
  volatile T seed = (T)0.9999;
  V factor = SET1(seed), term = SET1((T)1 - seed);
#define START(i) V x##i = SET1(seed + (T)0.01 * i);
  EACH_CHAIN(START)
  for (size_t r = 0; r < rounds; r++) {
#define STEP(i) x##i = FMA(x##i, factor, term);
    EACH_CHAIN(STEP)
  }
  V total = SET1(0);
#define ADD(i) total += x##i;
  EACH_CHAIN(ADD)
#undef START
#undef STEP
#undef ADD
  return (double)total[0];
}

TARGET static inline T NAME(total)(V v) {
  T total = 0;
  for (size_t i = 0; i < W; i++) {
    total += v[i];
  }
  return total;
}

TARGET static double NAME(sum)(const void *data, size_t count, size_t repeats) {
  const T *x = data;
  V s0 = SET1(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  T rest = 0;
  for (size_t r = 0; r < repeats; r++) {
    size_t i = 0;
    __asm__ volatile("" ::: "memory"); /* the next pass loads again */
    for (; i + 8 * W <= count; i += 8 * W) {
      s0 += LOAD(x + i);
      s1 += LOAD(x + i + W);
      s2 += LOAD(x + i + 2 * W);
      s3 += LOAD(x + i + 3 * W);
      s4 += LOAD(x + i + 4 * W);
      s5 += LOAD(x + i + 5 * W);
      s6 += LOAD(x + i + 6 * W);
      s7 += LOAD(x + i + 7 * W);
    }
    for (; i < count; i++) {
      rest += x[i];
    }
  }
  return (double)(NAME(total)(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))) + rest);
}

/* Blocks keep the rounding error of long vectors small: partial sums are added in double. */
TARGET static double NAME(dot)(const void *left, const void *right, size_t count) {
  const T *x = left, *y = right;
  double total = 0;
  for (size_t begin = 0; begin < count; begin += 4096) {
    size_t end = count - begin < 4096 ? count : begin + 4096;
    V s0 = SET1(0), s1 = s0, s2 = s0, s3 = s0;
    size_t i = begin;
    for (; i + 4 * W <= end; i += 4 * W) {
      s0 = FMA(LOAD(x + i), LOAD(y + i), s0);
      s1 = FMA(LOAD(x + i + W), LOAD(y + i + W), s1);
      s2 = FMA(LOAD(x + i + 2 * W), LOAD(y + i + 2 * W), s2);
      s3 = FMA(LOAD(x + i + 3 * W), LOAD(y + i + 3 * W), s3);
    }
    T rest = 0;
    for (; i < end; i++) {
      rest += x[i] * y[i];
    }
    total += (double)NAME(total)((s0 + s1) + (s2 + s3)) + (double)rest;
  }
  return total;
}

TARGET static void NAME(axpy)(double scale, const void *in, void *out, size_t count) {
  const T *x = in;
  T *y = out, a = (T)scale;
  V factor = SET1(a);
  size_t i = 0;
  for (; i + 2 * W <= count; i += 2 * W) {
    V y0 = FMA(factor, LOAD(x + i), LOAD(y + i));
    V y1 = FMA(factor, LOAD(x + i + W), LOAD(y + i + W));
    STORE(y + i, y0);
    STORE(y + i + W, y1);
  }
  for (; i < count; i++) {
    y[i] += a * x[i];
  }
}

/** Elements before the first aligned register of `p`, at most `count`. */
static inline size_t NAME(lead)(const T *p, size_t count) {
  size_t lead = (sizeof(V) - (size_t)p % sizeof(V)) % sizeof(V) / sizeof(T);
  return lead < count ? lead : count;
}

/* One body for cached and streaming stores; aligned from the first register on, as streaming needs. */
#define WRITER(name, put, parameters, prologue, vector, scalar)                                              \
  TARGET static void NAME(name) parameters {                                                                 \
    prologue;                                                                                                \
    size_t i = 0, lead = NAME(lead)(a, count);                                                               \
    for (; i < lead; i++) {                                                                                  \
      a[i] = scalar;                                                                                         \
    }                                                                                                        \
    for (; i + W <= count; i += W) {                                                                         \
      put(a + i, vector);                                                                                    \
    }                                                                                                        \
    for (; i < count; i++) {                                                                                 \
      a[i] = scalar;                                                                                         \
    }                                                                                                        \
    FENCE;                                                                                                   \
  }
#define WRITERS(name, parameters, prologue, vector, scalar)                                                  \
  WRITER(name##_cached, STORE, parameters, prologue, vector, scalar)                                         \
  WRITER(name##_streamed, STREAM, parameters, prologue, vector, scalar)

WRITERS(triad, (void *out, const void *left, const void *right, double scale, size_t count), T *a = out;
        const T *b = left; const T *c = right; const T s = (T)scale;
        const V factor = SET1(s), FMA(factor, LOAD(c + i), LOAD(b + i)), b[i] + s * c[i])
WRITERS(copy, (void *out, const void *in, size_t count), T *a = out; const T *b = in, LOAD(b + i), b[i])
WRITERS(fill, (void *out, double value, size_t count), T *a = out;
        const V all = SET1((T)value), all, (T)value)
WRITERS(scale, (T * out, const T *in, T scale, size_t count), T *a = out;
        const V factor = SET1(scale), LOAD(in + i) * factor, in[i] * scale)

/* e^x for x <= 0: x = n ln 2 + r, e^r by its Taylor series, 2^n by the exponent bits. */
TARGET static inline V NAME(exp)(V x) {
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
  x = MAX(x, SET1((T)LEAST));
  V shifted = FMA(x, SET1((T)1.44269504088896340736), SET1((T)ROUNDER));
  V n = shifted - SET1((T)ROUNDER);
  V r = FMA(n, SET1((T)-LN2_HIGH), x);
  r = FMA(n, SET1((T)-LN2_LOW), r);
  V series = SET1(terms[DEGREE]);
  for (int i = DEGREE - 1; i >= 0; i--) {
    series = FMA(series, r, SET1(terms[i]));
  }
  NAME(bits) scale = ((NAME(bits))shifted + EXPONENT_BIAS) << EXPONENT_SHIFT;
  return series * (V)scale;
}

TARGET static T NAME(maximum)(const T *x, size_t count) {
  V m0 = SET1(x[0]), m1 = m0;
  size_t i = 0;
  for (; i + 2 * W <= count; i += 2 * W) {
    m0 = MAX(m0, LOAD(x + i));
    m1 = MAX(m1, LOAD(x + i + W));
  }
  m0 = MAX(m0, m1);
  T maximum = x[0];
  for (size_t j = 0; j < W; j++) {
    maximum = m0[j] > maximum ? m0[j] : maximum;
  }
  for (; i < count; i++) {
    maximum = x[i] > maximum ? x[i] : maximum;
  }
  return maximum;
}

/** scratch = e^(x - maximum); returns its sum. */
TARGET static T NAME(exponentials)(const T *x, T *scratch, T maximum, size_t count) {
  V s0 = SET1(0), s1 = s0, shift = SET1(maximum);
  size_t i = 0;
  for (; i + 2 * W <= count; i += 2 * W) {
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

TARGET static void NAME(softmax_cached)(const void *x, void *y, void *scratch, size_t count) {
  T total = NAME(exponentials)(x, scratch, NAME(maximum)(x, count), count);
  NAME(scale_cached)(y, scratch, 1 / total, count);
}

TARGET static void NAME(softmax_streamed)(const void *x, void *y, void *scratch, size_t count) {
  T total = NAME(exponentials)(x, scratch, NAME(maximum)(x, count), count);
  NAME(scale_streamed)(y, scratch, 1 / total, count);
}

TARGET static void NAME(tile)(size_t depth, const void *left, const void *right, void *out, size_t stride,
                              bool add) {
  const T *a = left, *b = right;
  T *c = out;
  V sums[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      sums[i][j] = add ? LOAD(c + (size_t)i * stride + (size_t)j * W) : SET1(0);
    }
  }
  for (size_t k = 0; k < depth; k++, a += ROWS, b += COLUMNS * W) {
    V columns[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
      columns[j] = LOAD(b + (size_t)j * W);
    }
    for (int i = 0; i < ROWS; i++) {
      V row = SET1(a[i]);
      for (int j = 0; j < COLUMNS; j++) {
        sums[i][j] = FMA(row, columns[j], sums[i][j]);
      }
    }
  }
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      STORE(c + (size_t)i * stride + (size_t)j * W, sums[i][j]);
    }
  }
}

static const roof_loops NAME(loops) = {
    .lanes = W,
    .tile_rows = ROWS,
    .tile_columns = COLUMNS * W,
    .chains = 12,
    .fma = NAME(fma),
    .sum = NAME(sum),
    .dot = NAME(dot),
    .axpy = NAME(axpy),
    .triad = {NAME(triad_cached), NAME(triad_streamed)},
    .copy = {NAME(copy_cached), NAME(copy_streamed)},
    .fill = {NAME(fill_cached), NAME(fill_streamed)},
    .softmax = {NAME(softmax_cached), NAME(softmax_streamed)},
    .tile = NAME(tile),
};

#undef W
#undef EACH_CHAIN
#undef WRITER
#undef WRITERS
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
#undef EXPONENT_SHIFT
#undef EXPONENT_BIAS
#undef ROUNDER
#undef LN2_HIGH
#undef LN2_LOW
#undef LEAST
#undef DEGREE
