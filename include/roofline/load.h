/** One step of an engine with continuous batching: sequences that generate, with pieces of prompts between them.
 *
 *  Example:
 *    extern const roof_model_target *target; // by roof_model_target_init
 *    static roof_model_phase phase;
 *    const roof_load load = {.decodes = 32, .context = 2000, .prompts = 1, .queries = 512, .logits = 33};
 *    roof_load_phase(target, &load, &phase);
 *    printf("%g s\n", phase.expected_seconds); */
#ifndef ROOFLINE_LOAD_H
#define ROOFLINE_LOAD_H

#include "roofline/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What one replica does in a step. Counts may be means. */
typedef struct roof_load {
  double decodes; /**< sequences that get their next token, or have drafted ones verified */
  double context; /**< tokens that each of them has there already */
  double prompts; /**< prompts of which a piece is processed */
  double queries; /**< tokens of a piece */
  double past;    /**< tokens of its sequence that are there already */
  double logits;  /**< rows of the output projection: of `decodes`, and of prompts that end; 0: none */
  double
      microbatches; /**< that a pipeline takes it in; 0: as many as stages, where there are so many sequences */
} roof_load;

/** The phase of one step of a replica: the function behind every step of decoding, prefill and both mixed. The target's batch,
 *  prompt and generation play no part.
 *  Units: tokens; s, bytes, FLOP, J.
 *  Ownership: fills *phase; pointers in it live as long as the machine.
 *  Errors: none. */
ROOF_API void roof_load_phase(const roof_model_target *target, const roof_load *load,
                              roof_model_phase *phase);

#ifdef __cplusplus
}
#endif
#endif
