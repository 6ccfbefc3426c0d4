/** How long messages take by their size, fitted: alpha + beta * bytes by protocol, and LogGP. Pure functions of samples.
 *  Sources: Hockney 1994 (alpha, beta); Culler et al. 1993 (LogP); Alexandrov et al. 1995 (LogGP: G for long messages); Hoefler et al.
 *  2007, "Low-Overhead LogGP Parameter Assessment" (Netgauge: the three series that LogGP is taken from). */
#ifndef CLUSTER_FIT_H
#define CLUSTER_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { RF_FIT_SIZES = 48, RF_PROTOCOLS = 2 };

/** A figure with its 95 % interval, by bootstrap over the samples of each size; NaN where sizes have under 5 samples. */
typedef struct rf_estimate {
  double value, low, high;
} rf_estimate;

/** What was measured at one size. */
typedef struct rf_sized {
  double bytes;
  const double *samples; /* s */
  size_t count;
} rf_sized;

/** Messages of `from` to `to` bytes take alpha s, and beta s per byte. */
typedef struct rf_protocol {
  double from, to;
  rf_estimate alpha, beta;
} rf_protocol;

/** One protocol, or two: eager below `of[1].from`, rendezvous from there. */
typedef struct rf_alpha_beta {
  rf_protocol of[RF_PROTOCOLS];
  int count;
  double error; /* median of the relative distances of the sizes' medians from the fit */
} rf_alpha_beta;

/** L, o, g in s, G in s per byte. */
typedef struct rf_loggp {
  rf_estimate latency, overhead, gap, gap_per_byte;
} rf_loggp;

/** Netgauge's series, each sample from the first send to the answer's arrival: a message there and one back (`one`); `messages` there and
 * one back (`train`); the same at the first size with `delay` s of computation between sends (`delayed`). */
typedef struct rf_loggp_data {
  const rf_sized *one, *train;
  size_t count;
  rf_sized delayed;
  int messages;
  double delay;
} rf_loggp_data;

/** The median of samples, of which scratch has room for as many.
 *  Units: the samples'. Ownership: none. Errors: NaN without samples. */
double rf_median(const double *samples, size_t count, double *scratch);

/** Fits sizes that ascend, each with a time of one message; two protocols where they explain the medians better by the Bayesian
 * information criterion, differences under 1 % not counted. Robust: relative distances, weighted by Huber's function.
 *  Units: s, bytes. Ownership: writes *fit on success only. Errors: false for under 3 sizes or over RF_FIT_SIZES, or without memory. */
bool rf_fit_alpha_beta(const rf_sized *sizes, size_t count, rf_alpha_beta *fit);

/** Time of a message by the fit; between the protocols and beyond them, by the nearest.
 *  Units: s. Ownership: none. Errors: NaN without a protocol. */
double rf_fit_seconds(const rf_alpha_beta *fit, double bytes);

/** L, o, g and G of the three series.
 *  Units: s, s per byte. Ownership: writes *fit on success only. Errors: as rf_fit_alpha_beta. */
bool rf_fit_loggp(const rf_loggp_data *data, rf_loggp *fit);

#endif
