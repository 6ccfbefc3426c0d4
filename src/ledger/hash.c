/* SHA-256 of many lines: whole blocks by the processor's instructions for it, where it has them, all else by libsodium. */
#include "ledger/hash.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

enum { BLOCK = 64, ROUNDS = 64 };

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static bool ask_processor(void) {
  unsigned a, b, c, d, extended;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0 &&
         __get_cpuid_count(7, 0, &a, &extended, &c, &d) != 0 && (extended & bit_SHA) != 0;
}

/** Asked once: under a hypervisor asking takes as long as a line. */
static bool has_instructions(void) {
  static atomic_int known; /* 0: not asked yet */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    answer = ask_processor() ? 1 : -1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer > 0;
}

/** Four rounds each with the words m of the block, which become those of the rounds 16 later. `pair`: the state's words
 * A, B, E, F and C, D, G, H, as the instructions take them. */
__attribute__((target("sha,sse4.1,ssse3"))) static void take_block(__m128i pair[2], __m128i m[4]) {
  __m128i one = pair[0], other = pair[1];
  for (int i = 0; i < ROUNDS / 4; i++) {
    __m128i *now = &m[i % 4], last = m[(i + 3) % 4];
    __m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(const void *)&constants[4 * i]));
    other = _mm_sha256rnds2_epu32(other, one, sum);
    one = _mm_sha256rnds2_epu32(one, other, _mm_shuffle_epi32(sum, 0x0E));
    __m128i seventh = _mm_alignr_epi8(last, m[(i + 2) % 4], 4);
    *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, m[(i + 1) % 4]), seventh), last);
  }
  pair[0] = _mm_add_epi32(pair[0], one);
  pair[1] = _mm_add_epi32(pair[1], other);
}

__attribute__((target("sha,sse4.1,ssse3"))) static void take_blocks(uint32_t state[8], const char *text,
                                                                    size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i *words = (__m128i *)(void *)state, pair[2], m[4];
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(&words[0]), 0xB1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(&words[1]), 0x1B);
  pair[0] = _mm_alignr_epi8(low, high, 8);
  pair[1] = _mm_blend_epi16(high, low, 0xF0);
  for (; count > 0; count--, text += BLOCK) {
    for (int i = 0; i < 4; i++) {
      m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i)), big_endian);
    }
    take_block(pair, m);
  }
  low = _mm_shuffle_epi32(pair[0], 0x1B);
  high = _mm_shuffle_epi32(pair[1], 0xB1);
  _mm_storeu_si128(&words[0], _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128(&words[1], _mm_alignr_epi8(high, low, 8));
}

/** Takes the whole blocks at the start, and says how many bytes those are: none where bytes of a block are waiting. */
static size_t take_whole(crypto_hash_sha256_state *state, const char *text, size_t length) {
  enum { BITS = 8 };
  size_t blocks = length / BLOCK;
  if (blocks == 0 || state->count % ((uint64_t)BLOCK * BITS) != 0 || !has_instructions()) {
    return 0;
  }
  take_blocks(state->state, text, blocks);
  state->count += (uint64_t)blocks * BLOCK * BITS;
  return blocks * BLOCK;
}
#else
static size_t take_whole(crypto_hash_sha256_state *state, const char *text, size_t length) {
  (void)state, (void)text, (void)length;
  return 0;
}
#endif

void rf_hash_add(crypto_hash_sha256_state *state, const char *text, size_t length) {
  size_t whole = take_whole(state, text, length);
  crypto_hash_sha256_update(state, (const unsigned char *)text + whole, length - whole);
}
