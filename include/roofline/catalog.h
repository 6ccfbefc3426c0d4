/** Machine files (roofline.machine/1) and files of user operations: find, read, write, check. */
#ifndef ROOFLINE_CATALOG_H
#define ROOFLINE_CATALOG_H

#include "roofline/machine.h"
#include "roofline/model.h"
#include "roofline/op.h"
#include "roofline/text.h"
#include "roofline/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One machine that can be named. `aliases` are separated by single spaces. */
typedef struct roof_catalog_entry {
  const char *name;
  const char *aliases;
  const char *origin; /**< "built-in" or the file's path */
} roof_catalog_entry;

typedef struct roof_catalog_list {
  roof_catalog_entry *entries; /**< sorted by name */
  size_t count;
  void *storage;
} roof_catalog_list;

/** The folder of the user's own machines: $XDG_CONFIG_HOME/roofline/machines or ~/.config/roofline/machines.
 *  Units: none. Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_UNSUPPORTED when neither variable is set, ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_user_folder(roof_text *out, roof_error *error);

/** Lists the machines of $ROOFLINE_PATH (colon-separated folders), the user's folder and the built-in ones;
 * the first of a name wins. Units: none. Ownership: release with roof_catalog_list_done. Errors:
 * ROOF_E_MEMORY; unreadable folders are skipped. */
ROOF_API roof_status roof_catalog_list_all(roof_catalog_list *list, roof_error *error);

/** Frees a list. Units: none. Ownership: releases what list_all filled. Errors: none. */
ROOF_API void roof_catalog_list_done(roof_catalog_list *list);

/** Loads a machine by path (a name with a `/` or ending in .json), or by name or alias (`_` is read as `-`):
 *  $ROOFLINE_PATH (colon-separated folders), the user's folder, then the built-in machines.
 *  Units: as roof_machine. Ownership: fills *machine on success only.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_INPUT, ROOF_E_PARSE or ROOF_E_ARGUMENT with file, line,
 * column. */
ROOF_API roof_status roof_catalog_load(const char *name, roof_machine *machine, roof_error *error);

/** Loads the datasheet of a device by the name that its driver tells ("NVIDIA H200"): small letters, `-` for
 * what is no letter and no digit, is a name or an alias in the catalogue. Units: as roof_machine. Ownership:
 * fills *machine on success only. Errors: ROOF_E_NAME when there is none. */
ROOF_API roof_status roof_catalog_load_device(const char *device, roof_machine *machine, roof_error *error);

/** Reads a machine from JSON text; `file` names it in errors.
 *  Units: as roof_machine. Ownership: fills *machine on success only; `text` is not kept.
 *  Errors: ROOF_E_PARSE or ROOF_E_ARGUMENT with file, line and column. */
ROOF_API roof_status roof_machine_read(const char *text, size_t length, const char *file,
                                       roof_machine *machine, roof_error *error);

/** Writes a machine as JSON, every key present, unknown as null; reads back equal.
 *  Units: as roof_machine. Ownership: appends to the caller's `out`. Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_write(const roof_machine *machine, roof_text *out, roof_error *error);

/** Appends what stands behind a figure as one JSON object, null where nothing is known.
 *  Units: as in a machine file. Ownership: appends to the caller's text. Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_conditions_write(const roof_conditions *conditions, roof_text *out,
                                           roof_error *error);

/** Reads a model's description from the text of a Hugging Face config.json; `file` names it in errors and
 * names the model. What is not counted is in its notes. Units: as roof_model. Ownership: fills *model on
 * success only; `text` is not kept. Errors: ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and
 * column and the key. */
ROOF_API roof_status roof_model_read(const char *text, size_t length, const char *file, roof_model *model,
                                     roof_error *error);

/** Takes the formats of the weights from the text of a hf_quant_config.json.
 *  Units: none. Ownership: changes *model on success only; `text` is not kept. Errors: as roof_model_read. */
ROOF_API roof_status roof_model_read_quantization(const char *text, size_t length, const char *file,
                                                  roof_model *model, roof_error *error);

/** Loads the formats of a model's weights from a hf_quant_config.json.
 *  Units: none. Ownership: changes *model on success only. Errors: ROOF_E_INPUT, and as roof_model_read. */
ROOF_API roof_status roof_model_load_quantization(const char *path, roof_model *model, roof_error *error);

/** Reads a model's description from a GGUF file: sizes from its metadata, formats and bytes from its tensors'
 * own types. `data` is the whole file, of which only the header is touched.
 *  Units: as roof_model. Ownership: fills *model on success only; `data` is not kept. Errors: ROOF_E_PARSE
 * with the byte, ROOF_E_NAME for an architecture that is not known, ROOF_E_ARGUMENT naming what is missing.
 */
ROOF_API roof_status roof_model_read_gguf(const void *data, size_t length, const char *file,
                                          roof_model *model, roof_error *error);

/** A model that can be named. `aliases` are separated by single spaces; built in. */
typedef struct roof_model_entry {
  const char *name;
  const char *aliases;
} roof_model_entry;

/** The built-in model number `index`, from 0 and by name.
 *  Units: none. Ownership: static strings. Errors: both NULL past the last. */
ROOF_API roof_model_entry roof_model_entry_at(size_t index);

/** Loads a model: a config.json or a GGUF file (a name with a `/` or ending in .json or .gguf), the folder
 * that holds a config.json (with its hf_quant_config.json and model*.safetensors where there are any), or a
 * built-in model by name or alias. Units: as roof_model. Ownership: fills *model on success only. Errors:
 * ROOF_E_NAME with the nearest name, ROOF_E_INPUT, and as roof_model_read. */
ROOF_API roof_status roof_model_load(const char *name, roof_model *model, roof_error *error);

/** The size of a dimension that a graph names and leaves open (`batch`, `sequence_length`). */
typedef struct roof_dimension {
  const char *name;
  double size;
} roof_dimension;

/** What a workload's file leaves open. */
typedef struct roof_workload_reading {
  roof_types types;  /**< of a list's lines that name none */
  roof_dtype floats; /**< a graph's floating-point tensors as if stored so; ROOF_DTYPE_COUNT: as they are */
  const roof_dimension *dimensions; /**< `batch`: the first dimension of a graph's inputs, 1 unless given */
  int dimension_count;
} roof_workload_reading;

/** Reads an ONNX model: every node as an item, its FLOPs from the operator and the sizes that follow from
 * those of the inputs, its bytes from the tensors' own types. No weights are read. `data` is the whole file.
 * Units: FLOP, bytes. Ownership: fills *workload on success only, release with roof_workload_done; `data` is
 * not kept. Errors: ROOF_E_PARSE; ROOF_E_NAME for an operator or a dimension that is not known;
 * ROOF_E_ARGUMENT naming the node whose sizes do not fit or depend on data. */
ROOF_API roof_status roof_workload_read_onnx(const void *data, size_t length, const char *file,
                                             const roof_workload_reading *reading, roof_workload *workload,
                                             roof_error *error);

/** Reads a list of operations: a line each, `OP key=value ...` with an operation's parameters and optional
 * `count=`, `name=`, `dtype=`, `weights=`, `group=`, `accumulate=`, `output=`, `kv=`; `#` begins a comment.
 * Units: FLOP, bytes. Ownership: fills *workload on success only, release with roof_workload_done. Errors:
 * ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and column. */
ROOF_API roof_status roof_workload_read_list(const char *text, size_t length, const char *file,
                                             const roof_workload_reading *reading, roof_workload *workload,
                                             roof_error *error);

/** True where the file at `path` holds a workload: an ONNX model, or text whose first word is an operation's.
 * Units: none. Ownership: none. Errors: false where it cannot be read. */
ROOF_API bool roof_workload_is(const char *path);

/** Reads the workload at `path` as what it holds.
 * Units: FLOP, bytes. Ownership: fills *workload on success only, release with roof_workload_done. Errors:
 * ROOF_E_INPUT, and as the two readers. */
ROOF_API roof_status roof_workload_load(const char *path, const roof_workload_reading *reading,
                                        roof_workload *workload, roof_error *error);

/** What is wrong or doubtful in a machine. */
typedef struct roof_finding {
  bool error; /**< else a warning */
  char where[96];
  char message[256];
} roof_finding;

/** Recomputes peaks (units x FLOP/cycle x clock) and bandwidths (bus x rate) and flags 2 %; flags sparse
 * figures given as dense, both-way links given as one-way, missing sources, levels out of order. Units: none.
 * Ownership: fills at most `capacity` findings; returns how many there are. Errors: none. */
ROOF_API size_t roof_machine_lint(const roof_machine *machine, roof_finding *findings, size_t capacity);

/** A machine file to fill in: every key, comments as notes, figures that lint.
 *  Units: as roof_machine. Ownership: appends to the caller's `out`. Errors: ROOF_E_ARGUMENT for a bad name.
 */
ROOF_API roof_status roof_machine_template(const char *name, roof_text *out, roof_error *error);

/** Operations of a user's file, used like built-in ones. */
typedef struct roof_userops {
  roof_op *ops;
  size_t count;
  void *storage;
} roof_userops;

/** Reads user operations: blocks of `op NAME`, `param NAME [= DEFAULT]  # description`, `flops = ...`, and
 * `bytes = ...` or `read = ...` and `write = ...`; optional `bytes.L2 = ...`, `unit = vector|matrix`,
 * `summary =`, `source =`. Formulas use the parameters and a, w, o, kv (bytes per element). A default is a
 * number or an earlier parameter; a parameter is a whole number from 1 on unless its default is not. An
 * operation may be used by several threads at once. Units: FLOP and bytes per call. Ownership: release with
 * roof_userops_done. Errors: ROOF_E_INPUT, ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and
 * column; a shape whose formula gives no count is refused by roof_op_complete. */
ROOF_API roof_status roof_userops_load(const char *path, roof_userops *ops, roof_error *error);

/** As roof_userops_load from text; `file` names it in errors.
 *  Units: FLOP and bytes per call. Ownership: release with roof_userops_done. Errors: as roof_userops_load.
 */
ROOF_API roof_status roof_userops_read(const char *text, size_t length, const char *file, roof_userops *ops,
                                       roof_error *error);

/** Frees user operations. Units: none. Ownership: releases what load filled. Errors: none. */
ROOF_API void roof_userops_done(roof_userops *ops);

#ifdef __cplusplus
}
#endif
#endif
