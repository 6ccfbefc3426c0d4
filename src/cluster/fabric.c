/* What is asked of a measured network: how long a message takes, which distance is farthest, which node is slower than the others. */
#include "roofline/fabric.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/fit.h"

static const double outlying = 3.5; /* Iglewicz and Hoaglin 1993 */

static const double halved =
    0.5; /* of few nodes the spread itself is uncertain: half as good is slow whatever it is */

static const char *const names[] = {
#define X(symbol, name) [ROOF_DISTANCE_##symbol] = name,
    ROOF_DISTANCE_MAP(X)
#undef X
};

const char *roof_distance_name(roof_distance distance) {
  return names[distance];
}

const roof_distance_fit *roof_fabric_farthest(const roof_fabric *fabric) {
  return fabric->distance_count == 0 ? NULL : &fabric->distances[fabric->distance_count - 1];
}

/** Distances from the median, in 1.4826 times the median of them all; a spread under 1 % of the median counts as that. */
static double robust_z(double value, double middle, double spread) {
  return (value - middle) / fmax(1.4826 * spread, 0.01 * middle);
}

static void middle_of(double *values, double *scratch, size_t count, double *middle, double *spread) {
  *middle = rf_median(values, count, scratch);
  for (size_t i = 0; i < count; i++) {
    values[i] = fabs(values[i] - *middle);
  }
  *spread = rf_median(values, count, scratch);
}

/** Whether a node whose score is `z` has so much less than the median: `less` of it. */
static bool is_worse(double z, double less, double median) {
  return (z > outlying && less < (1 - ROOF_FABRIC_NEGLIGIBLE) * median) || less < halved * median;
}

roof_status roof_fabric_judge(roof_fabric *fabric, roof_error *error) {
  enum { LEAST = 3 };
  size_t count = (size_t)fabric->node_count;
  double *values = calloc(2 * count + 1, sizeof *values);
  double latency, latency_spread, rate, rate_spread;
  if (values == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "network: out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    values[i] = fabric->nodes[i].latency_seconds;
  }
  middle_of(values, values + count, count, &latency, &latency_spread);
  for (size_t i = 0; i < count; i++) {
    values[i] = fabric->nodes[i].bytes_per_second;
  }
  middle_of(values, values + count, count, &rate, &rate_spread);
  free(values);
  for (size_t i = 0; i < count; i++) {
    roof_fabric_node *node = &fabric->nodes[i];
    bool enough = count >= LEAST;
    node->latency_z = enough ? robust_z(node->latency_seconds, latency, latency_spread) : (double)NAN;
    node->bandwidth_z = enough ? -robust_z(node->bytes_per_second, rate, rate_spread) : (double)NAN;
    node->slow = enough && (is_worse(node->latency_z, latency, node->latency_seconds) ||
                            is_worse(node->bandwidth_z, node->bytes_per_second, rate));
  }
  return ROOF_OK;
}

void roof_fabric_done(roof_fabric *fabric) {
  free(fabric->nodes);
  if (fabric->gpus != NULL) {
    free(fabric->gpus->nodes);
    free(fabric->gpus);
  }
  *fabric = (roof_fabric){0};
}
