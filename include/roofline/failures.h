/** Failures of a long training run: how often to write a checkpoint, and what both cost.
 *
 *  Example:
 *    extern const roof_train_point *best; // by roof_train_search, with settings.tokens
 *    roof_failure_settings settings = roof_failure_settings_default();
 *    roof_failures f = roof_failures_of(&settings, 70.6e9, 512, best->training.seconds);
 *    printf("%g failures, %g s with them\n", f.failures, f.seconds); */
#ifndef ROOFLINE_FAILURES_H
#define ROOFLINE_FAILURES_H

#include "roofline/export.h"
#include "roofline/status.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Start from roof_failure_settings_default(). */
typedef struct roof_failure_settings {
  double device_seconds;   /**< mean time between failures that stop the run, of one device */
  double bytes_per_second; /**< of one device, into a checkpoint */
  double restart_seconds;  /**< from a failure until the run goes on from its last checkpoint */
} roof_failure_settings;

typedef struct roof_failures {
  double between_seconds;    /**< failures of any device */
  double checkpoint_bytes;   /**< trained weights in 16 bits, their masters and both moments in 32 */
  double checkpoint_seconds; /**< to write one, while the run waits */
  double interval_seconds;   /**< of work between two checkpoints */
  double checkpoints, failures;
  double lost;    /**< share of the time: checkpoints, work done again, restarts */
  double seconds; /**< of the run with all that */
} roof_failures;

/** A failure of a device each 50,676 hours (419 unexpected interruptions in 54 days of 16,384 H100: Grattafiori et al. 2024, "The Llama 3
 *  Herd of Models", section 3.3.4), 1 GB/s of each device and 10 minutes to restart (both assumed).
 *  Units: s, bytes/s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_failure_settings roof_failure_settings_default(void);

/** Reads the hours between failures of one device ("50676") and what it writes into a checkpoint ("1GB/s") as they are typed; NULL: as it is.
 *  Units: s, bytes/s.
 *  Ownership: changes *settings on success only.
 *  Errors: ROOF_E_PARSE or ROOF_E_ARGUMENT with the option's name. */
ROOF_API roof_status roof_failure_settings_read(const char *hours, const char *rate,
                                                roof_failure_settings *settings, roof_error *error);

/** A run of so many seconds without failures, on so many devices that stop together; `parameters` are those that it
 *  trains. The interval is Young's (1974), sqrt(2 x checkpoint x time between failures), and no longer than the run; for each the run
 *  takes M e^(restart / M) (e^((interval + checkpoint) / M) - 1) with M the time between failures (Daly 2006).
 *  Units: s, bytes.
 *  Ownership: by value.
 *  Errors: seconds are infinite where no number is large enough; NaN for a run that is not known. */
ROOF_API roof_failures roof_failures_of(const roof_failure_settings *settings, double parameters,
                                        double devices, double seconds);

/** Appends failures and checkpoints in two lines.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_failures_describe(roof_text *out, const roof_failures *failures);

#ifdef __cplusplus
}
#endif
#endif
