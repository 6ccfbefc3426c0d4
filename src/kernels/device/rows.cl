// formats: fp64 fp32 fp16 bf16
/* Rows of a matrix: sums, softmax, rmsnorm. The work-items along x share a row; those along y have other rows. A work-item keeps
 * EACH elements in registers, so that it has 64 to 128 bytes in flight and a row is read once. Together the work-items of a row
 * keep a part of it. A row that begins at a multiple of 16 bytes is read by packs, any other by elements. */
#define ITEMS 256
#define MOST_ITEMS 1024
#define EPSILON ((SUM)1e-5) /* RF_NORM_EPSILON */
#define LOG2_E ((SUM)1.4426950408889634)
#if defined(TYPE_FP64)
#define EACH_packs 16
#define EACH_elements 8
#else
#define EACH_packs 32
#define EACH_elements 16
#endif
#define EACH_part (EACH_packs / 2)

COMBINE(sum_of, a + b)
COMBINE(maximum_of, MAX(a, b))

/* A work-item's elements of the part of a row that is `left` elements long or longer; beyond its end there is `nothing`. */
FUNCTION void fetch_packs(SUM *kept, int each, GLOBAL const REAL *part, int left, SUM nothing) {
  PACK packs[32 / PACKED];
  SUM blank[PACKED];
  UNROLL for (int i = 0; i < PACKED; i++) {
    blank[i] = nothing;
  }
  UNROLL for (int j = 0; j < each / PACKED; j++) {
    int at = ITEM_X + j * ITEMS_X;
    packs[j] = PACK_OF(blank);
    if (at * PACKED < left) {
      packs[j] = FETCH(part, at);
    }
  }
  UNROLL for (int j = 0; j < each / PACKED; j++) {
    UNPACK(kept + j * PACKED, packs[j]);
  }
}

FUNCTION void put_packs(GLOBAL REAL *part, int left, const SUM *kept, int each) {
  UNROLL for (int j = 0; j < each / PACKED; j++) {
    int at = ITEM_X + j * ITEMS_X;
    if (at * PACKED < left) {
      PUT(part, at, PACK_OF(kept + j * PACKED));
    }
  }
}

/* Multiplies the kept elements by the work-item's elements of what all rows share; behind the end it takes the first. */
FUNCTION void gain_packs(SUM *kept, int each, GLOBAL const REAL *part, int left) {
  UNROLL for (int j = 0; j < each / PACKED; j++) {
    SUM gain[PACKED];
    int at = ITEM_X + j * ITEMS_X;
    UNPACK(gain, ((GLOBAL const PACK *)part)[at * PACKED < left ? at : 0]);
    UNROLL for (int i = 0; i < PACKED; i++) {
      kept[j * PACKED + i] *= gain[i];
    }
  }
}

/* The same by elements. */
FUNCTION void fetch_elements(SUM *kept, int each, GLOBAL const REAL *part, int left, SUM nothing) {
  UNROLL for (int j = 0; j < each; j++) {
    int at = ITEM_X + j * ITEMS_X;
    kept[j] = at < left ? LOAD(part, at) : nothing;
  }
}

FUNCTION void put_elements(GLOBAL REAL *part, int left, const SUM *kept, int each) {
  UNROLL for (int j = 0; j < each; j++) {
    int at = ITEM_X + j * ITEMS_X;
    if (at < left) {
      STORE(part, at, kept[j]);
    }
  }
}

FUNCTION void gain_elements(SUM *kept, int each, GLOBAL const REAL *part, int left) {
  UNROLL for (int j = 0; j < each; j++) {
    int at = ITEM_X + j * ITEMS_X;
    kept[j] *= LOAD(part, at < left ? at : 0);
  }
}

FUNCTION SUM maximum_kept(const SUM *kept, int each, SUM most) {
  SUM highest[4] = {most, most, most, most};
  UNROLL for (int j = 0; j < each; j++) {
    highest[j % 4] = MAX(highest[j % 4], kept[j]);
  }
  return MAX(MAX(highest[0], highest[1]), MAX(highest[2], highest[3]));
}

FUNCTION SUM sum_kept(const SUM *kept, int each) {
  SUM sums[4] = {0, 0, 0, 0};
  UNROLL for (int j = 0; j < each; j++) {
    sums[j % 4] += kept[j];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

FUNCTION SUM squares_kept(const SUM *kept, int each) {
  SUM sums[4] = {0, 0, 0, 0};
  UNROLL for (int j = 0; j < each; j++) {
    sums[j % 4] = FMA(kept[j], kept[j], sums[j % 4]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Powers of e: 2 to the power of LOG2_E x - shift. */
FUNCTION void raise_kept(SUM *kept, int each, SUM shift) {
  UNROLL for (int j = 0; j < each; j++) {
    kept[j] = EXP2(FMA(kept[j], LOG2_E, -shift));
  }
}

FUNCTION void scale_kept(SUM *kept, int each, SUM factor) {
  UNROLL for (int j = 0; j < each; j++) {
    kept[j] *= factor;
  }
}

FUNCTION SUM factor_of(SUM squares, int columns) {
  return 1 / SQRT(squares / columns + EPSILON);
}

/* The row of a work-item; work-items behind the last row read it too, and write nothing. */
#define ROW(each)                                                                                            \
  SUM kept[each];                                                                                            \
  int wanted = GROUP_X * ITEMS_Y + ITEM_Y, row = wanted < rows ? wanted : rows - 1;                          \
  bool mine = wanted < rows;                                                                                 \
  INDEX start = (INDEX)row * columns;

/* The parts of a row one after the other, and from its end back: what was read last is still in a cache. */
#define TOGETHER (EACH_part * ITEMS_X)
#define EACH_PART(at) for (int at = 0; at < columns; at += TOGETHER)
#define EACH_PART_BACK(at) for (int at = (columns - 1) / TOGETHER * TOGETHER; at >= 0; at -= TOGETHER)

#define ROWS(HOW)                                                                                            \
  /* Softmax in three kernels, each from memory to memory: the maximum of a row, the sum of its powers, their quotient. */ \
  KERNEL_OF(MOST_ITEMS, rows_maximum_##HOW)                                                                  \
  (GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT maxima, int columns, int rows) {                      \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_part) SUM most = -INFINITY;                                                                     \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, -INFINITY);                                 \
      most = maximum_kept(kept, EACH_part, most);                                                            \
    }                                                                                                        \
    most = maximum_of(parts, most);                                                                          \
    if (mine && ITEM_X == 0) {                                                                               \
      maxima[row] = most * LOG2_E;                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL_OF(MOST_ITEMS, rows_powers_##HOW)                                                                   \
  (GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT maxima, int columns, int rows) {                      \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_part) SUM shift = maxima[row], sum = 0;                                                         \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, -INFINITY);                                 \
      raise_kept(kept, EACH_part, shift);                                                                    \
      sum += sum_kept(kept, EACH_part);                                                                      \
    }                                                                                                        \
    sum = sum_of(parts, sum);                                                                                \
    if (mine && ITEM_X == 0) {                                                                               \
      maxima[rows + row] = sum;                                                                              \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL_OF(MOST_ITEMS, rows_quotients_##HOW)                                                                \
  (GLOBAL const REAL *RESTRICT x, GLOBAL const SUM *RESTRICT maxima, GLOBAL REAL *RESTRICT out, int columns, \
   int rows) {                                                                                               \
    ROW(EACH_part) SUM shift = maxima[row], factor = 1 / maxima[rows + row];                                 \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, -INFINITY);                                 \
      raise_kept(kept, EACH_part, shift);                                                                    \
      scale_kept(kept, EACH_part, factor);                                                                   \
      put_##HOW(out + start + at, mine ? columns - at : 0, kept, EACH_part);                                 \
    }                                                                                                        \
  }                                                                                                          \
  /* In one kernel of two passes: the sum of powers follows the maximum as it grows. For rows of any length. */ \
  KERNEL_OF(MOST_ITEMS, rows_softmax_online_##HOW)                                                           \
  (GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT out, int columns, int rows) {                        \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_part) SUM most = -INFINITY, sum = 0;                                                            \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, -INFINITY);                                 \
      SUM before = most;                                                                                     \
      most = maximum_kept(kept, EACH_part, most);                                                            \
      if (most > -INFINITY) {                                                                                \
        raise_kept(kept, EACH_part, most * LOG2_E);                                                          \
        sum = FMA(sum, EXP2((before - most) * LOG2_E), sum_kept(kept, EACH_part));                           \
      }                                                                                                      \
    }                                                                                                        \
    SUM highest = maximum_of(parts, most);                                                                   \
    SUM factor = 1 / sum_of(parts, sum * EXP2((most - highest) * LOG2_E));                                   \
    EACH_PART_BACK(at) {                                                                                     \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, -INFINITY);                                 \
      raise_kept(kept, EACH_part, highest * LOG2_E);                                                         \
      scale_kept(kept, EACH_part, factor);                                                                   \
      put_##HOW(out + start + at, mine ? columns - at : 0, kept, EACH_part);                                 \
    }                                                                                                        \
  }                                                                                                          \
  /* In one kernel of one pass: the row is one part. */                                                      \
  KERNEL_OF(MOST_ITEMS, rows_softmax_##HOW)                                                                  \
  (GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT out, int columns, int rows) {                        \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_##HOW) fetch_##HOW(kept, EACH_##HOW, x + start, columns, -INFINITY);                            \
    raise_kept(kept, EACH_##HOW, maximum_of(parts, maximum_kept(kept, EACH_##HOW, -INFINITY)) * LOG2_E);     \
    scale_kept(kept, EACH_##HOW, 1 / sum_of(parts, sum_kept(kept, EACH_##HOW)));                             \
    put_##HOW(out + start, mine ? columns : 0, kept, EACH_##HOW);                                            \
  }                                                                                                          \
  /* Rmsnorm in two kernels: the factor of a row, then its elements. */                                      \
  KERNEL_OF(MOST_ITEMS, rows_factor_##HOW)                                                                   \
  (GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT factors, int columns, int rows) {                     \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_part) SUM squares = 0;                                                                          \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, 0);                                         \
      squares += squares_kept(kept, EACH_part);                                                              \
    }                                                                                                        \
    squares = sum_of(parts, squares);                                                                        \
    if (mine && ITEM_X == 0) {                                                                               \
      factors[row] = factor_of(squares, columns);                                                            \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL_OF(MOST_ITEMS, rows_scaled_##HOW)                                                                   \
  (GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT gain, GLOBAL const SUM *RESTRICT factors,      \
   GLOBAL REAL *RESTRICT out, int columns, int rows) {                                                       \
    ROW(EACH_part) SUM factor = factors[row];                                                                \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, 0);                                         \
      scale_kept(kept, EACH_part, factor);                                                                   \
      gain_##HOW(kept, EACH_part, gain + at, columns - at);                                                  \
      put_##HOW(out + start + at, mine ? columns - at : 0, kept, EACH_part);                                 \
    }                                                                                                        \
  }                                                                                                          \
  /* In one of two passes, for rows of any length, and in one of one. */                                     \
  KERNEL_OF(MOST_ITEMS, rows_rmsnorm_long_##HOW)                                                             \
  (GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT gain, GLOBAL REAL *RESTRICT out, int columns,  \
   int rows) {                                                                                               \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_part) SUM squares = 0;                                                                          \
    EACH_PART(at) {                                                                                          \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, 0);                                         \
      squares += squares_kept(kept, EACH_part);                                                              \
    }                                                                                                        \
    SUM factor = factor_of(sum_of(parts, squares), columns);                                                 \
    EACH_PART_BACK(at) {                                                                                     \
      fetch_##HOW(kept, EACH_part, x + start + at, columns - at, 0);                                         \
      scale_kept(kept, EACH_part, factor);                                                                   \
      gain_##HOW(kept, EACH_part, gain + at, columns - at);                                                  \
      put_##HOW(out + start + at, mine ? columns - at : 0, kept, EACH_part);                                 \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL_OF(MOST_ITEMS, rows_rmsnorm_##HOW)                                                                  \
  (GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT gain, GLOBAL REAL *RESTRICT out, int columns,  \
   int rows) {                                                                                               \
    LOCAL SUM parts[PARTS];                                                                                  \
    ROW(EACH_##HOW) fetch_##HOW(kept, EACH_##HOW, x + start, columns, 0);                                    \
    scale_kept(kept, EACH_##HOW, factor_of(sum_of(parts, squares_kept(kept, EACH_##HOW)), columns));         \
    gain_##HOW(kept, EACH_##HOW, gain, columns);                                                             \
    put_##HOW(out + start, mine ? columns : 0, kept, EACH_##HOW);                                            \
  }
ROWS(packs)
ROWS(elements)

/* Each work-group sums its part, four packs per work-item in flight; then one work-group adds up the partial sums. */
#define AHEAD 4
KERNEL_OF(ITEMS, rows_reduce)(GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT found, INDEX n) {
  LOCAL SUM parts[PARTS];
  INDEX packs = n / PACKED, share = (packs + GROUPS_X - 1) / GROUPS_X, first = share * GROUP_X;
  int count = (int)(first >= packs ? 0 : first + share < packs ? share : packs - first), rest = (int)(n % PACKED);
  GLOBAL const PACK *mine = (GLOBAL const PACK *)x + first;
  SUM sums[PACKED];
  UNROLL for (int i = 0; i < PACKED; i++) {
    sums[i] = 0;
  }
  for (int at = ITEM_X; at < count; at += AHEAD * ITEMS) {
    PACK ahead[AHEAD];
    UNROLL for (int j = 0; j < AHEAD; j++) {
      if (at + j * ITEMS < count) {
        ahead[j] = FETCH(mine, at + j * ITEMS);
      }
    }
    UNROLL for (int j = 0; j < AHEAD; j++) {
      if (at + j * ITEMS < count) {
        SUM values[PACKED];
        UNPACK(values, ahead[j]);
        UNROLL for (int i = 0; i < PACKED; i++) {
          sums[i] += values[i];
        }
      }
    }
  }
  SUM sum = GROUP_X == 0 && ITEM_X < rest ? LOAD(x, n - rest + ITEM_X) : (SUM)0;
  UNROLL for (int i = 0; i < PACKED; i++) {
    sum += sums[i];
  }
  sum = sum_of(parts, sum);
  if (ITEM_X == 0) {
    found[GROUP_X] = sum;
  }
}

KERNEL_OF(MOST_ITEMS, rows_reduce_parts)(GLOBAL const SUM *RESTRICT found, GLOBAL REAL *RESTRICT out, int count) {
  LOCAL SUM parts[PARTS];
  SUM sum = 0;
  for (int i = ITEM_X; i < count; i += ITEMS_X) {
    sum += found[i];
  }
  sum = sum_of(parts, sum);
  if (ITEM_X == 0) {
    STORE(out, 0, sum);
  }
}
