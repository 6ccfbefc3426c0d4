/** Prefill and decode apart: devices that process prompts, others that generate, as many of each as the load needs.
 *
 *  Example:
 *    extern roof_choice_question question; // a model, its settings, machines, a load and its limits
 *    roof_apart best;
 *    if (roof_apart_of(&question, &best, NULL) == ROOF_OK && best.found) {
 *      printf("%g + %g devices\n", best.prefill.devices * best.prefill.instances,
 *             best.decode.devices * best.decode.instances);
 *    } */
#ifndef ROOFLINE_APART_H
#define ROOFLINE_APART_H

#include "roofline/choice.h"

#ifdef __cplusplus
extern "C" {
#endif

/** So many equal instances of an engine. */
typedef struct roof_pool {
  int offer;
  double devices; /**< of an instance */
  double instances;
  double tp, pp, dp, ep, batch;
  double seconds, low_seconds, high_seconds; /**< of a prompt, or of a step */
  double joules; /**< of a prompt, or of a sequence's token; all devices of an instance */
  double busy;   /**< share of the time that an instance processes prompts, or of the batch that is taken */
} roof_pool;

/** Both pools and what a request sees. */
typedef struct roof_apart {
  bool found; /**< false: no two pools meet the limits; nothing else is set */
  int precision;
  roof_pool prefill, decode;
  double requests_per_second;
  double transfer_seconds; /**< of a prompt's cache from one pool to the other, part of the TTFT */
  double ttft_seconds, ttft_low_seconds, ttft_high_seconds;
  double tpot_seconds, tpot_low_seconds, tpot_high_seconds;
  double device_tokens_per_second;
  double price_per_million_tokens; /**< NaN without a price of both */
  bool simulated; /**< its times are those of a run under its load (roof_apart_simulated_of) */
} roof_apart;

/** The cheapest two pools that meet the limits, on the same machine or on two, in the same precision; without prices the
 *  fewest devices. Prompts wait as at one server (docs/plans.md), instances of prefill share them evenly; an instance of decode has
 *  room for the requests of the percentile. The cache goes over the network of the settings, a port for each device of the
 *  smaller instance. Without users and rate: as many requests as fill one instance of decode. None with a `cp` over 1: instances
 *  do not share contexts.
 *  Units: s, tokens/s; prices as given.
 *  Ownership: fills *best on success only.
 *  Errors: as roof_choices_of. */
ROOF_API roof_status roof_apart_of(const roof_choice_question *question, roof_apart *best, roof_error *error);

/** Whether two pools meet the limits at the slow end of their range as well, as roof_choice_is_sure says of one.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_apart_is_sure(const roof_choice_question *question, const roof_apart *apart);

/** Whether two pools are cheaper than the best plan of one, without prices whether they are fewer devices, and no less sure;
 *  true where only they meet the limits.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false where none is found. */
ROOF_API bool roof_apart_pays(const roof_choice_question *question, const roof_choices *choices,
                              const roof_apart *apart);

/** Appends two pools, and what they cost next to the best plan of one.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_apart_sentence(roof_text *out, const roof_choice_question *question,
                                  const roof_choices *choices, const roof_apart *apart);

/** What starts two pools, as roof_choice_launch: a command for each and what stands before them, with remarks that begin with #;
 *  or a template.
 *  Units: none.
 *  Ownership: appends to the caller's text on success only.
 *  Errors: as roof_choice_launch; ROOF_E_UNSUPPORTED too for an engine that has no two pools. */
ROOF_API roof_status roof_apart_launch(const roof_choice_question *question, const roof_apart *apart,
                                       roof_engine engine, const char *served, roof_text *out,
                                       roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
