/* Experts of which some are chosen more often than others, and copies of those. */
#include <math.h>
#include <stdlib.h>

#include "models/step.h"

enum { MOST = 1024 };

/** Experts by how often they are chosen, of all choices together, and how many copies there are of each. */
typedef struct experts {
  double share[MOST];
  short copies[MOST];
  int count, slots;
} experts;

bool rf_model_prefers_experts(const roof_model_settings *s) {
  return s->expert_skew > 0 || s->expert_shares != NULL;
}

/** The popularity of the i-th is i^-skew (Zipf), or as it was counted; each further copy goes to the expert whose copies have most to do. */
static void fill(experts *e, const roof_model_block *b, const roof_model_settings *s) {
  double sum = 0;
  e->count = (int)fmin(MOST, b->experts);
  e->slots = (int)fmin(MOST, rf_model_expert_slots(b, s));
  for (int i = 0; i < e->count; i++) {
    bool counted = s->expert_shares != NULL;
    e->share[i] = !counted ? pow(i + 1, -s->expert_skew) : i < s->expert_count ? s->expert_shares[i] : 0;
    e->copies[i] = 1;
    sum += e->share[i];
  }
  for (int i = 0; i < e->count; i++) {
    e->share[i] /= sum;
  }
  for (int slot = e->count; slot < e->slots; slot++) {
    int most = 0;
    for (int i = 1; i < e->count; i++) {
      most = e->share[i] / e->copies[i] > e->share[most] / e->copies[most] ? i : most;
    }
    e->copies[most]++;
  }
}

static int most_first(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x < *y) - (*x > *y);
}

/** The work of the busiest device by the mean. Not inlined: its lists are large, and most runs have no skew. */
__attribute__((noinline)) static double packed(const roof_model_block *b, const roof_model_settings *s,
                                               int devices) {
  experts e;
  double slot[MOST], load[MOST] = {0}, busiest = 0;
  short taken[MOST] = {0};
  int slots = 0;
  fill(&e, b, s);
  for (int i = 0; i < e.count; i++) {
    for (int c = 0; c < e.copies[i]; c++) {
      slot[slots++] = e.share[i] / e.copies[i];
    }
  }
  qsort(slot, (size_t)slots, sizeof *slot, most_first);
  for (int i = 0; i < slots; i++) {
    int least = -1;
    for (int d = 0; d < devices; d++) {
      bool room = taken[d] * devices < slots;
      least = room && (least < 0 || load[d] < load[least]) ? d : least;
    }
    load[least] += slot[i];
    taken[least]++;
    busiest = fmax(busiest, load[least]);
  }
  return busiest * devices;
}

double rf_model_expert_imbalance(const roof_model_block *b, const roof_model_settings *s) {
  int devices = (int)s->ep;
  return rf_model_prefers_experts(s) && devices > 1 && devices <= MOST ? packed(b, s, devices) : 1;
}

/** How even routers choose, the shape of a gamma distribution of experts' popularity: infinite were all as popular. Of
 * shapes from 1 to 5 the one that leaves the least error of the time per token of 1,095 serving points of mixtures of
 * experts (ai-dynamo/aiconfigurator@095f58a, H200 and B200; 2026-11-28). */
static const double evenness = 4;

/** Each is met by a Poisson number of tokens whose mean is as its popularity, none with probability
 * (1 + mean / shape)^-shape (Greenwood and Yule 1920). */
static double touched(double mean) {
  return -rf_power_less_one(1 + mean / evenness, -evenness);
}

double rf_model_experts_touched(const roof_model_block *b, const roof_model_settings *s, double tokens) {
  double k = b->experts_per_token, all = rf_model_expert_slots(b, s), sum = 0;
  experts e;
  if (rf_model_prefers_experts(s)) {
    fill(&e, b, s);
    for (int i = 0; i < e.count; i++) {
      sum += e.copies[i] * touched(tokens * fmin(1, k * e.share[i]) / e.copies[i]);
    }
  } else {
    sum = all * touched(tokens * k / all);
  }
  return fmax(k * fmin(1, tokens), sum);
}
