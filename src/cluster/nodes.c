#include "cluster/nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(key, label, unit, member)                                                                     \
  { key, label, unit, offsetof(roof_node, member), 0 }
#define TEXT(key, label, member)                                                                             \
  { key, label, "", offsetof(roof_node, member), sizeof((roof_node *)0)->member }

const rf_node_field rf_node_fields[RF_NODE_FIELDS] = {
    TEXT("name", "node", name),
    TEXT("processor", "processor", title),
    TEXT("system", "system", system),
    TEXT("microcode", "microcode", microcode),
    TEXT("governor", "governor", governor),
    TEXT("bound", "bound", bound),
    TEXT("domains", "memory domains", domains),
    TEXT("noise", "noise", noise),
    TEXT("absent", "absent", absent),
    NUMBER("ranks", "ranks", "", ranks),
    NUMBER("cores", "cores", "", cores),
    NUMBER("gpus", "GPUs", "", gpus),
    NUMBER("memory_bytes", "memory", "B", memory_bytes),
    NUMBER("clock_hz", "clock", "Hz", clock_hz),
    NUMBER("throttle_events", "throttle events", "", throttle_events),
    NUMBER("seconds", "measured for", "s", seconds),
};

double *rf_node_number(roof_node *node, const rf_node_field *field) {
  return (double *)(void *)((char *)node + field->offset);
}

double rf_node_number_of(const roof_node *node, const rf_node_field *field) {
  return *(const double *)(const void *)((const char *)node + field->offset);
}

const char *rf_node_text_of(const roof_node *node, const rf_node_field *field) {
  return (const char *)node + field->offset;
}

void rf_node_init(roof_node *node) {
  *node = (roof_node){.count = 0};
  for (int i = 0; i < RF_NODE_FIELDS; i++) {
    if (rf_node_fields[i].size == 0) {
      *rf_node_number(node, &rf_node_fields[i]) = NAN;
    }
  }
}

roof_nodes *roof_nodes_new(void) {
  roof_nodes *nodes = calloc(1, sizeof *nodes);
  if (nodes != NULL) {
    nodes->ranks = NAN;
    nodes->ceilings = calloc(ROOF_NODES_CEILINGS, sizeof *nodes->ceilings);
  }
  if (nodes != NULL && nodes->ceilings == NULL) {
    free(nodes);
    return NULL;
  }
  return nodes;
}

void roof_nodes_free(roof_nodes *nodes) {
  if (nodes == NULL) {
    return;
  }
  for (size_t i = 0; i < nodes->count; i++) {
    free(nodes->list[i].figures);
  }
  free(nodes->list);
  free(nodes->ceilings);
  free(nodes->outliers);
  free(nodes->network);
  free(nodes);
}

int rf_nodes_ceiling(roof_nodes *nodes, const char *name, const char *unit) {
  size_t i = 0;
  while (i < nodes->ceiling_count && strcmp(nodes->ceilings[i].name, name) != 0) {
    i++;
  }
  if (i == ROOF_NODES_CEILINGS) {
    return -1;
  }
  if (i == nodes->ceiling_count) {
    roof_nodes_ceiling *added = &nodes->ceilings[nodes->ceiling_count++];
    *added = (roof_nodes_ceiling){.median = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    snprintf(added->name, sizeof added->name, "%s", name);
    snprintf(added->unit, sizeof added->unit, "%s", unit);
  }
  return (int)i;
}

bool rf_nodes_take(roof_nodes *nodes, const roof_node *node) {
  if ((nodes->count & (nodes->count - 1)) == 0) { /* the list doubles */
    roof_node *more = realloc(nodes->list, (nodes->count > 0 ? 2 * nodes->count : 1) * sizeof *more);
    if (more == NULL) {
      return false;
    }
    nodes->list = more;
  }
  nodes->list[nodes->count++] = *node;
  return true;
}

roof_node_figure roof_nodes_figure(const roof_nodes *nodes, size_t node, size_t ceiling) {
  bool known = node < nodes->count && ceiling < nodes->list[node].count;
  return known ? nodes->list[node].figures[ceiling] : (roof_node_figure){NAN, NAN};
}

bool rf_nodes_is_time(const char *unit) {
  return strcmp(unit, "s") == 0;
}

double rf_nodes_loss(const char *unit, double value, double typical) {
  return rf_nodes_is_time(unit) ? 1 - typical / value : 1 - value / typical;
}

static const struct {
  const char *unit, *what;
  bool gpu;
} paces[ROOF_PACE_COUNT] = {
#define X(symbol, on_gpu, of_unit, name) [symbol] = {.unit = (of_unit), .what = (name), .gpu = (on_gpu)},
    ROOF_PACE_MAP(X)
#undef X
};

const char *roof_pace_name(roof_pace pace) {
  return (unsigned)pace < ROOF_PACE_COUNT ? paces[pace].what : "?";
}

/** Whether a ceiling is one of those: "gpu0 bf16 matrix", "DRAM read". */
static bool sets_pace(const roof_nodes_ceiling *c, roof_pace pace) {
  static const char *const memories[] = {"DRAM ", "HBM", "GDDR"};
  bool gpu = strncmp(c->name, "gpu", 3) == 0, of = pace == ROOF_PACE_COMPUTE || pace == ROOF_PACE_GPU_COMPUTE;
  for (size_t i = 0; i < sizeof memories / sizeof memories[0] && !of; i++) {
    of = strstr(c->name, memories[i]) != NULL;
  }
  return of && gpu == paces[pace].gpu && strcmp(c->unit, paces[pace].unit) == 0;
}

double roof_nodes_pace(const roof_nodes *nodes, roof_pace pace, size_t *slowest) {
  enum { LEAST = 2 };
  double least = NAN;
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    const roof_nodes_ceiling *c = &nodes->ceilings[i];
    double own = c->low / c->median;
    if (c->count >= LEAST && sets_pace(c, pace) && !(least <= own)) {
      least = own;
      if (slowest != NULL) {
        *slowest = c->slowest;
      }
    }
  }
  return least;
}
