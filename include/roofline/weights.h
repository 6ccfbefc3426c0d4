/** Models from their own files: config.json, GGUF, safetensors, and the built-in ones by name.
 *
 *  Example:
 *    static roof_model model;
 *    roof_error error;
 *    if (roof_model_load("llama-3.1-8b", &model, &error) != ROOF_OK) {
 *      puts(error.message);
 *    } */
#ifndef ROOFLINE_WEIGHTS_H
#define ROOFLINE_WEIGHTS_H

#include "roofline/formats.h"
#include "roofline/model.h"
#include "roofline/whole.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a model's description from the text of a Hugging Face config.json; `file` names it in errors and
 *  names the model. What is not counted is in its notes.
 *  Units: as roof_model.
 *  Ownership: fills *model on success only; `text` is not kept.
 *  Errors: ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and column and the key. */
ROOF_API roof_status roof_model_read(const char *text, size_t length, const char *file, roof_model *model,
                                     roof_error *error);

/** Takes the formats of the weights from the text of a hf_quant_config.json.
 *  Units: none.
 *  Ownership: changes *model on success only; `text` is not kept.
 *  Errors: as roof_model_read. */
ROOF_API roof_status roof_model_read_quantization(const char *text, size_t length, const char *file,
                                                  roof_model *model, roof_error *error);

/** Loads the formats of a model's weights from a hf_quant_config.json.
 *  Units: none.
 *  Ownership: changes *model on success only.
 *  Errors: ROOF_E_INPUT, and as roof_model_read. */
ROOF_API roof_status roof_model_load_quantization(const char *path, roof_model *model, roof_error *error);

/** Reads a model's description from a GGUF file: sizes from its metadata, formats and bytes from its tensors'
 *  own types. `data` is the whole file, of which only the header is touched.
 *  Units: as roof_model.
 *  Ownership: fills *model on success only; `data` is not kept.
 *  Errors: ROOF_E_PARSE with the byte, ROOF_E_NAME for an architecture that is not known, ROOF_E_ARGUMENT
 *  naming what is missing. */
ROOF_API roof_status roof_model_read_gguf(const void *data, size_t length, const char *file,
                                          roof_model *model, roof_error *error);

/** A model that can be named. `aliases` are separated by single spaces; built in. */
typedef struct roof_model_entry {
  const char *name;
  const char *aliases;
} roof_model_entry;

/** The built-in model number `index`, from 0 and by name.
 *  Units: none.
 *  Ownership: static strings.
 *  Errors: both NULL past the last. */
ROOF_API roof_model_entry roof_model_entry_at(size_t index);

/** Loads a model: a config.json or a GGUF file (a name with a `/` or ending in .json or .gguf), the folder
 *  that holds a config.json (with its hf_quant_config.json and model*.safetensors where there are any), or a
 *  built-in model by name or alias.
 *  Units: as roof_model.
 *  Ownership: fills *model on success only.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_INPUT, and as roof_model_read. */
ROOF_API roof_status roof_model_load(const char *name, roof_model *model, roof_error *error);

/** As roof_model_load, but a key of a config that is not known is left out and named in `ignored` and in the first of
 *  the notes: what it would change is not counted. An architecture that is not known is refused.
 *  Units: as roof_model.
 *  Ownership: fills *model on success only.
 *  Errors: as roof_model_load; ROOF_E_ARGUMENT for more such keys than `ignored` holds. */
ROOF_API roof_status roof_model_load_lenient(const char *name, roof_model *model, roof_error *error);

/** True where roof_model_load finds a model, or a file that says that it is one's (`model_type`; GGUF) and that it refuses.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false where it cannot be read. */
ROOF_API bool roof_model_is(const char *name);

/** A model's run: its settings, and once it is asked on a machine what it does there. Do not copy: `target` points
 *  into it. */
typedef struct roof_whole {
  roof_model model;
  roof_model_settings settings;
  roof_model_claim claim; /**< NaN: none among the words */
  roof_model_target target;
  roof_model_answer answer;
} roof_whole;

/** Loads the model that the first of `count` words names and reads its settings from the others; `train`, `sp`,
 *  `recompute=full`, and where `claims` a claim, are among them. `formats` are of all weights, activations and cache; `options` may be NULL.
 *  Units: as roof_model_settings.
 *  Ownership: makes *whole on success only; release it with roof_whole_free.
 *  Errors: ROOF_E_ARGUMENT for a format that only an operation has; as roof_model_load, roof_model_settings_read and
 *  roof_model_claim_read; ROOF_E_MEMORY. */
ROOF_API roof_status roof_whole_read(const char *const *words, int count, const roof_formats *formats,
                                     const roof_options *options, bool claims, roof_whole **whole,
                                     roof_error *error);

/** Answers the run on a machine, in place of the one before.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: the machine must outlive the answer.
 *  Errors: as roof_model_target_init. */
ROOF_API roof_status roof_whole_on(roof_whole *whole, const roof_machine *machine, roof_error *error);

/** Answers the run on a machine and judges what it claims. A rate without batch= among the words is judged over all
 *  batches that fit, with the shortest contexts where none of prompt=, generate= and prefix= is given: at the first of 1, 2,
 *  4 ... that makes it possible, else at the largest. A training step is judged by the most favourable of what the words leave
 *  open of microbatches=, recompute= and sp: that fits, and whose limit is the lowest. `judged->because` names what was
 *  found and the settings have it.
 *  Units: as roof_model_claim_judge.
 *  Ownership: fills *judged on success only; the machine must outlive the answer.
 *  Errors: as roof_whole_on and roof_model_claim_judge. */
ROOF_API roof_status roof_whole_judge(roof_whole *whole, const roof_machine *machine,
                                      roof_model_judged *judged, roof_error *error);

/** Releases a run; NULL is fine.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_whole_free(roof_whole *whole);

#define ROOF_EXPERT_SHARES_MAX 1024

/** Reads how often each expert is chosen: numbers between commas, blanks or lines, as counted or as shares; lines that begin
 *  with # are remarks. For roof_model_settings.expert_shares.
 *  Units: of each other.
 *  Ownership: fills the caller's array, the most first, and *count on success only.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE with line and column, ROOF_E_ARGUMENT for too many. */
ROOF_API roof_status roof_expert_shares_read(const char *path, double shares[ROOF_EXPERT_SHARES_MAX],
                                             int *count, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
