/* The load of a service as options. */
#include <stdlib.h>

#include "cli/serve/serve.h"

enum {
#define INDEX(name) SERVE_##name,
  ROOF_SERVICE_MAP(INDEX) SERVE_COUNT
};
enum { ROOF_SERVICE_SWITCHES_MAP(INDEX) SERVE_SWITCHES };
#undef INDEX

static char *typed[SERVE_COUNT];
static int switches[SERVE_SWITCHES];

const struct poptOption cli_serve_load_options[] = {
    {"rate", 'r', POPT_ARG_STRING, &typed[SERVE_rate], 0,
     "requests per second: 4/s, 240/min, inf (all at once), or several: 1..16*2; default: 1/s", "RATE"},
    {"arrivals", '\0', POPT_ARG_STRING, &typed[SERVE_arrivals], 0, "poisson, gamma (in bursts) or constant",
     "HOW"},
    {"burstiness", '\0', POPT_ARG_STRING, &typed[SERVE_burstiness], 0,
     "shape of the gamma distribution: 1 as poisson, under 1 in bursts", "N"},
    {"concurrency", '\0', POPT_ARG_STRING, &typed[SERVE_concurrency], 0,
     "requests that are always in flight, the next as one leaves, instead of a rate", "N"},
    {"requests", 'n', POPT_ARG_STRING, &typed[SERVE_requests], 0,
     "that arrive in all; default: 10000, or all of a trace", "N"},
    {"seed", '\0', POPT_ARG_STRING, &typed[SERVE_seed], 0, "the same seed, the same answer; default: 1", "N"},
    {"trace", '\0', POPT_ARG_STRING, &typed[SERVE_trace], 0,
     "requests as they came: Azure's or BurstGPT's CSV, Mooncake's JSON lines", "FILE"},
    {"speed", '\0', POPT_ARG_STRING, &typed[SERVE_speed], 0, "of the trace: 2 is twice as fast", "N"},
    {"whole-prompts", '\0', POPT_ARG_NONE, &switches[SERVE_whole_prompts], 0,
     "prompts in steps of their own, while the others wait, not in pieces between tokens", NULL},
    {"no-cache", '\0', POPT_ARG_NONE, &switches[SERVE_no_cache], 0, "forget prompts: no prefix cache", NULL},
    {"turns", '\0', POPT_ARG_STRING, &typed[SERVE_turns], 0,
     "of a session, each with all before it in its prompt: 4, uniform:1:8; prompt= is what a turn adds", "N"},
    {"turn-delay", '\0', POPT_ARG_STRING, &typed[SERVE_turn_delay], 0,
     "mean time from an answer to the next turn; default: 0s", "TIME"},
    {"preempt", '\0', POPT_ARG_STRING, &typed[SERVE_preempt], 0,
     "what makes room in a full cache: recompute, or swap to the host", "HOW"},
    {"two-batch-overlap", '\0', POPT_ARG_NONE, &switches[SERVE_two_batch_overlap], 0,
     "halves of a step take turns where that pays: transfers of one hide behind the other's work", NULL},
    {"route", '\0', POPT_ARG_STRING, &typed[SERVE_route], 0,
     "of replicas (dp=): round-robin, least-loaded or prefix", "HOW"},
    {"prefill", '\0', POPT_ARG_STRING, &typed[SERVE_prefill], 0,
     "of the replicas those that process prompts alone, and hand over to the others", "N"},
    {"host-time", '\0', POPT_ARG_STRING, &typed[SERVE_host_time], 0,
     "of a request before it is in a queue: HTTP, tokenizer; default: 40ms and 5us for a token of its prompt",
     "TIME"},
    {"ttft", '\0', POPT_ARG_STRING, &typed[SERVE_ttft], 0,
     "limit of the time to the first token, for goodput", "TIME"},
    {"tpot", '\0', POPT_ARG_STRING, &typed[SERVE_tpot], 0, "limit of the time per output token, for goodput",
     "TIME"},
    POPT_TABLEEND};

void cli_serve_load(roof_service_text *text) {
#define TAKE(name) text->name = typed[SERVE_##name];
  ROOF_SERVICE_MAP(TAKE)
#undef TAKE
#define TAKE(name) text->name = switches[SERVE_##name];
  ROOF_SERVICE_SWITCHES_MAP(TAKE)
#undef TAKE
}

void cli_serve_load_done(void) {
  for (int i = 0; i < SERVE_COUNT; i++) {
    free(typed[i]);
  }
}
