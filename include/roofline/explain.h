/** Explanations for people: a prediction step by step, and what the terms of the field mean, worked on the
 *  numbers of one operation on one machine.
 *
 *  Example:
 *    const roof_topic *ridge;
 *    if (roof_topic_find("ridge", &ridge, NULL) == ROOF_OK) {
 *      puts(ridge->text);
 *    } */
#ifndef ROOFLINE_EXPLAIN_H
#define ROOFLINE_EXPLAIN_H

#include "roofline/predict.h"
#include "roofline/shape.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_TOPIC_WORDS 4

/** The numbers a topic is worked on. */
typedef struct roof_lesson {
  const roof_target *target;
  const roof_op *op;
  const double *typed;  /**< NaN where one follows another */
  const double *values; /**< completed */
  roof_prediction prediction;
} roof_lesson;

/** One term. */
typedef struct roof_topic {
  const char *name;
  const char *summary;
  const char *text;
  /** Appends the topic worked on a lesson's numbers. NULL: nothing to compute.
   *  Units: as printed.
   *  Ownership: appends to the caller's text.
   *  Errors: none; a text that runs out of memory says so itself. */
  void (*worked)(roof_text *out, const roof_lesson *lesson);
  const char *example[ROOF_TOPIC_WORDS]; /**< operation and shape it is worked on by itself */
  const roof_op *own; /**< its own parameters, which are typed after it; NULL: it is worked on an operation */
} roof_topic;

/** The topic number `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_topic *roof_topic_at(int index);

/** Finds a topic by its name, or by another that people use for it ("arithmetic-intensity", "fma"), in any case and with
 *  a space or `_` for each hyphen ("KV cache").
 *  Units: none.
 *  Ownership: *topic, set on success only, is static.
 *  Errors: ROOF_E_NAME with the nearest topic or operation, which is a topic too. */
ROOF_API roof_status roof_topic_find(const char *name, const roof_topic **topic, roof_error *error);

/** What a published figure is about, where the library computes it. */
typedef enum roof_erratum_figure {
  ROOF_ERRATUM_TEXT, /**< follows from the reason given alone */
  ROOF_ERRATUM_INTENSITY,
  ROOF_ERRATUM_RIDGE,
  ROOF_ERRATUM_PEAK,
  ROOF_ERRATUM_SECONDS, /**< the lower bound */
  ROOF_ERRATUM_CROSSING /**< the batch at the ridge */
} roof_erratum_figure;

/** A number that widespread teaching material has wrong. */
typedef struct roof_erratum {
  const char *about;  /**< "intensity of a GEMM of 4096 x 4096 x 4096 in fp32" */
  const char *quoted; /**< "1365 FLOP/B" */
  double right;
  const char *unit; /**< of `right`, SI base units */
  const char *why;
  roof_erratum_figure figure;
  const char *op, *shape, *machine; /**< what has this figure; NULL: none */
  roof_dtype dtype, weights;        /**< its formats */
} roof_erratum;

/** The erratum number `index`, from 0.
 *  Units: those of its `unit`.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_erratum *roof_erratum_at(int index);

/** What a well-known kernel was published to reach. */
typedef struct roof_production {
  const char *kernel;
  const char *op, *shape;
  roof_dtype dtype, weights;
  double group;       /**< weights per scale; 0: none */
  double share;       /**< of `of`; NaN: none was published */
  const char *of;     /**< "the peak" or "the bandwidth"; of an H100 unless `source` names another */
  const char *source; /**< who published it */
} roof_production;

/** The well-known kernel number `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_production *roof_production_at(int index);

/** What one block of threads of a GPU can hold on chip. */
typedef struct roof_block_limits {
  const char *isa;    /**< "sm_90" */
  double unit_shared; /**< bytes of shared memory of an SM */
  double block_shared;
  double unit_registers; /**< registers of 4 bytes */
  double thread_registers;
  double unit_warps;      /**< of 32 threads, resident in an SM */
  double unit_blocks;     /**< resident likewise */
  double shared_step;     /**< bytes that shared memory is allocated in */
  double reserved_shared; /**< bytes of each block that the system keeps */
} roof_block_limits;

/** What a kernel asks of an SM. */
typedef struct roof_block_use {
  double threads;   /**< of a block */
  double registers; /**< of a thread */
  double shared;    /**< bytes of a block, static and dynamic */
} roof_block_use;

/** What bounds the blocks of an SM. */
typedef enum roof_occupancy_limit {
  ROOF_OCCUPANCY_WARPS,
  ROOF_OCCUPANCY_BLOCKS,
  ROOF_OCCUPANCY_REGISTERS,
  ROOF_OCCUPANCY_SHARED,
  ROOF_OCCUPANCY_LIMITS
} roof_occupancy_limit;

/** How many blocks an SM holds at a time, and why no more. */
typedef struct roof_occupancy {
  double blocks;
  double warps;                       /**< of all these blocks */
  double share;                       /**< of the warps that an SM can hold */
  double most[ROOF_OCCUPANCY_LIMITS]; /**< blocks that each limit allows; INFINITY: what is not used */
  roof_occupancy_limit limit;         /**< the lowest, the first of equals */
  double block_registers;             /**< that a block takes, rounded up as they are allocated */
  double block_shared;                /**< bytes, likewise, what the system reserves included */
  double next_registers; /**< registers of a thread with which one block more fits; NaN: no number does */
  double next_shared;    /**< bytes of a block, likewise */
  double next_threads;   /**< threads of a block, likewise, and more warps in all */
} roof_occupancy;

/** The occupancy that a kernel's use of an SM allows.
 *  Units: threads, registers, bytes.
 *  Ownership: fills *occupancy on success only.
 *  Errors: ROOF_E_ARGUMENT for a block that cannot be launched there. */
ROOF_API roof_status roof_occupancy_of(const roof_block_limits *limits, const roof_block_use *use,
                                       roof_occupancy *occupancy, roof_error *error);

/** The name of a limit.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_occupancy_limit_name(roof_occupancy_limit limit);

/** The limits of an NVIDIA machine's blocks, by its compute capability.
 *  Units: bytes, registers.
 *  Ownership: static.
 *  Errors: NULL where they are not known. */
ROOF_API const roof_block_limits *roof_block_limits_of(const roof_machine *machine);

/** Side of the largest square tile whose three operands a block's shared memory holds, in `types`.
 *  Units: elements.
 *  Ownership: none.
 *  Errors: NaN where the limit is not known. */
ROOF_API double roof_block_tile(const roof_machine *machine, const roof_types *types);

/** What a term means, and that worked on the numbers of an operation on a machine. */
typedef struct roof_explanation {
  const char *topic; /**< its name, or the operation's */
  roof_text text;
  roof_text worked; /**< empty: there is nothing to compute */
  roof_occupancy
      occupancy; /**< of that topic, on a machine whose limits are known; else its blocks are NaN */
} roof_explanation;

/** Explains a topic on the one point of `shape`; with no topic (NULL) the shape's operation, worked where its
 *  parameters were typed.
 *  Units: as printed.
 *  Ownership: fills *explanation on success only; release with roof_explanation_done. Its topic is the caller's.
 *  Errors: ROOF_E_ARGUMENT for several points; as roof_shape_point; ROOF_E_MEMORY. */
ROOF_API roof_status roof_explain(const roof_target *target, const roof_topic *topic, const roof_shape *shape,
                                  roof_explanation *explanation, roof_error *error);

/** Frees an explanation.
 *  Units: none.
 *  Ownership: releases what roof_explain filled.
 *  Errors: none. */
ROOF_API void roof_explanation_done(roof_explanation *explanation);

/** Where a prediction stands to a ridge. */
typedef struct roof_ridge_side {
  const roof_level *inner; /**< the level of that ridge where it is not the outermost; else NULL */
  double intensity, ridge; /**< FLOP/byte of that level */
  double times;            /**< how many times right or left of the ridge, from 1; NaN unknown, or no FLOP */
  bool right;              /**< at the ridge or over it */
} roof_ridge_side;

/** The side of the ridge of the level whose bytes take longest, else of the outermost.
 *  Units: FLOP/byte.
 *  Ownership: by value; points into the machine.
 *  Errors: NaN where unknown. */
ROOF_API roof_ridge_side roof_prediction_side(const roof_prediction *prediction);

/** Appends how a prediction follows from the formulas and the machine's figures: each step with its numbers,
 *  then the sources.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_explain_prediction(roof_text *out, const roof_target *target, const roof_op *op,
                                      const double *values, const roof_prediction *prediction);

/** Adds the effects of a prediction that matter, `most` of them, the one of most seconds first: a line each with what
 *  it adds and why; where all are asked for, the sum of those that are too small to name, too. Nothing where the machine has
 *  no constants for such kernels.
 *  Units: s, scaled.
 *  Ownership: appends to `out`.
 *  Errors: as the text's. */
ROOF_API void roof_prediction_effects(roof_text *out, const roof_target *target,
                                      const roof_prediction *prediction, int most);

/** Appends the answer in a sentence: what limits the operation on the machine, and how long it takes; of work too
 *  short to matter that its time is the launch's.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_prediction_sentence(roof_text *out, const roof_target *target, const roof_op *op,
                                       const roof_prediction *prediction);

/** Appends the figures of a prediction, a line each: shape, work, capacity, tile, intensity, the time of every
 *  ceiling as a bar, bounds, rate, the critical batch, energy.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_prediction_describe(roof_text *out, const roof_lesson *lesson);

#ifdef __cplusplus
}
#endif
#endif
