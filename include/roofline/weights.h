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

#include "roofline/model.h"

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

#ifdef __cplusplus
}
#endif
#endif
