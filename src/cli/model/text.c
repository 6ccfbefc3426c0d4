/* A model's answer for people. */
#include <math.h>

#include "cli/model/model.h"
#include "models/step.h"
#include "roofline/analysis.h"
#include "roofline/choice.h"

enum { LINE = 160 };

/** A training step's speed, and how much of the device it uses. */
static void add_step(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[CLI_SHORT];
  roof_text_addf(out, ", %s", cli_quantity(x, a->prompt_tokens_per_second, "tokens/s"));
  if (t->settings.train) {
    roof_text_addf(out, ", MFU %.1f %%", 100 * a->phases[ROOF_PHASE_TRAIN].mfu);
  }
}

/** Times of what fits; what does not has none. */
static void add_times(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[CLI_SHORT], y[CLI_SHORT];
  const roof_model_continuous *c = &a->continuous;
  bool generates = roof_model_generates(t), step = t->settings.train || t->model->encoder;
  bool one_step = t->settings.train || t->model->denoises;
  bool alone = c->ttft_seconds == a->ttft_seconds && c->tpot_seconds == a->tpot_seconds;
  roof_text_addf(out, "  %-11s ", one_step ? "step" : alone ? "one request" : "one batch");
  roof_text_addf(out, "%s%s", step ? "" : "TTFT ", cli_quantity(x, a->ttft_seconds, "s"));
  if (!isnan(a->encode_seconds)) {
    roof_text_addf(out, " (%s %s)", t->model->streams[0].name, cli_quantity(x, a->encode_seconds, "s"));
  }
  if (generates) {
    roof_text_addf(out, ", TPOT %s", cli_quantity(y, a->tpot_seconds, "s"));
  } else if (t->model->denoises) {
    roof_text_addf(out, ", %.4g images/s", t->settings.batch / a->image_seconds);
  } else {
    add_step(out, t, a);
  }
  roof_text_addf(out, "\n  range       %s%s", step ? "" : "TTFT ", cli_quantity(x, a->ttft_low_seconds, "s"));
  roof_text_addf(out, " to %s", cli_quantity(x, a->ttft_high_seconds, "s"));
  if (generates) {
    roof_text_addf(out, ", TPOT %s", cli_quantity(x, a->tpot_low_seconds, "s"));
    roof_text_addf(out, " to %s", cli_quantity(x, a->tpot_high_seconds, "s"));
  }
  if (!isnan(c->ttft_seconds) && !alone) {
    roof_text_addf(out, "\n  continuous  TTFT %s", cli_quantity(x, c->ttft_seconds, "s"));
    roof_text_addf(out, ", TPOT %s: other requests' prompts counted", cli_quantity(y, c->tpot_seconds, "s"));
  }
  roof_text_add(out, "\n");
  if (t->settings.train) {
    roof_model_training_describe(out, &a->training, &t->settings, a->price_per_million_tokens, NULL);
  }
}

/** Whether what generates has room in all of the memory alone, of which nobody said the share. */
static bool needs_all_memory(const roof_model_target *t, const roof_model_capacity *c) {
  bool said = rf_model_typed(&t->settings, "memory_share");
  return roof_model_generates(t) && c->fits && !said &&
         c->total_bytes > ROOF_ENGINE_MEMORY_SHARE * c->capacity_bytes;
}

static void add_answer(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[CLI_SHORT], why[LINE];
  const roof_model_capacity *c = &a->capacity;
  bool known = !isnan(c->capacity_bytes);
  roof_text_addf(out, RF_MARK_BOLD "%s on ", roof_model_title(t->model));
  if (a->devices > 1) {
    roof_text_addf(out, "%.0f x ", a->devices);
  }
  roof_text_addf(out, "%s: ", roof_machine_title(t->machine));
  size_t before = out->length;
  roof_model_headline(out, t, a);
  roof_text_add(out, out->length > before ? "; " : "");
  roof_text_add(out, !known ? "memory not known" : c->fits ? "fits" : RF_MARK_RED "does not fit");
  if (known) {
    roof_text_addf(out, ", %s %s", roof_bytes_format(x, CLI_SHORT, fabs(c->spare_bytes)),
                   c->fits ? "spare" : "short");
  }
  if (needs_all_memory(t, c)) {
    roof_text_addf(out, ", but not in the %.0f %% that engines take", 100 * ROOF_ENGINE_MEMORY_SHARE);
  }
  roof_text_add(out, RF_MARK_END "\n");
  if (roof_model_too_long(t, why, sizeof why)) {
    roof_text_addf(out, "  too long    %s\n", why);
  }
  if (roof_model_cuts_blocks(t, why, sizeof why)) {
    roof_text_addf(out, "  refused     %s\n", why);
  }
  if (roof_model_has_times(a)) {
    add_times(out, t, a);
  } else {
    roof_text_add(out, "  fits with   ");
    roof_model_fits_describe(out, t);
    roof_text_add(out, "\n");
  }
  roof_text_add(out, "\n");
}

/** What a phase asks for, where it has no times. */
static void add_untimed(roof_text *out, const roof_model_target *t, const roof_model_phase *p) {
  char x[CLI_SHORT], y[CLI_SHORT];
  roof_text_addf(out, "\n%s: %s, %s, %.0f kernels\n", roof_phase_name(p->kind),
                 cli_quantity(x, p->flops, "FLOP"), cli_quantity(y, p->memory_bytes, "B"), p->kernels);
  cli_model_add_operations(out, t, p);
}

static void add_phase(roof_text *out, const roof_model_target *t, const roof_model_phase *p) {
  char x[CLI_SHORT], y[CLI_SHORT];
  roof_text_addf(out, "\n%s: %s", roof_phase_name(p->kind), cli_quantity(x, p->expected_seconds, "s"));
  roof_text_addf(out, " (at best %s), %s,", cli_quantity(x, p->lower_seconds, "s"),
                 cli_quantity(y, p->flops, "FLOP"));
  roof_text_addf(out, " %s, %.0f kernels, MFU %.1f %%", cli_quantity(x, p->memory_bytes, "B"), p->kernels,
                 100 * p->mfu);
  if (p->recomputed_flops > 0) {
    roof_text_addf(out, ", HFU %.1f %%", 100 * p->hfu);
  }
  roof_text_addf(out, ", MBU %.1f %%\n", 100 * p->mbu);
  cli_model_add_operations(out, t, p);
}

static void add_words(roof_text *out, bool generates) {
  roof_text_addf(out, "\n  figures     what each counts: `roofline explain %s`\n",
                 generates ? "ttft`, `rates` and `mfu" : "rates` and `mfu");
}

void cli_model_text(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  bool timed = roof_model_has_times(a);
  add_answer(out, t, a);
  roof_model_describe(out, t, a);
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    if (a->phases[i].present) {
      (timed ? add_phase : add_untimed)(out, t, &a->phases[i]);
    }
  }
  if (timed) {
    roof_model_rates_describe(out, t, a);
    add_words(out, roof_model_generates(t));
  }
  for (int i = 0; i < t->model->note_count; i++) {
    roof_text_addf(out, "  note        %s\n", t->model->notes[i]);
  }
}
