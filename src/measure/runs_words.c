/* Runs of built-in kernels in one sentence. */
#include "roofline/runs.h"

#include "roofline/kernels.h"

/** The run with most headroom of those that have a ceiling, of kernels that are meant to be fast or of those that are not. */
static const roof_run *find_worst(const roof_runs *runs, bool naive) {
  const roof_run *worst = NULL;
  for (size_t i = 0; i < runs->count; i++) {
    const roof_run *r = &runs->list[i];
    if (r->skipped[0] == '\0' && roof_kernel_is_naive(r->kernel) == naive &&
        r->at.headroom > (worst != NULL ? worst->at.headroom : 0)) {
      worst = r;
    }
  }
  return worst;
}

static size_t count_ran(const roof_runs *runs) {
  size_t ran = 0;
  for (size_t i = 0; i < runs->count; i++) {
    ran += runs->list[i].skipped[0] == '\0';
  }
  return ran;
}

void roof_runs_sentence(const roof_runs *runs, roof_text *out) {
  size_t ran = count_ran(runs);
  const roof_run *fast = find_worst(runs, false), *naive = find_worst(runs, true);
  const roof_run *worst = fast != NULL ? fast : naive;
  roof_text_addf(out, "%zu measurement%s", ran, ran == 1 ? "" : "s");
  if (worst == NULL) {
    roof_text_add(out, ran > 0 ? ": no ceiling is known\n" : "\n");
    return;
  }
  roof_text_addf(out, " on %s: ", runs->machine->name);
  if (worst->at.headroom < 1) {
    roof_text_addf(out, "%s is above its ceiling\n", worst->measurement.label);
  } else {
    bool apart = fast != NULL && naive != NULL && naive->at.headroom > fast->at.headroom;
    roof_text_addf(out, "most headroom%s in %s, %.2fx from its ceiling\n", apart ? ", naive apart," : "",
                   worst->measurement.label, worst->at.headroom);
  }
}
