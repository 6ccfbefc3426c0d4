/* Arrivals, routing and preemption by name. */
#include <string.h>

#include "roofline/service.h"

static const char *const arrivals[ROOF_ARRIVAL_COUNT + 1] = {
#define NAME(symbol, name, text) [symbol] = name,
    ROOF_ARRIVAL_MAP(NAME)
#undef NAME
};

static const char *const routings[ROOF_ROUTING_COUNT + 1] = {
#define NAME(symbol, name, text) [symbol] = name,
    ROOF_ROUTING_MAP(NAME)
#undef NAME
};

static const char *const preemptions[ROOF_PREEMPTION_COUNT + 1] = {
#define NAME(symbol, name, text) [symbol] = name,
    ROOF_PREEMPTION_MAP(NAME)
#undef NAME
};

static const char *name_of(const char *const *names, unsigned index, unsigned count) {
  return index < count ? names[index] : "?";
}

const char *roof_arrival_name(roof_arrival arrival) {
  return name_of(arrivals, (unsigned)arrival, ROOF_ARRIVAL_COUNT);
}

const char *roof_routing_name(roof_routing routing) {
  return name_of(routings, (unsigned)routing, ROOF_ROUTING_COUNT);
}

const char *roof_preemption_name(roof_preemption preemption) {
  return name_of(preemptions, (unsigned)preemption, ROOF_PREEMPTION_COUNT);
}

/** The index of a name, or -1 with the nearest in the error. */
static int find(const char *what, const char *name, const char *const *names, roof_error *error) {
  for (int i = 0; names[i] != NULL; i++) {
    if (strcmp(name, names[i]) == 0) {
      return i;
    }
  }
  roof_error_unknown(error, what, name, names, NULL);
  return -1;
}

roof_status roof_arrival_parse(const char *text, roof_arrival *arrival, roof_error *error) {
  int found = find("arrivals", text, arrivals, error);
  *arrival = found >= 0 ? (roof_arrival)found : *arrival;
  return found >= 0 ? ROOF_OK : ROOF_E_NAME;
}

roof_status roof_routing_parse(const char *text, roof_routing *routing, roof_error *error) {
  int found = find("routing", text, routings, error);
  *routing = found >= 0 ? (roof_routing)found : *routing;
  return found >= 0 ? ROOF_OK : ROOF_E_NAME;
}

roof_status roof_preemption_parse(const char *text, roof_preemption *preemption, roof_error *error) {
  int found = find("preemption", text, preemptions, error);
  *preemption = found >= 0 ? (roof_preemption)found : *preemption;
  return found >= 0 ? ROOF_OK : ROOF_E_NAME;
}
