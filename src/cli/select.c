#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

roof_status cli_select_op(const cli_args *args, const char *name, const roof_op **op, roof_error *error) {
  return roof_userops_find(args->userops, args->userops_count, name, op, error);
}

roof_status cli_select_words(const cli_args *args, const char *command, const char *example,
                             roof_shape *shape, roof_error *error) {
  const roof_op *op = NULL;
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: which operation? for instance `roofline %s %s`; `roofline op list` shows all",
                          command, command, example);
  }
  roof_status status = cli_select_op(args, args->words[0], &op, error);
  return status == ROOF_OK ? roof_shape_parse(shape, op, args->words + 1, args->word_count - 1, NULL, error)
                           : status;
}

roof_status cli_select_shape(const cli_args *args, const char *text, const roof_op **op,
                             double values[ROOF_PARAM_MAX], roof_error *error) {
  char name[ROOF_NAME_MAX];
  const char *start = text + strspn(text, " ");
  size_t length = strcspn(start, " ");
  snprintf(name, sizeof name, "%.*s", (int)length, start);
  roof_status status = cli_select_op(args, name, op, error);
  return status == ROOF_OK ? roof_shape_values(*op, start + length, values, error) : status;
}

static roof_status load_host(roof_machine **machine, roof_error *error) {
  roof_status status = roof_catalog_load("host", machine, error);
  if (status == ROOF_E_NAME) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "machine: none named and this one is not measured yet; use --machine NAME (for instance "
        "h100) or `roofline measure` first");
  }
  return status;
}

/** Loads a machine, or several with commas between them; a path is one. */
static roof_status load_named(const char *names, roof_machine **loaded, int *count, roof_error *error) {
  char copy[1024], *rest = NULL;
  bool path = strchr(names, '/') != NULL; /* and what has units */
  snprintf(copy, sizeof copy, "%s", names);
  roof_status status = ROOF_OK;
  for (char *name = path ? copy : strtok_r(copy, ",", &rest); name != NULL && status == ROOF_OK;
       name = path ? NULL : strtok_r(NULL, ",", &rest)) {
    status = roof_catalog_load(name, &loaded[*count], error);
    *count += status == ROOF_OK;
  }
  return status;
}

roof_status cli_select_machines(const cli_args *args, roof_machine ***machines, int *count,
                                roof_error *error) {
  int wanted = 0, total = 1, found = 0;
  while (args->machines != NULL && args->machines[wanted] != NULL) {
    for (const char *c = args->machines[wanted++]; *c != '\0'; c++) {
      total += *c == ',';
    }
    total++;
  }
  roof_machine **loaded = calloc((size_t)total, sizeof *loaded);
  if (loaded == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  }
  roof_status status = wanted == 0 ? load_host(loaded, error) : ROOF_OK;
  for (int i = 0; i < wanted && status == ROOF_OK; i++) {
    status = load_named(args->machines[i], loaded, &found, error);
  }
  if (status == ROOF_OK && wanted > 0 && found == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--machine: no name");
  }
  if (status != ROOF_OK) {
    cli_machines_free(loaded, total);
    return status;
  }
  *machines = loaded;
  *count = wanted > 0 ? found : 1;
  return ROOF_OK;
}

void cli_machines_free(roof_machine **machines, int count) {
  for (int i = 0; machines != NULL && i < count; i++) {
    roof_machine_free(machines[i]);
  }
  free(machines);
}

/** The value of option `name`, which the message names too. */
static roof_status parse_option(const char *name, const char *text, const char *unit, double *value,
                                roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, unit, value, &why);
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--%s %s", name, why.message);
}

roof_status cli_select_types(const cli_args *args, const roof_machine *machine, roof_types *types,
                             roof_error *error) {
  return roof_formats_read(&args->formats, machine, types, error);
}

static roof_status parse_efficiency(const char *text, roof_options *o, roof_error *error) {
  char copy[96];
  snprintf(copy, sizeof copy, "%s", text);
  double shares[3];
  int count = 0;
  char *rest = NULL;
  for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
    if (count == 3) {
      count = 0;
      break;
    }
    roof_status status = parse_option("efficiency", part, "%", &shares[count++], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  if (count != 1 && count != 3) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--efficiency %s: one share, or LOW,TYPICAL,HIGH", text);
  }
  o->efficiency_low = shares[0];
  o->efficiency = shares[count / 2];
  o->efficiency_high = shares[count - 1];
  return ROOF_OK;
}

roof_status cli_select_options(const cli_args *args, roof_options *options, roof_error *error) {
  roof_options o = roof_options_default();
  const struct {
    const char *name, *text, *unit;
    double *value;
  } quantities[] = {{"overhead", args->overhead, "s", &o.overhead_cutoff},
                    {"launch", args->launch, "s", &o.launch},
                    {"overlap", args->overlap, "%", &o.overlap},
                    {"tile", args->tile, "", &o.tile}};
  roof_status status = args->efficiency != NULL ? parse_efficiency(args->efficiency, &o, error) : ROOF_OK;
  for (size_t i = 0; i < sizeof quantities / sizeof quantities[0] && status == ROOF_OK; i++) {
    if (quantities[i].text != NULL) {
      status = parse_option(quantities[i].name, quantities[i].text, quantities[i].unit, quantities[i].value,
                            error);
    }
  }
  roof_unit unit = ROOF_VECTOR;
  if (status == ROOF_OK && args->unit != NULL) {
    status = roof_unit_parse(args->unit, &unit, error);
    o.unit = (int)unit;
  }
  if (status != ROOF_OK) {
    return status;
  }
  o.sparse = args->sparse != 0;
  o.warm = args->warm != 0;
  o.achieved = args->achieved != 0;
  o.link = args->link;
  *options = o;
  return ROOF_OK;
}

/** The types of one of several formats. */
static roof_status select_format(const cli_args *args, int index, const roof_machine *machine,
                                 roof_types *types, roof_error *error) {
  roof_formats formats = args->formats;
  formats.dtype = index < args->dtype_count ? args->dtypes[index] : formats.dtype;
  return roof_formats_read(&formats, machine, types, error);
}

/** Each machine once for each of several formats: copies stand behind it. */
static roof_status repeat_machines(cli_targets *t, int formats, roof_error *error) {
  roof_machine **all = calloc((size_t)(t->count * formats), sizeof *all);
  bool made = all != NULL;
  for (int i = 0; made && i < t->count * formats; i++) {
    all[i] = i % formats == 0 ? t->machines[i / formats] : roof_machine_copy(t->machines[i / formats]);
    made = all[i] != NULL;
  }
  if (!made) {
    for (int i = 0; all != NULL && i < t->count * formats; i++) {
      roof_machine_free(i % formats == 0 ? NULL : all[i]);
    }
    free(all);
    return roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  }
  free(t->machines);
  t->machines = all;
  t->count *= formats;
  return ROOF_OK;
}

static roof_status init_targets(const cli_args *args, cli_targets *t, roof_error *error) {
  int formats = args->dtype_count > 1 ? args->dtype_count : 1;
  roof_types types;
  roof_options options;
  roof_status status = cli_select_options(args, &options, error);
  for (int i = 0; i < t->count && status == ROOF_OK; i++) {
    status = select_format(args, i % formats, t->machines[0], &types, error);
    status = status == ROOF_OK ? roof_target_init(&t->targets[i], t->machines[i], &types, &options, error)
                               : status;
  }
  return status;
}

roof_status cli_select_targets(const cli_args *args, cli_targets *targets, roof_error *error) {
  cli_targets t = {0};
  roof_status status = cli_select_machines(args, &t.machines, &t.count, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = args->dtype_count > 1 ? repeat_machines(&t, args->dtype_count, error) : ROOF_OK;
  t.targets = status == ROOF_OK ? calloc((size_t)t.count, sizeof *t.targets) : NULL;
  status = status != ROOF_OK   ? status
           : t.targets != NULL ? init_targets(args, &t, error)
                               : roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  if (status != ROOF_OK) {
    cli_targets_done(&t);
    return status;
  }
  *targets = t;
  return ROOF_OK;
}

void cli_targets_done(cli_targets *targets) {
  cli_machines_free(targets->machines, targets->count);
  free(targets->targets);
  *targets = (cli_targets){0};
}

roof_status cli_select_backend(const char *name, const roof_backend **backend, roof_error *error) {
  const roof_backend *found = NULL;
  roof_status status = roof_backend_find(name != NULL ? name : "cpu", &found, error);
  const char *why = status == ROOF_OK ? found->disabled_reason() : NULL;
  if (why != NULL) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "backend %s: %s", found->name, why);
  }
  if (status == ROOF_OK) {
    *backend = found;
  }
  return status;
}

roof_status cli_select_device(const char *device, const roof_backend *backend, roof_error *error) {
  bool several = strncmp(backend->machine, "host-gpu", 8) == 0;
  return device == NULL || several
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--device: has no effect on the backend %s",
                              backend->name);
}
