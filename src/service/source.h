/** Requests one after another: when each comes and how long it is. */
#ifndef SERVICE_SOURCE_H
#define SERVICE_SOURCE_H

#include "roofline/service.h"
#include "service/random.h"
#include "service/sessions.h"
#include "service/trace.h"

/** What is known of a request when it arrives. */
typedef struct service_arrival {
  double seconds;
  double prompt, generate;
  const unsigned *blocks; /**< of its prompt, NULL: not known */
  unsigned *copied;       /**< the same, to be freed with the request; NULL: they lie elsewhere */
  size_t block_count;
  int session;      /**< that it is a turn of, 0: none */
  unsigned adapter; /**< from 1; 0: none */
} service_arrival;

/** Where requests come from. Each stream of random numbers serves one purpose, so that another rate changes no length. */
typedef struct service_source {
  const roof_service_settings *settings;
  service_random gaps, prompts, generates, turns, delays, adapters;
  service_sessions sessions;
  double page; /**< tokens of a block of a session's context */
  double shared, longest;
  trace_stream *stream; /**< of a trace that is read line by line */
  roof_error why;
  bool failed; /**< memory has run out, or a trace cannot be read again: `why` */
  double seconds;
  double made, total;
} service_source;

/** Streams of random numbers. */
enum {
  SERVICE_STREAM_GAPS = 1,
  SERVICE_STREAM_PROMPTS,
  SERVICE_STREAM_GENERATES,
  SERVICE_STREAM_ACCEPTED,
  SERVICE_STREAM_TURNS,
  SERVICE_STREAM_DELAYS,
  SERVICE_STREAM_ADAPTERS
};

/** Of requests that are no trace's: `shared` tokens that all prompts begin with; `longest` that a request may have; tokens of a
 *  `page`, of sessions. Release with rf_source_done. */
void rf_source_start(service_source *source, const roof_service_settings *settings, double shared,
                     double longest, double page);
void rf_source_done(service_source *source);

/** Whether requests are turns of sessions. */
bool rf_source_has_sessions(const roof_service_settings *settings);

/** The next turn of a session; false when there are no more requests, or it would be too long: then the session is over. */
bool rf_source_turn(service_source *source, int session, service_arrival *arrival);

/** A turn has its answer: true where the session goes on, *delay seconds later, and then its context is numbered. */
bool rf_source_answered(service_source *source, const service_arrival *turn, double *delay);

/** The next request; false when there are no more. With a constant concurrency it is the caller who knows when. */
bool rf_source_next(service_source *source, service_arrival *arrival);

double rf_lengths_draw(const roof_lengths *lengths, service_random *random);

#endif
