/** A model on one device and its host together: layers, or the experts of layers, that the host's processor computes.
 *
 *  Example:
 *    extern roof_hybrid_question question; // a model, its settings, a device and a host
 *    roof_hybrid way;
 *    if (roof_hybrid_of(&question, ROOF_HYBRID_EXPERTS, &way, NULL) == ROOF_OK && way.fits) {
 *      printf("%g layers' experts on the host: %g tokens/s\n", way.layers, way.tokens_per_second);
 *    } */
#ifndef ROOFLINE_HYBRID_H
#define ROOFLINE_HYBRID_H

#include "roofline/model.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, text): what the host computes. */
#define ROOF_HYBRID_MAP(X)                                                                                   \
  X(ROOF_HYBRID_DEVICE, "device", "all on the device")                                                       \
  X(ROOF_HYBRID_EXPERTS, "experts", "experts of layers on the host")                                         \
  X(ROOF_HYBRID_LAYERS, "layers", "whole layers on the host")                                                \
  X(ROOF_HYBRID_HOST, "host", "all on the host")

typedef enum roof_hybrid_kind {
#define ROOF_HYBRID_ENUM(symbol, name, text) symbol,
  ROOF_HYBRID_MAP(ROOF_HYBRID_ENUM)
#undef ROOF_HYBRID_ENUM
      ROOF_HYBRID_COUNT
} roof_hybrid_kind;

typedef struct roof_hybrid_question {
  const roof_model *model;
  const roof_model_settings *base; /**< one device; batch: sequences at once */
  const roof_machine *device;
  const roof_machine *host;
  double host_bytes; /**< of the host's memory; NaN: what its file says */
} roof_hybrid_question;

/** The fewest layers on the host with which the device's memory suffices. */
typedef struct roof_hybrid {
  roof_hybrid_kind kind;
  double layers; /**< on the host, wholly or their experts alone */
  double of;     /**< of so many */
  double device_bytes, device_capacity_bytes;
  double host_bytes, host_capacity_bytes; /**< capacity NaN: not known, and not checked */
  bool fits;                              /**< false: all times are NaN */
  double short_bytes;                     /**< where it does not fit, of the memory that lacks most */
  double prompt_seconds;                  /**< of one prompt */
  double token_seconds;                   /**< of a step, all sequences */
  double token_low_seconds, token_high_seconds;
  double link_seconds;      /**< of the step, waiting for activations to cross */
  double tokens_per_second; /**< of all sequences */
} roof_hybrid;

/** "device", "experts", "layers" or "host", and in *text (nullable) what it is.
 *  Units: none.
 *  Ownership: static strings.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_hybrid_name(roof_hybrid_kind kind, const char **text);

/** One way to share a model. The step on the device, the step on the host and the activations that cross between them follow one
 *  another; the table of tokens lies with the host, the output projection on the device. Prompts are computed on the device:
 *  weights of the host's layers come over the link once for every 512 tokens, as llama.cpp has it for
 *  batches from 32 tokens on (its option `ubatch-size`), or on the host where all is there.
 *  Units: s, bytes, tokens/s.
 *  Ownership: fills *way on success only.
 *  Errors: as roof_model_target_init; ROOF_E_UNSUPPORTED for an encoder, for experts of a model without, and where the device's
 *  file says no memory or no link to a host; ROOF_E_MEMORY. */
ROOF_API roof_status roof_hybrid_of(const roof_hybrid_question *question, roof_hybrid_kind kind,
                                    roof_hybrid *way, roof_error *error);

/** The options of llama.cpp that share a model so ("-ngl 99 --n-cpu-moe 20"; its tools/server/README.md).
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_hybrid_options(const roof_hybrid *way, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
