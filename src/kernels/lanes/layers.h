/* Sums, activations, a stencil and a sparse matrix: the second half of body.h, which includes it. */

/* In blocks, as `dot`. */
INLINE double NAME(sum)(const void *in, size_t count, bool absolute, bool stream) {
  const T *x = in;
  double total = 0;
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK, i = begin;
    V sums[4] = {SET1(0), SET1(0), SET1(0), SET1(0)};
    for (; i + 4 * W <= end; i += 4 * W) {
      for (size_t j = 0; j < 4; j++) {
        if (stream) {
          AHEAD(x + i + j * W);
        }
        V v = LOAD(x + i + j * W);
        sums[j] += absolute ? MAX(v, -v) : v;
      }
    }
    T rest = 0;
    for (; i < end; i++) {
      rest += absolute && x[i] < 0 ? -x[i] : x[i];
    }
    total += (double)NAME(total)((sums[0] + sums[1]) + (sums[2] + sums[3])) + (double)rest;
  }
  return total;
}

INLINE V NAME(relu)(V x) {
  return MAX(x, SET1(0));
}

/* x / (1 + e^-z); where e^-z would overflow, the quotient is too small to matter. */
INLINE V NAME(gated)(V x, V z) {
  V limited = -MAX(z, SET1((T)LEAST));
  return x / (NAME(exp)(limited) + SET1(1));
}

INLINE V NAME(silu)(V x) {
  return NAME(gated)(x, x);
}

/* 1 + tanh(u) = 2 / (1 + e^-2u) with u = sqrt(2 / pi) (x + 0.044715 x^3). */
INLINE V NAME(gelu)(V x) {
  V inner = FMA(x * x, SET1((T)0.044715), SET1(1)) * x;
  return NAME(gated)(x, inner * SET1((T)1.5957691216057308));
}

/* A loop over a function of registers; part of one at either end. */
#define ACTIVATION(function)                                                                                 \
  INLINE void NAME(function##_some)(const T *x, T *y, size_t count) {                                        \
    V v = SET1(0);                                                                                           \
    memcpy(&v, x, count * sizeof(T));                                                                        \
    v = NAME(function)(v);                                                                                   \
    memcpy(y, &v, count * sizeof(T));                                                                        \
  }                                                                                                          \
  INLINE void NAME(function##_all)(const void *in, void *out, size_t count, bool stream) {                   \
    const T *x = in;                                                                                         \
    T *y = out;                                                                                              \
    size_t i = NAME(lead)(y, count);                                                                         \
    NAME(function##_some)(x, y, i);                                                                          \
    for (; i + W <= count; i += W) {                                                                         \
      if (stream) {                                                                                          \
        AHEAD(x + i);                                                                                        \
      }                                                                                                      \
      NAME(put)(y + i, NAME(function)(LOAD(x + i)), stream);                                                 \
    }                                                                                                        \
    NAME(function##_some)(x + i, y + i, count - i);                                                          \
    FENCE;                                                                                                   \
  }
ACTIVATION(relu)
ACTIVATION(gelu)
ACTIVATION(silu)
#undef ACTIVATION

INLINE void NAME(stencil)(void *out, const void *in, size_t row, size_t plane, double centre, double side,
                          size_t count, bool stream) {
  const T *x = in;
  T *y = out, a = (T)centre, b = (T)side;
  V middle = SET1(a), around = SET1(b);
  size_t i = 0;
#define ONE                                                                                                  \
  y[i] = a * x[i] +                                                                                          \
         b * (((x + i)[-1] + x[i + 1]) + (*(x + i - row) + x[i + row]) + (*(x + i - plane) + x[i + plane]))
  for (size_t lead = NAME(lead)(y, count); i < lead; i++) {
    ONE;
  }
  for (; i + W <= count; i += W) {
    const T *c = x + i;
    if (stream) {
      AHEAD(c + plane);
    }
    V sides = (LOAD(c - 1) + LOAD(c + 1)) + (LOAD(c - row) + LOAD(c + row));
    sides += LOAD(c - plane) + LOAD(c + plane);
    NAME(put)(y + i, FMA(around, sides, LOAD(c) * middle), stream);
  }
  for (; i < count; i++) {
    ONE;
  }
#undef ONE
}

#ifndef GATHER
#define AT(j) x[columns[j]]
INLINE V NAME(gather)(const T *x, const uint32_t *columns) {
#if LANES == 8
  return (V){AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7)};
#elif LANES == 4
  return (V){AT(0), AT(1), AT(2), AT(3)};
#else
  return (V){AT(0), AT(1)};
#endif
}
#undef AT
#define GATHER(x, columns) NAME(gather)(x, columns)
#endif

/* Rows of a sparse matrix times x. */
TARGET static void NAME(spmv)(const uint32_t *starts, const uint32_t *columns, const void *values,
                              const void *in, void *out, size_t rows) {
  const T *a = values, *x = in;
  T *y = out;
  for (size_t i = 0; i < rows; i++) {
    V sums[2] = {SET1(0), SET1(0)};
    T rest[4] = {0};
    size_t p = starts[i], end = starts[i + 1];
    bool wide = p + 2 * W <= end;
    for (; p + 2 * W <= end; p += 2 * W) {
      UNROLL(2) for (size_t j = 0; j < 2; j++) {
        AHEAD(a + p + j * W);
        AHEAD(columns + p + j * W);
        sums[j] = FMA(LOAD(a + p + j * W), GATHER(x, columns + p + j * W), sums[j]);
      }
    }
    for (; p + 4 <= end; p += 4) {
      AHEAD(a + p);
      AHEAD(columns + p);
      UNROLL(4) for (size_t j = 0; j < 4; j++) {
        rest[j] += a[p + j] * x[columns[p + j]];
      }
    }
    for (; p < end; p++) {
      rest[0] += a[p] * x[columns[p]];
    }
    y[i] = (rest[0] + rest[1]) + (rest[2] + rest[3]);
    if (wide) {
      y[i] += NAME(total)(sums[0] + sums[1]);
    }
  }
}
