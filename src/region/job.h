/** What a job keeps of its ranks until it is settled. */
#ifndef REGION_JOB_H
#define REGION_JOB_H

#include <jansson.h>
#include <sched.h>

#include "roofline/job.h"

enum { RF_JOB_SAMPLES = 1 << 16 };

/** Rates of a region over some ranks. */
typedef struct rf_job_rate {
  double flops[ROOF_DTYPE_COUNT];
  double bytes;
} rf_job_rate;

struct rf_job_sums {
  cpu_set_t *cores;   /* of each rank, by their first hardware threads */
  rf_job_rate *rates; /* of each share */
  size_t rates_room;
  double *flops; /* of each region: [region * ROOF_DTYPE_COUNT + dtype], all calls of all ranks */
  double *bytes; /* of each region */
};

/** A list of processors, "0-3,8".
 *  Units: none. Ownership: fills `text`, which ends in "..." where it is too short, or *set. Errors: false where it is no list. */
void rf_job_list_write(const cpu_set_t *set, char *text, size_t size);
bool rf_job_list_read(const char *text, cpu_set_t *set);

/** The cores of some processors, by the first hardware thread of each, read below `root`.
 *  Units: none. Ownership: fills *cores. Errors: a processor of which nothing is known is a core. */
void rf_job_cores(const char *root, const cpu_set_t *processors, cpu_set_t *cores);

/** The document of a program's parts, with `program`.
 *  Units: s, FLOP, bytes. Ownership: *document is the caller's. Errors: as roof_program_write. */
roof_status rf_program_document(const roof_program *program, json_t **document, roof_error *error);

/** A program's `program`; NULL where a word of its command is not UTF-8. */
json_t *rf_program_json(const roof_program *program);

/** How ranks share a region's time; null of one rank. */
json_t *rf_program_ranks_json(int count, int slowest, double slowest_seconds, double mean_seconds);

#endif
