/** The header of a safetensors file: 8 bytes of length, that many of JSON with every tensor's type, shape and
 *  place (huggingface/safetensors, README). */
#ifndef WEIGHTS_SAFETENSORS_H
#define WEIGHTS_SAFETENSORS_H

#include "roofline/text.h"
#include "weights/weights.h"

/** Adds a file's tensors to those of a model. Errors: ROOF_E_PARSE with the byte. */
roof_status rf_safetensors_add(weights *w, const void *data, size_t length, const char *file,
                               roof_error *error);
/** Adds the folder's model*.safetensors to a described model; nothing where there are none.
 *  Errors: ROOF_E_INPUT, ROOF_E_ARGUMENT where shards are missing, and as rf_safetensors_add. */
roof_status rf_safetensors_apply_folder(const char *folder, roof_model *model, roof_error *error);
/** The folder of a single file, which has a config.json that describes the model.
 *  Ownership: *out, set on success only, is released with roof_text_done.
 *  Errors: ROOF_E_ARGUMENT with what the file holds where there is no config.json, ROOF_E_MEMORY. */
roof_status rf_safetensors_folder(const char *path, roof_text *out, roof_error *error);

#endif
