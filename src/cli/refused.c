/* An option that a command does not have, and what is meant by it. */
#include "cli/cli.h"

#include <string.h>

#include "cli/effects.h"
#include "roofline/model_sweep.h"
#include "roofline/ops.h"
#include "roofline/plan.h"

enum { NAME_MAX = 64, OPTION_MAX = 96 };

/** What other programs call an option, and what it is here. */
static const struct {
  const char *theirs, *ours;
} called[] = {
    {"gpu gpus device devices hardware hw accelerator target system", "machine"},
    {"precision data-type datatype type quantization", "dtype"},
    {"tensor-parallel-size tensor-parallel tensor_parallel_size tp-size tp_size", "tp"},
    {"pipeline-parallel-size pipeline-parallel pipeline_parallel_size pp-size pp_size", "pp"},
    {"data-parallel-size data-parallel data_parallel_size dp-size dp_size", "dp"},
    {"expert-parallel-size expert-parallel ep-size ep_size", "ep"},
    {"kv-cache-dtype kv_cache_dtype kv-dtype", "kv"},
    {"request-rate qps rps", "rate"},
    {"out output-file", "to"},
    {"debug details", "verbose"},
};

/** A number of a run as other programs call it, which is a parameter here. */
static const struct {
  const char *theirs, *ours;
} counted[] = {
    {"batch-size batch_size bs max-batch-size max-num-seqs", "batch"},
    {"input-len input-length isl prompt-len seq-len seqlen random-input-len", "prompt"},
    {"output-len output-length osl max-tokens random-output-len", "generate"},
};

static void add_names(const struct poptOption *table, const char **names, int *count) {
  for (const struct poptOption *o = table; !cli_args_is_end(o) && *count < OPTION_MAX; o++) {
    if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
      add_names(o->arg, names, count);
    } else if (o->longName != NULL) {
      names[(*count)++] = o->longName;
    }
  }
}

/** Whether an operation, a model's run or a cluster has a parameter of that name. */
static bool is_parameter(const char *name) {
  bool found = false;
  for (int i = 0; i < roof_op_count() && !found; i++) {
    for (const roof_param *p = roof_op_at(i)->params; p->name != NULL && !found; p++) {
      found = strcmp(p->name, name) == 0;
    }
  }
  char typed[NAME_MAX + 2];
  const char *word = typed;
  snprintf(typed, sizeof typed, "%s=1", name);
  roof_model_settings settings = {0};
  roof_cluster_settings cluster = {0};
  return found || roof_model_settings_read(&word, 1, &settings, NULL, NULL) != ROOF_E_NAME ||
         roof_cluster_settings_read(word, &cluster, NULL) != ROOF_E_NAME;
}

/** The parameter that is meant where the command takes parameters, or NULL. */
static const char *parameter_of(const cli_command *command, const char *name) {
  bool of_models =
      strstr(command->arguments, "CONFIG") != NULL || strstr(command->arguments, "MODEL") != NULL;
  const char *found = is_parameter(name) ? name : NULL;
  for (size_t i = 0; of_models && found == NULL && i < sizeof counted / sizeof counted[0]; i++) {
    found = cli_is_among(counted[i].theirs, name) ? counted[i].ours : NULL;
  }
  return strstr(command->arguments, "key=value") != NULL ? found : NULL;
}

/** The option of `names` that is meant: what others call so, or the nearest. */
static const char *option_of(const char *name, const char *const *names) {
  for (size_t i = 0; i < sizeof called / sizeof called[0]; i++) {
    for (int n = 0; names[n] != NULL && cli_is_among(called[i].theirs, name); n++) {
      if (strcmp(names[n], called[i].ours) == 0) {
        return names[n];
      }
    }
  }
  return roof_suggest(name, names);
}

roof_status cli_option_unknown(const cli_command *command, const struct poptOption *table, const char *typed,
                               roof_error *error) {
  const char *names[OPTION_MAX + 1] = {NULL};
  char name[NAME_MAX];
  int count = 0;
  add_names(table, names, &count);
  const char *bare = typed + strspn(typed, "-");
  size_t length = strcspn(bare, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), bare);
  const char *parameter = parameter_of(command, name);
  if (parameter != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: unknown option; `%s` is a parameter, without dashes: %s=%s", typed, parameter,
                          parameter, bare[length] == '=' ? bare + length + 1 : "VALUE");
  }
  const char *near = option_of(name, names);
  return near != NULL
             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: unknown option; did you mean `--%s`?", typed, near)
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: unknown option; `roofline %s --help` shows all",
                              typed, command->name);
}
