// formats: fp64 fp32
/* The ladder of C = A B, all in row order: m rows of A and C, n columns of B and C, k columns of A. Each rung removes
 * what bound the one before. */

/* 1: one element per work-item. Neighbouring work-items have neighbouring rows: each load and store is a separate line. */
KERNEL_OF(256, gemm_naive)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  int row = GROUP_X * ITEMS_X + ITEM_X, column = GROUP_Y * ITEMS_Y + ITEM_Y;
  if (row < m && column < n) {
    SUM sum = 0;
    for (int p = 0; p < k; p++) {
      sum = FMA(a[(INDEX)row * k + p], b[(INDEX)p * n + column], sum);
    }
    c[(INDEX)row * n + column] = sum;
  }
}

/* 2: neighbouring work-items have neighbouring columns: they share the load of A, and their loads of B are one line. */
KERNEL_OF(256, gemm_coalesced)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  int row = GROUP_Y * ITEMS_Y + ITEM_Y, column = GROUP_X * ITEMS_X + ITEM_X;
  if (row < m && column < n) {
    SUM sum = 0;
    for (int p = 0; p < k; p++) {
      sum = FMA(a[(INDEX)row * k + p], b[(INDEX)p * n + column], sum);
    }
    c[(INDEX)row * n + column] = sum;
  }
}

/* 3: a work-group loads a tile of A and one of B together, so that each element comes from memory once per work-group. */
#define TILE 16
KERNEL_OF(256, gemm_tiled)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL REAL as[TILE][TILE + 1];
  LOCAL REAL bs[TILE][TILE + 1];
  int x = ITEM_X, y = ITEM_Y, row = GROUP_Y * TILE + y, column = GROUP_X * TILE + x;
  SUM sum = 0;
  for (int first = 0; first < k; first += TILE) {
    as[y][x] = row < m && first + x < k ? a[(INDEX)row * k + first + x] : (REAL)0;
    bs[y][x] = column < n && first + y < k ? b[(INDEX)(first + y) * n + column] : (REAL)0;
    BARRIER();
    for (int p = 0; p < TILE; p++) {
      sum = FMA(as[y][p], bs[p][x], sum);
    }
    BARRIER();
  }
  if (row < m && column < n) {
    c[(INDEX)row * n + column] = sum;
  }
}

/* 4: a work-item computes ROWS_1D elements of one column: an element of B is loaded once for all of them. */
#define TALL_1D 64
#define WIDE_1D 32
#define DEPTH_1D 8
#define ROWS_1D 8
KERNEL_OF(256, gemm_blocked_1d)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL REAL as[TALL_1D][DEPTH_1D];
  LOCAL REAL bs[DEPTH_1D][WIDE_1D];
  int item = ITEM_X, x = item % WIDE_1D, y = item / WIDE_1D;
  int top = GROUP_Y * TALL_1D, left = GROUP_X * WIDE_1D;
  SUM sums[ROWS_1D] = {0};
  for (int first = 0; first < k; first += DEPTH_1D) {
    for (int i = item; i < TALL_1D * DEPTH_1D; i += TALL_1D * WIDE_1D / ROWS_1D) {
      int row = top + i / DEPTH_1D, p = first + i % DEPTH_1D;
      as[i / DEPTH_1D][i % DEPTH_1D] = row < m && p < k ? a[(INDEX)row * k + p] : (REAL)0;
    }
    bs[y][x] = first + y < k && left + x < n ? b[(INDEX)(first + y) * n + left + x] : (REAL)0;
    BARRIER();
    for (int p = 0; p < DEPTH_1D; p++) {
      REAL right = bs[p][x];
      UNROLL for (int i = 0; i < ROWS_1D; i++) {
        sums[i] = FMA(as[y * ROWS_1D + i][p], right, sums[i]);
      }
    }
    BARRIER();
  }
  UNROLL for (int i = 0; i < ROWS_1D; i++) {
    int row = top + y * ROWS_1D + i;
    if (row < m && left + x < n) {
      c[(INDEX)row * n + left + x] = sums[i];
    }
  }
}

/* From here on a work-group of 256 work-items computes BLOCK x BLOCK elements, each work-item EACH x EACH, in steps of DEPTH. */
#define BLOCK 128
#define DEPTH 8
#define EACH 8
#define GROUP_ITEMS 256

/* 5: a work-item computes EACH rows and columns: EACH + EACH loads for EACH x EACH multiply-adds. */
KERNEL_OF(256, gemm_blocked_2d)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL REAL as[BLOCK][DEPTH];
  LOCAL REAL bs[DEPTH][BLOCK];
  int item = ITEM_X, x = item % (BLOCK / EACH) * EACH, y = item / (BLOCK / EACH) * EACH;
  int top = GROUP_Y * BLOCK, left = GROUP_X * BLOCK;
  SUM sums[EACH][EACH];
  UNROLL for (int i = 0; i < EACH; i++) {
    UNROLL for (int j = 0; j < EACH; j++) {
      sums[i][j] = 0;
    }
  }
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = item; i < BLOCK * DEPTH; i += GROUP_ITEMS) {
      int row = i / DEPTH, p = i % DEPTH, q = i / BLOCK, column = i % BLOCK;
      as[row][p] = top + row < m && first + p < k ? a[(INDEX)(top + row) * k + first + p] : (REAL)0;
      bs[q][column] = first + q < k && left + column < n ? b[(INDEX)(first + q) * n + left + column] : (REAL)0;
    }
    BARRIER();
    for (int p = 0; p < DEPTH; p++) {
      REAL of_a[EACH];
      UNROLL for (int i = 0; i < EACH; i++) {
        of_a[i] = as[y + i][p];
      }
      UNROLL for (int j = 0; j < EACH; j++) {
        REAL right = bs[p][x + j];
        UNROLL for (int i = 0; i < EACH; i++) {
          sums[i][j] = FMA(of_a[i], right, sums[i][j]);
        }
      }
    }
    BARRIER();
  }
  UNROLL for (int i = 0; i < EACH; i++) {
    UNROLL for (int j = 0; j < EACH; j++) {
      if (top + y + i < m && left + x + j < n) {
        c[(INDEX)(top + y + i) * n + left + x + j] = sums[i][j];
      }
    }
  }
}

/* Four elements of a row from column `column` on; zeros outside the matrix. */
FUNCTION REAL4 four(GLOBAL const REAL *from, int row, int column, int rows, int columns) {
  REAL4 result = {0, 0, 0, 0};
  GLOBAL const REAL *at = from + (INDEX)row * columns + column;
  if (row < rows && column + 3 < columns && columns % 4 == 0) {
    result = *(GLOBAL const REAL4 *)at;
  } else if (row < rows && column < columns) {
    result.x = at[0];
    result.y = column + 1 < columns ? at[1] : (REAL)0;
    result.z = column + 2 < columns ? at[2] : (REAL)0;
    result.w = column + 3 < columns ? at[3] : (REAL)0;
  }
  return result;
}

FUNCTION void put_four(GLOBAL REAL *to, int row, int column, int rows, int columns, REAL4 value) {
  GLOBAL REAL *at = to + (INDEX)row * columns + column;
  if (row < rows && column + 3 < columns && columns % 4 == 0) {
    *(GLOBAL REAL4 *)at = value;
  } else if (row < rows) {
    if (column < columns) {
      at[0] = value.x;
    }
    if (column + 1 < columns) {
      at[1] = value.y;
    }
    if (column + 2 < columns) {
      at[2] = value.z;
    }
    if (column + 3 < columns) {
      at[3] = value.w;
    }
  }
}

/* What one work-item loads of A: four of a row, kept as a column of the tile, so that a work-item's rows are contiguous. */
#define A_ROW (item / (DEPTH / 4))
#define A_COLUMN (item % (DEPTH / 4) * 4)
#define B_ROW (item / (BLOCK / 4))
#define B_COLUMN (item % (BLOCK / 4) * 4)
#define PITCH (BLOCK + 4)

FUNCTION void keep(LOCAL_POINTER REAL *as, LOCAL_POINTER REAL *bs, int item, REAL4 of_a, REAL4 of_b) {
  as[(A_COLUMN + 0) * PITCH + A_ROW] = of_a.x;
  as[(A_COLUMN + 1) * PITCH + A_ROW] = of_a.y;
  as[(A_COLUMN + 2) * PITCH + A_ROW] = of_a.z;
  as[(A_COLUMN + 3) * PITCH + A_ROW] = of_a.w;
  *(LOCAL_POINTER REAL4 *)(bs + B_ROW * PITCH + B_COLUMN) = of_b;
}

/* One step of the sums of a work-item: four rows from y and from y + step_y on, four columns likewise. */
#define ROW_OF_SUMS(i, left)                                                                                 \
  sums[i][0] = FMA(left, b0.x, sums[i][0]);                                                                  \
  sums[i][1] = FMA(left, b0.y, sums[i][1]);                                                                  \
  sums[i][2] = FMA(left, b0.z, sums[i][2]);                                                                  \
  sums[i][3] = FMA(left, b0.w, sums[i][3]);                                                                  \
  sums[i][4] = FMA(left, b1.x, sums[i][4]);                                                                  \
  sums[i][5] = FMA(left, b1.y, sums[i][5]);                                                                  \
  sums[i][6] = FMA(left, b1.z, sums[i][6]);                                                                  \
  sums[i][7] = FMA(left, b1.w, sums[i][7]);
#define MULTIPLY(as, bs, y, step_y, x, step_x)                                                               \
  UNROLL for (int p = 0; p < DEPTH; p++) {                                                                   \
    REAL4 a0 = *(LOCAL_POINTER const REAL4 *)((as) + p * PITCH + (y));                                       \
    REAL4 a1 = *(LOCAL_POINTER const REAL4 *)((as) + p * PITCH + (y) + (step_y));                            \
    REAL4 b0 = *(LOCAL_POINTER const REAL4 *)((bs) + p * PITCH + (x));                                       \
    REAL4 b1 = *(LOCAL_POINTER const REAL4 *)((bs) + p * PITCH + (x) + (step_x));                            \
    ROW_OF_SUMS(0, a0.x)                                                                                     \
    ROW_OF_SUMS(1, a0.y)                                                                                     \
    ROW_OF_SUMS(2, a0.z)                                                                                     \
    ROW_OF_SUMS(3, a0.w)                                                                                     \
    ROW_OF_SUMS(4, a1.x)                                                                                     \
    ROW_OF_SUMS(5, a1.y)                                                                                     \
    ROW_OF_SUMS(6, a1.z)                                                                                     \
    ROW_OF_SUMS(7, a1.w)                                                                                     \
  }
#define CLEAR_SUMS                                                                                           \
  SUM sums[EACH][EACH];                                                                                      \
  UNROLL for (int i = 0; i < EACH; i++) {                                                                    \
    UNROLL for (int j = 0; j < EACH; j++) {                                                                  \
      sums[i][j] = 0;                                                                                        \
    }                                                                                                        \
  }
#define STORE_SUMS(y, step_y, x, step_x)                                                                     \
  UNROLL for (int i = 0; i < EACH; i++) {                                                                    \
    int row = top + (y) + (i < 4 ? i : i - 4 + (step_y));                                                    \
    REAL4 low = {sums[i][0], sums[i][1], sums[i][2], sums[i][3]};                                            \
    REAL4 high = {sums[i][4], sums[i][5], sums[i][6], sums[i][7]};                                           \
    put_four(c, row, left + (x), m, n, low);                                                                 \
    put_four(c, row, left + (x) + (step_x), m, n, high);                                                     \
  }

/* 6: four elements per load and store, from memory and from the tiles. */
KERNEL_OF(256, gemm_vectorised)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL ALIGN(32) REAL as[DEPTH * PITCH];
  LOCAL ALIGN(32) REAL bs[DEPTH * PITCH];
  int item = ITEM_X, x = item % (BLOCK / EACH) * EACH, y = item / (BLOCK / EACH) * EACH;
  int top = GROUP_Y * BLOCK, left = GROUP_X * BLOCK;
  CLEAR_SUMS
  for (int first = 0; first < k; first += DEPTH) {
    keep(as, bs, item, four(a, top + A_ROW, first + A_COLUMN, m, k), four(b, first + B_ROW, left + B_COLUMN, k, n));
    BARRIER();
    MULTIPLY(as, bs, y, 4, x, 4)
    BARRIER();
  }
  STORE_SUMS(y, 4, x, 4)
}

/* A subgroup of 32 work-items computes 64 rows and 32 columns. Its work-items are arranged 8 x 4, each with four rows and
 * columns of each half: what they read of a tile at once lies in different banks. */
#define SUBGROUP_ROW (item / 32 / (BLOCK / 32) * 64 + item % 32 / 4 * 4)
#define SUBGROUP_COLUMN (item / 32 % (BLOCK / 32) * 32 + item % 4 * 4)

/* 7: the same with the work-items of a subgroup close together. */
KERNEL_OF(256, gemm_waves)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL ALIGN(32) REAL as[DEPTH * PITCH];
  LOCAL ALIGN(32) REAL bs[DEPTH * PITCH];
  int item = ITEM_X, y = SUBGROUP_ROW, x = SUBGROUP_COLUMN;
  int top = GROUP_Y * BLOCK, left = GROUP_X * BLOCK;
  CLEAR_SUMS
  for (int first = 0; first < k; first += DEPTH) {
    keep(as, bs, item, four(a, top + A_ROW, first + A_COLUMN, m, k), four(b, first + B_ROW, left + B_COLUMN, k, n));
    BARRIER();
    MULTIPLY(as, bs, y, 32, x, 16)
    BARRIER();
  }
  STORE_SUMS(y, 32, x, 16)
}

/* 8: two pairs of tiles: the next step's elements are loaded while this step's are multiplied. */
#if defined(TYPE_FP64)
#define GROUPS_PER_UNIT 1
#else
#define GROUPS_PER_UNIT 2
#endif
KERNEL_OF_GROUPS(GROUP_ITEMS, GROUPS_PER_UNIT, gemm_double_buffered)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, int m, int n, int k) {
  LOCAL ALIGN(32) REAL as[2 * DEPTH * PITCH];
  LOCAL ALIGN(32) REAL bs[2 * DEPTH * PITCH];
  int item = ITEM_X, y = SUBGROUP_ROW, x = SUBGROUP_COLUMN, now = 0;
  int top = GROUP_Y * BLOCK, left = GROUP_X * BLOCK;
  CLEAR_SUMS
  keep(as, bs, item, four(a, top + A_ROW, A_COLUMN, m, k), four(b, B_ROW, left + B_COLUMN, k, n));
  BARRIER();
  for (int first = 0; first < k; first += DEPTH) {
    int next = first + DEPTH;
    REAL4 of_a = four(a, top + A_ROW, next + A_COLUMN, m, k), of_b = four(b, next + B_ROW, left + B_COLUMN, k, n);
    MULTIPLY(as + now, bs + now, y, 32, x, 16)
    now = DEPTH * PITCH - now;
    keep(as + now, bs + now, item, of_a, of_b);
    BARRIER();
  }
  STORE_SUMS(y, 32, x, 16)
}
