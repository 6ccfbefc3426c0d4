/** Which ranks exchange messages when: all pairs of ranks in rounds in which each rank has one partner, halves of the ranks against each other, and
 *  how far ranks are from one another. */
#ifndef CLUSTER_FABRIC_PAIRS_H
#define CLUSTER_FABRIC_PAIRS_H

#include "roofline/fabric.h"

/** Where a rank is; all ranks exchange it as it lies in memory. */
typedef struct rf_rank_place {
  char node[ROOF_FABRIC_NAME];
  char path[ROOF_FABRIC_NAME]; /* of switches down to the node, "s0.s1.n4", or "" */
  int socket, core;            /* of the one it is bound to; -1: not bound to one */
} rf_rank_place;

/** How far two ranks are apart. Nodes are below one switch where the path says so, else where their names have at least two numbers and
 * differ in the last alone ("r2n17" and "r2n3").
 *  Units: none. Ownership: none. Errors: none. */
roof_distance rf_distance_of(const rf_rank_place *a, const rf_rank_place *b);

/** The first two ranks that are so far apart, which are the same whichever rank asks; those of the first ranks are looked through.
 *  Units: none. Ownership: fills `pair` on success. Errors: false: there are none. */
bool rf_distance_pair(const rf_rank_place *places, int ranks, roof_distance distance, int pair[2]);

/** Rounds in which each pair of `ranks` meets once: ranks - 1 of an even number, else ranks.
 *  Units: rounds. Ownership: none. Errors: 0 of fewer than 2 ranks. */
int rf_pairs_rounds(int ranks);

/** The partner of `rank` in a round: a tournament in which each plays each (Kirkman 1847: the circle method).
 *  Units: a rank. Ownership: none. Errors: -1: it sits out. */
int rf_pairs_partner(int ranks, int round, int rank);

/** The partner across the middle, rank and rank + ranks / 2: all at once are a bisection of the network when ranks are in the order of nodes.
 *  Units: a rank. Ownership: none. Errors: -1: the last of an odd number sits out. */
int rf_pairs_across(int ranks, int rank);

#endif
