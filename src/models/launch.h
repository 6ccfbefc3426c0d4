/** What starts a plan: the options of engines, and templates for clusters. */
#ifndef MODELS_LAUNCH_H
#define MODELS_LAUNCH_H

#include "roofline/apart.h"

/** Names of an engine's options; a NULL one does not exist. */
typedef struct launch_engine {
  const char *start;
  const char *file; /**< ending of the model's file; NULL: it loads a repository */
  const char *gpus; /**< vendors of GPUs that it runs on */
  bool hosts;       /**< on processors and Apple's GPUs too, one to a process */
  bool mixes;       /**< takes the mixed formats of llama.cpp's files */
  const char *tp, *pp, *dp, *cp;
  bool wide;             /**< the number for tp counts the devices of cp as well */
  const char *splits[2]; /**< instead of numbers: tensors or layers split over all devices that are seen */
  const char *experts;   /**< spreads the experts over all devices of tp x dp; no value */
  const char *expert_devices; /**< takes their number */
  const char *shared;         /**< replicas that share experts: their attention alone is apart; no value */
  const char *context, *batch, *chunk, *memory, *kv_fp8;
  bool together;        /**< the context is that of all requests at once, whose number is always said */
  bool quantizes;       /**< makes fp8 weights of a 16-bit checkpoint */
  const char *before;   /**< of two pools: what is set in the environment of each process */
  const char *roles[2]; /**< of two pools: what makes a process one that processes prompts, or generates */
  const char *front;    /**< of two pools: what stands before them */
} launch_engine;

/** NULL: none, a template. */
const launch_engine *rf_launch_engine(roof_engine engine);

/** Processes that are alike. */
typedef struct launch_piece {
  const char *name;
  double copies, devices; /**< of each */
  const roof_machine *machine;
  const char *command, *before; /**< `before` may be NULL */
} launch_piece;

void rf_launch_kubernetes(roof_text *out, const launch_piece *piece);

/** One job, of several pieces a heterogeneous one. */
void rf_launch_slurm(roof_text *out, const launch_piece *pieces, int count);

#endif
