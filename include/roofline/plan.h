/** Parallel plans of a model: the links between devices. */
#ifndef ROOFLINE_PLAN_H
#define ROOFLINE_PLAN_H

#include "roofline/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A link between nodes, by the name that people type. */
typedef struct roof_network {
  const char *id;
  roof_link link;
} roof_network;

/** The network at `index`, from 0: one port of each, one direction.
 *  Units: bytes/s, s. Ownership: static. Errors: NULL when out of range. */
ROOF_API const roof_network *roof_network_at(int index);

/** Finds a network by id ("ndr"), by its link's name ("InfiniBand NDR") or among the machine's own links.
 *  Units: none. Ownership: writes *link, static or the machine's, on success only.
 *  Errors: ROOF_E_NAME with the nearest id. */
ROOF_API roof_status roof_network_find(const char *name, const roof_machine *machine, const roof_link **link,
                                       roof_error *error);

/** The link with a latency: its own, or one assumed by its kind and said so in `source`.
 *  Units: s. Ownership: by value. Errors: none. */
ROOF_API roof_link roof_link_complete(const roof_link *link, bool between_nodes);

/** "ring" or "tree": the faster for this buffer over this link, with its time; NULL and the only time for an
 * operation without algorithms. Units: bytes, s. Ownership: *algorithm and *work as given; static strings.
 *  Errors: none. */
ROOF_API double roof_collective_seconds(const roof_op *op, const roof_link *link, double bytes, double ranks,
                                        const char **algorithm, roof_work *work);

#ifdef __cplusplus
}
#endif
#endif
