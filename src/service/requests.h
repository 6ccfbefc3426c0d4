/** Requests in flight: storage that is used again, lists in order, and a heap by the step in which each has its last token. */
#ifndef SERVICE_REQUESTS_H
#define SERVICE_REQUESTS_H

#include <stdint.h>

#include "service/source.h"

enum { SERVICE_NONE = -1 };

typedef struct service_request {
  service_arrival as; /**< as it arrived */
  double begun;       /**< when it was first processed; NaN: not yet */
  double first, last; /**< its first and its latest token; NaN: none yet */
  double
      lag; /**< seconds after them when the client has them: its prompt's way through the rest of a pipeline */
  double made; /**< tokens generated */
  double
      work; /**< tokens to process before it generates: the prompt, after a preemption with what was made */
  double done;          /**< of them, those that are processed or came from a cache */
  double piece;         /**< of them, those of the step that is planned */
  bool encoded;         /**< a step has run its encoder */
  double shared;        /**< blocks that the cache had for it */
  double blocks;        /**< of its own when it began to generate */
  double context;       /**< tokens there when it began to generate */
  double growth;        /**< of each block of tokens since then the part that it needs */
  uint64_t from, until; /**< the replica's steps in which it generates */
  bool swapped;         /**< its cache lies elsewhere and comes back: there is nothing to process */
  double swap_seconds;  /**< that it takes to come back */
  double passed_over;   /**< when it first found no slot for its adapter; NaN: it did not */
  bool away;            /**< it came back to generate where it had been taken from, or was handed over */
  int next, previous;   /**< in a list */
  int place;            /**< in a heap */
} service_request;

typedef struct service_pool {
  service_request *list;
  int size, free; /**< the first free one, linked by `next` */
} service_pool;

/** A fresh request, or SERVICE_NONE where memory has run out. Others may move. */
int rf_pool_take(service_pool *pool, const service_arrival *arrival);
void rf_pool_give(service_pool *pool, int request);
void rf_pool_done(service_pool *pool);

typedef struct service_list {
  int first, last;
  double count;
} service_list;

static const service_list service_empty = {SERVICE_NONE, SERVICE_NONE, 0};

void rf_list_append(service_pool *pool, service_list *list, int request);
void rf_list_prepend(service_pool *pool, service_list *list, int request);
void rf_list_remove(service_pool *pool, service_list *list, int request);

/** Requests, the one that ends first on top. */
typedef struct service_heap {
  int *list;
  int count, size;
} service_heap;

/** False where memory has run out. */
bool rf_heap_add(service_pool *pool, service_heap *heap, int request);
void rf_heap_remove(service_pool *pool, service_heap *heap, int request);

#endif
