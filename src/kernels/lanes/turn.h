/* Rows to columns: part of body.h, which includes it. */
#if LANES == 16
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LANES == 8
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define LOWS 0, 8, 1, 9, 4, 12, 5, 13
#define HIGHS 2, 10, 3, 11, 6, 14, 7, 15
#define FIRST 0, 1, 2, 3, 8, 9, 10, 11
#define SECOND 4, 5, 6, 7, 12, 13, 14, 15
#elif LANES == 4
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define LOWS 0, 4, 2, 6
#define HIGHS 1, 5, 3, 7
#define FIRST 0, 1, 4, 5
#define SECOND 2, 3, 6, 7
#else
#define LOW 0, 2
#define HIGH 1, 3
#endif
_Static_assert(LANES == W, "the indices are those of one register");

/* A square of W rows of one register, in log2 W rounds: each zips the rows of the first half with those of the second. */
INLINE void NAME(turn_registers)(V rows[LANES]) {
  V zipped[LANES];
  UNROLL(4) for (size_t round = 1; round < LANES; round *= 2) {
    UNROLL(LANES) for (size_t i = 0; i < LANES / 2; i++) {
      zipped[2 * i] = __builtin_shufflevector(rows[i], rows[i + LANES / 2], LOW);
      zipped[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + LANES / 2], HIGH);
    }
    UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
      rows[i] = zipped[i];
    }
  }
}

#if defined(FIRST)
/* The same where a register is two halves between which elements move slowly (AVX2): squares of half a register are turned in
 * each of them, those of the first rows and those of the last, then the halves change places. */
INLINE void NAME(turn_halves)(V rows[LANES]) {
  V zipped[LANES];
  UNROLL(2) for (size_t round = 1; round < LANES / 2; round *= 2) {
    UNROLL(LANES) for (size_t i = 0; i < LANES / 2; i++) {
      size_t from = i + i / (LANES / 4) * (LANES / 4), to = 2 * i;
      zipped[to] = __builtin_shufflevector(rows[from], rows[from + LANES / 4], LOWS);
      zipped[to + 1] = __builtin_shufflevector(rows[from], rows[from + LANES / 4], HIGHS);
    }
    UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
      rows[i] = zipped[i];
    }
  }
  UNROLL(LANES) for (size_t i = 0; i < LANES / 2; i++) {
    zipped[i] = __builtin_shufflevector(rows[i], rows[i + LANES / 2], FIRST);
    zipped[i + LANES / 2] = __builtin_shufflevector(rows[i], rows[i + LANES / 2], SECOND);
  }
  UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
    rows[i] = zipped[i];
  }
}
#define TURN(rows) (sizeof(V) == 32 ? NAME(turn_halves)(rows) : NAME(turn_registers)(rows))
#undef FIRST
#undef SECOND
#else
#define TURN(rows) NAME(turn_registers)(rows)
#endif

INLINE void NAME(turn_square)(const T *from, size_t stride, T *to, size_t wide, bool stream) {
  V rows[LANES];
  UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
    rows[i] = LOAD(from + i * stride);
  }
  TURN(rows);
  UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
    NAME(put)(to + i * wide, rows[i], stream);
  }
}

INLINE void NAME(turn_squares)(const T *from, size_t stride, size_t rows, size_t columns, T *to, size_t wide,
                               bool stream) {
  for (size_t j = 0; j < columns; j += W) {
    for (size_t i = 0; i < rows; i += W) {
      NAME(turn_square)(from + i * stride + j, stride, to + j * wide + i, wide, stream);
    }
  }
}

INLINE void NAME(turn)(const void *in, size_t stride, size_t rows, size_t columns, void *out, size_t wide,
                       bool stream) {
  const T *from = in;
  T *to = out;
  size_t whole_rows = rows / W * W, whole_columns = columns / W * W;
  if (stream && (size_t)to % sizeof(V) == 0 && wide % W == 0) {
    NAME(turn_squares)(from, stride, whole_rows, whole_columns, to, wide, true);
  } else {
    NAME(turn_squares)(from, stride, whole_rows, whole_columns, to, wide, false);
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = i < whole_rows ? whole_columns : 0; j < columns; j++) {
      to[j * wide + i] = from[i * stride + j];
    }
  }
}
#undef LOW
#undef HIGH
#undef LOWS
#undef HIGHS
#undef TURN
