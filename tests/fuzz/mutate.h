/* Changes that libFuzzer's own random ones hardly ever make: long tokens, numbers at their limits, members of JSON replaced. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/** The next random number below `limit` (> 0). */
static size_t mutate_random(unsigned *seed, size_t limit) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % limit;
}

/** Puts `count` bytes in the place of [from, to); the new size, or `size` where there is no room. */
static size_t mutate_replace(uint8_t *data, size_t size, size_t most, size_t from, size_t to,
                             const void *bytes, size_t count) {
  if (size - (to - from) + count > most) {
    return size;
  }
  memmove(data + from + count, data + to, size - to);
  memcpy(data + from, bytes, count);
  return size - (to - from) + count;
}

/** Repeats a slice of up to 8 bytes until it has 64 to 2047: a long name, a long sum, deep parentheses. */
static inline size_t mutate_stretch(uint8_t *data, size_t size, size_t most, unsigned *seed) {
  uint8_t token[2048];
  if (size == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  size_t from = mutate_random(seed, size), length = 1 + mutate_random(seed, 8),
         whole = 64 + mutate_random(seed, 1984);
  length = length < size - from ? length : size - from;
  for (size_t i = 0; i < whole; i++) {
    token[i] = data[from + i % length];
  }
  return mutate_replace(data, size, most, from, from, token, whole);
}

/** Puts a number at a limit, or a text that a terminal should not see, in the place of a run of letters or digits. */
static inline size_t mutate_word(uint8_t *data, size_t size, size_t most, unsigned *seed) {
  static const char *const words[] = {
      "0",       "-1",   "1e308", "1e-308",       "1e400",   "9007199254740993", "18446744073709551616",
      "nan",     "null", "\"\"",  "[]",           "{}",      "\\u0000",          "\\u202e",
      "\\ud800", "%s%n", "\xFF",  "\xE2\x80\xAE", "\x1b[2J", "\"a\":1,\"a\":2",  "1.4"};
  size_t from = size > 0 ? mutate_random(seed, size) : 0, to = from;
  while (to < size && strchr("0123456789+-.eE_abcdfghijklmnopqrstuvwxyz", data[to]) != NULL &&
         data[to] != '\0') {
    to++;
  }
  const char *word = words[mutate_random(seed, sizeof words / sizeof words[0])];
  return mutate_replace(data, size, most, from, to, word, strlen(word));
}

/** One of the changes above, or libFuzzer's. */
static inline size_t mutate_text(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size_t kind = mutate_random(&seed, 8);
  return kind == 0   ? mutate_stretch(data, size, most, &seed)
         : kind == 1 ? mutate_word(data, size, most, &seed)
                     : LLVMFuzzerMutate(data, size, most);
}

#endif
