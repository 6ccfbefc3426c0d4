/** What a run counts. */
#ifndef SERVICE_TALLY_H
#define SERVICE_TALLY_H

#include "service/histogram.h"
#include "service/requests.h"

typedef struct service_tally {
  service_histogram ttft, tpot, itl, end_to_end, wait;
  double arrived, left, good;
  double prompt_tokens, cached_tokens, generated_tokens; /**< of the requests that left */
  double emitted;                                        /**< tokens, counted as steps give them */
  double last_seconds;                                   /**< of the last token */
  double busy_seconds;                                   /**< of all replicas */
  double kv_area, kv_most; /**< blocks x seconds of all replicas; the largest share of one */
  double in_system_area;   /**< requests x seconds */
  double batch_sum, batch_steps;
  double preemptions, adapter_loads, slot_waits, slot_wait_seconds;
} service_tally;

void rf_tally_start(service_tally *tally);

/** A request that has its last token. */
void rf_tally_leave(service_tally *tally, const roof_service_settings *settings,
                    const service_request *request);

/** All but what is known of the whole service. */
void rf_tally_answer(const service_tally *tally, const roof_service_settings *settings,
                     roof_service_answer *answer);

#endif
