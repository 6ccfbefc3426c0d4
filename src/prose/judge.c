#include "prose/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/claim.h"
#include "roofline/units.h"
#include "roofline/weights.h"

enum { LOADED = 16 };

struct rf_judge {
  roof_machine *machines[LOADED]; /**< those asked for last */
  char names[LOADED][ROOF_NAME_MAX];
  int next;
};

rf_judge *rf_judge_new(void) {
  return calloc(1, sizeof(rf_judge));
}

void rf_judge_free(rf_judge *judge) {
  for (int i = 0; judge != NULL && i < LOADED; i++) {
    roof_machine_free(judge->machines[i]);
  }
  free(judge);
}

static roof_status load(rf_judge *judge, const char *name, const roof_machine **machine, roof_error *error) {
  for (int i = 0; i < LOADED; i++) {
    if (judge->machines[i] != NULL && strcmp(judge->names[i], name) == 0) {
      *machine = judge->machines[i];
      return ROOF_OK;
    }
  }
  roof_machine *loaded = NULL;
  roof_status status = roof_catalog_load(name, &loaded, error);
  if (status == ROOF_OK) {
    int slot = judge->next;
    judge->next = (slot + 1) % LOADED;
    roof_machine_free(judge->machines[slot]);
    judge->machines[slot] = loaded;
    snprintf(judge->names[slot], ROOF_NAME_MAX, "%s", name);
    *machine = loaded;
  }
  return status;
}

/** Takes the answer over. */
static void settle(roof_prose_claim *claim, roof_prose_state state, double limit, double fraction,
                   const char *because) {
  claim->state = state;
  claim->limit = limit;
  claim->fraction = fraction;
  snprintf(claim->because, sizeof claim->because, "%s", because);
}

/** The judged figure's sentence; that of several devices says in its brackets how many: "(1024 x 989.4 TFLOP/s)". */
static void explain_figure(double devices, const roof_claim_judged *j, char *out, size_t size) {
  int before = (int)strcspn(j->because, "(");
  if (devices > 1 && j->because[before] == '(') {
    snprintf(out, size, "%.*s(%.0f x %s", before, j->because, devices, j->because + before + 1);
  } else {
    snprintf(out, size, "%s", j->because);
  }
}

/** A machine's own figure. */
static roof_status judge_figure(const roof_machine *machine, const char *format, bool sparse,
                                roof_prose_claim *claim, roof_error *error) {
  roof_formats formats = {.dtype = claim->kind == ROOF_PROSE_RATE ? format : NULL};
  roof_options_text typed = {.sparse = sparse};
  roof_options options;
  roof_types types;
  roof_target target;
  roof_claim asked;
  roof_claim_judged judged;
  roof_claim_init(&asked);
  asked.value[claim->kind == ROOF_PROSE_RATE ? ROOF_CLAIM_RATE : ROOF_CLAIM_BANDWIDTH] = claim->claimed;
  roof_status status = roof_formats_read(&formats, machine, &types, error);
  status = status == ROOF_OK ? roof_options_read(&typed, &options, error) : status;
  status = status == ROOF_OK ? roof_target_init(&target, machine, &types, &options, error) : status;
  status = status == ROOF_OK ? roof_claim_judge(&target, &asked, &judged, error) : status;
  if (status == ROOF_OK) {
    snprintf(claim->dtype, sizeof claim->dtype, "%s",
             claim->kind == ROOF_PROSE_RATE ? roof_dtype_name(judged.dtype) : "");
    roof_prose_state state = judged.possible                             ? ROOF_PROSE_POSSIBLE
                             : judged.placed.state == ROOF_PLACE_UNKNOWN ? ROOF_PROSE_UNKNOWN
                                                                         : ROOF_PROSE_IMPOSSIBLE;
    char because[sizeof claim->because];
    explain_figure(claim->devices, &judged, because, sizeof because);
    settle(claim, state, judged.limit, judged.placed.share, because);
  }
  return status;
}

/** The judged run's sentence, after what it is of: the answer's first word, model and machine, then the batch. */
static void explain_run(const rf_readings *r, const roof_machine *machine, double batch,
                        const roof_model_judged *j, roof_prose_claim *claim) {
  char because[sizeof claim->because], devices[32] = "", at[32] = "";
  const char *verdict = j->possible ? "possible" : "impossible", *rest = j->because + strlen(verdict);
  if (claim->devices > 1) {
    snprintf(devices, sizeof devices, "%.0f x ", claim->devices);
  }
  if (rest[0] == ':') { /* not one of several */
    snprintf(at, sizeof at, " at batch %.0f", batch);
  }
  snprintf(because, sizeof because, "%s: %s on %s%s%s%.*s", verdict, r->model, devices,
           roof_machine_title(machine), at, (int)strcspn(rest, ";"), rest);
  settle(claim, j->possible ? ROOF_PROSE_POSSIBLE : ROOF_PROSE_IMPOSSIBLE, j->limit, j->placed.share,
         because);
}

/** A model's run: possible where one batch is that makes it so, with the shortest contexts. */
static roof_status judge_run(roof_whole *run, const rf_readings *r, const roof_machine *machine,
                             const char *format, roof_prose_claim *claim, roof_error *error) {
  roof_model_judged judged;
  run->settings.prompt = 1, run->settings.generate = 2;
  run->claim = claim->per_user ? (roof_model_claim){ROOF_MODEL_CLAIM_TPOT, 1 / claim->claimed}
                               : (roof_model_claim){ROOF_MODEL_CLAIM_RATE, claim->claimed};
  roof_status status = roof_whole_judge(run, machine, &judged, error);
  if (status == ROOF_OK && !judged.fits && format == NULL) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s, as stored, does not fit, and no format is named",
                            r->model);
  }
  if (status == ROOF_OK) {
    explain_run(r, machine, run->settings.batch, &judged, claim);
  }
  return status;
}

static roof_status judge_model(const rf_readings *r, const roof_machine *machine, const char *format,
                               roof_prose_claim *claim, roof_error *error) {
  char devices[32], batch[32];
  const char *words[] = {r->model, devices, batch};
  roof_formats formats = {.weights = format};
  roof_whole *run = NULL;
  snprintf(devices, sizeof devices, "tp=%.0f", claim->devices);
  snprintf(batch, sizeof batch, "batch=%.0f", r->batch);
  roof_status status = roof_whole_read(words, r->batch > 0 ? 3 : 2, &formats, NULL, false, &run, error);
  status = status == ROOF_OK ? judge_run(run, r, machine, format, claim, error) : status;
  if (status == ROOF_OK) {
    snprintf(claim->dtype, sizeof claim->dtype, "%s", format != NULL ? format : "");
  }
  roof_whole_free(run);
  return status;
}

/** One reading of the claim. What cannot be judged so stays as it is. */
static roof_status judge_reading(rf_judge *judge, const rf_readings *r, const char *name, const char *format,
                                 bool sparse, roof_prose_claim *claim, roof_error *error) {
  const roof_machine *machine = NULL;
  roof_status status = load(judge, name, &machine, error);
  if (status == ROOF_OK) {
    snprintf(claim->machine, sizeof claim->machine, "%s", machine->name);
    status = r->model != NULL ? judge_model(r, machine, format, claim, error)
                              : judge_figure(machine, format, sparse, claim, error);
  }
  return status;
}

static roof_status judge_all(rf_judge *judge, const rf_readings *r, roof_prose_claim *claim,
                             roof_error *error) {
  roof_prose_claim first = *claim;
  bool judged = false;
  int formats = r->format_count > 0 ? r->format_count : 1, ways = r->sparse ? 2 : 1;
  for (int i = 0; i < r->machine_count * formats * ways; i++) {
    roof_prose_claim next = *claim;
    roof_error why;
    const char *format = r->format_count > 0 ? r->formats[i / ways % formats] : NULL;
    roof_status status =
        judge_reading(judge, r, r->machines[i / ways / formats], format, i % ways == 1, &next, &why);
    if (status == ROOF_E_MEMORY) {
      return roof_error_set(error, ROOF_E_MEMORY, "%s", why.message);
    }
    if (status != ROOF_OK) {
      next.state = ROOF_PROSE_UNKNOWN;
      snprintf(next.because, sizeof next.because, "unknown: %.480s", why.message);
    }
    if (status == ROOF_OK && next.state == ROOF_PROSE_POSSIBLE) {
      *claim = next;
      return ROOF_OK;
    }
    bool doubtful = next.state == ROOF_PROSE_UNKNOWN && first.state == ROOF_PROSE_IMPOSSIBLE;
    if (i == 0 || (status == ROOF_OK && (!judged || doubtful))) {
      first = next;
      judged = status == ROOF_OK;
    }
  }
  *claim = first;
  return ROOF_OK;
}

roof_status rf_judge_claim(rf_judge *judge, const rf_readings *readings, roof_prose_claim *claim,
                           roof_error *error) {
  claim->state = ROOF_PROSE_UNKNOWN;
  claim->limit = claim->fraction = NAN;
  roof_status status = judge_all(judge, readings, claim, error);
  if (status == ROOF_OK && claim->state == ROOF_PROSE_IMPOSSIBLE && readings->unsure) {
    claim->state = ROOF_PROSE_UNKNOWN;
    snprintf(claim->because, sizeof claim->because,
             "unknown: of how many devices it does not say, and one cannot");
  }
  return status;
}
