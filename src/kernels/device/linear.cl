// formats: fp64 fp32 fp16 bf16
/* y = rmsnorm(x) W: x of `batch` rows and `in` columns, a gain for each column, W of `in` rows and `out` columns, which follows
 * the gains. Blocks of BLOCK x BLOCK by 256 work-items, EACH x EACH sums per work-item, DEPTH columns of x at a time. */
#define ITEMS 256
#define BLOCK 128
#define DEPTH 8
#define EACH 8
#define PITCH (BLOCK + 4)
#if defined(TYPE_FP64)
#define GROUPS_PER_UNIT 1 /* the sums of one work-group fill the registers of a compute unit */
#else
#define GROUPS_PER_UNIT 2
#endif
#define EPSILON ((SUM)1e-5) /* RF_NORM_EPSILON */

COMBINE(sum_of, a + b)

FUNCTION SUM factor_of(SUM squares, int in) {
  return 1 / SQRT(squares / in + EPSILON);
}

/* One work-group per row. */
KERNEL_OF(ITEMS, linear_normalise)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL SUM *RESTRICT to, int in) {
  LOCAL SUM parts[PARTS];
  INDEX row = GROUP_X;
  SUM squares = 0;
  for (int p = ITEM_X; p < in; p += ITEMS) {
    SUM value = LOAD(x, row * in + p);
    squares = FMA(value, value, squares);
  }
  SUM factor = factor_of(sum_of(parts, squares), in);
  for (int p = ITEM_X; p < in; p += ITEMS) {
    to[row * in + p] = LOAD(x, row * in + p) * factor * LOAD(weights, p);
  }
}

/* What a work-item loads: of x every 32nd row from item / DEPTH on, of W every other row from item / BLOCK on; one column of each. */
#define X_ROW(i) (item / DEPTH + (i) * (ITEMS / DEPTH))
#define X_COLUMN (item % DEPTH)
#define W_ROW(i) (item / BLOCK + (i) * (ITEMS / BLOCK))
#define W_COLUMN (item % BLOCK)
/* A work-item's rows and columns: four and four, a half of the block apart. */
#define PLACE(from, i) ((from) * 4 + (i) % 4 + (i) / 4 * (BLOCK / 2))

#define ELEMENT_OF_X(i)                                                                                      \
  (top + X_ROW(i) < batch && first + X_COLUMN < in                                                           \
       ? X_AT(x, (INDEX)(top + X_ROW(i)) * in + first + X_COLUMN)                                            \
       : (SUM)0)
#define ELEMENT_OF_W(i)                                                                                      \
  (first + W_ROW(i) < in && left + W_COLUMN < out                                                            \
       ? LOAD(weights, in + (INDEX)(first + W_ROW(i)) * out + left + W_COLUMN) * GAIN(first + W_ROW(i))      \
       : (SUM)0)

/* The sums of a block: the next columns are loaded while these are multiplied. SEEN(i) runs for each element of x. */
#define BLOCK_OF_SUMS                                                                                        \
  LOCAL ALIGN(32) SUM xs[DEPTH * PITCH];                                                                     \
  LOCAL ALIGN(32) SUM ws[DEPTH * PITCH];                                                                     \
  int item = ITEM_X, across = item % 16, down = item / 16, top = GROUP_Y * BLOCK, left = GROUP_X * BLOCK;    \
  int first = 0;                                                                                             \
  SUM sums[EACH][EACH], of_x[4], of_w[4];                                                                    \
  UNROLL for (int i = 0; i < EACH; i++) {                                                                    \
    UNROLL for (int j = 0; j < EACH; j++) {                                                                  \
      sums[i][j] = 0;                                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  UNROLL for (int i = 0; i < 4; i++) {                                                                       \
    of_x[i] = ELEMENT_OF_X(i);                                                                               \
    of_w[i] = ELEMENT_OF_W(i);                                                                               \
  }                                                                                                          \
  while (first < in) {                                                                                       \
    UNROLL for (int i = 0; i < 4; i++) {                                                                     \
      SEEN(i)                                                                                                \
      xs[X_COLUMN * PITCH + X_ROW(i)] = of_x[i];                                                             \
      ws[W_ROW(i) * PITCH + W_COLUMN] = of_w[i];                                                             \
    }                                                                                                        \
    BARRIER();                                                                                               \
    first += DEPTH;                                                                                          \
    UNROLL for (int i = 0; i < 4; i++) {                                                                     \
      of_x[i] = ELEMENT_OF_X(i);                                                                             \
      of_w[i] = ELEMENT_OF_W(i);                                                                             \
    }                                                                                                        \
    UNROLL for (int p = 0; p < DEPTH; p++) {                                                                 \
      SUM rows[EACH], columns[EACH];                                                                         \
      UNROLL for (int i = 0; i < EACH; i++) {                                                                \
        rows[i] = xs[p * PITCH + PLACE(down, i)];                                                            \
        columns[i] = ws[p * PITCH + PLACE(across, i)];                                                       \
      }                                                                                                      \
      UNROLL for (int i = 0; i < EACH; i++) {                                                                \
        UNROLL for (int j = 0; j < EACH; j++) {                                                              \
          sums[i][j] = FMA(rows[i], columns[j], sums[i][j]);                                                 \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    BARRIER();                                                                                               \
  }

#define STORE_SUMS(factor)                                                                                   \
  UNROLL for (int i = 0; i < EACH; i++) {                                                                    \
    UNROLL for (int j = 0; j < EACH; j++) {                                                                  \
      int row = top + PLACE(down, i), column = left + PLACE(across, j);                                      \
      if (row < batch && column < out) {                                                                     \
        STORE(y, (INDEX)row * out + column, sums[i][j] * (factor));                                          \
      }                                                                                                      \
    }                                                                                                        \
  }

#define X_AT(x, i) (x)[i]
#define GAIN(p) 1
#define SEEN(i)
KERNEL_OF_GROUPS(ITEMS, GROUPS_PER_UNIT, linear_multiply)
(GLOBAL const SUM *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL REAL *RESTRICT y, int batch, int in, int out) {
  BLOCK_OF_SUMS
  STORE_SUMS(1)
}

/* Both in one: the factor of a row is the same for all its products, so that it waits for the end. */
#undef X_AT
#undef GAIN
#undef SEEN
#define X_AT(x, i) LOAD(x, i)
#define GAIN(p) LOAD(weights, p)
#define SEEN(i) squares[i] = FMA(of_x[i], of_x[i], squares[i]);
KERNEL_OF_GROUPS(ITEMS, GROUPS_PER_UNIT, linear_fused)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT weights, GLOBAL REAL *RESTRICT y, int batch, int in, int out) {
  SUM squares[4] = {0, 0, 0, 0};
  BLOCK_OF_SUMS
  UNROLL for (int i = 0; i < 4; i++) {
    xs[X_COLUMN * PITCH + X_ROW(i)] = squares[i];
  }
  BARRIER();
  SUM factors[EACH];
  UNROLL for (int i = 0; i < EACH; i++) {
    factors[i] = 0;
    UNROLL for (int p = 0; p < DEPTH; p++) {
      factors[i] += xs[p * PITCH + PLACE(down, i)];
    }
    factors[i] = factor_of(factors[i], in);
  }
  STORE_SUMS(factors[i])
}
