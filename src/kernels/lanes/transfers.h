/* Loops that only move bytes, every pattern in every way of lanes.h. No include guard: body.h includes it,
 * and what has no body; one format is enough to move bytes. */
#ifdef MOVES_BYTES

/* `at` wraps around after the array, so that a small one is passed often without a loop that ends often. */
INLINE void NAME(transfer)(const roof_span *span, roof_pattern pattern, size_t unroll, bool ahead,
                           bool stream) {
  const V factor = SET1((T)-1);
  const roof_span s = *span; /* not read again: a store might change it */
  size_t at = s.begin, step = unroll * BYTES;
  for (size_t done = 0; done < s.bytes; done += step, at = (at + step) & (s.array_bytes - 1)) {
    T *a = (T *)(void *)(s.a + at);
    const T *b = (const T *)(const void *)(s.b + at), *c = (const T *)(const void *)(s.c + at);
    for (size_t j = 0; j < unroll; j++, a += W, b += W, c += W) {
      if (ahead && pattern != ROOF_STORE) {
        AHEAD(pattern == ROOF_LOAD || pattern == ROOF_UPDATE ? a : b);
      }
      if (ahead && pattern == ROOF_TRIAD) {
        AHEAD(c);
      }
      if (pattern == ROOF_LOAD) {
        V v = LOAD(a);
        __asm__ volatile("" ::REGISTER(v));
      } else if (pattern == ROOF_STORE) {
        NAME(put)(a, factor, stream);
      } else if (pattern == ROOF_COPY) {
        NAME(put)(a, LOAD(b), stream);
      } else if (pattern == ROOF_UPDATE) {
        STORE(a, NEGATE(LOAD(a))); /* the sign bit alone: changed, but with no arithmetic */
      } else {
        NAME(put)(a, FMA(LOAD(c), factor, LOAD(b)), stream);
      }
    }
    __asm__ volatile("" ::: "memory");
  }
  FENCE;
}

#define WAYS(X, pattern)                                                                                     \
  X(pattern, ROOF_UNROLL_4, 4, false, false)                                                                 \
  X(pattern, ROOF_UNROLL_16, 16, false, false)                                                               \
  X(pattern, ROOF_AHEAD, 8, true, false)                                                                     \
  X(pattern, ROOF_PAST, 8, false, true)                                                                      \
  X(pattern, ROOF_PAST_AHEAD, 8, true, true)
#define PATTERNS(X)                                                                                          \
  WAYS(X, ROOF_LOAD) WAYS(X, ROOF_STORE) WAYS(X, ROOF_COPY) WAYS(X, ROOF_UPDATE) WAYS(X, ROOF_TRIAD)
#define TRANSFER(pattern, way, unroll, ahead, stream)                                                        \
  TARGET static void NAME(pattern##_##way)(const roof_span *s) {                                             \
    NAME(transfer)(s, pattern, unroll, ahead, stream);                                                       \
  }
PATTERNS(TRANSFER)

#define ENTRY(pattern, way, unroll, ahead, stream) [pattern][way] = NAME(pattern##_##way),
static roof_transfer *const transfers[ROOF_PATTERN_COUNT][ROOF_WAY_COUNT] = {PATTERNS(ENTRY)};

#undef WAYS
#undef PATTERNS
#undef TRANSFER
#undef ENTRY
#endif
