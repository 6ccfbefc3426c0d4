/** Requests one after another: when each comes and how long it is. */
#ifndef SERVICE_SOURCE_H
#define SERVICE_SOURCE_H

#include "roofline/service.h"
#include "service/random.h"

/** What is known of a request when it arrives. */
typedef struct service_arrival {
  double seconds;
  double prompt, generate;
  const unsigned *blocks; /**< of its prompt, NULL: not known */
  size_t block_count;
} service_arrival;

/** Where requests come from. Each stream of random numbers serves one purpose, so that another rate changes no length. */
typedef struct service_source {
  const roof_service_settings *settings;
  service_random gaps, prompts, generates;
  double shared, longest;
  double seconds;
  double made, total;
} service_source;

/** Streams of random numbers. */
enum { SERVICE_STREAM_GAPS = 1, SERVICE_STREAM_PROMPTS, SERVICE_STREAM_GENERATES, SERVICE_STREAM_ACCEPTED };

/** Of requests that are no trace's: `shared` tokens that all prompts begin with; `longest` that a request may have. */
void rf_source_start(service_source *source, const roof_service_settings *settings, double shared,
                     double longest);

/** The next request; false when there are no more. With a constant concurrency it is the caller who knows when. */
bool rf_source_next(service_source *source, service_arrival *arrival);

double rf_lengths_draw(const roof_lengths *lengths, service_random *random);

#endif
