/* An option that a command does not have, and what is meant by it. */
#include "cli/cli.h"

#include <string.h>

#include "cli/effects.h"
#include "models/step.h"
#include "roofline/ops.h"
#include "roofline/plan.h"

enum { NAME_MAX = 64, OPTION_MAX = 96 };

/** What other programs, or other commands, call an option, and what it is here. */
static const struct {
  const char *theirs, *ours;
  bool of_models; /**< of a whole model alone */
} called[] = {
    {"quantization", "weights", .of_models = true},
    {"gpus num-gpus num_gpus", "devices", false},
    {"gpu gpus device devices hardware hw accelerator target system", "machine", false},
    {"precision data-type datatype type quantization", "dtype", false},
    {"tensor-parallel-size tensor-parallel tensor_parallel_size tp-size tp_size", "tp", false},
    {"pipeline-parallel-size pipeline-parallel pipeline_parallel_size pp-size pp_size", "pp", false},
    {"data-parallel-size data-parallel data_parallel_size dp-size dp_size", "dp", false},
    {"expert-parallel-size expert-parallel ep-size ep_size", "ep", false},
    {"kv-cache-dtype kv_cache_dtype kv-dtype", "kv", false},
    {"request-rate qps rps", "rate", false},
    {"out output-file", "to", false},
    {"debug details", "verbose", false},
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

static bool has_parameter(const roof_op *op, const char *name) {
  const roof_param *p = op->params;
  while (p->name != NULL && strcmp(p->name, name) != 0) {
    p++;
  }
  return p->name != NULL;
}

/** Whether the operation that was named has the parameter, or where none was, any. */
static bool is_of_operations(const char *first, const char *name) {
  const roof_op *op = NULL;
  bool found = false;
  if (first != NULL && roof_op_find(first, &op, NULL) == ROOF_OK) {
    return has_parameter(op, name);
  }
  for (int i = 0; i < roof_op_count() && !found; i++) {
    found = has_parameter(roof_op_at(i), name);
  }
  return found;
}

static bool is_of_clusters(const char *name) {
  char typed[NAME_MAX + 2];
  roof_cluster_settings settings = {0};
  snprintf(typed, sizeof typed, "%s=1", name);
  return roof_cluster_settings_read(typed, &settings, NULL) != ROOF_E_NAME;
}

/** Whether a first word is an operation's name: no model's then. */
static bool is_operation(const char *first) {
  const roof_op *op = NULL;
  return first != NULL && roof_op_find(first, &op, NULL) == ROOF_OK;
}

/** Whether the command takes a whole model, and no operation was named in its place. */
static bool takes_models(const cli_command *command, const char *first) {
  const char *takes = command->arguments;
  return strcmp(command->name, "cluster") != 0 && !is_operation(first) &&
         (strstr(takes, "CONFIG") != NULL || strstr(takes, "MODEL") != NULL);
}

/** The parameter that is meant where the command takes such parameters, or NULL; `first` is the first word, or NULL. */
static const char *parameter_of(const cli_command *command, const char *first, const char *name) {
  const char *takes = command->arguments;
  bool cluster = strcmp(command->name, "cluster") == 0;
  bool models = takes_models(command, first);
  bool operations = strstr(takes, "OP") != NULL || strstr(takes, "KERNEL") != NULL;
  bool is = (cluster && is_of_clusters(name)) || (models && rf_model_setting_bit(name) != 0) ||
            (operations && is_of_operations(first, name));
  const char *found = is ? name : NULL;
  for (size_t i = 0; models && found == NULL && i < sizeof counted / sizeof counted[0]; i++) {
    found = cli_is_among(counted[i].theirs, name) ? counted[i].ours : NULL;
  }
  return strstr(takes, "key=value") != NULL ? found : NULL;
}

/** The option of `names` that is meant: what others call so, or the nearest. */
static const char *option_of(const char *name, const char *const *names, bool models) {
  for (size_t i = 0; i < sizeof called / sizeof called[0]; i++) {
    bool holds = cli_is_among(called[i].theirs, name) && (models || !called[i].of_models);
    for (int n = 0; names[n] != NULL && holds; n++) {
      if (strcmp(names[n], called[i].ours) == 0) {
        return names[n];
      }
    }
  }
  return roof_suggest(name, names);
}

roof_status cli_option_unknown(const cli_command *command, const struct poptOption *table, const char *first,
                               const char *typed, roof_error *error) {
  const char *names[OPTION_MAX + 1] = {NULL};
  char name[NAME_MAX];
  int count = 0;
  add_names(table, names, &count);
  const char *bare = typed + strspn(typed, "-");
  size_t length = strcspn(bare, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), bare);
  const char *parameter = parameter_of(command, first, name);
  if (parameter != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: unknown option; `%s` is a parameter, without dashes: %s=%s", typed, parameter,
                          parameter, bare[length] == '=' ? bare + length + 1 : "VALUE");
  }
  const char *near = option_of(name, names, takes_models(command, first));
  return near != NULL
             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: unknown option; did you mean `--%s`?", typed, near)
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: unknown option; `roofline %s --help` shows all",
                              typed, command->name);
}
