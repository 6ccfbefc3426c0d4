/* How a model's plan is typed: devices along each axis, links. */
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/network.h"
#include "cli/model/model.h"

#define PLAN_OPTIONS(X)                                                                                      \
  X(tp, "devices that share every tensor")                                                                   \
  X(pp, "stages of a pipeline of layers")                                                                    \
  X(dp, "replicas that share the batch")                                                                     \
  X(ep, "devices that share the experts")                                                                    \
  X(cp, "devices that share every sequence")                                                                 \
  X(microbatches, "of the pipeline; of --train: steps of gradient accumulation")                             \
  X(zero, "stage of ZeRO, 0 to 3, with --train: optimizer, gradients, weights over the replicas")            \
  X(node, "devices that the machine's own link joins; default: 8, of GB200 NVL72 all 72")                    \
  X(price, "of one device and hour, for the cost of a million tokens; of several machines "                  \
           "h100=2.5,h200=3.5, or a file, as for `plan`")

enum {
#define INDEX(name, text) OPTION_##name,
  PLAN_OPTIONS(INDEX)
#undef INDEX
      OPTION_COUNT
};

static int sequence;
static char *typed[OPTION_COUNT], *network;
const struct poptOption cli_model_plan_options[] = {
#define OPTION(name, text) {#name, '\0', POPT_ARG_STRING, &typed[OPTION_##name], 0, text, "N"},
    PLAN_OPTIONS(OPTION)
#undef OPTION
        {"sp", '\0', POPT_ARG_NONE, &sequence, 0,
         "sequence parallel: the devices of --tp also share the tokens between its products", NULL},
    CLI_NETWORK_OPTION(network), POPT_TABLEEND};

void cli_model_plan_options_done(void) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    free(typed[i]);
  }
  free(network);
}

const char *cli_model_plan_typed(void) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (typed[i] != NULL) {
      return cli_model_plan_options[i].longName;
    }
  }
  return network != NULL ? "network" : NULL;
}

const char *cli_model_network(void) {
  return network;
}

const char *cli_model_prices(void) {
  const char *prices = typed[OPTION_price];
  return prices != NULL && roof_prices_are_listed(prices) ? prices : NULL;
}

roof_status cli_model_plan_network(const roof_machine *machine, roof_model_settings *settings,
                                   roof_error *error) {
  return network != NULL ? cli_network_find(network, machine, &settings->network, error) : ROOF_OK;
}

roof_status cli_model_plan_settings(roof_model_settings *settings, roof_model_axes *axes, roof_error *error) {
  roof_status status = ROOF_OK;
  const double price = settings->price;
  settings->sp = sequence != 0;
  for (int i = 0; i < OPTION_COUNT && status == ROOF_OK; i++) {
    if (typed[i] != NULL) {
      bool listed = i == OPTION_price && cli_model_prices() != NULL; /* is typed, but read elsewhere */
      char word[CLI_SHORT * 2];
      const char *words[] = {word};
      snprintf(word, sizeof word, "%s=%.60s", cli_model_plan_options[i].longName, listed ? "0" : typed[i]);
      status = roof_model_settings_read(words, 1, settings, axes, error);
      settings->price = listed ? price : settings->price;
    }
  }
  return status;
}
