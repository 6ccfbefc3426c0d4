#include "service/tally.h"

#include <math.h>
#include <string.h>

void rf_tally_start(service_tally *t) {
  memset(t, 0, sizeof *t);
  service_histogram *const all[] = {&t->ttft, &t->tpot, &t->itl, &t->end_to_end, &t->wait};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    rf_histogram_start(all[i]);
  }
}

void rf_tally_leave(service_tally *t, const roof_service_settings *set, const service_request *r) {
  double asked = r->as.seconds - r->lag, others = r->as.generate - 1;
  double ttft = r->first - asked, whole = r->last - asked;
  double tpot = others > 0 ? (whole - ttft) / others : NAN;
  t->left++;
  if (t->left > set->warmup) {
    rf_histogram_add(&t->ttft, ttft, 1);
    rf_histogram_add(&t->end_to_end, whole, 1);
    rf_histogram_add(&t->wait, r->begun - r->as.seconds, 1);
    if (others > 0) {
      rf_histogram_add(&t->tpot, tpot, 1);
    }
  }
  t->good += !(ttft > set->ttft_seconds) && !(tpot > set->tpot_seconds) ? 1 : 0;
  t->prompt_tokens += r->as.prompt;
  t->generated_tokens += r->as.generate;
  t->last_seconds = fmax(t->last_seconds, r->last + r->lag);
  t->in_system_area += r->lag;
}

void rf_tally_answer(const service_tally *t, const roof_service_settings *set, roof_service_answer *a) {
  a->requests = t->left;
  a->prompt_tokens = t->prompt_tokens;
  a->generated_tokens = t->generated_tokens;
  a->ttft = rf_histogram_times(&t->ttft, set->share);
  a->tpot = rf_histogram_times(&t->tpot, set->share);
  a->itl = rf_histogram_times(&t->itl, set->share);
  a->end_to_end = rf_histogram_times(&t->end_to_end, set->share);
  a->wait = rf_histogram_times(&t->wait, set->share);
  a->batch = t->batch_steps > 0 ? t->batch_sum / t->batch_steps : 0;
  a->preemptions = t->preemptions;
  a->adapter_loads = t->adapter_loads;
  a->slot_waits = t->left > 0 ? t->slot_waits / t->left : 0;
  a->slot_wait_seconds = t->left > 0 ? t->slot_wait_seconds / t->left : 0;
  a->cached = t->prompt_tokens > 0 ? t->cached_tokens / t->prompt_tokens : 0;
}
