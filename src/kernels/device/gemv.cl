// formats: fp64 fp32 fp16 bf16
/* y = A x: a group of LANES lanes a row; A in the format of x, or as whole numbers in groups of GROUPED with a scale each. */
#define LANES 128
#define GROUPED 128

FUNCTION SUM sum_of(LOCAL_POINTER SUM *parts, SUM mine) {
  int lane = LANE_X;
  parts[lane] = mine;
  BARRIER();
  for (int reach = LANES / 2; reach > 0; reach /= 2) {
    if (lane < reach) {
      parts[lane] += parts[lane + reach];
    }
    BARRIER();
  }
  return parts[0];
}

KERNEL(gemv_plain)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT y, int n) {
  LOCAL SUM parts[LANES];
  GLOBAL const REAL *row = a + (INDEX)GROUP_X * n;
  SUM sums[4] = {0, 0, 0, 0};
  for (int j = LANE_X; j < n; j += 4 * LANES) {
    UNROLL for (int i = 0; i < 4; i++) {
      int at = j + i * LANES;
      sums[i] = at < n ? FMA(LOAD(row, at), LOAD(x, at), sums[i]) : sums[i];
    }
  }
  SUM total = sum_of(parts, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  if (LANE_X == 0) {
    STORE(y, GROUP_X, total);
  }
}

#if defined(TYPE_FP16)
/* Four signed bytes of a row at a time; the scales follow all rows. */
KERNEL(gemv_int8)
(GLOBAL const char *RESTRICT a, GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT y, int n, INDEX scales_at) {
  LOCAL SUM parts[LANES];
  GLOBAL const char4 *row = (GLOBAL const char4 *)(a + (INDEX)GROUP_X * n);
  GLOBAL const REAL *scales = (GLOBAL const REAL *)(a + scales_at) + (INDEX)GROUP_X * (n / GROUPED);
  SUM sum = 0;
  for (int j = LANE_X; j < n / 4; j += LANES) {
    char4 w = row[j];
    SUM part = (SUM)w.x * LOAD(x, 4 * j) + (SUM)w.y * LOAD(x, 4 * j + 1) + (SUM)w.z * LOAD(x, 4 * j + 2) +
               (SUM)w.w * LOAD(x, 4 * j + 3);
    sum = FMA(part, LOAD(scales, 4 * j / GROUPED), sum);
  }
  sum = sum_of(parts, sum);
  if (LANE_X == 0) {
    STORE(y, GROUP_X, sum);
  }
}

/* Two numbers from -8 to 7 a byte, the first in its lower reach, kept with 8 added. */
#define LOW(b) ((SUM)((int)((b) & 15) - 8))
#define HIGH(b) ((SUM)((int)((b) >> 4) - 8))
KERNEL(gemv_int4)
(GLOBAL const uchar *RESTRICT a, GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT y, int n, INDEX scales_at) {
  LOCAL SUM parts[LANES];
  GLOBAL const uchar4 *row = (GLOBAL const uchar4 *)(a + (INDEX)GROUP_X * (n / 2));
  GLOBAL const REAL *scales = (GLOBAL const REAL *)(a + scales_at) + (INDEX)GROUP_X * (n / GROUPED);
  SUM sum = 0;
  for (int j = LANE_X; j < n / 8; j += LANES) {
    uchar4 w = row[j];
    int at = 8 * j;
    SUM part = LOW(w.x) * LOAD(x, at) + HIGH(w.x) * LOAD(x, at + 1) + LOW(w.y) * LOAD(x, at + 2) +
               HIGH(w.y) * LOAD(x, at + 3) + LOW(w.z) * LOAD(x, at + 4) + HIGH(w.z) * LOAD(x, at + 5) +
               LOW(w.w) * LOAD(x, at + 6) + HIGH(w.w) * LOAD(x, at + 7);
    sum = FMA(part, LOAD(scales, at / GROUPED), sum);
  }
  sum = sum_of(parts, sum);
  if (LANE_X == 0) {
    STORE(y, GROUP_X, sum);
  }
}
#endif
