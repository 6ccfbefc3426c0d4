/* Loops that only move bytes, every pattern in every way of lanes.h. No include guard: body.h includes it,
 * and what has no body; one format is enough to move bytes. */
#ifdef MOVES_BYTES

/* `at` wraps around after the array, so that a small one is passed often without a loop that ends often. */
INLINE void NAME(transfer)(const rf_lanes_span *span, rf_pattern pattern, size_t unroll, bool ahead,
                           bool stream) {
  const V factor = SET1((T)-1);
  const rf_lanes_span s = *span; /* not read again: a store might change it */
  size_t at = s.begin, step = unroll * BYTES;
  for (size_t done = 0; done < s.bytes; done += step, at = (at + step) & (s.array_bytes - 1)) {
    T *a = (T *)(void *)(s.a + at);
    const T *b = (const T *)(const void *)(s.b + at), *c = (const T *)(const void *)(s.c + at);
    for (size_t j = 0; j < unroll; j++, a += W, b += W, c += W) {
      if (ahead && pattern != RF_STORE) {
        AHEAD(pattern == RF_LOAD || pattern == RF_UPDATE ? a : b);
      }
      if (ahead && pattern == RF_TRIAD) {
        AHEAD(c);
      }
      if (pattern == RF_LOAD) {
        V v = LOAD(a);
        __asm__ volatile("" ::REGISTER(v));
      } else if (pattern == RF_STORE) {
        NAME(put)(a, factor, stream);
      } else if (pattern == RF_COPY) {
        NAME(put)(a, LOAD(b), stream);
      } else if (pattern == RF_UPDATE) {
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
  X(pattern, RF_UNROLL_4, 4, false, false)                                                                   \
  X(pattern, RF_UNROLL_16, 16, false, false)                                                                 \
  X(pattern, RF_AHEAD, 8, true, false)                                                                       \
  X(pattern, RF_PAST, 8, false, true)                                                                        \
  X(pattern, RF_PAST_AHEAD, 8, true, true)
#define PATTERNS(X) WAYS(X, RF_LOAD) WAYS(X, RF_STORE) WAYS(X, RF_COPY) WAYS(X, RF_UPDATE) WAYS(X, RF_TRIAD)
#define TRANSFER(pattern, way, unroll, ahead, stream)                                                        \
  TARGET static void NAME(pattern##_##way)(const rf_lanes_span *s) {                                         \
    NAME(transfer)(s, pattern, unroll, ahead, stream);                                                       \
  }
PATTERNS(TRANSFER)

#define ENTRY(pattern, way, unroll, ahead, stream) [pattern][way] = NAME(pattern##_##way),
static rf_transfer *const transfers[RF_PATTERN_COUNT][RF_WAY_COUNT] = {PATTERNS(ENTRY)};

#undef WAYS
#undef PATTERNS
#undef TRANSFER
#undef ENTRY
#endif
