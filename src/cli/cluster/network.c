/* Predictions for the cluster that was measured: its link, its slowest node. */
#include "cli/cluster/network.h"

#include <math.h>
#include <string.h>

#include "cluster/nodes.h"
#include "documents/json.h"
#include "host/file.h"
#include "roofline/fabric.h"
#include "roofline/plan.h"

static roof_link measured_link;
static char link_note[384], pace_note[256];

/** What processors and what GPUs wait for; `node` "": nothing. */
static struct {
  char file[256], node[ROOF_NODE_NAME_MAX];
  double compute, memory;
} waited[2];

static bool is_gpu(const roof_machine *machine) {
  return strcmp(machine->device_class, "gpu") == 0;
}

/** What a machine's devices send over: between GPUs their own, where it was measured between as distant ones as the
 * processors'. */
static const roof_fabric *fabric_of(const roof_fabric *all, const roof_machine *machine) {
  const roof_distance_fit *far = roof_fabric_farthest(all);
  const roof_distance_fit *own = all->gpus != NULL ? roof_fabric_farthest(all->gpus) : NULL;
  bool farther = far != NULL && far->distance > ROOF_DISTANCE_NODE;
  bool takes = is_gpu(machine) && own != NULL && (own->distance > ROOF_DISTANCE_NODE || !farther);
  return takes ? all->gpus : all;
}

/** The link between the farthest ranks: the latency of its first protocol, the bandwidth of its last. */
static roof_status take_link(const char *file, const roof_nodes *nodes, const roof_machine *machine,
                             const roof_link **link, roof_error *error) {
  static roof_fabric fabric;
  char rate[CLI_SHORT], delay[CLI_SHORT];
  if (nodes->network == NULL) {
    snprintf(link_note, sizeof link_note,
             "%.128s has no network, which measure --cluster --network adds: the usual link", file);
    return ROOF_OK;
  }
  roof_status status = roof_fabric_read(nodes->network, strlen(nodes->network), file, &fabric, error);
  const roof_fabric *part = status == ROOF_OK ? fabric_of(&fabric, machine) : NULL;
  const roof_distance_fit *far = part != NULL ? roof_fabric_farthest(part) : NULL;
  if (far != NULL && far->fit.count > 0 && far->fit.of[far->fit.count - 1].beta.value > 0) {
    measured_link = (roof_link){.kind = ROOF_MEASURED,
                                .bytes_per_second = 1 / far->fit.of[far->fit.count - 1].beta.value,
                                .both_ways_bytes_per_second = NAN,
                                .latency_seconds = far->fit.of[0].alpha.value,
                                .count = 1};
    snprintf(measured_link.name, sizeof measured_link.name, "%s as measured",
             roof_distance_name(far->distance));
    snprintf(measured_link.source, sizeof measured_link.source, "%.400s", file);
    snprintf(measured_link.date, sizeof measured_link.date, "%.10s", nodes->date);
    *link = &measured_link;
    snprintf(link_note, sizeof link_note, "%.128s: %s one way, %s of latency, as measured between %s by %s",
             file, cli_quantity(rate, measured_link.bytes_per_second, "B/s"),
             cli_quantity(delay, measured_link.latency_seconds, "s"),
             part == fabric.gpus ? "GPUs" : "processors", part->library);
  }
  if (status == ROOF_OK) {
    roof_fabric_done(&fabric);
  }
  return status;
}

/** The machine as the slowest node is: its peaks and its memory's bandwidths at that share of the median's. */
static void slow_down(roof_machine *machine, double compute, double memory) {
  for (int i = 0; i < machine->peak_count; i++) {
    machine->peaks[i].flops_per_second *= compute;
  }
  for (int i = 0; i < machine->level_count; i++) {
    roof_level *l = &machine->levels[i];
    double *const rates[] = {&l->bytes_per_second,        &l->read_bytes_per_second,
                             &l->write_bytes_per_second,  &l->copy_bytes_per_second,
                             &l->update_bytes_per_second, &l->triad_bytes_per_second};
    for (size_t k = 0; k < sizeof rates / sizeof rates[0] && l->level == ROOF_MEMORY; k++) {
      *rates[k] *= memory;
    }
  }
}

/** The pace, 1 at most; NaN where none is known. */
static double pace_of(const roof_nodes *nodes, roof_pace what, double least, size_t *slowest) {
  size_t node = 0;
  double pace = roof_nodes_pace(nodes, what, &node);
  *slowest = pace < (isnan(least) ? 1 : least) ? node : *slowest;
  return pace > 1 ? 1 : pace;
}

static void wait_for_slowest(const char *file, const roof_nodes *nodes, bool reads, roof_machine *machine) {
  size_t slowest = 0;
  bool gpu = is_gpu(machine);
  double compute = pace_of(nodes, gpu ? ROOF_PACE_GPU_COMPUTE : ROOF_PACE_COMPUTE, 1, &slowest);
  double memory =
      reads ? pace_of(nodes, gpu ? ROOF_PACE_GPU_MEMORY : ROOF_PACE_MEMORY, compute, &slowest) : NAN;
  if (isnan(compute) && isnan(memory)) {
    snprintf(pace_note, sizeof pace_note, "none counted: %.128s has no figures of %s of two nodes", file,
             gpu ? "GPUs" : "processors");
  }
  compute = isnan(compute) ? 1 : compute;
  memory = isnan(memory) ? 1 : memory;
  if (compute < 1 || memory < 1) {
    slow_down(machine, compute, memory);
    waited[gpu].compute = compute, waited[gpu].memory = memory;
    snprintf(waited[gpu].file, sizeof waited[gpu].file, "%s", file);
    snprintf(waited[gpu].node, sizeof waited[gpu].node, "%s", nodes->list[slowest].name);
    char rest[CLI_SHORT] = "";
    if (reads) {
      snprintf(rest, sizeof rest, ", memory at %.0f %%", 100 * memory);
    }
    snprintf(pace_note, sizeof pace_note,
             "every step waits for the slowest node, %s: peaks at %.0f %%%s of the median's",
             nodes->list[slowest].name, 100 * compute, rest);
  }
}

/** Networks have no such names. */
static bool names_file(const char *name) {
  size_t length = strlen(name), size = strlen(".json");
  return strchr(name, '/') != NULL || (length > size && strcmp(name + length - size, ".json") == 0) ||
         rf_file_is_input(name) || rf_nodes_is_file(name);
}

roof_status cli_network_find(const char *name, const roof_machine *machine, const roof_link **link,
                             roof_error *error) {
  roof_nodes *nodes = NULL;
  if (!names_file(name)) {
    return roof_network_find(name, machine, link, error);
  }
  roof_status status = roof_nodes_load(name, &nodes, error);
  status = status == ROOF_OK ? take_link(name, nodes, machine, link, error) : status;
  roof_nodes_free(nodes);
  return status;
}

roof_status cli_network_wait(const char *name, roof_machine *const *machines, int count, bool reads,
                             roof_error *error) {
  roof_nodes *nodes = NULL;
  if (name == NULL || !names_file(name)) {
    return ROOF_OK;
  }
  roof_status status = roof_nodes_load(name, &nodes, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    wait_for_slowest(name, nodes, reads, machines[i]);
  }
  roof_nodes_free(nodes);
  return status;
}

void cli_network_set(json_t *answer, const roof_machine *machine) {
  bool gpu = is_gpu(machine);
  if (answer != NULL && waited[gpu].node[0] != '\0') {
    rf_json_set(answer, "stragglers",
                json_pack("{s:s, s:s, s:f, s:f}", "file", waited[gpu].file, "node", waited[gpu].node,
                          "compute_share", waited[gpu].compute, "memory_share", waited[gpu].memory));
  }
}

roof_status cli_network_set_text(roof_text *answer, const roof_machine *machine, roof_error *error) {
  json_t *object = NULL;
  roof_text out = {0};
  if (waited[is_gpu(machine)].node[0] == '\0' || answer->failed) {
    return ROOF_OK;
  }
  roof_status status = rf_json_read(answer->data, answer->length, 0, "answer", "", &object, error);
  if (status == ROOF_OK) {
    cli_network_set(object, machine);
    status = rf_json_write(object, "answer", &out, error);
    roof_text_done(answer);
    *answer = out;
  }
  return status;
}

roof_status cli_network_add_note(const cli_args *args, roof_text *out, roof_error *error) {
  roof_text lines = {0};
  if (link_note[0] != '\0') {
    roof_text_addf(&lines, "  network     %s\n", link_note);
  }
  if (pace_note[0] != '\0') {
    roof_text_addf(&lines, "  stragglers  %s\n", pace_note);
  }
  roof_status status = ROOF_OK;
  if (lines.length > 0 && (args->json || args->csv)) {
    status = cli_note(&lines, error);
  } else if (lines.length > 0) {
    roof_text_addf(out, "\n%s", lines.data);
  }
  roof_text_done(&lines);
  return status;
}
