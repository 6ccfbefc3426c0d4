/** Which blocks of prompts a replica still has, by their hash: those in use, and of the others the latest used. */
#ifndef SERVICE_CACHE_H
#define SERVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct service_cached {
  unsigned hash;
  int users;        /**< requests that hold it */
  int next;         /**< of the same slot */
  int older, newer; /**< of those that nobody holds, by when it was last held */
} service_cached;

typedef struct service_cache {
  service_cached *list;
  int *slots;
  int size, count, slot_count;
  int free;           /**< the first entry without a block, linked by `next` */
  int oldest, newest; /**< of those that nobody holds */
  double idle;        /**< blocks that nobody holds */
} service_cache;

/** An empty one. */
void rf_cache_init(service_cache *cache);
void rf_cache_done(service_cache *cache);

/** Blocks from the first on that it has. */
size_t rf_cache_match(const service_cache *cache, const unsigned *hashes, size_t count);

/** Holds blocks, which are there from now on; in *fresh how many nobody held before. False where memory has run out. */
bool rf_cache_hold(service_cache *cache, const unsigned *hashes, size_t count, size_t *fresh);

/** Lets them go; they stay until room is made. Gives how many nobody holds now. */
size_t rf_cache_release(service_cache *cache, const unsigned *hashes, size_t count);

/** Drops the longest unused until at most so many blocks that nobody holds are left. */
void rf_cache_trim(service_cache *cache, double most);

#endif
