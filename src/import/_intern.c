/* Open addressing; the bytes lie in one block. */
#include <stdlib.h>
#include <string.h>

#include "import/_intern.h"

struct intern_entry {
  uint64_t hash;
  size_t at, size;
};

/** Eight bytes at a time. */
static uint64_t hash_of(const char *bytes, size_t size) {
  uint64_t hash = size * 0x9E3779B97F4A7C15u, word;
  for (; size >= 8; size -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy(&word, bytes, size);
  hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
  return hash ^ hash >> 29;
}

static bool widen(intern *t) {
  uint32_t count = t->slot_count == 0 ? 64 : t->slot_count * 2;
  uint32_t *slots = count > t->slot_count ? calloc(count, sizeof *slots) : NULL;
  if (slots == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t at = (uint32_t)t->entries[i].hash & (count - 1);
    while (slots[at] != 0) {
      at = (at + 1) & (count - 1);
    }
    slots[at] = i + 1;
  }
  free(t->slots);
  t->slots = slots;
  t->slot_count = count;
  return true;
}

static bool make_room(intern *t, size_t size) {
  if (t->count == t->room) {
    uint32_t room = t->room * 2 + 64;
    struct intern_entry *entries = realloc(t->entries, room * sizeof *entries);
    if (entries == NULL) {
      return false;
    }
    t->entries = entries;
    t->room = room;
  }
  if (t->size + size > t->capacity) {
    size_t capacity = (t->size + size) * 2 + 1024;
    char *bytes = realloc(t->bytes, capacity);
    if (bytes == NULL) {
      return false;
    }
    t->bytes = bytes;
    t->capacity = capacity;
  }
  return true;
}

uint32_t rf_intern_add(intern *t, const char *bytes, size_t size) {
  if ((t->count + 1) * 2 > t->slot_count && !widen(t)) {
    return INTERN_FAILED;
  }
  uint64_t hash = hash_of(bytes, size);
  uint32_t at = (uint32_t)hash & (t->slot_count - 1);
  for (; t->slots[at] != 0; at = (at + 1) & (t->slot_count - 1)) {
    const struct intern_entry *e = &t->entries[t->slots[at] - 1];
    if (e->hash == hash && e->size == size && memcmp(t->bytes + e->at, bytes, size) == 0) {
      return t->slots[at] - 1;
    }
  }
  if (!make_room(t, size)) {
    return INTERN_FAILED;
  }
  memcpy(t->bytes + t->size, bytes, size);
  t->entries[t->count] = (struct intern_entry){hash, t->size, size};
  t->size += size;
  t->slots[at] = ++t->count;
  return t->count - 1;
}

const char *rf_intern_get(const intern *t, uint32_t number, size_t *size) {
  *size = t->entries[number].size;
  return t->bytes + t->entries[number].at;
}

void rf_intern_done(intern *t) {
  free(t->entries);
  free(t->slots);
  free(t->bytes);
  *t = (intern){0};
}
