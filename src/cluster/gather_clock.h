/** The clock of the first rank, for ranks that have no MPI between them: it answers datagrams (UDP) with its time. Where it does so
 *  lies in the folder that the ranks meet in, with a word that it answers to, so that nobody else learns it. */
#ifndef CLUSTER_GATHER_CLOCK_H
#define CLUSTER_GATHER_CLOCK_H

#include "cluster/fabric_clock.h"
#include "cluster/gather.h"

enum { RF_CLOCK_ASKED = 40, RF_CLOCK_READINGS = 2 * RF_CLOCK_ASKED };

/** What was heard, in the order of time. Start from zeros. */
typedef struct rf_clock_readings {
  rf_clock_reading list[RF_CLOCK_READINGS];
  size_t count;
} rf_clock_readings;

typedef struct rf_clock_server rf_clock_server;

/** By the first rank: answers until it is stopped, on a thread of its own.
 *  Units: none. Ownership: *server is the caller's, rf_clock_server_stop. Errors: ROOF_E_UNSUPPORTED without sockets or threads,
 *  ROOF_E_OUTPUT, ROOF_E_MEMORY. */
roof_status rf_clock_server_start(const rf_gather *gather, rf_clock_server **server, roof_error *error);

/** Ends it; NULL is fine. */
void rf_clock_server_stop(rf_clock_server *server);

/** By any other rank, before its program and after it: asks RF_CLOCK_ASKED times, once the first rank is there.
 *  Units: s. Ownership: adds to *readings. Errors: ROOF_E_UNSUPPORTED where there is no answer within `patience`. */
roof_status rf_clock_ask(const rf_gather *gather, double patience, rf_clock_readings *readings,
                         roof_error *error);

#endif
