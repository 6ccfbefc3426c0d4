// formats: fp64 fp32 fp16 bf16
/* y = rmsnorm(x) W: x of `batch` rows and `in` columns, a gain for each column, W of `in` rows and `out` columns, which follows
 * the gains. Tiles of TILE x TILE. */
#define TILE 16
#define EPSILON ((SUM)1e-5) /* ROOF_NORM_EPSILON */

/* The factor of each row: lane (x, y) takes part of row y. */
FUNCTION SUM factor_of(LOCAL_POINTER SUM *parts, GLOBAL const REAL *x, int row, int batch, int in) {
  SUM sum = 0;
  for (int p = LANE_X; row < batch && p < in; p += TILE) {
    SUM value = LOAD(x, (INDEX)row * in + p);
    sum = FMA(value, value, sum);
  }
  parts[LANE_Y * TILE + LANE_X] = sum;
  BARRIER();
  sum = 0;
  for (int p = 0; p < TILE; p++) {
    sum += parts[LANE_Y * TILE + p];
  }
  BARRIER();
  return 1 / SQRT(sum / in + EPSILON);
}

KERNEL(linear_normalise)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL SUM *RESTRICT to, int batch, int in) {
  LOCAL SUM parts[TILE * TILE];
  int row = GROUP_X * TILE + LANE_Y;
  SUM factor = factor_of(parts, x, row, batch, in);
  for (int p = LANE_X; row < batch && p < in; p += TILE) {
    to[(INDEX)row * in + p] = LOAD(x, (INDEX)row * in + p) * factor * LOAD(weights, p);
  }
}

KERNEL(linear_multiply)
(GLOBAL const SUM *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL REAL *RESTRICT y, int batch, int in, int out) {
  LOCAL SUM xs[TILE][TILE + 1];
  LOCAL SUM ws[TILE][TILE + 1];
  int row = GROUP_Y * TILE + LANE_Y, column = GROUP_X * TILE + LANE_X;
  SUM sum = 0;
  for (int first = 0; first < in; first += TILE) {
    int left = first + LANE_X, down = first + LANE_Y;
    xs[LANE_Y][LANE_X] = row < batch && left < in ? x[(INDEX)row * in + left] : (SUM)0;
    ws[LANE_Y][LANE_X] = column < out && down < in ? LOAD(weights, in + (INDEX)down * out + column) : (SUM)0;
    BARRIER();
    for (int p = 0; p < TILE; p++) {
      sum = FMA(xs[LANE_Y][p], ws[p][LANE_X], sum);
    }
    BARRIER();
  }
  if (row < batch && column < out) {
    STORE(y, (INDEX)row * out + column, sum);
  }
}

/* Both in one: the factor of a row is the same for all its products, so that it waits for the end. */
KERNEL(linear_fused)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL REAL *RESTRICT y, int batch, int in, int out) {
  LOCAL SUM xs[TILE][TILE + 1];
  LOCAL SUM ws[TILE][TILE + 1];
  int row = GROUP_Y * TILE + LANE_Y, column = GROUP_X * TILE + LANE_X;
  SUM sum = 0, squares = 0;
  for (int first = 0; first < in; first += TILE) {
    int left = first + LANE_X, down = first + LANE_Y;
    SUM value = row < batch && left < in ? LOAD(x, (INDEX)row * in + left) : (SUM)0;
    xs[LANE_Y][LANE_X] = value;
    ws[LANE_Y][LANE_X] =
        column < out && down < in ? LOAD(weights, in + (INDEX)down * out + column) * LOAD(weights, down) : (SUM)0;
    squares = FMA(value, value, squares);
    BARRIER();
    for (int p = 0; p < TILE; p++) {
      sum = FMA(xs[LANE_Y][p], ws[p][LANE_X], sum);
    }
    BARRIER();
  }
  xs[LANE_Y][LANE_X] = squares;
  BARRIER();
  squares = 0;
  for (int p = 0; p < TILE; p++) {
    squares += xs[LANE_Y][p];
  }
  if (row < batch && column < out) {
    STORE(y, (INDEX)row * out + column, sum / SQRT(squares / in + EPSILON));
  }
}
