/* Fourier transforms: part of body.h, which includes it. Real and imaginary parts lie apart. */

static const T NAME(cosines)[8] = {(T)1,
                                   (T)0.92387953251128675613,
                                   (T)0.70710678118654752440,
                                   (T)0.38268343236508977173,
                                   (T)0,
                                   (T)-0.38268343236508977173,
                                   (T)-0.70710678118654752440,
                                   (T)-0.92387953251128675613}; /* of j pi / 8 */

/* Points of a transform: V and T take the place of E in turn. */
#define BUTTERFLIES(kind, E, GET, PUT, ALL, MULADD)                                                          \
  CODELET void NAME(two_##kind)(E * r, E * i) {                                                              \
    E r1 = r[0] - r[1], i1 = i[0] - i[1];                                                                    \
    r[0] += r[1], i[0] += i[1], r[1] = r1, i[1] = i1;                                                        \
  }                                                                                                          \
  CODELET void NAME(four_##kind)(E * r, E * i) {                                                             \
    E even_r = r[0] + r[2], even_i = i[0] + i[2], odd_r = r[1] + r[3], odd_i = i[1] + i[3];                  \
    E r0 = r[0] - r[2], i0 = i[0] - i[2], r1 = r[1] - r[3], i1 = i[1] - i[3];                                \
    r[0] = even_r + odd_r, i[0] = even_i + odd_i;                                                            \
    r[1] = r0 + i1, i[1] = i0 - r1;                                                                          \
    r[2] = even_r - odd_r, i[2] = even_i - odd_i;                                                            \
    r[3] = r0 - i1, i[3] = i0 + r1;                                                                          \
  }                                                                                                          \
  CODELET void NAME(eight_##kind)(E * r, E * i) {                                                            \
    const E half = ALL((T)0.70710678118654752440);                                                           \
    E odd_r[4], odd_i[4], even_r[4], even_i[4];                                                              \
    UNROLL(4) for (int j = 0; j < 4; j++) {                                                                  \
      even_r[j] = r[j] + r[j + 4], even_i[j] = i[j] + i[j + 4];                                              \
      odd_r[j] = r[j] - r[j + 4], odd_i[j] = i[j] - i[j + 4];                                                \
    }                                                                                                        \
    E r1 = odd_r[1], r2 = odd_r[2], r3 = odd_r[3]; /* times the first powers of e^(-i pi / 4) */             \
    odd_r[1] = (r1 + odd_i[1]) * half, odd_i[1] = (odd_i[1] - r1) * half;                                    \
    odd_r[2] = odd_i[2], odd_i[2] = -r2;                                                                     \
    odd_r[3] = (odd_i[3] - r3) * half, odd_i[3] = -(odd_i[3] + r3) * half;                                   \
    NAME(four_##kind)(even_r, even_i);                                                                       \
    NAME(four_##kind)(odd_r, odd_i);                                                                         \
    UNROLL(4) for (int j = 0; j < 4; j++) {                                                                  \
      r[2 * j] = even_r[j], i[2 * j] = even_i[j];                                                            \
      r[2 * j + 1] = odd_r[j], i[2 * j + 1] = odd_i[j];                                                      \
    }                                                                                                        \
  }                                                                                                          \
  /* Two times eight, the odd ones after powers of e^(-i pi / 8). */                                         \
  CODELET void NAME(sixteen_##kind)(E * r, E * i) {                                                          \
    E odd_r[8], odd_i[8], even_r[8], even_i[8];                                                              \
    UNROLL(8) for (int j = 0; j < 8; j++) {                                                                  \
      const E cosine = ALL(NAME(cosines)[j]), sine = ALL(NAME(cosines)[j < 4 ? 4 - j : j - 4]);              \
      E away_r = r[j] - r[j + 8], away_i = i[j] - i[j + 8];                                                  \
      even_r[j] = r[j] + r[j + 8], even_i[j] = i[j] + i[j + 8];                                              \
      odd_r[j] = MULADD(away_r, cosine, away_i * sine);                                                      \
      odd_i[j] = MULADD(away_i, cosine, -(away_r * sine));                                                   \
    }                                                                                                        \
    NAME(eight_##kind)(even_r, even_i);                                                                      \
    NAME(eight_##kind)(odd_r, odd_i);                                                                        \
    UNROLL(8) for (int j = 0; j < 8; j++) {                                                                  \
      r[2 * j] = even_r[j], i[2 * j] = even_i[j];                                                            \
      r[2 * j + 1] = odd_r[j], i[2 * j + 1] = odd_i[j];                                                      \
    }                                                                                                        \
  }                                                                                                          \
  /* `radix` points, a constant; unless they are the last, result c times root c `root` of the table. */     \
  INLINE void NAME(points_##kind)(int radix, bool last, const T *x, rf_points from, T *y, rf_points to,      \
                                  const T *roots, size_t root, size_t order) {                               \
    E r[16], i[16];                                                                                          \
    UNROLL(16) for (int c = 0; c < radix; c++) {                                                             \
      r[c] = GET(x + (size_t)c * from.row);                                                                  \
      i[c] = GET(x + from.apart + (size_t)c * from.row);                                                     \
    }                                                                                                        \
    if (radix == 16) {                                                                                       \
      NAME(sixteen_##kind)(r, i);                                                                            \
    } else if (radix == 8) {                                                                                 \
      NAME(eight_##kind)(r, i);                                                                              \
    } else if (radix == 4) {                                                                                 \
      NAME(four_##kind)(r, i);                                                                               \
    } else if (radix == 2) {                                                                                 \
      NAME(two_##kind)(r, i);                                                                                \
    }                                                                                                        \
    UNROLL(16) for (int c = 0; c < radix; c++) {                                                             \
      if (c > 0 && !last) {                                                                                  \
        E w_r = ALL(roots[(size_t)c * root]), w_i = ALL(roots[order + (size_t)c * root]), all_r = r[c];      \
        r[c] = MULADD(all_r, w_r, -(i[c] * w_i));                                                            \
        i[c] = MULADD(all_r, w_i, i[c] * w_r);                                                               \
      }                                                                                                      \
      PUT(y + (size_t)c * to.row, r[c]);                                                                     \
      PUT(y + to.apart + (size_t)c * to.row, i[c]);                                                          \
    }                                                                                                        \
  }
#define GET_ONE(p) *(p)
#define PUT_ONE(p, v) (*(p) = (v))
#define ALL_ONE(w) (w)
#define MULADD_ONE(a, b, c) ((a) * (b) + (c))
BUTTERFLIES(whole, V, LOAD, STORE, SET1, FMA)
BUTTERFLIES(one, T, GET_ONE, PUT_ONE, ALL_ONE, MULADD_ONE)
#undef BUTTERFLIES

/** The butterflies of one row. */
INLINE void NAME(row)(int radix, bool last, size_t batch, const T *x, rf_points from, T *y, rf_points to,
                      const T *roots, size_t root, size_t order) {
  size_t q = 0;
  for (; q + W <= batch; q += W) {
    NAME(points_whole)(radix, last, x + q, from, y + q, to, roots, root, order);
  }
  for (; q < batch; q++) {
    NAME(points_one)(radix, last, x + q, from, y + q, to, roots, root, order);
  }
}

/* The first pass: `radix` transforms of n / radix points each are left, one after the other in the scratch. */
INLINE void NAME(pass_of)(int radix, size_t n, size_t batch, rf_points from, T *scratch, const T *roots,
                          size_t order) {
  const T *x = from.data;
  size_t points = n / (size_t)radix, x_row = from.row;
  size_t part = points * batch + RF_FFT_SPARE;
  rf_points parts = {scratch, part, (size_t)radix * part, 0, 1, 0};
  from.row *= points;
  for (size_t p = 0; p < points; p++) {
    for (size_t c = 0; c < (size_t)radix && from.ahead > 0; c++) {
      const T *next = x + p * x_row + c * from.row + from.ahead;
      __builtin_prefetch(next, 0, 2);
      __builtin_prefetch(next + from.apart, 0, 2);
    }
    NAME(row)
    (radix, false, batch, x + p * x_row, from, scratch + p * batch, parts, roots, p * (order / n), order);
  }
}

CODELET void NAME(first_pass)(size_t radix, size_t n, size_t batch, rf_points from, T *scratch,
                              const T *roots, size_t order) {
  if (radix == 4) {
    NAME(pass_of)(4, n, batch, from, scratch, roots, order);
  } else if (radix == 16) {
    NAME(pass_of)(16, n, batch, from, scratch, roots, order);
  } else {
    NAME(pass_of)(8, n, batch, from, scratch, roots, order);
  }
}

/* All of a transform that is one pass. */
CODELET bool NAME(only_pass)(size_t n, size_t batch, rf_points from, rf_points to, const T *roots,
                             size_t order) {
  const T *x = from.data;
  T *y = to.data;
  to.row += to.skip;
  switch (n) {
  case 16:
    NAME(row)(16, true, batch, x, from, y, to, roots, 0, order);
    return true;
  case 8:
    NAME(row)(8, true, batch, x, from, y, to, roots, 0, order);
    return true;
  case 4:
    NAME(row)(4, true, batch, x, from, y, to, roots, 0, order);
    return true;
  case 2:
    NAME(row)(2, true, batch, x, from, y, to, roots, 0, order);
    return true;
  case 1:
    NAME(row)(1, true, batch, x, from, y, to, roots, 0, order);
    return true;
  default:
    return false;
  }
}

/* The parts follow each other while they are in the cache, in the scratch and what of it is left. */
TARGET static void NAME(fft)(size_t n, size_t batch, rf_points from, rf_points to, void *scratch,
                             const void *roots, size_t order) {
  if (NAME(only_pass)(n, batch, from, to, roots, order)) {
    return;
  }
  size_t radix = rf_fft_first(n), points = n / radix, part = points * batch + RF_FFT_SPARE;
  NAME(first_pass)(radix, n, batch, from, scratch, roots, order);
  T *x = scratch, *y = to.data, *rest = x + 2 * radix * part;
  size_t y_row = to.row;
  to.row *= radix;
  for (size_t c = 0; c < radix; c++) {
    to.data = y + c * y_row;
    NAME(fft)(points, batch, (rf_points){x + c * part, batch, radix * part, 0, 1, 0}, to, rest, roots, order);
  }
}

#if LANES == 16
#define ACROSS(r, i) NAME(sixteen_whole)(r, i)
#elif LANES == 8
#define ACROSS(r, i) NAME(eight_whole)(r, i)
#elif LANES == 4
#define ACROSS(r, i) NAME(four_whole)(r, i)
#else
#define ACROSS(r, i) NAME(two_whole)(r, i)
#endif

/* W transforms of the W points of a register, times w before: each result is a register. */
INLINE void NAME(across)(const T *x, size_t apart, const T *w, T *y, rf_points to) {
  V r[LANES], i[LANES];
  UNROLL(LANES) for (size_t j = 0; j < LANES; j++) {
    V x_r = LOAD(x + j * W), x_i = LOAD(x + apart + j * W);
    V w_r = LOAD(w + 2 * j * W), w_i = LOAD(w + (2 * j + 1) * W);
    r[j] = FMA(x_r, w_r, -(x_i * w_i));
    i[j] = FMA(x_r, w_i, x_i * w_r);
  }
  NAME(turn_registers)(r);
  NAME(turn_registers)(i);
  ACROSS(r, i);
  UNROLL(LANES) for (size_t j = 0; j < LANES; j++) {
    STORE(y + j * to.row, r[j]);
    STORE(y + to.apart + j * to.row, i[j]);
  }
}

/* Every W-th point together, W such transforms at once; then their results, W points at a time. */
TARGET static void NAME(fft_alone)(size_t n, rf_points from, rf_points to, void *scratch, const void *roots,
                                   const void *powers) {
  size_t rows = n / W, last = rf_fft_last(rows), skip = rows / last % W == 0 ? RF_FFT_SPARE : 0;
  rf_points between = {scratch, W, n + last * skip, skip, rows / last, 0};
  T *x = scratch;
  from.row *= W;
  NAME(fft)(rows, W, from, between, x + 2 * between.apart, roots, rows);
  to.row *= rows;
  for (size_t k = 0; k < rows; k += W) {
    const T *of_rows = x + rf_fft_row(between, k);
    NAME(across)(of_rows, between.apart, (const T *)powers + 2 * k * W, (T *)to.data + k, to);
  }
}
#undef ACROSS

/* x *= factor of its row, w of its row and place. */
TARGET static void NAME(twist)(rf_points points, const void *factors, const void *table, size_t rows,
                               size_t batch) {
  size_t apart = points.apart;
  T *x = points.data;
  const T *f = factors, *w = table;
#define TWIST(E, GET, PUT, ALL, MULADD)                                                                      \
  E w_r = MULADD(GET(w + q), ALL(f[k]), -(GET(w + batch + q) * ALL(f[rows + k])));                           \
  E w_i = MULADD(GET(w + q), ALL(f[rows + k]), GET(w + batch + q) * ALL(f[k]));                              \
  E x_r = GET(x + q), x_i = GET(x + apart + q);                                                              \
  PUT(x + q, MULADD(x_r, w_r, -(x_i * w_i)));                                                                \
  PUT(x + apart + q, MULADD(x_r, w_i, x_i * w_r));
  for (size_t k = 0; k < rows; x += points.skip) {
    for (size_t end = k + points.every; k < end; k++, x += batch, w += 2 * batch) {
      size_t q = 0;
      for (; q + W <= batch; q += W) {
        TWIST(V, LOAD, STORE, SET1, FMA)
      }
      for (; q < batch; q++) {
        TWIST(T, GET_ONE, PUT_ONE, ALL_ONE, MULADD_ONE)
      }
    }
  }
#undef TWIST
}
#undef GET_ONE
#undef PUT_ONE
#undef ALL_ONE
#undef MULADD_ONE
