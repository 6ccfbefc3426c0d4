/** One replica: its queue, its running requests, its cache, and the steps it takes. */
#ifndef SERVICE_REPLICA_H
#define SERVICE_REPLICA_H

#include "service/adapters.h"
#include "service/cache.h"
#include "service/clock.h"
#include "service/kept.h"
#include "service/tally.h"

/** What a replica does of a request. */
typedef enum service_role { SERVICE_BOTH, SERVICE_PREFILLS, SERVICE_DECODES } service_role;

/** What a replica runs on. */
typedef struct service_engine {
  service_clock clock;
  double blocks; /**< of its cache; may be infinite */
} service_engine;

/** Common to the replicas of a run. */
typedef struct service_shop {
  const roof_service_settings *settings;
  service_pool pool;
  service_tally tally;
  double page;             /**< tokens of a block */
  double hashed;           /**< tokens of what one hash stands for, whole blocks */
  service_kept kept;       /**< what a sequence takes of them */
  double hash_blocks;      /**< that stay in the cache for a hash */
  double drafts;           /**< tokens that are drafted for each sequence and step */
  double yield;            /**< tokens of a sequence and step, the mean: over 1 where some are drafted */
  double accept;           /**< probability that a drafted token is right */
  service_random accepted; /**< how many are */
  double swap_seconds;     /**< of a block, one way to the host */
  service_adapters adapters;
  bool failed; /**< memory ran out */
  bool sent;   /**< what left a replica is in flight: nobody may run past where it arrives */
  /** Receives a request whose prompt a replica of SERVICE_PREFILLS has processed, or one that has left. */
  void (*done)(void *data, int replica, int request, bool left);
  void *data;
} service_shop;

typedef struct service_replica {
  service_shop *shop;
  const service_engine *engine;
  int number;
  service_role role;
  double now; /**< end of the last step */
  uint64_t steps;
  service_list waiting; /**< in the order in which they are taken */
  service_list running; /**< in the order of admission: first those that generate, then those with prompts */
  int prompting;        /**< the first of the running with a prompt to process, or SERVICE_NONE */
  service_heap ends;    /**< of those that generate */
  double context;       /**< tokens there, of all that generate */
  double used;          /**< blocks */
  double *turns;        /**< blocks that are needed by the step, modulo `cycle` */
  double growth;        /**< blocks that are needed in a cycle */
  uint64_t cycle;       /**< steps in which a sequence fills a block */
  double extra_seconds; /**< of the next step: caches that were moved to or from the host */
  double decoded;       /**< end of the last step in which tokens were generated */
  double stalled;       /**< seconds that those which generate have waited since, all together */
  double returned;      /**< of those, the ones that came from elsewhere since */
  double away_seconds;  /**< since their latest token, all together, apart from `stalled` */
  service_cache cache;
  service_cache adapters; /**< that the device holds, by their number */
  double adapters_used;   /**< of them, those of requests that run */
} service_replica;

/** False where memory has run out. Release with rf_replica_done, also then. */
bool rf_replica_init(service_replica *replica, service_shop *shop, const service_engine *engine, int number,
                     service_role role);
void rf_replica_done(service_replica *replica);

/** A request arrives at its own time, or is handed over at `seconds`. */
void rf_replica_take(service_replica *replica, int request, double seconds);

/** Keeps blocks that nobody holds while there is room. */
void rf_replica_keep(service_replica *replica, const unsigned *hashes, size_t count);

/** Whether it has anything to do. */
bool rf_replica_is_busy(const service_replica *replica);

/** One step, or as many of decoding alone as there are until something changes or `until` is reached. */
void rf_replica_advance(service_replica *replica, double until);

/* room.c */
/** Blocks of a sequence of so many tokens. */
double rf_blocks_of(const service_shop *shop, double tokens);

/** Whether a request that runs has a prompt to process. */
bool rf_replica_is_prompting(const service_request *request);

/** Drops what nobody holds until there is room again. */
void rf_replica_trim(service_replica *replica);

/** Whether a request's adapter is on the device or finds a slot there. */
bool rf_replica_fits_adapter(const service_replica *replica, const service_request *request);

/** It is there from now on; the next step waits for it where it was not. False where memory has run out. */
bool rf_replica_take_adapter(service_replica *replica, const service_request *request);

/** Seconds of a step of so many tokens for the adapters of those that run. */
double rf_replica_adapter_seconds(const service_replica *replica, double tokens);

/** Gives back what a request has: `own` blocks, and those that it shares. */
void rf_replica_release(service_replica *replica, service_request *request, double own);

/** Takes a request out of what runs; its blocks are free again. */
void rf_replica_stop(service_replica *replica, int request);

/** Time passes with the replica busy; blocks went from `before` to those that are used now. */
void rf_replica_pass(service_replica *replica, double seconds, double before);

/* turns.c */
/** A request begins to generate, its cache in place. */
void rf_decode_enter(service_replica *replica, int request);
/** It no longer does; *blocks are those that it has. */
void rf_decode_leave(service_replica *replica, int request, double *blocks);
/** Blocks that a step needs for what is generated. */
double rf_decode_growth(const service_replica *replica);
/* decode.c */
/** `count` steps have been taken by those that generate, the first in `low` seconds, the last in `high`; those that have
 *  their last token leave. */
void rf_decode_stepped(service_replica *replica, uint64_t count, double low, double high);
/** Steps of decoding alone. */
void rf_decode_jump(service_replica *replica, double until);

#endif
