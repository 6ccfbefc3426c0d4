/** Timings with the machine and formats they are predicted on, and their errors taken together. */
#ifndef ACCURACY_CASES_H
#define ACCURACY_CASES_H

#include "roofline/calibrate.h"
#include "roofline/service.h"
#include "roofline/weights.h"

/** A machine under the name of a device, NULL where the catalogue has none, and why. */
typedef struct rf_accuracy_device {
  const char *name;
  roof_machine *own; /**< loaded here */
  const roof_machine *machine;
  char why[512];
} rf_accuracy_device;

/** A device computing in some formats. */
typedef struct rf_prepared {
  const rf_accuracy_device *device;
  roof_types types;
  char framework[ROOF_FRAMEWORK_MAX]; /**< of what ran them, without its version */
  roof_target target;
  char format[ROOF_NAME_MAX];
} rf_prepared;

/** A timing that can be predicted. */
typedef struct rf_case {
  const rf_prepared *at;
  const roof_record *record;
  roof_kernel_kind kernel;
  double seconds; /**< of a call */
} rf_case;

/** A figure of a whole model's run that can be predicted; times in s. */
typedef struct rf_run_case {
  const rf_accuracy_device *device;
  const roof_served *run;
  roof_served_figure figure;
  double seconds, lower, expected, low, high;
  struct {
    double expected, low, high;
  } part[ROOF_RUN_CLASS_COUNT];                 /**< of the expected time; host: nothing */
  char key[ROOF_ACCURACY_COUNT][ROOF_NAME_MAX]; /**< "TPOT, nvidia-h200-sxm"; "": none */
} rf_run_case;

typedef struct rf_gaps {
  roof_accuracy_gap *list;
  size_t count;
} rf_gaps;

enum { RF_DEVICES = 64, RF_PREPARED = 256 };

typedef struct rf_cases {
  bool simulated; /**< runs of a closed loop go through the simulation */
  rf_accuracy_device *devices;
  size_t device_count;
  rf_prepared *prepared;
  size_t prepared_count;
  rf_case *list;
  size_t count;
  rf_run_case *runs;
  size_t run_count;
  rf_gaps gaps;
} rf_cases;

/** One timing judged. */
typedef struct rf_judged {
  double error, bound_error;
  roof_accuracy_point point;
  bool inside, below;
  const char *key[ROOF_ACCURACY_COUNT]; /**< NULL: it has none */
  const char *group;                    /**< the one of `key` that is being sorted by */
} rf_judged;

/** ROOF_E_MEMORY with "accuracy: out of memory". */
roof_status rf_accuracy_no_memory(roof_error *error);
/** Counts timings that are left out. */
roof_status rf_gaps_add(rf_gaps *gaps, const char *why, size_t count, roof_error *error);
/** The timings of a profile, each on `machine`, or where that is NULL on its own; runs of a closed loop `simulated`, or in closed
 * form. They point into the profile; release with rf_cases_done, also on failure. */
roof_status rf_cases_init(rf_cases *cases, const roof_profile *profile, const roof_machine *machine,
                          const roof_options *options, bool simulated, roof_error *error);
void rf_cases_done(rf_cases *cases);
/** Predicts a run and adds its figures. *why, a gap's reason, is "" where it was taken. */
roof_status rf_cases_add_run(rf_cases *cases, const rf_accuracy_device *device, const roof_served *run,
                             const roof_options *options, roof_error *why, roof_error *error);
/** Fills in the measured and the mean time to the first token of a closed loop; of a prompt alone where the number of requests is unknown. */
void rf_first_token(const roof_whole *whole, const roof_served *run, rf_run_case *c);
/** The same of a whole request: requests at once over its time are requests a second. Timed where both parts are. */
void rf_whole_request(const roof_whole *whole, const roof_served *run, rf_run_case *c);
/** What of the first token is no prompt: the host's, and the decoding steps that are waited for. */
double rf_host_seconds(const roof_model_target *t, const roof_served *run, const roof_model_continuous *c);
/** The run event by event, as its engine schedules. */
roof_status rf_run_simulate(const roof_whole *whole, const roof_served *run, roof_service_answer *answer,
                            roof_error *error);
/** Puts what the simulation found in place of a figure's closed form, with its range. */
void rf_run_simulated(const roof_service_answer *answer, rf_run_case *c);
rf_judged rf_run_judge(const rf_run_case *c);
/** What the runs of a figure say of the classes of kernels. `room` holds three numbers for each. False: there is none. */
bool rf_runs_explain(const rf_run_case *runs, size_t count, roof_served_figure figure, double *room,
                     roof_run_causes *causes);
/** Predicts a case on a target of its machine and formats. */
void rf_case_predict(const rf_case *c, const roof_target *target, roof_prediction *p);
rf_judged rf_case_judge(const rf_case *c, const roof_prediction *p);
/** Errors of `count` timings, at least one; `room` holds as many numbers. */
void rf_accuracy_line(const rf_judged *all, size_t count, const char *name, double *room,
                      roof_accuracy_line *line);
/** Fills in the lines of *accuracy; sorts `all`. What is made is released by roof_accuracy_done, also on failure. */
roof_status rf_accuracy_collect(rf_judged *all, size_t count, roof_accuracy *accuracy, roof_error *error);

#endif
