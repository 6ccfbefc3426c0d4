#include "region/calls.h"

#include <stdatomic.h>
#include <stdlib.h>

static rf_region_call *list;
static size_t most;
static atomic_size_t taken;
static _Atomic uint64_t whole = UINT64_MAX;

bool rf_calls_start(size_t room) {
  list = calloc(room, sizeof *list);
  most = list != NULL ? room : 0;
  return list != NULL;
}

/** Notes the earliest call that was dropped. */
static void drop(uint64_t start) {
  uint64_t before = atomic_load(&whole);
  while (start < before && !atomic_compare_exchange_weak(&whole, &before, start)) {
  }
}

void rf_calls_add(const rf_region_call *call) {
  if (list == NULL) {
    return;
  }
  size_t at = atomic_fetch_add(&taken, 1);
  if (at < most) {
    list[at] = *call;
  } else {
    drop(call->start);
  }
}

rf_region_calls rf_calls_list(void) {
  size_t all = atomic_load(&taken), count = all < most ? all : most;
  return (rf_region_calls){list, count, all - count, atomic_load(&whole)};
}
