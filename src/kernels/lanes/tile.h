/* The tile of a product of matrices: part of body.h, once per format and instruction set. A tile of C stays
 * in registers over the depth; its columns are registers of B, its rows elements of A that are broadcast. */

/** Fetches lines of what comes next and, over the first steps of the depth, a row of C: from memory it takes a good part
 * of the tile's time to come. */
INLINE void NAME(fetch)(const rf_tile *t, size_t k, int rows, int columns) {
  const T *next = (const T *)t->ahead + k / LINE * t->ahead_stride;
  size_t row = k / LINE;
  for (int j = 0; j < RF_TILE_AHEAD(ROWS, COLUMNS, columns); j++) {
    __builtin_prefetch(next + (size_t)j * t->ahead_apart, 0, 2);
  }
  for (int j = 0; j < columns && row < (size_t)rows && !t->past; j++) {
    __builtin_prefetch((const T *)t->c + row * t->c_stride + (size_t)j * W, 1);
  }
}

INLINE void NAME(put_tile)(T *c, size_t stride, bool add, bool past, V sums[ROWS][COLUMNS], int rows,
                           int columns) {
  UNROLL(ROWS) for (int i = 0; i < rows; i++, c += stride) {
    UNROLL(COLUMNS) for (int j = 0; j < columns; j++) {
      T *to = c + (size_t)j * W;
      if (add) {
        sums[i][j] += LOAD(to);
      }
      NAME(put)(to, sums[i][j], past);
    }
  }
}

/** Copies the part of a tile's last column of registers that lies inside C. */
static __attribute__((noinline)) void NAME(put_edge)(const rf_tile *t, const T *sums, int rows, int columns) {
  T *c = (T *)t->c + (size_t)(columns - 1) * W;
  for (int i = 0; i < rows; i++, c += t->c_stride, sums += W) {
    for (size_t j = 0; j < t->last; j++) {
      c[j] = t->add ? c[j] + sums[j] : sums[j];
    }
  }
}

/** One row of B times one column of A. */
INLINE void NAME(step)(V sums[ROWS][COLUMNS], const T *a, size_t stride, const T *b, int rows, int columns) {
  const T *low = a + (size_t)(rows / 2) * stride;
  V right[COLUMNS];
  for (int j = 0; j < columns; j++) {
    right[j] = LOAD(b + (size_t)j * W);
  }
  for (int i = 0; i < rows; i++) {
    V left = SET1(i < rows / 2 ? a[(size_t)i * stride] : low[(size_t)(i - rows / 2) * stride]);
    for (int j = 0; j < columns; j++) {
      sums[i][j] = FMA(left, right[j], sums[i][j]);
    }
  }
}

/** The sums of a tile; `a_step` is apart from the others so that it can be a constant. Only a whole tile is worth
 * much code. */
INLINE void NAME(add_up)(const rf_tile *t, V sums[ROWS][COLUMNS], size_t a_step, int rows, int columns) {
  const T *a = t->a, *b = t->b;
  const size_t a_stride = t->a_stride, b_stride = t->b_stride, depth = t->depth;
  const bool ahead = t->ahead != NULL;
  size_t k = 0;
  for (; k + LINE <= depth; k += LINE) {
    if (ahead) {
      NAME(fetch)(t, k, rows, columns);
    }
    if (rows == ROWS) {
      UNROLL(STEPS) for (size_t p = 0; p < LINE; p++, b += b_stride) {
        NAME(step)(sums, a + (k + p) * a_step, a_stride, b, rows, columns);
      }
    } else {
      UNROLL(4) for (size_t p = 0; p < LINE; p++, b += b_stride) {
        NAME(step)(sums, a + (k + p) * a_step, a_stride, b, rows, columns);
      }
    }
  }
  for (; k < depth; k++, b += b_stride) {
    NAME(step)(sums, a + k * a_step, a_stride, b, rows, columns);
  }
}

INLINE void NAME(tile)(const rf_tile *t, const int rows, const int columns) {
  V sums[ROWS][COLUMNS];
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      sums[i][j] = SET1(0);
    }
  }
  if (rows < ROWS) {
    NAME(add_up)(t, sums, t->a_step, rows, columns);
  } else if (t->a_step == 1) {
    NAME(add_up)(t, sums, 1, rows, columns);
  } else {
    NAME(add_up)(t, sums, ROWS, rows, columns);
  }
  if (t->past) {
    NAME(put_tile)(t->c, t->c_stride, false, true, sums, rows, columns);
    return;
  }
  if (t->last == W) {
    NAME(put_tile)(t->c, t->c_stride, t->add, false, sums, rows, columns);
    return;
  }
  T edge[ROWS * W];
  UNROLL(ROWS) for (int i = 0; i < rows; i++) {
    STORE(edge + (size_t)i * W, sums[i][columns - 1]);
  }
  NAME(put_tile)(t->c, t->c_stride, t->add, false, sums, rows, columns - 1);
  NAME(put_edge)(t, edge, rows, columns);
}

#define TILE(rows, columns)                                                                                  \
  TARGET static void NAME(tile_##rows##_##columns)(const rf_tile *t) {                                       \
    NAME(tile)(t, rows, columns);                                                                            \
  }
#if COLUMNS == 3
#define TILES(rows) TILE(rows, 1) TILE(rows, 2) TILE(rows, 3)
#define TILE_ROW(rows) {NAME(tile_##rows##_1), NAME(tile_##rows##_2), NAME(tile_##rows##_3)},
#else
#define TILES(rows) TILE(rows, 1) TILE(rows, 2)
#define TILE_ROW(rows) {NAME(tile_##rows##_1), NAME(tile_##rows##_2)},
#endif
#if ROWS == 8
#define HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#elif ROWS == 6
#define HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define HEIGHTS(X) X(1) X(2) X(3) X(4)
#endif
HEIGHTS(TILES)
#undef TILE
#undef TILES
