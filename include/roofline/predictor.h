/** Answers for other programs, a line of JSON each: what simulators with a predictor of their own choice ask for. The protocol is
 *  `roofline.predictor/1` (docs/predictor.md); `roofline predictor` serves it over standard input and a Unix socket.
 *
 *  A program in C that asks about one operation many times needs no text: roof_target_init once, then roof_predict (predict.h), and for a step
 *  of a model roof_model_target_init once, then roof_load_phase (load.h). The answers are the same to the last digit.
 *
 *  Example:
 *    static const char line[] = "{\"id\": 1, \"op\": \"gemm\", \"parameters\": {\"m\": 8, \"n\": 8, \"k\": 8}, \"machine\": \"h100\"}";
 *    roof_predictor *predictor = NULL;
 *    roof_text out = {0};
 *    if (roof_predictor_new(&predictor, NULL) == ROOF_OK &&
 *        roof_predictor_answer(predictor, line, sizeof line - 1, &out, NULL) == ROOF_OK) {
 *      fwrite(out.data, 1, out.length, stdout);
 *    }
 *    roof_text_done(&out);
 *    roof_predictor_free(predictor); */
#ifndef ROOFLINE_PREDICTOR_H
#define ROOFLINE_PREDICTOR_H

#include <stddef.h>

#include "roofline/status.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of a request: a longer one is refused unread. */
#define ROOF_PREDICTOR_LINE_MAX 65536

/** Machines, models and settings that were asked about, kept for the next request. One thread at a time. */
typedef struct roof_predictor roof_predictor;

/** Makes a predictor that knows the catalogue.
 *  Units: none.
 *  Ownership: *predictor, set on success only, is the caller's: release with roof_predictor_free.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_predictor_new(roof_predictor **predictor, roof_error *error);

/** Releases a predictor; NULL is fine.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_predictor_free(roof_predictor *predictor);

/** Lets requests name this machine, which may be a file; the first one is that of requests which name none. Requests name no other file.
 *  Units: none.
 *  Ownership: copies `name`.
 *  Errors: as roof_catalog_load; ROOF_E_ARGUMENT for too many. */
ROOF_API roof_status roof_predictor_allow_machine(roof_predictor *predictor, const char *name,
                                                  roof_error *error);

/** Lets requests name this model, which may be a file or a folder.
 *  Units: none.
 *  Ownership: copies `name`.
 *  Errors: as roof_model_load; ROOF_E_ARGUMENT for too many. */
ROOF_API roof_status roof_predictor_allow_model(roof_predictor *predictor, const char *name,
                                                roof_error *error);

/** Appends the reply to one request (a line without its end), with its end of line. What is wrong with the request is a reply too.
 *  Units: s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY alone. */
ROOF_API roof_status roof_predictor_answer(roof_predictor *predictor, const char *line, size_t length,
                                           roof_text *out, roof_error *error);

/** Appends the reply to a request of more than ROOF_PREDICTOR_LINE_MAX bytes, which need not be kept.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_predictor_refuse_long(roof_text *out, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
