/** JSON as profilers and benchmarks write it: bare NaN and Infinity, numbers as texts. */
#ifndef IMPORT_JSON_H
#define IMPORT_JSON_H

#include <jansson.h>

#include "import/import.h"

/** The rest of the file as one JSON document. Bare NaN and Infinity become texts, which are no numbers.
 *  Ownership: the caller's. Errors: as rf_import_all; ROOF_E_PARSE at the line and column. */
roof_status rf_import_document(roof_source *source, json_t **document, roof_error *error);

/** As rf_import_document, after `prepare` has changed the text in place. */
roof_status rf_import_document_prepared(roof_source *source, void (*prepare)(char *text, char *end),
                                        json_t **document, roof_error *error);

/** The line given as one document; `text` is changed. NULL when it is none, and the reason in *why
 *  (nullable). */
json_t *rf_import_document_line(char *text, size_t length, json_error_t *why);

/** A number, or a text that is one. NaN for anything else, a member that is not there included. */
double rf_import_number_of(const json_t *value);
double rf_import_member(const json_t *object, const char *key);

/** A member's text, "" when it is none. */
const char *rf_import_member_text(const json_t *object, const char *key);

/** As rf_import_document_line of a line of the source; *object is NULL of a last one that is cut, which the source keeps in mind. */
roof_status rf_import_json_line(roof_source *source, char *line, size_t length, json_t **object,
                                roof_error *error);

#endif
