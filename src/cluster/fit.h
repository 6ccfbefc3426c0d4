/** How long messages take by their size, fitted: alpha + beta * bytes by protocol, and LogGP. Pure functions of samples.
 *  Sources: Hockney 1994 (alpha, beta); Culler et al. 1993 (LogP); Alexandrov et al. 1995 (LogGP: G for long messages); Hoefler et al.
 *  2007, "Low-Overhead LogGP Parameter Assessment" (Netgauge: the three series that LogGP is taken from). */
#ifndef CLUSTER_FIT_H
#define CLUSTER_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/fabric.h"

enum { RF_FIT_SIZES = ROOF_FABRIC_SIZES };

/** What was measured at one size. */
typedef struct rf_sized {
  double bytes;
  const double *samples; /* s */
  size_t count;
} rf_sized;

/** Netgauge's series. `one`: a message there and one back. `gaps`: what each further message of a train adds to that, (PRTT(n, 0, s) -
 * PRTT(1, 0, s)) / (n - 1). `overhead`: the same of trains with a computation of d > PRTT(1, 0, s) before each further send, less d. */
typedef struct rf_loggp_data {
  const rf_sized *one, *gaps;
  size_t count;
  rf_sized overhead;
} rf_loggp_data;

/** The median of samples, of which scratch has room for as many.
 *  Units: the samples'. Ownership: none. Errors: NaN without samples. */
double rf_median(const double *samples, size_t count, double *scratch);

/** The 10th percentile: what a message takes while nothing interferes, which only ever adds.
 *  Units: the samples'. Ownership: none. Errors: NaN without samples. */
double rf_quiet(const double *samples, size_t count, double *scratch);

/** Fits sizes that ascend, each with a time of one message; two protocols where they explain the quiet times better by the Bayesian
 * information criterion, differences under 1 % not counted. Robust: relative distances, weighted by Huber's function.
 *  Units: s, bytes. Ownership: writes *fit on success only. Errors: false for under 3 sizes or over RF_FIT_SIZES, or without memory. */
bool rf_fit_alpha_beta(const rf_sized *sizes, size_t count, roof_alpha_beta *fit);

/** L, o, g and G of the three series.
 *  Units: s, s per byte. Ownership: writes *fit on success only. Errors: as rf_fit_alpha_beta. */
bool rf_fit_loggp(const rf_loggp_data *data, roof_loggp *fit);

#endif
