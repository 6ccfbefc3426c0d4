#include "host/topology.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { CACHE_LEVELS = 3 };

static const hwloc_obj_type_t cache_types[CACHE_LEVELS] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                                           HWLOC_OBJ_L3CACHE};

/** What distinguishes one kind of core from another. */
typedef struct traits {
  const char *type;     /* "IntelCore"; "" unknown */
  const char *capacity; /* its speed as the firmware reports it; "" unknown */
  double highest_hz;
  int threads;
  double caches[CACHE_LEVELS]; /* bytes, 0: none */
} traits;

/** The topology that is being read. */
typedef struct reading {
  hwloc_topology_t hwloc;
  hwloc_bitmap_t usable; /* hardware threads */
  hwloc_bitmap_t scratch;
  traits kinds[RF_CORE_KIND_MAX];
  rf_topology out;
} reading;

/** Objects that are cores: hardware threads if the system does not report cores. */
static hwloc_obj_type_t core_type(hwloc_topology_t hwloc) {
  return hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static const char *info(const struct hwloc_info_s *infos, unsigned count, const char *name) {
  for (unsigned i = 0; i < count; i++) {
    if (strcmp(infos[i].name, name) == 0) {
      return infos[i].value;
    }
  }
  return "";
}

static double cache_bytes(hwloc_obj_t core, int level) {
  for (hwloc_obj_t at = core; at != NULL; at = at->parent) {
    if (at->type == cache_types[level]) {
      return (double)at->attr->cache.size;
    }
  }
  return 0;
}

static traits traits_of(hwloc_topology_t hwloc, hwloc_obj_t core) {
  traits t = {.type = "", .capacity = "", .highest_hz = NAN, .threads = hwloc_bitmap_weight(core->cpuset)};
  unsigned count = 0;
  struct hwloc_info_s *infos = NULL;
  int kind = hwloc_cpukinds_get_by_cpuset(hwloc, core->cpuset, 0);
  if (kind >= 0 && hwloc_cpukinds_get_info(hwloc, (unsigned)kind, NULL, NULL, &count, &infos, 0) == 0) {
    t.type = info(infos, count, "CoreType");
    t.capacity = info(infos, count, "LinuxCapacity");
    double megahertz = 0;
    rf_numbers_read(info(infos, count, "FrequencyMaxMHz"), &megahertz, 1);
    t.highest_hz = megahertz > 0 ? 1e6 * megahertz : NAN;
  }
  for (int level = 0; level < CACHE_LEVELS; level++) {
    t.caches[level] = cache_bytes(core, level);
  }
  return t;
}

/** Cores whose highest clocks alone differ are of one kind: processors favour some cores by a few percent. */
static bool alike(const traits *a, const traits *b) {
  return strcmp(a->type, b->type) == 0 && a->threads == b->threads &&
         memcmp(a->caches, b->caches, sizeof a->caches) == 0 &&
         (a->type[0] != '\0' || strcmp(a->capacity, b->capacity) == 0);
}

/** How hwloc ranks the core's speed, the clock where it does not. */
static double speed_of(hwloc_topology_t hwloc, hwloc_obj_t core) {
  int efficiency = -1;
  int kind = hwloc_cpukinds_get_by_cpuset(hwloc, core->cpuset, 0);
  if (kind >= 0) {
    hwloc_cpukinds_get_info(hwloc, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0);
  }
  double clock = traits_of(hwloc, core).highest_hz;
  return efficiency >= 0 ? efficiency : isnan(clock) ? 0 : clock / 1e12;
}

/** An object and what cores are sorted by. */
typedef struct candidate {
  hwloc_obj_t object;
  double speed;
} candidate;

static int compare_cores(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->speed != y->speed) {
    return x->speed > y->speed ? -1 : 1;
  }
  return x->object->logical_index < y->object->logical_index ? -1 : 1;
}

/** The index of the kind of a core, added if it is new; the last one where there is no room. */
static int kind_of(reading *r, hwloc_obj_t object) {
  traits t = traits_of(r->hwloc, object);
  int kind = 0;
  while (kind < r->out.kind_count && !alike(&r->kinds[kind], &t)) {
    kind++;
  }
  if (kind == RF_CORE_KIND_MAX) {
    return kind - 1;
  }
  if (kind == r->out.kind_count) {
    r->kinds[r->out.kind_count++] = t;
  }
  r->kinds[kind].highest_hz = fmax(r->kinds[kind].highest_hz, t.highest_hz);
  return kind;
}

static void add_core(reading *r, hwloc_obj_t object) {
  rf_core *core = &r->out.cores[r->out.core_count++];
  hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(r->hwloc, HWLOC_OBJ_PACKAGE, object);
  *core = (rf_core){.kind = kind_of(r, object), .node = -1, .package = package ? (int)package->os_index : 0};
  hwloc_bitmap_and(r->scratch, object->cpuset, r->usable);
  for (int at = hwloc_bitmap_first(r->scratch); at >= 0 && core->thread_count < RF_SMT_MAX;
       at = hwloc_bitmap_next(r->scratch, at)) {
    core->threads[core->thread_count++] = at;
  }
  r->out.thread_count += core->thread_count;
}

/** Cores with a usable hardware thread, the fastest first, as many as are paid for. */
static roof_status read_cores(reading *r, double paid, roof_error *error) {
  hwloc_obj_type_t type = core_type(r->hwloc);
  int all = hwloc_get_nbobjs_by_type(r->hwloc, type), count = 0;
  candidate *found = calloc((size_t)(all > 0 ? all : 1), sizeof *found);
  r->out.cores = calloc((size_t)(all > 0 ? all : 1), sizeof *r->out.cores);
  if (found == NULL || r->out.cores == NULL) {
    free(found);
    return roof_error_set(error, ROOF_E_MEMORY, "cores: out of memory");
  }
  for (int i = 0; i < all; i++) {
    hwloc_obj_t object = hwloc_get_obj_by_type(r->hwloc, type, (unsigned)i);
    if (object != NULL && hwloc_bitmap_intersects(object->cpuset, r->usable)) {
      found[count++] = (candidate){object, speed_of(r->hwloc, object)};
    }
  }
  qsort(found, (size_t)count, sizeof *found, compare_cores);
  int used = count < paid ? count : (int)fmax(1, floor(paid));
  r->out.refused_cores = count - used;
  for (int i = 0; i < used; i++) {
    add_core(r, found[i].object);
  }
  free(found);
  return used > 0 ? ROOF_OK : roof_error_set(error, ROOF_E_UNSUPPORTED, "cores: there is none to run on");
}

/** Leaves in `usable` what the cores that are used have. */
static void narrow(reading *r) {
  hwloc_bitmap_zero(r->usable);
  for (int i = 0; i < r->out.core_count; i++) {
    for (int k = 0; k < r->out.cores[i].thread_count; k++) {
      hwloc_bitmap_set(r->usable, (unsigned)r->out.cores[i].threads[k]);
    }
  }
}

static void name_kinds(reading *r) {
  static const struct {
    const char *type, *name;
  } names[] = {{"IntelCore", "P-core"}, {"IntelAtom", "E-core"}};
  rf_topology *out = &r->out;
  for (int k = 0; k < out->kind_count; k++) {
    rf_core_kind *kind = &out->kinds[k];
    const traits *t = &r->kinds[k];
    kind->highest_hz = t->highest_hz;
    snprintf(kind->name, sizeof kind->name, "%s", t->type[0] != '\0' ? t->type : "core");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
      if (strcmp(t->type, names[i].type) == 0) {
        snprintf(kind->name, sizeof kind->name, "%s", names[i].name);
      }
    }
    if (t->type[0] == '\0' && out->kind_count > 1 && !isnan(t->highest_hz)) {
      rf_format(kind->name, sizeof kind->name, "%.3g GHz core", t->highest_hz / 1e9);
    }
    for (int i = 0; i < out->core_count; i++) {
      kind->cores += out->cores[i].kind == k;
    }
  }
}

/** Kinds with the same name get a number. */
static void number_kinds(rf_topology *out) {
  for (int k = 1; k < out->kind_count; k++) {
    int same = 1;
    for (int i = 0; i < k; i++) {
      same += strncmp(out->kinds[i].name, out->kinds[k].name, strlen(out->kinds[k].name)) == 0;
    }
    size_t used = strlen(out->kinds[k].name);
    if (same > 1) {
      snprintf(out->kinds[k].name + used, sizeof out->kinds[k].name - used, " %d", same);
    }
  }
}

/** Hardware threads of a kind of core. */
static void set_of_kind(const rf_topology *out, int kind, hwloc_bitmap_t set) {
  hwloc_bitmap_zero(set);
  for (int i = 0; i < out->core_count; i++) {
    for (int k = 0; out->cores[i].kind == kind && k < out->cores[i].thread_count; k++) {
      hwloc_bitmap_set(set, (unsigned)out->cores[i].threads[k]);
    }
  }
}

/** Caches of a level that touch `set`: their number, and the size of the smallest. */
static rf_cache caches_of(hwloc_topology_t hwloc, int level, hwloc_const_bitmap_t set) {
  rf_cache cache = {.level = level + 1, .bytes = INFINITY};
  hwloc_obj_t object = NULL;
  while ((object = hwloc_get_next_obj_by_type(hwloc, cache_types[level], object)) != NULL) {
    if (object->attr->cache.size > 0 && hwloc_bitmap_intersects(object->cpuset, set)) {
      cache.bytes = fmin(cache.bytes, (double)object->attr->cache.size);
      cache.instances++;
    }
  }
  return cache;
}

/** A level's caches, one entry if they are the same for all kinds of core, else one per kind. */
static void read_level(reading *r, int level) {
  rf_topology *out = &r->out;
  rf_cache whole = caches_of(r->hwloc, level, r->usable), each[RF_CORE_KIND_MAX];
  whole.kind = -1;
  bool same = true;
  for (int k = 0; k < out->kind_count; k++) {
    set_of_kind(out, k, r->scratch);
    each[k] = caches_of(r->hwloc, level, r->scratch);
    each[k].kind = k;
    bool shared = each[k].instances == whole.instances;
    bool alike_share = each[k].instances * out->core_count == whole.instances * out->kinds[k].cores;
    same = same && each[k].bytes == whole.bytes && (shared || alike_share);
  }
  for (int k = 0; k < out->kind_count && !same; k++) {
    if (each[k].instances > 0) {
      out->caches[out->cache_count++] = each[k];
    }
  }
  if (same && whole.instances > 0) {
    out->caches[out->cache_count++] = whole;
  }
}

/** Memory domains, those without cores too; a core's is the one whose processors include it. */
static void read_nodes(reading *r) {
  rf_topology *out = &r->out;
  hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(r->hwloc);
  hwloc_obj_t object = NULL;
  while ((object = hwloc_get_next_obj_by_type(r->hwloc, HWLOC_OBJ_NUMANODE, object)) != NULL) {
    if (out->node_count == RF_NODE_MAX || !hwloc_bitmap_isset(allowed, object->os_index)) {
      continue;
    }
    rf_node *node = &out->nodes[out->node_count];
    *node = (rf_node){.number = (int)object->os_index, .bytes = (double)object->attr->numanode.local_memory};
    for (int i = 0; i < out->core_count; i++) {
      rf_core *core = &out->cores[i];
      if (core->node < 0 && hwloc_bitmap_isset(object->cpuset, (unsigned)core->threads[0])) {
        core->node = out->node_count;
        node->cores++;
      }
    }
    out->node_count++;
  }
}

static void count_packages(rf_topology *out) {
  for (int i = 0; i < out->core_count; i++) {
    bool seen = false;
    for (int j = 0; j < i && !seen; j++) {
      seen = out->cores[j].package == out->cores[i].package;
    }
    out->package_count += !seen;
  }
}

roof_status rf_topology_read(hwloc_topology_t hwloc, hwloc_const_cpuset_t allowed, double paid,
                             rf_topology *out, roof_error *error) {
  reading r = {.hwloc = hwloc,
               .usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hwloc)),
               .scratch = hwloc_bitmap_alloc()};
  roof_status status = ROOF_OK;
  if (r.usable == NULL || r.scratch == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "cores: out of memory");
    goto done;
  }
  if (allowed != NULL && !hwloc_bitmap_iszero(allowed)) {
    hwloc_bitmap_and(r.usable, r.usable, allowed);
  }
  status = read_cores(&r, paid, error);
  if (status != ROOF_OK) {
    goto done;
  }
  r.out.machine_threads = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(hwloc));
  narrow(&r);
  name_kinds(&r);
  number_kinds(&r.out);
  for (int level = 0; level < CACHE_LEVELS; level++) {
    read_level(&r, level);
  }
  read_nodes(&r);
  count_packages(&r.out);
done:
  if (status == ROOF_OK) {
    *out = r.out;
  } else {
    free(r.out.cores);
  }
  hwloc_bitmap_free(r.usable);
  hwloc_bitmap_free(r.scratch);
  return status;
}

void rf_topology_done(rf_topology *topology) {
  free(topology->cores);
  *topology = (rf_topology){0};
}

/** The core of a place, and which of its hardware threads. */
static const rf_core *find_place(const rf_topology *topology, int thread, int *sibling) {
  int passed = 0;
  for (*sibling = 0; *sibling < RF_SMT_MAX; (*sibling)++) {
    for (int i = 0; i < topology->core_count; i++) {
      const rf_core *core = &topology->cores[i];
      if (core->thread_count > *sibling && passed++ == thread) {
        return core;
      }
    }
  }
  *sibling = 0;
  return topology->cores;
}

const rf_core *rf_topology_core(const rf_topology *topology, int thread) {
  int sibling = 0;
  return find_place(topology, thread, &sibling);
}

int rf_topology_place(const rf_topology *topology, int thread) {
  int sibling = 0;
  const rf_core *core = find_place(topology, thread, &sibling);
  return core->threads[sibling];
}

int rf_topology_first(const rf_topology *topology, int kind) {
  int first = 0;
  while (first < topology->core_count - 1 && topology->cores[first].kind != kind) {
    first++;
  }
  return first;
}

double rf_topology_last_cache(const rf_topology *topology, int cores) {
  enum { LEVELS = 3 };
  double all[LEVELS] = {0}, one[LEVELS] = {0}, most = 0;
  for (int i = 0; i < topology->cache_count; i++) {
    const rf_cache *cache = &topology->caches[i];
    int level = cache->level - 1;
    all[level] += cache->bytes * cache->instances;
    one[level] = cache->bytes > one[level] ? cache->bytes : one[level];
  }
  for (int i = 0; i < LEVELS; i++) {
    double held = one[i] * cores < all[i] ? one[i] * cores : all[i];
    most = held > most ? held : most;
  }
  return most;
}
