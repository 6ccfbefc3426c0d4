/* An update of few rows of C by some rows of B where they lie: part of body.h. Registers of B are loaded once for all rows of C,
 * which pass from the second cache. */

/** `wide` registers, from column j on, by `rank` rows of B. */
INLINE void NAME(update_at)(const rf_update *u, size_t j, const int rank, const int wide) {
  const T *a = u->a, *b = (const T *)u->b + j;
  T *c = (T *)u->c + j;
  V right[RF_RANK][2];
  UNROLL(RF_RANK) for (int p = 0; p < rank; p++) {
    UNROLL(2) for (int w = 0; w < wide; w++) {
      right[p][w] = LOAD(b + (size_t)p * u->b_stride + (size_t)w * W);
    }
  }
  for (size_t i = 0; i < u->rows; i++, a += RF_RANK, c += u->c_stride) {
    V sums[2];
    UNROLL(2) for (int w = 0; w < wide; w++) {
      sums[w] = LOAD(c + (size_t)w * W);
    }
    UNROLL(RF_RANK) for (int p = 0; p < rank; p++) {
      V left = SET1(a[p]);
      UNROLL(2) for (int w = 0; w < wide; w++) {
        sums[w] = FMA(left, right[p][w], sums[w]);
      }
    }
    UNROLL(2) for (int w = 0; w < wide; w++) {
      STORE(c + (size_t)w * W, sums[w]);
    }
  }
}

INLINE void NAME(update_by)(const rf_update *u, const int rank) {
  size_t j = 0;
  for (; j + 2 * W <= u->columns; j += 2 * W) {
    NAME(update_at)(u, j, rank, 2);
  }
  for (; j + W <= u->columns; j += W) {
    NAME(update_at)(u, j, rank, 1);
  }
  for (; j < u->columns; j++) {
    for (size_t i = 0; i < u->rows; i++) {
      for (int p = 0; p < rank; p++) {
        ((T *)u->c)[i * u->c_stride + j] +=
            ((const T *)u->a)[i * RF_RANK + (size_t)p] * ((const T *)u->b)[(size_t)p * u->b_stride + j];
      }
    }
  }
}

TARGET static void NAME(update)(const rf_update *u) {
  if (u->rank == RF_RANK) {
    NAME(update_by)(u, RF_RANK);
  } else {
    for (int p = 0; p < u->rank; p++) {
      rf_update one = *u;
      one.a = (const T *)u->a + p;
      one.b = (const T *)u->b + (size_t)p * u->b_stride;
      NAME(update_by)(&one, 1);
    }
  }
}
