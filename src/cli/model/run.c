/* How a model is stored and launched, as options of `model` and `plan`. */
#include <stdlib.h>
#include <string.h>

#include "cli/model/model.h"

static int lenient;
static char *precision, *dtype, *kv, *mode, *fuse, *quantization;
const struct poptOption cli_model_run_options[] = {
    {"precision", 'p', POPT_ARG_STRING, &precision, 0,
     CLI_WEIGHTS_TEXT "; default: as the config stores them; bf16/fp8: both", "FORMAT"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype, 0,
     "activations, and what is stored as they are; default: the config's", "TYPE"},
    {"kv", '\0', POPT_ARG_STRING, &kv, 0, "stored keys and values; default: as activations", "TYPE"},
    {"mode", '\0', POPT_ARG_STRING, &mode, 0, "how kernels are launched: eager, graph or persistent", "MODE"},
    {"fuse", '\0', POPT_ARG_STRING, &fuse, 0,
     "fusion plan: none, serving, all, or some of qkv, gate-up, flash, rope, residual, activation, norm: "
     "flash,norm",
     "PLAN"},
    {"quantization", '\0', POPT_ARG_STRING, &quantization, 0,
     "formats from a hf_quant_config.json; one in the config's folder is found", "FILE"},
    {"lenient", '\0', POPT_ARG_NONE, &lenient, 0,
     "ignore keys of the config that are not known, and name them", NULL},
    POPT_TABLEEND};

roof_status cli_model_run_load(const cli_args *args, roof_model *model, roof_error *error) {
  roof_status status =
      args->userops_count == 0
          ? (lenient ? roof_model_load_lenient : roof_model_load)(args->words[0], model, error)
          : roof_error_set(error, ROOF_E_ARGUMENT, "--ops: of a list of operations, not of a model's config");
  return status == ROOF_OK && quantization != NULL ? roof_model_load_quantization(quantization, model, error)
                                                   : status;
}

static roof_status select_precision(bool choices, roof_model_precision *p, roof_error *error) {
  roof_status status = dtype != NULL ? roof_model_precision_read(dtype, p, error) : ROOF_OK;
  if (status == ROOF_OK && precision != NULL && strchr(precision, '/') == NULL && !choices) {
    status = roof_model_precision_parse(precision, p, error);
  }
  return status == ROOF_OK && kv != NULL ? roof_dtype_parse_scaled(kv, &p->kv, error) : status;
}

roof_status cli_model_run_settings(const cli_args *args, const roof_model *model, bool choices,
                                   roof_model_settings *s, roof_error *error) {
  *s = roof_model_settings_default(model);
  roof_status status = cli_select_options(args, &s->options, error);
  s->kernel_seconds = s->options.launch;
  status = status == ROOF_OK ? select_precision(choices, &s->precision, error) : status;
  status = status == ROOF_OK && mode != NULL ? roof_launch_parse(mode, &s->launch, error) : status;
  if (status == ROOF_OK && fuse != NULL) {
    char word[192];
    snprintf(word, sizeof word, "fuse=%.160s", fuse);
    status = roof_model_settings_read((const char *const[]){word}, 1, s, NULL, error);
  }
  return status;
}

void cli_model_run_note(roof_model *model, const roof_model_precision *p) {
  char own[256];
  if (dtype != NULL && precision == NULL && roof_model_own_formats(model, p, own, sizeof own)[0] != '\0') {
    roof_model_note(
        model, "--dtype %s is of activations; weights stay as stored (%s) unless --precision says otherwise",
        roof_dtype_name(p->activations), own);
  }
}

const char *cli_model_run_precision(void) {
  return precision;
}

char *cli_model_run_dtype(void) {
  return dtype;
}

const char *cli_model_run_mode(void) {
  return mode;
}

const char *cli_model_run_typed(void) {
  return precision != NULL      ? "precision"
         : kv != NULL           ? "kv"
         : fuse != NULL         ? "fuse"
         : quantization != NULL ? "quantization"
         : lenient              ? "lenient"
                                : NULL;
}

void cli_model_run_done(void) {
  char *texts[] = {precision, dtype, kv, mode, fuse, quantization};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
}
