/* Rows that follow each other, each scaled by what all of it gives: part of body.h, which includes it. A row is stored while the
 * one after it is read, so that memory is never only read. */

/** Whether rows of `count` elements are whole registers, also where they are stored. */
static inline bool NAME(is_whole)(const T *y, size_t count) {
  return count % W == 0 && (size_t)y % sizeof(V) == 0;
}

/** Rows of a table by turns, a line of each: hardware takes some lines to see that a row is read on, and meanwhile reads the
 *  others. Fetches ahead in them, and at their end in the rows `after`. With AVX2 eight lines: Zen 3 takes a load for one
 *  of what was just stored where the last 12 bits of their addresses are alike, and waits. Rows often are a multiple of 4 KiB
 *  apart. */
INLINE void NAME(look_up_some)(const T *const from[RF_LOOKED_UP], const T *const after[RF_LOOKED_UP], T *out,
                               size_t width, bool stream) {
  const size_t far = 1024 / sizeof(T), inside = width > far ? width - far : 0;
  const size_t turn = sizeof(V) == 32 ? 8 * LINE : LINE;
  for (size_t i = 0; i < width; i += turn) {
    for (size_t r = 0; r < RF_LOOKED_UP; r++) {
      for (size_t j = i; j < i + turn && j < width; j += LINE) {
        __builtin_prefetch(j < inside ? from[r] + j + far : after[r] + (j - inside));
        for (size_t k = j; k < j + LINE; k += W) {
          NAME(put)(out + r * width + k, LOAD(from[r] + k), stream);
        }
      }
    }
  }
}

INLINE void NAME(look_up)(const void *in, const uint32_t *rows, void *out, size_t count, size_t width,
                          bool stream) {
  const T *table = in, *from[RF_LOOKED_UP], *after[RF_LOOKED_UP];
  T *y = out;
  bool lines = width % LINE == 0 && (size_t)y % (LINE * sizeof(T)) == 0;
  size_t some = lines ? count / RF_LOOKED_UP * RF_LOOKED_UP : 0;
  for (size_t i = 0; i < some; i += RF_LOOKED_UP) {
    for (size_t r = 0; r < RF_LOOKED_UP; r++) {
      from[r] = table + rows[i + r] * width;
      after[r] = i + RF_LOOKED_UP + r < count ? table + rows[i + RF_LOOKED_UP + r] * width : from[r];
    }
    NAME(look_up_some)(from, after, y + i * width, width, stream);
  }
  for (size_t i = some; i < count; i++) {
    const T *row = table + rows[i] * width, *next = i + 1 < count ? table + rows[i + 1] * width : row;
    NAME(copy)(y + i * width, row, next, width, stream);
  }
}

/** Parts of a row that follow each other, x before `next`: e = e^(x - shift), of x; y = factor e, of what e was, the same
 *  part of the row before (nullable). Adds up e in each lane and finds the maxima of `next`. */
INLINE void NAME(softmax_part)(const T *x, const T *next, T *e, T *y, V shift, V factor, V *total, V *largest,
                               size_t count, bool stream) {
  V sum = SET1(0), most = SET1(LOWEST);
  for (size_t i = 0; i < count; i += W) {
    if (stream) {
      AHEAD(next + i);
    }
    most = MAX(most, LOAD(next + i));
    V power = NAME(exp)(LOAD(x + i) - shift);
    if (y != NULL) {
      NAME(put)(y + i, LOAD(e + i) * factor, stream);
    }
    STORE(e + i, power);
    sum += power;
  }
  *total = sum;
  *largest = most;
}

/** What a row's numbers, each relative to the maximum of its lane in its part, are to be multiplied by. */
INLINE void NAME(softmax_factors)(const V *shifts, const V *totals, V *factors, size_t parts) {
  V most = shifts[0], total = SET1(0);
  for (size_t p = 1; p < parts; p++) {
    most = MAX(most, shifts[p]);
  }
  V maximum = SET1(NAME(largest)(most));
  for (size_t p = 0; p < parts; p++) {
    factors[p] = NAME(exp)(shifts[p] - maximum);
    total = FMA(totals[p], factors[p], total);
  }
  V scale = SET1(1 / NAME(total)(total));
  for (size_t p = 0; p < parts; p++) {
    factors[p] *= scale;
  }
}

enum { NAME(PARTS) = 16 };

/** Equal parts of a row, in whole registers, of at least 8 KiB: the first cache holds one, the one after it and 16 KiB of e. */
static inline size_t NAME(softmax_parts)(size_t count) {
  size_t parts = NAME(PARTS);
  while (parts > 1 && (count / W % parts != 0 || count / parts * sizeof(T) < 8192)) {
    parts--;
  }
  return parts;
}

/** Rows of whole registers. */
INLINE void NAME(softmax_whole)(const T *x, T *y, T *e, size_t rows, size_t count, bool stream) {
  V shifts[NAME(PARTS)], totals[NAME(PARTS)], factors[NAME(PARTS)] = {SET1(0)}, largest = SET1(LOWEST);
  size_t parts = NAME(softmax_parts)(count), part = count / parts;
  for (size_t i = 0; i < part; i += W) {
    largest = MAX(largest, LOAD(x + i));
  }
  for (size_t i = 0; i < rows * parts; i++, x += part) {
    size_t p = i % parts;
    T *before = i < parts ? NULL : y + (i - parts) * part;
    shifts[p] = largest;
    NAME(softmax_part)
    (x, i + 1 < rows * parts ? x + part : x, e + p * part, before, shifts[p], factors[p], &totals[p],
     &largest, part, stream);
    if (p + 1 == parts) {
      NAME(softmax_factors)(shifts, totals, factors, parts);
    }
  }
  for (size_t i = 0; i < count; i += W) {
    NAME(put)(y + (rows - 1) * count + i, LOAD(e + i) * factors[i / part], stream);
  }
}

INLINE void NAME(softmax)(const void *in, void *out, void *scratch, size_t rows, size_t count, bool stream) {
  const T *x = in;
  T *y = out;
  if (NAME(is_whole)(y, count)) {
    NAME(softmax_whole)(x, y, scratch, rows, count, stream);
    return;
  }
  for (size_t i = 0; i < rows; i++, x += count, y += count) {
    T maximum = NAME(maximum)(x, count);
    T sum = NAME(exponentials)(x, scratch, maximum, count, stream && i + 1 < rows);
    NAME(scale)(y, scratch, (double)(1 / sum), count, stream);
  }
}

/** The mean of a row and the mean of (x - mean)^2. */
typedef struct NAME(moments) {
  double mean, square;
} NAME(moments);

/** Of the sums of x and of (x - pivot)^2. */
INLINE NAME(moments) NAME(moments_from)(T pivot, double sum, double squares, size_t count) {
  double mean = sum / (double)count, off = mean - (double)pivot;
  return (NAME(moments)){mean, squares / (double)count - off * off};
}

/** With a mean of 0 unless `centred`. In blocks, as `dot`. */
INLINE NAME(moments) NAME(moments_of)(const T *x, T pivot, bool centred, size_t count, bool stream) {
  V centre = SET1(pivot);
  double sum = 0, square = 0;
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK, i = begin;
    V sums = SET1(0), squares = SET1(0);
    for (; i + W <= end; i += W) {
      if (stream) {
        AHEAD(x + i);
      }
      V v = LOAD(x + i);
      sums += v;
      v -= centre;
      squares = FMA(v, v, squares);
    }
    sum += (double)NAME(total)(sums);
    square += (double)NAME(total)(squares);
    for (; i < end; i++) {
      double v = (double)(x[i] - pivot);
      sum += (double)x[i];
      square += v * v;
    }
  }
  return NAME(moments_from)(pivot, centred ? sum : 0, square, count);
}

/** y = (x - mean) factor gain + shift, without `shift` when it is NULL. */
INLINE void NAME(normalise)(const T *x, T *y, const T *gain, const T *shift, T mean, T factor, size_t count,
                            bool stream) {
  V centre = SET1(mean), scale = SET1(factor);
  size_t i = 0;
#define ONE y[i] = (x[i] - mean) * factor * gain[i] + (shift != NULL ? shift[i] : 0)
  for (size_t lead = NAME(lead)(y, count); i < lead; i++) {
    ONE;
  }
  for (; i + W <= count; i += W) {
    V v = (LOAD(x + i) - centre) * scale;
    v *= LOAD(gain + i);
    if (shift != NULL) {
      v += LOAD(shift + i);
    }
    NAME(put)(y + i, v, stream);
  }
  for (; i < count; i++) {
    ONE;
  }
#undef ONE
}

/** The same for two rows in whole registers, so that gain and shift, which the first cache has no room for, are loaded half as
 *  often; with `shift` or without its mean. `m` becomes the moments of the two rows from `next` on, whose pivots are given. */
INLINE void NAME(normalise_two)(const T *x, T *y, const T *gain, const T *shift, const T factors[2],
                                const T *next, const T pivots[2], NAME(moments) m[2], size_t count,
                                bool stream) {
  double sum[2] = {0}, square[2] = {0};
  V centre[2], scale[2], pivot[2];
  for (size_t r = 0; r < 2; r++) {
    centre[r] = SET1((T)m[r].mean), scale[r] = SET1(factors[r]), pivot[r] = SET1(pivots[r]);
  }
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK;
    V sums[2] = {SET1(0), SET1(0)}, squares[2] = {SET1(0), SET1(0)}, results[2];
    for (size_t i = begin; i < end; i += W) {
      V by = LOAD(gain + i), more = shift != NULL ? LOAD(shift + i) : SET1(0);
      UNROLL(2) for (size_t r = 0; r < 2; r++) {
        const T *row = next + r * count + i;
        if (stream) {
          AHEAD(row);
        }
        V v = LOAD(row), scaled = (LOAD(x + r * count + i) - centre[r]) * scale[r];
        if (shift != NULL) {
          sums[r] += v;
          v -= pivot[r];
          scaled = FMA(scaled, by, more);
        } else {
          scaled *= by;
        }
        squares[r] = FMA(v, v, squares[r]);
        results[r] = scaled;
      }
      /* after all loads: see look_up_some */
      for (size_t r = 0; r < 2; r++) {
        NAME(put)(y + r * count + i, results[r], stream);
      }
    }
    for (size_t r = 0; r < 2; r++) {
      sum[r] += (double)NAME(total)(sums[r]);
      square[r] += (double)NAME(total)(squares[r]);
    }
  }
  for (size_t r = 0; r < 2; r++) {
    m[r] = NAME(moments_from)(pivots[r], sum[r], square[r], count);
  }
}

/** 1 / deviation of a row. Where the pivot of its moments was far from its mean, their difference is a few bits short: they are
 *  added up once more. */
INLINE T NAME(norm_factor)(const T *x, T pivot, NAME(moments) * m, bool centred, size_t count) {
  static const double far = 16;
  double off = m->mean - (double)pivot;
  if (centred && off * off > far * m->square) {
    *m = NAME(moments_of)(x, (T)m->mean, centred, count, false);
  }
  return (T)(1 / __builtin_sqrt(m->square + RF_NORM_EPSILON));
}

/** LayerNorm of each row, or RMSNorm without `shift`. */
INLINE void NAME(normalise_rows)(const void *in, void *out, const void *gain, const void *shift, size_t rows,
                                 size_t count, bool stream) {
  const T *x = in;
  T *y = out, pivots[2] = {0}, factors[2];
  bool centred = shift != NULL;
  size_t two = NAME(is_whole)(y, count) ? rows / 2 * 2 : 0;
  NAME(moments) m[2];
  for (size_t r = 0; r < 2 && two > 0; r++) {
    pivots[r] = centred ? x[r * count] : 0;
    m[r] = NAME(moments_of)(x + r * count, pivots[r], centred, count, stream);
  }
  for (size_t i = 0; i < two; i += 2, x += 2 * count, y += 2 * count) {
    const T *next = i + 2 < two ? x + 2 * count : x;
    for (size_t r = 0; r < 2; r++) {
      factors[r] = NAME(norm_factor)(x + r * count, pivots[r], &m[r], centred, count);
      pivots[r] = centred ? next[r * count] : 0;
    }
    NAME(normalise_two)(x, y, gain, shift, factors, next, pivots, m, count, stream);
  }
  for (size_t i = two; i < rows; i++, x += count, y += count) {
    T pivot = centred ? x[0] : 0;
    m[0] = NAME(moments_of)(x, pivot, centred, count, stream);
    T factor = NAME(norm_factor)(x, pivot, &m[0], centred, count);
    NAME(normalise)(x, y, gain, shift, (T)m[0].mean, factor, count, stream);
  }
}
