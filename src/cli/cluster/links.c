/* `cluster links FILE`: the network that a run over all nodes measured, by itself. */
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/fabric.h"
#include "documents/json.h"

/** Time and bandwidth of messages over their size. */
static roof_status draw(const cli_args *args, const roof_fabric *fabric, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_fabric_chart(fabric, chart, error);
  return status == ROOF_OK ? cli_chart_write_curves(args, chart, "", NULL, error) : status;
}

/** What the cluster's file has under `network`, as an answer of its own. */
static roof_status write_json(const roof_fabric *fabric, roof_text *out, roof_error *error) {
  roof_text network = {0};
  json_t *all = json_pack("{s:s}", "schema", "roofline.network/1"), *object = NULL;
  roof_status status = roof_fabric_write(fabric, &network, error);
  if (status == ROOF_OK) {
    status = rf_json_read(network.data, network.length, 0, "network", "", &object, error);
  }
  roof_text_done(&network);
  if (status != ROOF_OK) {
    json_decref(all);
    return status;
  }
  rf_json_merge(all, object);
  return rf_json_write(all, "network", out, error);
}

static roof_status answer(const cli_args *args, const roof_fabric *fabric, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->page != NULL || args->file != NULL) {
    status = cli_chart_or_none(args, draw(args, fabric, error));
  }
  if (status != ROOF_OK || args->file != NULL) {
    return status;
  }
  if (args->json) {
    status = write_json(fabric, &out, error);
  } else {
    cli_fabric_add_report(fabric, &out);
  }
  return cli_print_end(&out, status, error);
}

static roof_status read(const roof_nodes *nodes, const char *file, roof_fabric *fabric, roof_error *error) {
  return nodes->network != NULL
             ? roof_fabric_read(nodes->network, strlen(nodes->network), file, fabric, error)
             : roof_error_set(error, ROOF_E_INPUT,
                              "%s: its network was not measured: mpirun -n N roofline measure --cluster "
                              "--network 10s",
                              file);
}

roof_status cli_cluster_links(const cli_args *args, roof_error *error) {
  static roof_fabric fabric; /* 90 KB */
  roof_nodes *nodes = NULL;
  roof_status status = cli_args_limit_words(args, 2, error);
  if (status == ROOF_OK && args->word_count < 2) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "cluster links: no file named: roofline cluster links cluster.json");
  }
  status = status == ROOF_OK ? roof_nodes_load(args->words[1], &nodes, error) : status;
  status = status == ROOF_OK ? read(nodes, args->words[1], &fabric, error) : status;
  status = status == ROOF_OK ? answer(args, &fabric, error) : status;
  roof_fabric_done(&fabric);
  roof_nodes_free(nodes);
  return status;
}
