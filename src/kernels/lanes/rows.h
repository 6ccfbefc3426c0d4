/* Rows that follow each other, each scaled by what all of it gives: part of body.h, which includes it. A row is stored while the
 * one after it is read, so that memory is never only read. */

/** Whether rows of `count` elements are whole registers, also where they are stored. */
static inline bool NAME(is_whole)(const T *y, size_t count) {
  return count % W == 0 && (size_t)y % sizeof(V) == 0;
}

/** Of three rows that follow each other: y = scale e, of the first; e = e^(x - maximum), of the second; the maximum of the
 *  third. Returns the sum of e. */
INLINE T NAME(softmax_step)(const T *x, const T *next, T *e, T *y, T *maximum, T scale, size_t count,
                            bool stream) {
  V shift = SET1(*maximum), factor = SET1(scale), total = SET1(0), largest = LOAD(next);
  for (size_t i = 0; i < count; i += W) {
    if (stream) {
      AHEAD(next + i);
    }
    largest = MAX(largest, LOAD(next + i));
    V power = NAME(exp)(LOAD(x + i) - shift);
    NAME(put)(y + i, LOAD(e + i) * factor, stream);
    STORE(e + i, power);
    total += power;
  }
  *maximum = NAME(largest)(largest);
  return NAME(total)(total);
}

INLINE void NAME(softmax)(const void *in, void *out, void *scratch, size_t rows, size_t count, bool stream) {
  const T *x = in;
  T *y = out, maximum = NAME(maximum)(x, count);
  T sum = NAME(exponentials)(x, scratch, maximum, count, stream);
  bool whole = NAME(is_whole)(y, count);
  maximum = NAME(maximum)(x + (rows > 1 ? count : 0), count);
  for (size_t i = 1; i < rows; i++, y += count) {
    x += count;
    const T *next = i + 1 < rows ? x + count : x;
    if (whole) {
      sum = NAME(softmax_step)(x, next, scratch, y, &maximum, 1 / sum, count, stream);
    } else {
      NAME(scale)(y, scratch, (double)(1 / sum), count, stream);
      sum = NAME(exponentials)(x, scratch, maximum, count, stream);
      maximum = NAME(maximum)(next, count);
    }
  }
  NAME(scale)(y, scratch, (double)(1 / sum), count, stream);
}

/** Sum of (x - mean)^2. */
INLINE double NAME(squares)(const T *x, T mean, size_t count) {
  V sums[4] = {SET1(0), SET1(0), SET1(0), SET1(0)}, centre = SET1(mean);
  size_t i = 0;
  for (; i + 4 * W <= count; i += 4 * W) {
    for (size_t j = 0; j < 4; j++) {
      V v = LOAD(x + i + j * W) - centre;
      sums[j] = FMA(v, v, sums[j]);
    }
  }
  double rest = 0;
  for (; i < count; i++) {
    rest += (double)(x[i] - mean) * (double)(x[i] - mean);
  }
  return (double)NAME(total)((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
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

/** The same in whole registers, with `shift` or without its mean; returns the sum of `next`, or of its squares. In blocks, as
 *  `dot`. */
INLINE double NAME(normalise_ahead)(const T *x, T *y, const T *gain, const T *shift, T mean, T factor,
                                    const T *next, size_t count, bool stream) {
  V centre = SET1(mean), scale = SET1(factor);
  double total = 0;
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t end = count - begin < BLOCK ? count : begin + BLOCK;
    V sum = SET1(0);
    for (size_t i = begin; i < end; i += W) {
      if (stream) {
        AHEAD(next + i);
      }
      V v = LOAD(next + i), scaled = (LOAD(x + i) - centre) * scale;
      if (shift != NULL) {
        sum += v;
        scaled = FMA(scaled, LOAD(gain + i), LOAD(shift + i));
      } else {
        sum = FMA(v, v, sum);
        scaled *= LOAD(gain + i);
      }
      NAME(put)(y + i, scaled, stream);
    }
    total += (double)NAME(total)(sum);
  }
  return total;
}

/** LayerNorm of each row, or RMSNorm without `shift`. */
INLINE void NAME(normalise_rows)(const void *in, void *out, const void *gain, const void *shift, size_t rows,
                                 size_t count, bool stream) {
  const T *x = in;
  T *y = out;
  bool whole = NAME(is_whole)(y, count);
  double sum = shift != NULL ? NAME(sum)(x, count, false, stream) : NAME(dot)(x, x, count, stream);
  for (size_t i = 0; i < rows; i++, x += count, y += count) {
    T mean = shift != NULL ? (T)(sum / (double)count) : 0;
    double square = (shift != NULL ? NAME(squares)(x, mean, count) : sum) / (double)count;
    T factor = (T)(1 / __builtin_sqrt(square + RF_NORM_EPSILON));
    const T *next = i + 1 < rows ? x + count : x;
    if (whole) {
      sum = NAME(normalise_ahead)(x, y, gain, shift, mean, factor, next, count, stream);
    } else {
      NAME(normalise)(x, y, gain, shift, mean, factor, count, stream);
      sum = shift != NULL ? NAME(sum)(next, count, false, stream) : NAME(dot)(next, next, count, stream);
    }
  }
}
