/* Rows to columns: part of body.h, which includes it. */
#if LANES == 16
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LANES == 8
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#elif LANES == 4
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
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

INLINE void NAME(turn_square)(const T *from, size_t stride, T *to, size_t wide, bool stream) {
  V rows[LANES];
  UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
    rows[i] = LOAD(from + i * stride);
  }
  NAME(turn_registers)(rows);
  UNROLL(LANES) for (size_t i = 0; i < LANES; i++) {
    NAME(put)(to + i * wide, rows[i], stream);
  }
}

INLINE void NAME(turn)(const void *in, size_t stride, size_t rows, size_t columns, void *out, size_t wide,
                       bool stream) {
  const T *from = in;
  T *to = out;
  size_t whole_rows = rows / W * W, whole_columns = columns / W * W;
  bool aligned = (size_t)to % sizeof(V) == 0 && wide % W == 0;
  for (size_t j = 0; j < whole_columns; j += W) {
    for (size_t i = 0; i < whole_rows; i += W) {
      NAME(turn_square)(from + i * stride + j, stride, to + j * wide + i, wide, stream && aligned);
    }
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = i < whole_rows ? whole_columns : 0; j < columns; j++) {
      to[j * wide + i] = from[i * stride + j];
    }
  }
}
#undef LOW
#undef HIGH
