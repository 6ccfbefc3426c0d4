/* A workload in words: its work, how it runs, memory, what its operations are bound by. */
#include <math.h>

#include "roofline/text.h"
#include "roofline/units.h"
#include "roofline/workload.h"

enum { SHORT = 96 };

static void add_work(roof_text *out, const roof_workload *w, const roof_workload_settings *s,
                     const roof_workload_answer *a) {
  char x[SHORT], y[SHORT];
  roof_text_addf(out, "  work        %.0f operation%s, %s, %s", a->calls, a->calls == 1 ? "" : "s",
                 roof_quantity_format(x, SHORT, a->flops, "FLOP"),
                 roof_quantity_format(y, SHORT, a->bytes, "B"));
  roof_text_addf(out, ", %.0f kernel%s", a->kernels, a->kernels == 1 ? "" : "s");
  if (w->batch > 0) { /* people know networks by them */
    roof_text_addf(out, ", %.0f multiply-adds", a->matrix_flops / 2);
  }
  roof_text_addf(out, "; MFU %.1f %%, MBU %.1f %%\n", 100 * a->mfu, 100 * a->mbu);
  roof_text_addf(out, "  run         %s launches, %s per kernel (%s); shorter work is overhead-bound\n",
                 roof_launch_name(s->launch), roof_quantity_format(x, SHORT, a->kernel.seconds, "s"),
                 roof_provenance_name(a->kernel.kind));
}

static void add_memory(roof_text *out, const roof_workload *w, const roof_workload_answer *a) {
  char x[SHORT], y[SHORT];
  if (isnan(w->weight_bytes)) {
    return;
  }
  roof_text_addf(out, "  memory      %s of",
                 roof_bytes_format(x, SHORT, w->weight_bytes + w->activation_bytes));
  roof_text_addf(out, " %s: %.0f weights of %s,",
                 isnan(a->capacity_bytes) ? "unknown" : roof_bytes_format(x, SHORT, a->capacity_bytes),
                 w->parameters, roof_bytes_format(y, SHORT, w->weight_bytes));
  roof_text_addf(out, " activations of %s at most\n", roof_bytes_format(x, SHORT, w->activation_bytes));
}

static void add_regimes(roof_text *out, const roof_workload_answer *a) {
  const char *before = "  bound by    ";
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    const roof_workload_share *r = &a->regimes[i];
    if (r->items > 0) {
      roof_text_addf(out, "%s%s %.0f operations, %.1f %% of the time", before,
                     roof_regime_name((roof_regime)i), r->items, 100 * r->seconds / a->expected_seconds);
      before = "; ";
    }
  }
  roof_text_add(out, "\n\n");
}

void roof_workload_describe(roof_text *out, const roof_workload *w, const roof_workload_settings *s,
                            const roof_workload_answer *a) {
  add_work(out, w, s, a);
  add_memory(out, w, a);
  add_regimes(out, a);
}
