#include "kernels/_turn.h"

#include <string.h>

/* Four by four elements are turned in registers, what is left one by one. */
#define TURN(type)                                                                                           \
  typedef type four_##type __attribute__((vector_size(4 * sizeof(type)), aligned(sizeof(type))));            \
  static inline void turn_four_##type(const type *from, size_t stride, type *turned, size_t wide) {          \
    four_##type r[4], t[4];                                                                                  \
    for (size_t i = 0; i < 4; i++) {                                                                         \
      memcpy(&r[i], from + i * stride, sizeof r[i]);                                                         \
    }                                                                                                        \
    t[0] = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);                                                  \
    t[1] = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);                                                  \
    t[2] = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);                                                  \
    t[3] = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);                                                  \
    r[0] = __builtin_shufflevector(t[0], t[1], 0, 1, 4, 5);                                                  \
    r[1] = __builtin_shufflevector(t[0], t[1], 2, 3, 6, 7);                                                  \
    r[2] = __builtin_shufflevector(t[2], t[3], 0, 1, 4, 5);                                                  \
    r[3] = __builtin_shufflevector(t[2], t[3], 2, 3, 6, 7);                                                  \
    for (size_t i = 0; i < 4; i++) {                                                                         \
      memcpy(turned + i * wide, &r[i], sizeof r[i]);                                                         \
    }                                                                                                        \
  }                                                                                                          \
  static void turn_##type(const type *from, size_t stride, size_t rows, size_t columns, type *turned,        \
                          size_t wide) {                                                                     \
    size_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;                                       \
    for (size_t i = 0; i < whole_rows; i += 4) {                                                             \
      for (size_t j = 0; j < whole_columns; j += 4) {                                                        \
        turn_four_##type(from + i * stride + j, stride, turned + j * wide + i, wide);                        \
      }                                                                                                      \
    }                                                                                                        \
    for (size_t i = 0; i < rows; i++) {                                                                      \
      for (size_t j = i < whole_rows ? whole_columns : 0; j < columns; j++) {                                \
        turned[j * wide + i] = from[i * stride + j];                                                         \
      }                                                                                                      \
    }                                                                                                        \
  }
TURN(double)
TURN(float)

void roof_turn(roof_dtype dtype, const void *from, size_t stride, size_t rows, size_t columns, void *to,
               size_t wide) {
  if (dtype == ROOF_FP64) {
    turn_double(from, stride, rows, columns, to, wide);
  } else {
    turn_float(from, stride, rows, columns, to, wide);
  }
}
