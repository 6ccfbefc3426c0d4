#include "cluster/node.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "documents/json.h"
#include "host/clock.h"
#include "host/probe.h"
#include "roofline/report.h"

enum { LINE = 256 };

#define CPU "/sys/devices/system/cpu"

/* --- what it is --- */

/** The governors of all processors, each once: "performance, powersave". */
static void read_governors(roof_node *node, const char *root) {
  char pattern[4096], line[LINE];
  glob_t found = {0};
  roof_text all = {0};
  snprintf(pattern, sizeof pattern, "%s" CPU "/cpu[0-9]*/cpufreq/scaling_governor", root);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      if (rf_probe_line("", found.gl_pathv[i], line, sizeof line) && roof_text_is_plain(line) &&
          (all.data == NULL || strstr(all.data, line) == NULL)) {
        roof_text_addf(&all, "%s%s", all.length > 0 ? ", " : "", line);
      }
    }
  }
  globfree(&found);
  snprintf(node->governor, sizeof node->governor, "%s", all.data != NULL ? all.data : "");
  roof_text_done(&all);
}

double rf_node_throttle_events(const char *root) {
  char pattern[4096];
  glob_t found = {0};
  double sum = NAN;
  snprintf(pattern, sizeof pattern, "%s" CPU "/cpu[0-9]*/thermal_throttle/core_throttle_count", root);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      double events = rf_probe_number("", found.gl_pathv[i], "");
      sum = isnan(events) ? sum : (isnan(sum) ? 0 : sum) + events;
    }
  }
  globfree(&found);
  return sum;
}

void rf_node_identify(roof_node *node, const char *root) {
  struct utsname system;
  char line[LINE];
  if (uname(&system) == 0) {
    snprintf(node->system, sizeof node->system, "%.63s", system.release);
  }
  if (rf_probe_key(root, "/proc/cpuinfo", "microcode", line, sizeof line)) {
    snprintf(node->microcode, sizeof node->microcode, "%.31s", line);
  }
  read_governors(node, root);
}

/* --- what it reaches --- */

static roof_status add_figure(roof_nodes *nodes, roof_node *node, const char *prefix, const char *name,
                              const char *unit, double value, double spread, roof_error *error) {
  char full[sizeof nodes->ceilings->name];
  if (!(value > 0 && isfinite(value))) {
    return ROOF_OK;
  }
  snprintf(full, sizeof full, "%s%s", prefix, name);
  int at = rf_nodes_ceiling(nodes, full, unit);
  roof_node_figure *more = at >= 0 ? realloc(node->figures, nodes->ceiling_count * sizeof *more) : NULL;
  if (at < 0 || more == NULL) {
    return at < 0 ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  node->figures = more;
  for (; node->count <= (size_t)at; node->count++) {
    node->figures[node->count] = (roof_node_figure){NAN, NAN};
  }
  node->figures[at] = (roof_node_figure){value, spread};
  return ROOF_OK;
}

static roof_status add_level(roof_nodes *nodes, roof_node *node, const char *prefix, const roof_level *level,
                             roof_error *error) {
  roof_machine_value v;
  roof_status status = ROOF_OK;
  for (int i = 0; status == ROOF_OK && roof_level_figure(level, i, &v); i++) {
    char name[ROOF_NAME_MAX + 32];
    snprintf(name, sizeof name, "%s %s", level->name, v.label);
    status = add_figure(nodes, node, prefix, name, v.unit, v.value, level->spread, error);
  }
  return status;
}

/** What the cores of each memory domain read of their own memory: where one is slow, a module of it may be. */
static roof_status add_domains(roof_nodes *nodes, roof_node *node, const char *prefix,
                               const roof_report *report, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < report->domain_count && status == ROOF_OK; i++) {
    const roof_domain *d = &report->domains[i];
    char name[64];
    snprintf(name, sizeof name, RF_ALONE "%s", d->name);
    if (i < d->read_count) {
      status = add_figure(nodes, node, prefix, name, "B/s", d->read_bytes_per_second[i], NAN, error);
    }
  }
  return status;
}

roof_status rf_node_add_machine(roof_nodes *nodes, roof_node *node, const roof_machine *m, const char *prefix,
                                roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < m->peak_count && status == ROOF_OK; i++) {
    const roof_peak *p = &m->peaks[i];
    if (p->kind == ROOF_MEASURED && p->cores == 0) {
      char name[96];
      snprintf(name, sizeof name, "%s %s%s%s%s", roof_dtype_name(p->dtype), roof_unit_name(p->unit),
               p->sparse ? " sparse" : "", p->isa[0] != '\0' ? " " : "", p->isa);
      status = add_figure(nodes, node, prefix, name, "FLOP/s", p->flops_per_second, p->spread, error);
    }
  }
  for (int i = 0; i < m->level_count && status == ROOF_OK; i++) {
    if (m->levels[i].kind == ROOF_MEASURED && m->levels[i].cores == 0) {
      status = add_level(nodes, node, prefix, &m->levels[i], error);
    }
  }
  for (int i = 0; i < m->link_count && status == ROOF_OK; i++) {
    const roof_link *l = &m->links[i];
    if (l->kind == ROOF_MEASURED) {
      status = add_figure(nodes, node, prefix, l->name, "B/s", l->bytes_per_second, NAN, error);
    }
  }
  return status == ROOF_OK ? add_domains(nodes, node, prefix, roof_machine_report(m), error) : status;
}

/** The facts of a node that its processor's machine has. */
static void keep_processor(roof_node *node, const roof_machine *m) {
  const roof_level *memory = roof_machine_memory(m, ROOF_MEASURED);
  snprintf(node->title, sizeof node->title, "%s", roof_machine_title(m));
  node->cores = m->unit_count;
  node->clock_hz = m->clock_hz;
  node->memory_bytes = memory != NULL ? memory->bytes : NAN;
  for (int i = 0; i < m->note_count && node->noise[0] == '\0'; i++) {
    if (strncmp(m->notes[i], "noise: ", 7) == 0) {
      snprintf(node->noise, sizeof node->noise, "%.95s", m->notes[i] + 7);
    }
  }
}

/** Measures one device of a backend and adds its ceilings. */
static roof_status measure_one(roof_nodes *nodes, roof_node *node, const roof_backend *backend, int device,
                               const roof_measure_options *how, roof_error *error) {
  roof_measure_options own = *how;
  roof_machine *machine = NULL;
  char number[16], prefix[16] = "";
  bool is_processor = backend->device_count == NULL;
  snprintf(number, sizeof number, "%d", device);
  if (!is_processor) {
    own.device = number;
    snprintf(prefix, sizeof prefix, "gpu%d ", device);
  }
  roof_status status = backend->measure(&own, &machine, error);
  if (status == ROOF_OK && is_processor) {
    keep_processor(node, machine);
  } else if (status == ROOF_OK) {
    node->gpus = (isnan(node->gpus) ? 0 : node->gpus) + 1;
  }
  status = status == ROOF_OK ? rf_node_add_machine(nodes, node, machine, prefix, error) : status;
  roof_machine_free(machine);
  return status;
}

static roof_status measure_with(roof_nodes *nodes, roof_node *node, const char *name,
                                const roof_measure_options *how, roof_error *error) {
  const roof_backend *backend = NULL;
  roof_status status = roof_backend_find(name, &backend, error);
  const char *why = status == ROOF_OK ? backend->disabled_reason() : NULL;
  if (status != ROOF_OK || why != NULL) {
    return status != ROOF_OK ? status : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", name, why);
  }
  int devices = backend->device_count != NULL ? backend->device_count() : 1;
  for (int i = 0; i < devices && status == ROOF_OK; i++) {
    status = measure_one(nodes, node, backend, i, how, error);
  }
  return status;
}

static bool works(const char *name) {
  const roof_backend *backend = NULL;
  return roof_backend_find(name, &backend, NULL) == ROOF_OK && backend->disabled_reason() == NULL;
}

/** CUDA's devices are measured where there are some, or HIP's. */
static const char *usual_list(void) {
  return works("cuda") ? "cpu,cuda" : works("hip") ? "cpu,hip" : "cpu";
}

static roof_status measure_all(roof_nodes *nodes, roof_node *node, const char *list,
                               const roof_measure_options *how, roof_error *error) {
  char names[128], *rest = NULL;
  roof_status status = ROOF_OK;
  snprintf(names, sizeof names, "%s", list != NULL ? list : usual_list());
  for (char *name = strtok_r(names, ",", &rest); name != NULL && status == ROOF_OK;
       name = strtok_r(NULL, ",", &rest)) {
    status = measure_with(nodes, node, name, how, error);
  }
  return status;
}

roof_status rf_node_add_domains(roof_nodes *nodes, roof_node *node, const rf_domain_reads *reads,
                                roof_error *error) {
  char name[64];
  double sum = 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < reads->count && status == ROOF_OK; i++) {
    const roof_domain_read *r = &reads->of[i];
    snprintf(name, sizeof name, RF_AT_ONCE "%s", r->name);
    status = add_figure(nodes, node, "", name, "B/s", r->bytes_per_second, r->spread, error);
    sum += r->bytes_per_second;
  }
  snprintf(name, sizeof name, RF_AT_ONCE_ALL "%d", reads->count);
  return status == ROOF_OK ? add_figure(nodes, node, "", name, "B/s", sum, NAN, error) : status;
}

roof_status rf_node_measure(const roof_node *known, const rf_domain_reads *reads, const char *list,
                            const roof_measure_options *how, roof_text *out, roof_error *error) {
  roof_node node = *known;
  roof_nodes *nodes = roof_nodes_new(); /* whose ceilings are this node's */
  roof_error why = {.message = ""};
  double begin = rf_clock_seconds(), events = rf_node_throttle_events("");
  rf_node_identify(&node, "");
  roof_status status = nodes != NULL ? measure_all(nodes, &node, list, how, &why)
                                     : roof_error_set(&why, ROOF_E_MEMORY, "cluster: out of memory");
  status = status == ROOF_OK ? rf_node_add_domains(nodes, &node, reads, &why) : status;
  node.seconds = rf_clock_seconds() - begin;
  node.throttle_events = rf_node_throttle_events("") - events;
  if (nodes == NULL || status == ROOF_E_NAME || status == ROOF_E_MEMORY) {
    *error = why;
  } else {
    snprintf(node.absent, sizeof node.absent, "%.255s",
             roof_text_is_plain(why.message) ? why.message : "it could not be measured");
    rf_json_begin();
    rf_json_add(rf_node_json(&node, nodes->ceilings), 0, out);
    status = out->failed ? roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory") : ROOF_OK;
  }
  free(node.figures);
  roof_nodes_free(nodes);
  return status;
}
