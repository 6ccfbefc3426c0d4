/** Kinds of kernels, and the effects and constants of their expected times.
 *
 *  Example:
 *    roof_kernel_kind kind;
 *    if (roof_kernel_kind_parse("product", &kind, NULL) == ROOF_OK) {
 *      puts(roof_kernel_kind_name(kind));
 *    } */
#ifndef ROOFLINE_KERNEL_H
#define ROOFLINE_KERNEL_H

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name): kinds of kernels, each with a form of its expected time (roofline/effects.h). */
#define ROOF_KERNEL_MAP(X)                                                                                   \
  X(ROOF_KERNEL_STREAM, "stream")                                                                            \
  X(ROOF_KERNEL_PRODUCT, "product")                                                                          \
  X(ROOF_KERNEL_DECODE, "decode")                                                                            \
  X(ROOF_KERNEL_PREFILL, "prefill")                                                                          \
  X(ROOF_KERNEL_MLA_DECODE, "mla-decode")                                                                    \
  X(ROOF_KERNEL_MLA_PREFILL, "mla-prefill")                                                                  \
  X(ROOF_KERNEL_EXPERTS, "experts")                                                                          \
  X(ROOF_KERNEL_COLLECTIVE, "collective")

typedef enum roof_kernel_kind {
#define ROOF_KERNEL_ENUM(symbol, name) symbol,
  ROOF_KERNEL_MAP(ROOF_KERNEL_ENUM)
#undef ROOF_KERNEL_ENUM
      ROOF_KERNEL_KIND_COUNT
} roof_kernel_kind;

/** X(symbol, name, text): what is between the bare roofline and the expected time, in the order it is added. */
#define ROOF_EFFECT_MAP(X)                                                                                   \
  X(ROOF_EFFECT_EFFICIENCY, "efficiency", "the share of the unit's peak that full tiles reach")              \
  X(ROOF_EFFECT_BANDWIDTH, "bandwidth", "the share of the bandwidth that a long stream reaches")             \
  X(ROOF_EFFECT_CACHE, "cache", "data that the last cache kept from the run before")                         \
  X(ROOF_EFFECT_UNITS, "units", "few busy units, or few bytes, cannot draw the whole bandwidth")             \
  X(ROOF_EFFECT_TILES, "tiles", "tiles that the matrix or a window does not fill, and small ones")           \
  X(ROOF_EFFECT_GROUPS, "groups",                                                                            \
    "query heads whose kernel reads the keys that they share for each of them")                              \
  X(ROOF_EFFECT_WAVES, "waves", "units idle in the last wave, and what each wave costs to start and end")    \
  X(ROOF_EFFECT_SPLIT, "split",                                                                              \
    "partial sums of a split that are added at the end, chunks that fill a pipeline")                        \
  X(ROOF_EFFECT_STORE, "store", "new keys and values that are written into their cache first")               \
  X(ROOF_EFFECT_QUANTISE, "quantise", "activations are written in the narrow format before the product")     \
  X(ROOF_EFFECT_ROWS, "rows", "rows of norms and softmax that are read again after their sums")              \
  X(ROOF_EFFECT_ROUTING, "routing", "rows that are sorted by expert, and added up again")                    \
  X(ROOF_EFFECT_CORNER, "corner", "arithmetic and memory that hide each other in part")                      \
  X(ROOF_EFFECT_LATENCY, "latency", "what a kernel takes whatever its size")                                 \
  X(ROOF_EFFECT_HOST, "host", "a host that launches one kernel at a time, and takes longer than the kernel")

typedef enum roof_effect {
#define ROOF_EFFECT_ENUM(symbol, name, text) symbol,
  ROOF_EFFECT_MAP(ROOF_EFFECT_ENUM)
#undef ROOF_EFFECT_ENUM
      ROOF_EFFECT_COUNT
} roof_effect;

/** X(symbol, name, unit, least, most, neutral, effect, text): the constants of the forms; each kind of kernel uses
 *  some (roof_kernel_uses). */
#define ROOF_CONSTANT_MAP(X)                                                                                 \
  X(ROOF_LATENCY_SECONDS, "latency_seconds", "s", 0, 1e-3, 0, ROOF_EFFECT_LATENCY, "per launch")             \
  X(ROOF_WAVE_SECONDS, "wave_seconds", "s", 0, 1e-4, 0, ROOF_EFFECT_WAVES,                                   \
    "per wave of tiles, chunk of keys, message of ranks or row of a core")                                   \
  X(ROOF_EFFICIENCY, "efficiency", "", 0.02, 1, 1, ROOF_EFFECT_EFFICIENCY, "share of the unit's peak")       \
  X(ROOF_BANDWIDTH, "bandwidth", "", 0.02, 1, 1, ROOF_EFFECT_BANDWIDTH, "share of the bandwidth")            \
  X(ROOF_CACHE_BANDWIDTH, "cache_bandwidth", "", 0.02, 1, 1, ROOF_EFFECT_BANDWIDTH,                          \
    "share of the bandwidth of a processor's cache that holds the data")                                     \
  X(ROOF_CACHE_GAIN, "cache_gain", "", 1, 6, 1, ROOF_EFFECT_CACHE,                                           \
    "times the memory's bandwidth while the data fit the last cache")                                        \
  X(ROOF_UNIT_BANDWIDTH, "unit_bandwidth", "", 0.25, 64, 1e30, ROOF_EFFECT_UNITS,                            \
    "times its share of the bandwidth that one unit can draw")                                               \
  X(ROOF_CORNER, "corner", "", 1, 16, 1e30, ROOF_EFFECT_CORNER,                                              \
    "exponent of the sum of both times: 1 adds them, a large one takes the longer")                          \
  X(ROOF_SPLIT_SECONDS, "split_seconds", "s", 0, 1e-4, 0, ROOF_EFFECT_SPLIT,                                 \
    "per doubling of a split, or to fill the pipeline of a transfer's chunks")                               \
  X(ROOF_GROUP_MOST, "group_most", "", 8, 512, 1e30, ROOF_EFFECT_GROUPS,                                     \
    "query heads that share the keys which one block reads; each head of a larger group reads its own")      \
  X(ROOF_RESIDENTS, "residents", "", 1, 8, 1, ROOF_EFFECT_WAVES,                                             \
    "blocks of a single query head that a unit has at once, over those of several")                          \
  X(ROOF_STORE_PASSES, "store_passes", "", 0, 16, 0, ROOF_EFFECT_STORE,                                      \
    "passes over the keys and values of a prompt until they are in the cache")                               \
  X(ROOF_TILE_QUERIES, "tile_queries", "", 64, 128, 64, ROOF_EFFECT_TILES,                                   \
    "queries of a prompt that one block of threads serves, 64 or 128")                                       \
  X(ROOF_QUANTISE_PASSES, "quantise_passes", "", 0, 16, 0, ROOF_EFFECT_QUANTISE,                             \
    "times that activations are read in 16 bits and written in the narrow format before a product")          \
  X(ROOF_ROUTING_PASSES, "routing_passes", "", 0, 16, 0, ROOF_EFFECT_ROUTING,                                \
    "times that the rows of all devices are read and written besides, to sort and to add them")              \
  X(ROOF_ROW_PASSES, "row_passes", "", 0, 4, 0, ROOF_EFFECT_ROWS,                                            \
    "times that rows of norms and softmax are read again after their sums")                                  \
  X(ROOF_ROW_SECONDS, "row_seconds", "s", 0, 1e-4, 0, ROOF_EFFECT_QUANTISE,                                  \
    "per row of activations that a unit writes in the narrow format, where a block has one each")            \
  X(ROOF_HOST_SECONDS, "host_seconds", "s", 0, 1e-3, 0, ROOF_EFFECT_HOST,                                    \
    "least per launch, where the host launches one kernel at a time")                                        \
  X(ROOF_SHARING, "sharing", "", 0, 3, 0, ROOF_EFFECT_BANDWIDTH,                                             \
    "exponent of half the ranks, by which those that share a path through the host slow each other")         \
  X(ROOF_TIME_LOW, "time_low", "", 0.01, 1, 1, ROOF_EFFECT_COUNT,                                            \
    "10th percentile of the measured time over the expected")                                                \
  X(ROOF_TIME_HIGH, "time_high", "", 1, 100, 1, ROOF_EFFECT_COUNT,                                           \
    "90th percentile of the measured time over the expected")

typedef enum roof_constant {
#define ROOF_CONSTANT_ENUM(symbol, name, unit, least, most, neutral, effect, text) symbol,
  ROOF_CONSTANT_MAP(ROOF_CONSTANT_ENUM)
#undef ROOF_CONSTANT_ENUM
      ROOF_CONSTANT_COUNT
} roof_constant;

/** The name of a kind: "product".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_kernel_kind_name(roof_kernel_kind kind);

/** The kind of that name.
 *  Units: none.
 *  Ownership: writes *kind on success only.
 *  Errors: ROOF_E_NAME with the nearest. */
ROOF_API roof_status roof_kernel_kind_parse(const char *text, roof_kernel_kind *kind, roof_error *error);

/** The shape that decides how a kernel is cut into parts; all 0 for a stream whose bytes say all.
 *  stream: `rows` rows that a block each reduces before it writes them (norms, softmax), `depth` times again after the
 *  first; on a processor loops that each start and end; `group` arrays that engines read element by element (activations,
 *  rmsnorm; 0: none); `count`: of a host's time for a launch, where that is not what others take (0: 1).
 *  product: `count` products of rows x depth by depth x columns; `group`: multiplications of an algorithm that has fewer
 *  over these (0: there is none), `routed`: bytes of its passes before and after, which it may be worth or not;
 *  `sequences` groups of a convolution in each product, which has zeros off its diagonal (0, 1: none).
 *  decode, prefill: `count` sequences x KV heads, each `group` query heads of `rows` queries over `columns` keys that
 *  a query sees at most, `depth` elements of a key and of a value on average; `routed` keys before those of a window
 *  (less than 0: keys that it has room for besides), `sequences` whose places a block looks up.
 *  mla-decode, mla-prefill: as decode and prefill, over keys that are not as long as their values (a latent).
 *  experts: `rows` rows shared out among `count` matrices of depth x columns, and as many of group x depth after them;
 *  `routed` rows of all devices are sorted by expert.
 *  collective: `rows` bytes that each of `count` ranks copies to itself, `depth` messages that wait for one another;
 *  `group`: not 0 where no rank hands on what it has got. */
typedef struct roof_kernel_shape {
  roof_kernel_kind kind;
  double count;
  double rows, columns, depth;
  double group;
  double routed;
  double sequences;
} roof_kernel_shape;

#ifdef __cplusplus
}
#endif
#endif
