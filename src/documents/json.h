/** Members of JSON documents that may be missing or of another type, and values written. */
#ifndef DOCUMENTS_JSON_H
#define DOCUMENTS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "roofline/documents.h"

double rf_json_number_of(json_t *value);    /**< NaN when it is no number */
const char *rf_json_text_of(json_t *value); /**< "" when it is no string */

json_t *rf_json_number(double value); /**< null for NaN and infinities, whole where it is */
json_t *rf_json_numbers(const double *values, size_t count);
json_t *rf_json_filled(json_t *object); /**< takes the reference; null where the object is empty */

/** Reads JSON as `flags` of jansson say. NULL: `why` (nullable) says why; jansson itself takes memory that ran out for an
 *  error of syntax, or leaves out what it could not keep. More objects and lists than 131072, which take a hundred times
 *  their bytes, are refused. */
json_t *rf_json_load(const char *text, size_t length, size_t flags, json_error_t *why);

/** The same of a file's whole text; the message begins with `prefix`. */
roof_status rf_json_read(const char *text, size_t length, size_t flags, const char *file, const char *prefix,
                         json_t **document, roof_error *error);

/** Members of what is written, which take the reference of `value`. One that could not be kept is not forgotten: what
 *  this thread writes next, rf_json_dump refuses. */
void rf_json_set(json_t *object, const char *key, json_t *value);

/** The same of a text; nothing where it is NULL (json_pack's "s*" takes want of memory for NULL). */
void rf_json_set_text(json_t *object, const char *key, const char *text);
void rf_json_append(json_t *array, json_t *value);
/** The same of all members of `other`, taking its reference. */
void rf_json_merge(json_t *object, json_t *other);
/** The same of what has been done another way. */
void rf_json_note(bool kept);

/** Forgets what was not kept of something that was given up. */
void rf_json_begin(void);
/** Whether something was not kept since the last beginning or question. */
bool rf_json_lost(void);
/** Whether that was for want of memory, and not because it is not UTF-8. */
bool rf_json_starved(void);

/** The text, to be freed; NULL when memory was short, or something of it could not be kept. */
char *rf_json_dump(const json_t *document, size_t flags);

/** Appends `document` (takes its reference, NULL: memory was short) as `flags` of jansson say; out->failed when
 *  memory is short. */
void rf_json_add(json_t *document, size_t flags, roof_text *out);

/** Appends `document` (takes its reference, NULL: memory was short) indented, with a newline; `what` is for the
 *  message. */
roof_status rf_json_write(json_t *document, const char *what, roof_text *out, roof_error *error);

/** A member that is a number. */
typedef struct rf_json_member {
  const char *key;
  double value;
} rf_json_member;

/** Sets members of an object, in their order. */
void rf_json_set_numbers(json_t *object, const rf_json_member *members, size_t count);
#define RF_JSON_SET(object, members)                                                                         \
  rf_json_set_numbers((object), (members), sizeof(members) / sizeof *(members))

/** The member `seconds` of every answer, of anything that has these times. */
#define RF_JSON_SECONDS(p)                                                                                   \
  rf_json_seconds((const double[]){(p)->compute_seconds, (p)->memory_seconds, (p)->overhead_seconds,         \
                                   (p)->network_seconds, (p)->lower_seconds, (p)->upper_seconds,             \
                                   (p)->expected_seconds, (p)->expected_low_seconds,                         \
                                   (p)->expected_high_seconds})
json_t *rf_json_seconds(const double *times);

/** An array of texts: `size` bytes from one to the next. */
json_t *rf_json_texts(const char *first, size_t size, int count);

/* cause_write.c */
json_t *rf_cause_json(const roof_cause *cause);

/* op_write.c */
json_t *rf_op_json(const roof_op *op);

/* prediction_write.c */
json_t *rf_parameters_json(const roof_op *op, const double *values);
json_t *rf_prediction_json(const roof_target *target, const roof_op *op, const double *values,
                           const roof_prediction *prediction);

/* model_write.c, model_sweep_write.c, workload_write.c, plans_write.c, cluster_write.c */
json_t *rf_model_json(const roof_model_target *target, const roof_model_answer *answer);
json_t *rf_workload_item_json(const roof_workload *workload, const roof_workload_answer *answer,
                              size_t index);
json_t *rf_workload_json(const roof_workload *workload, const roof_machine *machine,
                         const roof_workload_settings *settings, const roof_workload_answer *answer);
/** `apart`: NULL where it was not searched. */
json_t *rf_choices_json(const roof_choice_question *question, const roof_choices *choices,
                        const roof_apart *apart, const char *served);
/** A training run; null where its tokens are not said. */
json_t *rf_training_json(const roof_model_training *training);

/** A list of one: what a device costs, and where that was read. */
json_t *rf_price_json(const roof_machine *machine, const roof_model_settings *settings);

/** A link of a plan, with its latency. */
json_t *rf_link_json(const roof_link *link);

/** Formats of a model's activations, cache, state and weights, and what multiplies each. */
json_t *rf_precision_json(const roof_model_target *target);

json_t *rf_train_plans_json(const roof_model *model, const roof_machine *machine,
                            const roof_model_settings *settings, double devices,
                            const roof_train_front *front, const roof_failures *failures);
json_t *rf_cluster_json(const roof_target *target, const roof_cluster_settings *settings,
                        const roof_cluster_answer *answer);

#endif
