/** The catalogue of machines, and files of user operations: find, load, check.
 *
 *  Example:
 *    roof_machine *machine = NULL;
 *    if (roof_catalog_load("h100", &machine, NULL) == ROOF_OK) {
 *      puts(machine->title);
 *    }
 *    roof_machine_free(machine); */
#ifndef ROOFLINE_CATALOG_H
#define ROOFLINE_CATALOG_H

#include "roofline/advise.h"
#include "roofline/formats.h"
#include "roofline/machine.h"
#include "roofline/op.h"
#include "roofline/predict.h"
#include "roofline/shape.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_COMPARED_MAX 16

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
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_UNSUPPORTED when neither variable is set, ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_user_folder(roof_text *out, roof_error *error);

/** Lists the machines of $ROOFLINE_PATH (colon-separated folders), the user's folder and the built-in ones;
 *  the first of a name wins.
 *  Units: none.
 *  Ownership: release with roof_catalog_list_done.
 *  Errors: ROOF_E_MEMORY; unreadable folders are skipped. */
ROOF_API roof_status roof_catalog_list_all(roof_catalog_list *list, roof_error *error);

/** Frees a list.
 *  Units: none.
 *  Ownership: releases what list_all filled.
 *  Errors: none. */
ROOF_API void roof_catalog_list_done(roof_catalog_list *list);

/** Loads a machine by path (a name that begins with a slash or a dot or ends in .json, one with a slash where that file
 *  exists, or - for standard input), by its figures
 *  ("peak=19.5TFLOP/s bandwidth=2039GB/s"; "peak=fp16:312TFLOP/s" for one format), or by name or alias (`_` is read as `-`):
 *  $ROOFLINE_PATH (colon-separated folders), the user's folder, then the built-in machines; else by what a driver calls it,
 *  or by the title of a built-in one.
 *  Units: as roof_machine.
 *  Ownership: *machine, set on success only, is the caller's: release with roof_machine_free.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_INPUT, ROOF_E_PARSE or ROOF_E_ARGUMENT with file, line,
 *  column. */
ROOF_API roof_status roof_catalog_load(const char *name, roof_machine **machine, roof_error *error);

/** The same for an answer that can do without: *machine is NULL where none can be loaded under that name.
 *  Units: as roof_machine.
 *  Ownership: *machine is the caller's: release with roof_machine_free.
 *  Errors: ROOF_E_MEMORY alone. */
ROOF_API roof_status roof_catalog_load_known(const char *name, roof_machine **machine, roof_error *error);

/** Loads several machines: each of `names` (up to a NULL) is one as roof_catalog_load takes it, or several with commas
 *  between them. No name (NULL or empty): `host`.
 *  Units: as roof_machine.
 *  Ownership: *machines and *count are set on success only; release with roof_machines_free.
 *  Errors: as roof_catalog_load; ROOF_E_ARGUMENT where `host` is not measured, or only commas were given. */
ROOF_API roof_status roof_machines_load(const char *const *names, roof_machine ***machines, int *count,
                                        roof_error *error);

/** Frees machines.
 *  Units: none.
 *  Ownership: releases `count` machines and their list; NULL is none, and so is one that is NULL.
 *  Errors: none. */
ROOF_API void roof_machines_free(roof_machine **machines, int count);

/** Several machines with what is predicted on each. */
typedef struct roof_targets {
  roof_machine **machines;
  roof_target *targets;
  int count;
  unsigned typed; /**< roof_typed_of the formats and options */
} roof_targets;

/** Makes the targets of all `machines` named (as roof_machines_load takes them) from formats and options as typed; with
 *  several of `dtypes` (up to a NULL; NULL: none) each machine once per format, in the place of `formats->dtype`.
 *  Units: none.
 *  Ownership: fills *targets on success only; release with roof_targets_done. They keep `options->link`.
 *  Errors: as roof_machines_load, roof_formats_read, roof_options_read and roof_target_init. */
ROOF_API roof_status roof_targets_init(roof_targets *targets, const char *const *machines,
                                       const roof_formats *formats, const char *const *dtypes,
                                       const roof_options_text *options, roof_error *error);

/** Refuses a format or an option that was typed and has no effect on any point of `shape` on any of the targets.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT as roof_typed_refuse; as roof_shape_point. */
ROOF_API roof_status roof_targets_check(const roof_targets *targets, const roof_shape *shape,
                                        roof_error *error);

/** Frees targets with their machines.
 *  Units: none.
 *  Ownership: releases what roof_targets_init filled; *targets is empty afterwards.
 *  Errors: none. */
ROOF_API void roof_targets_done(roof_targets *targets);

/** Loads the datasheet of a device by the name that its driver reports ("NVIDIA H200"): small letters, `-`
 *  for what is no letter and no digit, is a name or an alias in the catalogue.
 *  Units: as roof_machine.
 *  Ownership: *machine, set on success only, is the caller's: release with roof_machine_free.
 *  Errors: ROOF_E_NAME when there is none. */
ROOF_API roof_status roof_catalog_load_device(const char *device, roof_machine **machine, roof_error *error);

/** Predicts one call of `op` on every machine of the catalogue that has a path for the target's formats, the
 *  memory and the figures, by expected time; of the scripted one only where it is the target's.
 *  Units: s, W, J.
 *  Ownership: *ranked is the caller's to free().
 *  Errors: ROOF_E_MEMORY; machines that cannot be loaded are left out. */
ROOF_API roof_status roof_catalog_rank(const roof_target *target, const roof_op *op, const double *values,
                                       roof_ranked_machine **ranked, int *count, roof_error *error);

/** Loads the machine that a profiler calls `device` ("NVIDIA A100 80GB PCIe"): as roof_catalog_load_device, else the
 *  entry that shares most words with it and has its model's number.
 *  Units: as roof_machine.
 *  Ownership: *machine, set on success only, is the caller's: release with roof_machine_free.
 *  Errors: ROOF_E_NAME when none is near enough, ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_match(const char *device, roof_machine **machine, roof_error *error);

/** The machine that a profile was taken on: the catalogue's of that device, else a copy of what the profile reports of it
 *  (`reported-device` where that has no name), else none.
 *  Units: as roof_machine.
 *  Ownership: *machine, NULL for none, is the caller's: release with roof_machine_free.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_match_or_copy(const char *device, const roof_machine *reported,
                                                roof_machine **machine, roof_error *error);

/** Whether a text is what roof_catalog_prices reads: neither one price of all machines nor several values of it.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_prices_are_listed(const char *text);

/** Fills `prices` (nullable) with one price, of the one machine asked about; 0: none.
 *  Units: as roof_catalog_prices.
 *  Ownership: fills the caller's array on success only.
 *  Errors: ROOF_E_ARGUMENT for a price of several machines. */
ROOF_API roof_status roof_price_of_one(double price, int count, roof_listed_price *prices, roof_error *error);

/** Reads prices of machines into `prices`, one for each of `machines`, NaN where none is given: "h100=2.5,h200=3.5", or the
 *  name of a file whose lines are machine,price,date,source, the first that very line; lines that begin with # are remarks, and
 *  machines that were not asked about are passed over.
 *  Units: of one device and hour, in any currency.
 *  Ownership: fills the caller's array on success only.
 *  Errors: as roof_catalog_load for a name; ROOF_E_ARGUMENT for a typed machine that is not among them; ROOF_E_PARSE, of a file with
 *  line and column; ROOF_E_INPUT for a file that cannot be read. */
ROOF_API roof_status roof_catalog_prices(const char *text, roof_machine *const *machines, int count,
                                         roof_listed_price *prices, roof_error *error);

/** Keeps a machine under its name (`host` for the one measured here) in the user's folder, which it makes.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED where there is no such folder, ROOF_E_OUTPUT, ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_save(const roof_machine *machine, roof_error *error);

/** What a list of machines shows of one: dense peaks as quoted, else as measured. NaN: not known. */
typedef struct roof_machine_summary {
  double memory_bytes;
  double bytes_per_second;      /**< of reading memory */
  double fp32_flops_per_second; /**< of vector units */
  double half_flops_per_second; /**< the faster of fp16 and bf16 on matrix units, else fp16 on vector units */
  double fp8_flops_per_second;  /**< of matrix units */
  double peak_flops_per_second; /**< the 16-bit one, else that of fp32 */
  double ridge;                 /**< FLOP per byte of memory at that peak */
  int kinds[ROOF_PROVENANCE_COUNT]; /**< figures of each kind: peaks, levels, links, energy and its own */
} roof_machine_summary;

/** The figures that people look for first.
 *  Units: bytes, bytes/s, FLOP/s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_machine_summary roof_machine_summarize(const roof_machine *machine);

/** One figure of several machines next to each other. */
typedef struct roof_comparison_row {
  char key[ROOF_NAME_MAX];  /**< "fp16_matrix_flops_per_second" */
  char name[ROOF_NAME_MAX]; /**< "fp16 matrix" */
  const char *unit;
  double values[ROOF_COMPARED_MAX]; /**< of each machine; NaN: not known */
  double ratios[ROOF_COMPARED_MAX]; /**< to the first machine's; NaN: not known */
  bool lacking[ROOF_COMPARED_MAX];  /**< the hardware has no such path */
} roof_comparison_row;

/** Figures that at least one of the machines has: dense peaks, memory, caches, first link, power, launch.
 *  Units: as each row says.
 *  Ownership: fills *rows, the caller's to free(), and *count on success only.
 *  Errors: ROOF_E_ARGUMENT for more than ROOF_COMPARED_MAX machines, ROOF_E_MEMORY. */
ROOF_API roof_status roof_machines_compare(roof_machine *const *machines, int machine_count,
                                           roof_comparison_row **rows, size_t *count, roof_error *error);

/** The answer in one sentence: what memory, its bandwidth and the products in 16 bit of the others are of the first
 *  machine's.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_comparison_sentence(roof_text *out, roof_machine *const *machines, int machine_count,
                                       const roof_comparison_row *rows, size_t count);

/** Appends the rows as CSV, a column for each machine: what is not known is empty.
 *  Units: as each row says, base units.
 *  Ownership: appends to the caller's `out`.
 *  Errors: out->failed. */
ROOF_API void roof_comparison_write_csv(roof_machine *const *machines, int machine_count,
                                        const roof_comparison_row *rows, size_t count, roof_text *out);

/** Appends the rows as one roofline.comparison/1 object, what `machine compare --json` prints.
 *  Units: as each row says.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_comparison_write(roof_machine *const *machines, int machine_count,
                                           const roof_comparison_row *rows, size_t count, roof_text *out,
                                           roof_error *error);

/** What is wrong or doubtful in a machine. */
typedef struct roof_finding {
  bool error; /**< else a warning */
  char where[96];
  char message[256];
} roof_finding;

/** Recomputes peaks (units x FLOP/cycle x clock) and bandwidths (bus x rate) and flags 2 %; flags sparse
 *  figures given as dense, both-way links given as one-way, missing sources, levels out of order.
 *  Units: none.
 *  Ownership: fills at most `capacity` findings; returns how many there are.
 *  Errors: none. */
ROOF_API size_t roof_machine_lint(const roof_machine *machine, roof_finding *findings, size_t capacity);

/** A finding, and whose. */
typedef struct roof_lint_finding {
  const char *machine; /**< one of the lint's machines */
  roof_finding finding;
} roof_lint_finding;

/** The findings of several machines. */
typedef struct roof_lint {
  char **machines; /**< their names; of a file that cannot be read its path */
  size_t machine_count;
  roof_lint_finding *findings; /**< by machine */
  size_t count;
  int errors, warnings;
} roof_lint;

/** Lints the `count` machines named, as roof_catalog_load takes them; none named: all of the catalogue, where a file
 *  that cannot be read is a finding.
 *  Units: none.
 *  Ownership: fills *lint on success only; release with roof_lint_done.
 *  Errors: as roof_catalog_load for a machine that was named; ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_lint(const char *const *names, int count, roof_lint *lint,
                                       roof_error *error);

/** Appends the findings as one roofline.lint/1 object, what `machine lint --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_lint_write(const roof_lint *lint, roof_text *out, roof_error *error);

/** Frees the findings.
 *  Units: none.
 *  Ownership: releases what roof_catalog_lint filled.
 *  Errors: none. */
ROOF_API void roof_lint_done(roof_lint *lint);

/** A machine that a search found. */
typedef struct roof_found_machine {
  const roof_catalog_entry *entry;
  char title[96];
  roof_provenance kind;
  roof_machine_summary figures;
} roof_found_machine;

/** What a search found. */
typedef struct roof_search {
  roof_catalog_list list; /**< all that was searched */
  roof_found_machine *machines;
  size_t count;
  roof_error *unreadable; /**< files that cannot be read, which are left out */
  size_t unreadable_count;
} roof_search;

/** Finds the machines of the catalogue of whose name, aliases, title, vendor, architecture, class or levels a word
 *  begins with `text`, case ignored; "": all.
 *  Units: as roof_machine_summary.
 *  Ownership: fills *search on success only; release with roof_search_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_catalog_search(const char *text, roof_search *search, roof_error *error);

/** Appends the machines found as one roofline.machines/1 object, what `machine list --json` prints.
 *  Units: as the keys say.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_search_write(const roof_search *search, roof_text *out, roof_error *error);

/** Frees what a search found.
 *  Units: none.
 *  Ownership: releases what roof_catalog_search filled.
 *  Errors: none. */
ROOF_API void roof_search_done(roof_search *search);

/** Operations of a user's file, used like built-in ones. */
typedef struct roof_userops {
  roof_op *ops;
  size_t count;
  void *storage;
} roof_userops;

/** Reads user operations: blocks of `op NAME`, `param NAME [= DEFAULT]  # description`, `flops = ...`, and
 *  `bytes = ...` or `read = ...` and `write = ...`; optional `bytes.L2 = ...`, `unit = vector|matrix`,
 *  `summary =`, `source =`. Formulas use the parameters and a, w, o, kv (bytes per element). A default is a
 *  number or an earlier parameter; a parameter is a whole number from 1 on unless its default is not. An
 *  operation may be used by several threads at once.
 *  Units: FLOP and bytes per call.
 *  Ownership: release with roof_userops_done.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and column; a shape
 *  whose formula gives no count is refused by roof_op_complete. */
ROOF_API roof_status roof_userops_load(const char *path, roof_userops *ops, roof_error *error);

/** As roof_userops_load from text; `file` names it in errors.
 *  Units: FLOP and bytes per call.
 *  Ownership: release with roof_userops_done.
 *  Errors: as roof_userops_load. */
ROOF_API roof_status roof_userops_read(const char *text, size_t length, const char *file, roof_userops *ops,
                                       roof_error *error);

/** An operation by name: the first of `count` files that has it, else the built-in one.
 *  Units: none.
 *  Ownership: *op, set on success only, belongs to its file, or is static.
 *  Errors: as roof_op_find. */
ROOF_API roof_status roof_userops_find(const roof_userops *files, int count, const char *name,
                                       const roof_op **op, roof_error *error);

/** The operation at `index`, from 0: those of `count` files, then the built-in ones.
 *  Units: none.
 *  Ownership: belongs to its file, or is static.
 *  Errors: NULL past the last. */
ROOF_API const roof_op *roof_userops_at(const roof_userops *files, int count, int index);

/** The operations of `count` files alone, NULL after the last, as roof_workload_reading takes them.
 *  Units: none.
 *  Ownership: the caller frees the list, written on success only; the operations belong to their files.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_userops_list(const roof_userops *files, int count, const roof_op ***list,
                                       roof_error *error);

/** Whether `text` occurs in the name, the family or the summary of an operation, case ignored; "": in all.
 *  Units: none.
 *  Ownership: reads only.
 *  Errors: none. */
ROOF_API bool roof_op_mentions(const roof_op *op, const char *text);

/** Appends those that mention `text` as one roofline.ops/1 object, what `op list [TEXT] --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_userops_write(const roof_userops *files, int count, const char *text,
                                        roof_text *out, roof_error *error);

/** Appends an operation's parameters as they are typed: "m n k [batch=1] [algorithm=flash|standard]".
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: out->failed. */
ROOF_API void roof_op_add_usage(roof_text *out, const roof_op *op);

/** Frees user operations.
 *  Units: none.
 *  Ownership: releases what load filled.
 *  Errors: none. */
ROOF_API void roof_userops_done(roof_userops *ops);

#ifdef __cplusplus
}
#endif
#endif
