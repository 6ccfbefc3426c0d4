// formats: fp64 fp32 fp16 bf16
/* y = A x: the work-items along x share ROWS rows of A, so that an element of x serves them all, and AHEAD packs of each row are
 * in flight. A is in the format of x, or whole numbers in groups of GROUPED with a scale each. */
#define ITEMS 128
#define ROWS 4
#define GROUPED 128

COMBINE(sum_of, a + b)

/* Where the work-items' rows begin, `stride` bytes apart; behind the last there is the last again, and nothing is written. */
#define BEGIN(stride)                                                                                        \
  LOCAL SUM parts[PARTS];                                                                                    \
  int first = (GROUP_X * ITEMS_Y + ITEM_Y) * ROWS;                                                           \
  GLOBAL const PACK *from[ROWS];                                                                             \
  SUM sums[ROWS];                                                                                            \
  UNROLL for (int r = 0; r < ROWS; r++) {                                                                    \
    from[r] = (GLOBAL const PACK *)((GLOBAL const uchar *)a + (INDEX)(first + r < m ? first + r : m - 1) * (stride)); \
    sums[r] = 0;                                                                                             \
  }

#define END                                                                                                  \
  UNROLL for (int r = 0; r < ROWS; r++) {                                                                    \
    SUM sum = sum_of(parts, sums[r]);                                                                        \
    if (ITEM_X == 0 && first + r < m) {                                                                      \
      STORE(y, first + r, sum);                                                                              \
    }                                                                                                        \
  }

/* A loop over the work-item's packs of each row, AHEAD of them in flight: weights[j][] holds the pack at `at`. Behind the last pack
 * the first is loaded again and is not `live`: with a branch instead, the compiler could move the loads behind it. */
#define AHEAD 2
#define EACH_PACK                                                                                            \
  for (int begin = ITEM_X; begin < packs; begin += AHEAD * ITEMS_X) {                                        \
    PACK weights[AHEAD][ROWS];                                                                               \
    UNROLL for (int j = 0; j < AHEAD; j++) {                                                                 \
      UNROLL for (int r = 0; r < ROWS; r++) {                                                                \
        weights[j][r] = FETCH(from[r], begin + j * ITEMS_X < packs ? begin + j * ITEMS_X : begin);           \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int j = 0; j < AHEAD; j++) {                                                                 \
      const bool live = begin + j * ITEMS_X < packs;                                                         \
      const int at = live ? begin + j * ITEMS_X : begin;
#define END_PACKS                                                                                            \
  }                                                                                                          \
  }

KERNEL_OF(ITEMS, gemv_packs)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT y, int m, int n) {
  int packs = n / PACKED;
  BEGIN((INDEX)n * (int)sizeof(REAL))
  EACH_PACK
    SUM factors[PACKED], values[PACKED];
    UNPACK(factors, ((GLOBAL const PACK *)x)[at]);
    UNROLL for (int i = 0; i < PACKED; i++) {
      factors[i] = live ? factors[i] : (SUM)0;
    }
    UNROLL for (int r = 0; r < ROWS; r++) {
      UNPACK(values, weights[j][r]);
      UNROLL for (int i = 0; i < PACKED; i++) {
        sums[r] = FMA(values[i], factors[i], sums[r]);
      }
    }
  END_PACKS
  END
}

/* Rows that do not begin at a multiple of 16 bytes. */
#define ELEMENTS 4
KERNEL_OF(ITEMS, gemv_elements)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT y, int m, int n) {
  BEGIN((INDEX)n * (int)sizeof(REAL))
  for (int begin = ITEM_X; begin < n; begin += ELEMENTS * ITEMS_X) {
    UNROLL for (int j = 0; j < ELEMENTS; j++) {
      int at = begin + j * ITEMS_X;
      SUM factor = at < n ? LOAD(x, at) : (SUM)0;
      UNROLL for (int r = 0; r < ROWS; r++) {
        sums[r] = FMA(LOAD((GLOBAL const REAL *)from[r], at < n ? at : 0), factor, sums[r]);
      }
    }
  }
  END
}

#if defined(TYPE_FP16)
/* x as whole numbers of 24 bits in groups of GROUPED: three signed bytes each, lowest first, and a step. Products of bytes are
 * exact and four of them are one instruction. Each of three parts of n bytes has the same byte of all, four in an int; the steps
 * follow. Four are neighbours, or (`alternating`) the even of eight and then the odd: int4 weights are unpacked in that order. */
#define FULL 4194304 /* half of what the highest byte could hold, so that rounding carries nowhere */
COMBINE(maximum_of, MAX(a, b))
KERNEL_OF(32, gemv_round)
(GLOBAL const REAL *RESTRICT x, GLOBAL int *RESTRICT bytes, int n, int alternating) {
  LOCAL SUM parts[PARTS];
  int at = GROUP_X * 32 + ITEM_X, words[3] = {0, 0, 0};
  int column = alternating ? at / 2 * 8 + at % 2 : at * 4, apart = alternating ? 2 : 1;
  SUM most = 0;
  UNROLL for (int i = 0; i < 4; i++) {
    most = MAX(most, FABS(LOAD(x, column + i * apart)));
  }
  most = maximum_of(parts, most);
  SUM factor = most > 0 ? FULL / most : (SUM)0;
  UNROLL for (int i = 0; i < 4; i++) {
    SUM value = LOAD(x, column + i * apart) * factor;
    int left = (int)(value + (value < 0 ? (SUM)-0.5 : (SUM)0.5));
    UNROLL for (int part = 0; part < 3; part++) {
      int low = ((left + 128) & 255) - 128;
      words[part] |= (low & 255) << (8 * i);
      left = (left - low) / 256;
    }
  }
  UNROLL for (int part = 0; part < 3; part++) {
    bytes[part * (n / 4) + at] = words[part];
  }
  if (ITEM_X == 0) {
    ((GLOBAL float *)(bytes + 3 * (n / 4)))[GROUP_X] = most / FULL;
  }
}

/* What the four ints of a pack add to three sums, one for each byte of x. */
#define DOTS(weights, word)                                                                                  \
  low = DOT4((int)(weights), (int)lows.word, low);                                                           \
  middle = DOT4((int)(weights), (int)middles.word, middle);                                                  \
  high = DOT4((int)(weights), (int)highs.word, high);

/* A work-item's packs of its rows pass through a ring buffer in local memory, STAGES - 1 batches ahead of the one in use. `bits`:
 * of a weight; `factor`: what its byte is worth. */
#define STAGES 2
#define NARROW_COPY(place)                                                                                   \
  {                                                                                                          \
    UNROLL for (int r = 0; r < ROWS; r++) {                                                                  \
      if ((place) < packs) {                                                                                 \
        COPY(&ring[(stage * ROWS + r) * ITEMS + item], from[r] + (place));                                   \
      }                                                                                                      \
    }                                                                                                        \
    BATCH();                                                                                                 \
    stage = stage < STAGES - 1 ? stage + 1 : 0;                                                              \
  }
#define NARROW_BEGIN(bits)                                                                                   \
  LOCAL ALIGN(16) PACK ring[STAGES * ROWS * ITEMS];                                                          \
  int packs = n / 128 * bits, item = ITEM_Y * ITEMS_X + ITEM_X, stage = 0;                                   \
  GLOBAL const uint4 *xs = (GLOBAL const uint4 *)x;                                                          \
  GLOBAL const float *steps = (GLOBAL const float *)(x + 3 * (INDEX)n);                                      \
  GLOBAL const REAL *scales[ROWS];                                                                           \
  BEGIN((INDEX)n / 8 * bits)                                                                                 \
  UNROLL for (int r = 0; r < ROWS; r++) {                                                                    \
    int row = first + r < m ? first + r : m - 1;                                                             \
    scales[r] = (GLOBAL const REAL *)(a + (INDEX)m * n / 8 * bits) + (INDEX)row * (n / GROUPED);             \
  }                                                                                                          \
  UNROLL for (int s = 0; s < STAGES - 1; s++) {                                                              \
    NARROW_COPY(ITEM_X + s * ITEMS_X)                                                                        \
  }
#define EACH_BATCH(at)                                                                                       \
  for (int at = ITEM_X; at < packs; at += ITEMS_X) {                                                         \
    NARROW_COPY(at + (STAGES - 1) * ITEMS_X)                                                                 \
    AWAIT(STAGES - 1);
/* `stage` is where the next batch goes, which is where this one lies. */
#define ARRIVED(r) ring[(stage * ROWS + (r)) * ITEMS + item]
#define NARROW_ADD(group, factor)                                                                            \
  {                                                                                                          \
    SUM whole = FMA((SUM)(high * 256 + middle), (SUM)256, (SUM)low);                                         \
    sums[r] = FMA(whole, steps[group] * (SUM)(factor)*LOAD(scales[r], group), sums[r]);                      \
  }

KERNEL_OF(ITEMS, gemv_int8)
(GLOBAL const uchar *RESTRICT a, GLOBAL const uchar *RESTRICT x, GLOBAL REAL *RESTRICT y, int m, int n) {
  NARROW_BEGIN(8)
  EACH_BATCH(at)
    uint4 lows = xs[at], middles = xs[at + n / 16], highs = xs[at + 2 * (n / 16)];
    UNROLL for (int r = 0; r < ROWS; r++) {
      PACK weights = ARRIVED(r);
      int low = 0, middle = 0, high = 0;
      DOTS(weights.x, x)
      DOTS(weights.y, y)
      DOTS(weights.z, z)
      DOTS(weights.w, w)
      NARROW_ADD(at >> 3, 1)
    }
  }
  END
}

/* Two numbers from -8 to 7 per byte, the first in its lower half, kept with 8 added: each becomes a byte of 16 times itself. */
#define EVEN(word) (((word) << 4 & 0xF0F0F0F0u) ^ 0x80808080u)
#define ODD(word) (((word)&0xF0F0F0F0u) ^ 0x80808080u)
#define EIGHT(from, even, odd)                                                                               \
  DOTS(EVEN(from), even)                                                                                     \
  DOTS(ODD(from), odd)

KERNEL_OF(ITEMS, gemv_int4)
(GLOBAL const uchar *RESTRICT a, GLOBAL const uchar *RESTRICT x, GLOBAL REAL *RESTRICT y, int m, int n) {
  NARROW_BEGIN(4)
  EACH_BATCH(at)
    int all[ROWS][3];
    UNROLL for (int part = 0; part < 2; part++) {
      int place = 2 * at + part;
      uint4 lows = xs[place], middles = xs[place + n / 16], highs = xs[place + 2 * (n / 16)];
      UNROLL for (int r = 0; r < ROWS; r++) {
        PACK weights = ARRIVED(r);
        int low = part > 0 ? all[r][0] : 0, middle = part > 0 ? all[r][1] : 0, high = part > 0 ? all[r][2] : 0;
        EIGHT(part > 0 ? weights.z : weights.x, x, y)
        EIGHT(part > 0 ? weights.w : weights.y, z, w)
        all[r][0] = low;
        all[r][1] = middle;
        all[r][2] = high;
      }
    }
    UNROLL for (int r = 0; r < ROWS; r++) {
      int low = all[r][0], middle = all[r][1], high = all[r][2];
      NARROW_ADD(at >> 2, 0.0625)
    }
  }
  END
}
#endif
