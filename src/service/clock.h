/** How long a step takes: the only thing that a run knows of the model and the machine. A test puts a stub in its place. */
#ifndef SERVICE_CLOCK_H
#define SERVICE_CLOCK_H

#include "roofline/load.h"

/** The time of a decoding step, a straight line over the tokens that its sequences have there already. */
typedef struct service_line {
  double seconds; /**< at the context asked about */
  double slope;   /**< seconds for each token more */
  double end;     /**< context up to which the line holds, over the one asked about */
} service_line;

typedef struct service_clock {
  void *data;
  double (*step)(void *data, const roof_load *load);
  service_line (*decode)(void *data, double sequences, double context);
  /** Seconds after such a step until its prompts are through the rest of a pipeline; NULL: none. */
  double (*lag)(void *data, const roof_load *load, double step_seconds);
  /** Seconds that a step lasts longer for the encoders of so many prompts, and in *lag until these are through the rest of a
   *  pipeline; NULL: there are none. */
  double (*encode)(void *data, double prompts, double *lag);
} service_clock;

#endif
