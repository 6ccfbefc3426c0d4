/* The passes of a Fourier transform: part of body.h, which includes it. Real and imaginary parts lie apart.
 */

/* A radix-4 butterfly on four elements `quarter` apart, `apart` from real to imaginary part; the results are
 * `s` apart and multiplied by the three roots w. */
#define RADIX4(kind, E, GET, PUT, ALL)                                                                       \
  INLINE void NAME(radix4_##kind)(const T *x, size_t quarter, T *y, size_t s, size_t apart, const T *w) {    \
    E r0 = GET(x), r1 = GET(x + quarter), r2 = GET(x + 2 * quarter), r3 = GET(x + 3 * quarter);              \
    x += apart;                                                                                              \
    E i0 = GET(x), i1 = GET(x + quarter), i2 = GET(x + 2 * quarter), i3 = GET(x + 3 * quarter);              \
    E sum_r = r0 + r2, sum_i = i0 + i2, other_r = r1 + r3, other_i = i1 + i3;                                \
    E u1_r = (r0 - r2) + (i1 - i3), u1_i = (i0 - i2) - (r1 - r3);                                            \
    E u2_r = sum_r - other_r, u2_i = sum_i - other_i;                                                        \
    E u3_r = (r0 - r2) - (i1 - i3), u3_i = (i0 - i2) + (r1 - r3);                                            \
    PUT(y, sum_r + other_r);                                                                                 \
    PUT(y + s, u1_r * ALL(w[0]) - u1_i * ALL(w[1]));                                                         \
    PUT(y + 2 * s, u2_r * ALL(w[2]) - u2_i * ALL(w[3]));                                                     \
    PUT(y + 3 * s, u3_r * ALL(w[4]) - u3_i * ALL(w[5]));                                                     \
    y += apart;                                                                                              \
    PUT(y, sum_i + other_i);                                                                                 \
    PUT(y + s, u1_r * ALL(w[1]) + u1_i * ALL(w[0]));                                                         \
    PUT(y + 2 * s, u2_r * ALL(w[3]) + u2_i * ALL(w[2]));                                                     \
    PUT(y + 3 * s, u3_r * ALL(w[5]) + u3_i * ALL(w[4]));                                                     \
  }
#define GET_ONE(p) *(p)
#define PUT_ONE(p, v) *(p) = (v)
#define ALL_ONE(w) (w)
RADIX4(whole, V, LOAD, STORE, SET1)
RADIX4(one, T, GET_ONE, PUT_ONE, ALL_ONE)
#undef RADIX4

/** The last pass when n is an odd power of two: pairs `s` apart in 2 s elements. */
INLINE void NAME(radix2)(const T *x, T *y, size_t s) {
  size_t q = 0;
  for (; q + W <= s; q += W) {
    V a = LOAD(x + q), b = LOAD(x + s + q);
    STORE(y + q, a + b);
    STORE(y + s + q, a - b);
  }
  for (; q < s; q++) {
    T a = x[q], b = x[s + q];
    y[q] = a + b;
    y[s + q] = a - b;
  }
}

/* Stockham's passes: from x to y, back, and so on; each sorts as it goes. */
TARGET static bool NAME(fft)(size_t n, size_t batch, void *first, void *second, const void *table,
                             size_t order) {
  const T *roots = table;
  T *x = first, *y = second, *swapped;
  size_t apart = n * batch, s = batch;
  for (; n >= 4; n /= 4, s *= 4, swapped = x, x = y, y = swapped) {
    size_t quarter = n / 4;
    for (size_t p = 0; p < quarter; p++) {
      size_t root = p * (order / n), q = 0;
      const T w[] = {roots[root],     roots[order + root],    roots[2 * root], roots[order + 2 * root],
                     roots[3 * root], roots[order + 3 * root]};
      for (; q + W <= s; q += W) {
        NAME(radix4_whole)(x + s * p + q, s * quarter, y + 4 * s * p + q, s, apart, w);
      }
      for (; q < s; q++) {
        NAME(radix4_one)(x + s * p + q, s * quarter, y + 4 * s * p + q, s, apart, w);
      }
    }
  }
  if (n == 2) {
    NAME(radix2)(x, y, s);
    NAME(radix2)(x + apart, y + apart, s);
    return y == second;
  }
  return x == second;
}

TARGET static void NAME(twist)(void *data, size_t apart, const void *table, double real, double imaginary,
                               size_t count) {
  T *x = data, re = (T)real, im = (T)imaginary;
  const T *w = table;
  size_t q = 0;
#define TURN(E, GET, PUT, ALL)                                                                               \
  E w_r = GET(w + q) * ALL(re) - GET(w + count + q) * ALL(im);                                               \
  E w_i = GET(w + q) * ALL(im) + GET(w + count + q) * ALL(re);                                               \
  E x_r = GET(x + q), x_i = GET(x + apart + q);                                                              \
  PUT(x + q, x_r * w_r - x_i * w_i);                                                                         \
  PUT(x + apart + q, x_r * w_i + x_i * w_r);
  for (; q + W <= count; q += W) {
    TURN(V, LOAD, STORE, SET1)
  }
  for (; q < count; q++) {
    TURN(T, GET_ONE, PUT_ONE, ALL_ONE)
  }
#undef TURN
}
#undef GET_ONE
#undef PUT_ONE
#undef ALL_ONE
