#include "cli/cli.h"

#include <stdio.h>
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

roof_status cli_select_machines(const cli_args *args, roof_machine ***machines, int *count,
                                roof_error *error) {
  return roof_machines_load(args->machines, machines, count, error);
}

roof_status cli_select_one(const char *command, int count, roof_error *error) {
  return count > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: one machine at a time", command) : ROOF_OK;
}

roof_status cli_select_machine(const cli_args *args, const char *command, roof_machine **machine,
                               roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = cli_select_machines(args, &machines, &count, error);
  status = status == ROOF_OK ? cli_select_one(command, count, error) : status;
  if (status == ROOF_OK) {
    *machine = machines[0];
    machines[0] = NULL;
  }
  roof_machines_free(machines, count);
  return status;
}

roof_status cli_select_types(const cli_args *args, const roof_machine *machine, roof_types *types,
                             roof_error *error) {
  return roof_formats_read(&args->formats, machine, types, error);
}

roof_status cli_select_options(const cli_args *args, roof_options *options, roof_error *error) {
  return roof_options_read(&args->options, options, error);
}

roof_status cli_select_targets(const cli_args *args, roof_targets *targets, roof_error *error) {
  return roof_targets_init(targets, args->machines, &args->formats, args->dtypes, &args->options, error);
}

roof_status cli_select_target(const cli_args *args, const char *command, roof_targets *targets,
                              roof_error *error) {
  roof_targets found;
  roof_status status = cli_select_targets(args, &found, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = cli_select_one(command, found.count, error);
  if (status != ROOF_OK) {
    roof_targets_done(&found);
    return status;
  }
  *targets = found;
  return ROOF_OK;
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
