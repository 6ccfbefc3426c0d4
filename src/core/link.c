/* Which of a machine's links joins so many devices. */
#include "core/link.h"

#include <math.h>
#include <string.h>

/* One message's latency: NCCL's own model of it (src/graph/tuning.cc, hwLat, ring, protocol LL). */
static const double nvlink_latency = 0.6e-6, other_latency = 1.0e-6;

double rf_link_latency(const roof_link *link) {
  bool nvlink = strncmp(link->name, "NVLink", strlen("NVLink")) == 0;
  return !isnan(link->latency_seconds) ? link->latency_seconds : nvlink ? nvlink_latency : other_latency;
}

bool rf_link_joins(const roof_link *link, double ranks) {
  return !(link->joins >= 1 && ranks > link->joins);
}

const roof_link *roof_target_link(const roof_target *target, double ranks) {
  const roof_machine *machine = target->machine;
  if (target->link != NULL && rf_link_joins(target->link, ranks)) {
    return target->link;
  }
  for (int i = 0; i < machine->link_count && target->options.link == NULL; i++) {
    if (rf_link_joins(&machine->links[i], ranks)) {
      return &machine->links[i];
    }
  }
  return NULL;
}

double rf_link_most(const roof_target *target) {
  const roof_machine *machine = target->machine;
  double most = 1;
  if (target->options.link != NULL && target->link != NULL) {
    return target->link->joins;
  }
  for (int i = 0; i < machine->link_count; i++) {
    most = fmax(most, machine->links[i].joins);
  }
  return most;
}

void rf_link_lack(const roof_target *target, double ranks, char *text, size_t size) {
  double most = rf_link_most(target);
  const char *asked = target->options.link;
  if (!(most > 1) && asked == NULL) {
    rf_format(text, size, "its file has no link to other devices");
  } else {
    rf_format(text, size,
              "%s%s at most %.0f device%s, not %.0f; between nodes `roofline cluster` has all-reduces, "
              "`model` plans",
              asked != NULL ? asked : "its links join", asked != NULL ? " joins" : "", most,
              most > 1 ? "s" : "", ranks);
  }
}

roof_status roof_target_joins(const roof_target *target, double ranks, roof_error *error) {
  char lack[RF_LINK_LACK];
  if (roof_target_link(target, ranks) != NULL) {
    return ROOF_OK;
  }
  rf_link_lack(target, ranks, lack, sizeof lack);
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", target->machine->name, lack);
}
