/* Names of what a model is made of, and the choices of a run that are typed by name. */
#include <stdio.h>
#include <string.h>

#include "roofline/model.h"
#include "roofline/text.h"

#define NAME(symbol, name) [symbol] = name,
static const char *const mixer_names[ROOF_MIXER_COUNT] = {ROOF_MIXER_MAP(NAME)};
static const char *const part_names[ROOF_PART_COUNT + 1] = {ROOF_PART_MAP(NAME)};
static const char *const bytes_names[ROOF_BYTES_CLASS_COUNT] = {ROOF_BYTES_MAP(NAME)};
static const char *const kind_names[ROOF_OPERATION_KIND_COUNT] = {ROOF_OPERATION_KIND_MAP(NAME)};
static const char *const phase_names[ROOF_PHASE_COUNT] = {ROOF_PHASE_MAP(NAME)};
#undef NAME

#define NAME(symbol, name, text) [symbol] = name,
static const char *const launch_names[ROOF_LAUNCH_COUNT + 1] = {ROOF_LAUNCH_MAP(NAME)};
static const char *const recompute_names[ROOF_RECOMPUTE_COUNT + 1] = {ROOF_RECOMPUTE_MAP(NAME)};
#undef NAME

enum { NONE = ROOF_FUSION_COUNT, SERVING, ALL };
#define NAME(symbol, name, text) [symbol##_INDEX] = name,
static const char *const fusion_names[ROOF_FUSION_COUNT + 4] = {
    ROOF_FUSION_MAP(NAME)[NONE] = "none", [SERVING] = "serving", [ALL] = "all"};
#undef NAME
#define TEXT(symbol, name, text) [symbol##_INDEX] = text,
static const char *const fusion_texts[ROOF_FUSION_COUNT] = {ROOF_FUSION_MAP(TEXT)};
#undef TEXT

const char *roof_mixer_name(roof_mixer mixer) {
  return (unsigned)mixer < ROOF_MIXER_COUNT ? mixer_names[mixer] : "?";
}

const char *roof_model_part_name(roof_model_part part) {
  return (unsigned)part < ROOF_PART_COUNT ? part_names[part] : "?";
}

const char *roof_bytes_class_name(roof_bytes_class class_) {
  return (unsigned)class_ < ROOF_BYTES_CLASS_COUNT ? bytes_names[class_] : "?";
}

const char *roof_phase_name(roof_phase phase) {
  return (unsigned)phase < ROOF_PHASE_COUNT ? phase_names[phase] : "?";
}

const char *roof_operation_kind_name(roof_operation_kind kind) {
  return (unsigned)kind < ROOF_OPERATION_KIND_COUNT ? kind_names[kind] : "?";
}

const char *roof_launch_name(roof_launch launch) {
  return (unsigned)launch < ROOF_LAUNCH_COUNT ? launch_names[launch] : "?";
}

const char *roof_recompute_name(roof_recompute recompute) {
  return (unsigned)recompute < ROOF_RECOMPUTE_COUNT ? recompute_names[recompute] : "?";
}

const char *roof_fusion_name(int index, const char **text) {
  bool known = index >= 0 && index < ROOF_FUSION_COUNT;
  if (text != NULL) {
    *text = known ? fusion_texts[index] : "?";
  }
  return known ? fusion_names[index] : "?";
}

/** The index of `name` among `names`, or -1 with an error that suggests the nearest. */
static int find(const char *what, const char *name, const char *const *names, roof_error *error) {
  for (int i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], name) == 0) {
      return i;
    }
  }
  roof_error_unknown(error, what, name, names, NULL);
  return -1;
}

roof_status roof_model_part_parse(const char *text, roof_model_part *part, roof_error *error) {
  int found = find("part", text, part_names, error);
  if (found < 0) {
    return ROOF_E_NAME;
  }
  *part = (roof_model_part)found;
  return ROOF_OK;
}

roof_status roof_launch_parse(const char *text, roof_launch *launch, roof_error *error) {
  int found = find("launch mode", text, launch_names, error);
  if (found < 0) {
    return ROOF_E_NAME;
  }
  *launch = (roof_launch)found;
  return ROOF_OK;
}

roof_status roof_recompute_parse(const char *text, roof_recompute *recompute, roof_error *error) {
  int found = find("recompute", text, recompute_names, error);
  if (found < 0) {
    return ROOF_E_NAME;
  }
  *recompute = (roof_recompute)found;
  return ROOF_OK;
}

roof_status roof_fusion_parse(const char *text, unsigned *fusion, roof_error *error) {
  static const unsigned sets[] = {[NONE] = 0, [SERVING] = ROOF_FUSION_SERVING, [ALL] = ROOF_FUSION_ALL};
  char copy[160];
  unsigned result = 0;
  char *rest = NULL;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    int found = find("fusion", word, fusion_names, error);
    if (found < 0) {
      return ROOF_E_NAME;
    }
    result |= found < ROOF_FUSION_COUNT ? 1u << found : sets[found];
  }
  *fusion = result;
  return ROOF_OK;
}

static const roof_model_definition definitions[] = {
    {"TTFT",
     "time to the first token: one batch: the prefill of all its prompts and one token's choice; continuous: "
     "of one prompt alone on its replica; no queue, no network to the user"},
    {"TPOT",
     "time per output token of one request: one batch: the mean decoding step after the first token, TTFT is "
     "not in it; continuous: that step + other sequences of a replica x TTFT (of a pipeline a stage's part "
     "of it) / generated tokens, the prompts of the other requests, which `plan` counts too"},
    {"tokens/s",
     "generated tokens only; per request: 1 / TPOT, together: batch / TPOT, per device: that / devices"},
    {"energy",
     "of all devices, prefill included, per generated token; at full power where the machine says its power "
     "alone; no host"},
    {"price", "of all devices for the whole request, prefill included, per generated token"},
    {"training",
     "as many steps of batch x prompt tokens as the tokens need, each as long as the next; no restarts, "
     "checkpoints or evaluation"},
    {"MFU",
     "FLOPs of the phase / (expected time x dense peak of its largest product's format), one device, of a "
     "training step the mean of all; without those computed again, which HFU counts too"},
    {"MBU",
     "bytes of weights, activations and KV, each operand once per operation / (expected time x bandwidth)"},
    {"expected",
     "each operation's bound with the effects of its kind, or / 0.78; operations follow one another"}};
enum { DEFINITION_COUNT = sizeof definitions / sizeof definitions[0] };

const roof_model_definition *roof_model_definition_at(int index) {
  return index >= 0 && index < DEFINITION_COUNT ? &definitions[index] : NULL;
}
