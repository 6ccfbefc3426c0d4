/* Kernels of CUDA graphs. Nothing records which operators a graph was captured from, and equal names do not make equal shapes.
 * But where all kernels of a graph ran in the same order on one thread by operators too (the steps before the capture, say), by
 * the same names and with the same grids and blocks, they are the same work. Where several such runs differ in their
 * shapes, nothing is taken. */
#include <stdlib.h>

#include "import/_kineto.h"

enum { LEAST = 4 /* kernels of a graph: fewer may be alike by chance */, KNOWN_MAX = 64 };

/** A kernel that an operator launched, in the order of launches. */
typedef struct launched {
  int64_t start; /* ns */
  uint32_t thread, kernel;
} launched;

/** A graph that was looked for: where its kernels ran by operators, SIZE_MAX: nowhere, or not the same everywhere. */
typedef struct graph {
  uint64_t hash;
  size_t count, at;
} graph;

typedef struct search {
  kineto *t;
  launched *by_operators;
  uint64_t *hashes; /* of the first 0, 1, ... of them */
  size_t count;
  graph known[KNOWN_MAX];
  size_t known_count;
} search;

#define COMPARE(x, y) ((x) != (y) ? ((x) < (y) ? -1 : 1) : 0)
#define BASE UINT64_C(0x9E3779B97F4A7C15) /* odd */

static int by_thread(const void *a, const void *b) {
  const launched *x = a, *y = b;
  return x->thread != y->thread ? COMPARE(x->thread, y->thread)
         : x->start != y->start ? COMPARE(x->start, y->start)
                                : COMPARE(x->kernel, y->kernel);
}

/** Kernels of a graph are next to each other, in the order they ran. */
static int by_graph(const void *a, const void *b) {
  const kineto_kernel *const *x = a, *const *y = b;
  return (*x)->correlation != (*y)->correlation ? COMPARE((*x)->correlation, (*y)->correlation)
                                                : COMPARE((*x)->start, (*y)->start);
}

static uint64_t value_of(const kineto_kernel *k) {
  uint64_t value = ((uint64_t)k->name << 32 | k->grid) + 1;
  value = (value ^ value >> 31) * BASE;
  return value ^ value >> 29;
}

static const kineto_kernel *at(const search *s, size_t i) {
  return &s->t->kernels.list[s->by_operators[i].kernel];
}

/** Whether a run of operators' kernels is the graph's. */
static bool is_same(const search *s, size_t from, kineto_kernel *const *g, size_t count) {
  bool same = s->by_operators[from].thread == s->by_operators[from + count - 1].thread;
  for (size_t i = 0; i < count && same; i++) {
    const kineto_kernel *k = at(s, from + i);
    same = k->name == g[i]->name && k->grid == g[i]->grid && k->grid != 0;
  }
  return same;
}

static uint32_t shape_of(const search *s, size_t i) {
  uint32_t op = at(s, i)->op;
  return op != KINETO_NONE ? s->t->ops.list[op].shape : KINETO_NONE;
}

static bool has_shapes(const search *s, size_t a, size_t b, size_t count) {
  size_t same = 0;
  while (same < count && shape_of(s, a + same) == shape_of(s, b + same)) {
    same++;
  }
  return same == count;
}

/** Where the graph's kernels ran by operators (Karp and Rabin 1987), SIZE_MAX: nowhere, or with different shapes. */
static size_t find(const search *s, uint64_t hash, kineto_kernel *const *g, size_t count) {
  uint64_t power = 1;
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    power *= BASE;
  }
  for (size_t i = 0; i + count <= s->count; i++) {
    bool may = s->hashes[i + count] - s->hashes[i] * power == hash;
    if (may && is_same(s, i, g, count)) {
      if (found != SIZE_MAX && !has_shapes(s, found, i, count)) {
        return SIZE_MAX;
      }
      found = found == SIZE_MAX ? i : found;
    }
  }
  return found;
}

/** A graph runs many times: it is looked for once. */
static size_t find_once(search *s, kineto_kernel *const *g, size_t count) {
  uint64_t hash = 0;
  for (size_t i = 0; i < count; i++) {
    hash = hash * BASE + value_of(g[i]);
  }
  for (size_t i = 0; i < s->known_count; i++) {
    const graph *known = &s->known[i];
    if (known->hash == hash && known->count == count) {
      return known->at == SIZE_MAX || is_same(s, known->at, g, count) ? known->at : SIZE_MAX;
    }
  }
  graph found = {hash, count, find(s, hash, g, count)};
  s->known[s->known_count < KNOWN_MAX ? s->known_count++ : KNOWN_MAX - 1] = found;
  return found.at;
}

static void take(search *s, kineto_kernel *const *g, size_t count) {
  size_t from = count >= LEAST && count <= s->count ? find_once(s, g, count) : SIZE_MAX;
  for (size_t i = 0; i < count && from != SIZE_MAX; i++) {
    const kineto_kernel *k = at(s, from + i);
    g[i]->op = k->op;
    g[i]->amount = k->amount;
    g[i]->says = k->says;
    g[i]->why = k->why;
    g[i]->again = true;
  }
}

/** Kernels of graphs into `of_graphs`, those of operators into the search. Returns how many are of graphs. */
static size_t sort_out(search *s, kineto_kernel **of_graphs) {
  kineto *t = s->t;
  size_t graphs = 0;
  for (size_t i = 0; i < t->kernels.count; i++) {
    kineto_kernel *k = &t->kernels.list[i];
    const kineto_launch *l = k->activity == KERNEL ? rf_kineto_launch_of(t, k->correlation) : NULL;
    if (l != NULL && l->graph) {
      of_graphs[graphs++] = k;
    } else if (l != NULL) {
      s->by_operators[s->count++] = (launched){l->start, l->thread, (uint32_t)i};
    }
  }
  if (s->count > 0) {
    qsort(s->by_operators, s->count, sizeof *s->by_operators, by_thread);
  }
  for (size_t i = 0; i < s->count; i++) {
    s->hashes[i + 1] = s->hashes[i] * BASE + value_of(at(s, i));
  }
  return graphs;
}

static bool any_graph(const kineto *t) {
  bool any = false;
  for (size_t i = 0; i < t->launches.count && !any; i++) {
    any = t->launches.list[i].graph;
  }
  return any;
}

roof_status rf_kineto_graphs(kineto *t) {
  if (!any_graph(t)) {
    return ROOF_OK;
  }
  search s = {.t = t};
  kineto_kernel **g = malloc((t->kernels.count + 1) * sizeof *g);
  s.by_operators = malloc((t->kernels.count + 1) * sizeof *s.by_operators);
  s.hashes = calloc(t->kernels.count + 1, sizeof *s.hashes);
  roof_status status = ROOF_OK;
  if (g == NULL || s.by_operators == NULL || s.hashes == NULL) {
    status = rf_kineto_no_memory(t);
  } else {
    size_t count = sort_out(&s, g);
    if (count > 0) {
      qsort(g, count, sizeof *g, by_graph);
    }
    for (size_t from = 0, to; from < count; from = to) {
      for (to = from + 1; to < count && g[to]->correlation == g[from]->correlation; to++) {
      }
      take(&s, g + from, to - from);
    }
  }
  free(g);
  free(s.by_operators);
  free(s.hashes);
  return status;
}
