/* Runs of built-in kernels in one sentence. */
#include "roofline/runs.h"

/** The run with most headroom of those that have a ceiling; `*ran`: how many ran. */
static const roof_run *find_worst(const roof_runs *runs, size_t *ran) {
  const roof_run *worst = NULL;
  *ran = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const roof_run *r = &runs->list[i];
    bool done = r->skipped[0] == '\0';
    worst = done && r->at.headroom > (worst != NULL ? worst->at.headroom : 0) ? r : worst;
    *ran += done;
  }
  return worst;
}

void roof_runs_sentence(const roof_runs *runs, roof_text *out) {
  size_t ran = 0;
  const roof_run *worst = find_worst(runs, &ran);
  roof_text_addf(out, "%zu measurement%s", ran, ran == 1 ? "" : "s");
  if (worst == NULL) {
    roof_text_add(out, ran > 0 ? ": no ceiling is known\n" : "\n");
    return;
  }
  roof_text_addf(out, " on %s: ", runs->machine->name);
  if (worst->at.headroom < 1) {
    roof_text_addf(out, "%s is above its ceiling\n", worst->measurement.label);
  } else {
    roof_text_addf(out, "most headroom in %s, %.2fx from its ceiling\n", worst->measurement.label,
                   worst->at.headroom);
  }
}
