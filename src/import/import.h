/** What every format uses. A format is one file NAME.c that exports `const roof_format roof_format_NAME`. */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "roofline/import.h"
#include "roofline/text.h"
#include "roofline/timeline.h"

/* _source.c: bytes of a file, whatever it is wrapped in */

typedef struct roof_source roof_source;

enum { IMPORT_HEAD = 65536 };

/** Opens a file, "-" for standard input. Decodes gzip, zstd, xz, a UTF-8 byte order mark and UTF-16.
 *  Ownership: *source on success only, released by rf_import_close. Errors: ROOF_E_INPUT, ROOF_E_MEMORY. */
roof_status rf_import_open(const char *path, roof_source **source, roof_error *error);

/** As rf_import_open of `size` bytes in memory, which outlive the source; `name` is for messages. */
roof_status rf_import_open_memory(const char *data, size_t size, const char *name, roof_source **source,
                                  roof_error *error);

void rf_import_close(roof_source *source);

/** The first bytes, up to IMPORT_HEAD of them, followed by a NUL; valid until the next call. Nothing is
 *  consumed; not for after rf_import_line. */
const char *rf_import_head(roof_source *source, size_t *size);

/** The next line without its end, followed by a NUL, valid until the next call; NULL at the end of the file
 *  or after a failure, see rf_import_failed. */
char *rf_import_line(roof_source *source, size_t *length);

/** Makes rf_import_line give the last line once more. */
void rf_import_again(roof_source *source);

/** Up to `size` next bytes; 0 at the end of the file or after a failure. */
size_t rf_import_bytes(roof_source *source, char *buffer, size_t size);

/** All that is left, followed by eight NULs, valid until the source is closed. Errors: ROOF_E_INPUT beyond `most`
 *  bytes, and as rf_import_failed. */
roof_status rf_import_all(roof_source *source, size_t most, char **data, size_t *size, roof_error *error);

/** The line rf_import_line gave last, from 1. */
int rf_import_line_number(const roof_source *source);

/** The open file when it can be read at any place and holds its bytes as they are, else -1. It is the source's. */
int rf_import_descriptor(const roof_source *source);

/** The file's name for messages: its path, or "standard input". */
const char *rf_import_name(const roof_source *source);

/** From now on the end of packed data that end too early is an end, no failure. */
void rf_import_forgive(roof_source *source);

/** A record of the source ends in the middle. */
void rf_import_cut_record(roof_source *source);

/** Whether the file was seen to end too early: packed data that are forgiven, or a record. */
bool rf_import_is_cut(const roof_source *source);

/** Whether the line rf_import_line gave last ends with the file, not with a line break. */
bool rf_import_unended(const roof_source *source);

/** Whether that line is so, and ends within a number for all one knows. */
bool rf_import_ends_in_number(const roof_source *source);

/** What went wrong while reading, or ROOF_OK. */
roof_status rf_import_failed(const roof_source *source, roof_error *error);

/** `code` with a message at FILE:LINE:COLUMN; line 0: the current one, column 0: none. */
roof_status rf_import_error(const roof_source *source, roof_error *error, roof_status code, int line,
                            int column, const char *format, ...) ROOF_PRINTF(6, 7);

/* _csv.c: RFC 4180 records: quotes, newlines in quotes, ragged rows, CRLF */

/** A place in the file, both from 1; column 0: none. */
typedef struct import_spot {
  int line, column;
} import_spot;

/** One record. `fields` and their texts are valid until the next call. */
typedef struct import_row {
  char **fields;
  import_spot *spots; /**< where each field begins */
  size_t count;
  int line;          /**< where it begins */
  char *store;       /**< the texts */
  size_t capacity;   /**< of `store` */
  size_t field_room; /**< of `fields` */
} import_row;

/** Reads the next record into *row (start from zeros). False at the end and on failure: ROOF_OK in *status
 *  distinguishes the two. */
bool rf_import_csv(roof_source *source, char delimiter, import_row *row, roof_status *status,
                   roof_error *error);

/** Splits `line` as one record without a newline inside. */
roof_status rf_import_csv_split(const char *line, char delimiter, import_row *row, roof_error *error);

/** Splits `line` in place at blanks and tabs into at most `most` words; returns how many there are. */
int rf_import_words(char *line, char *words[], int most);

void rf_import_row_done(import_row *row);

/** The column whose name is `name` (any case, blanks trimmed), or -1. */
int rf_import_column(const import_row *header, const char *name);

/** The column named `name` with its unit behind it in parentheses: "Total Time (ns)", "Time(%)". *unit (31
 *  bytes and a NUL) is set when there is one. */
int rf_import_column_unit(const import_row *header, const char *name, char unit[32]);

/** The text of a column, "" when the row has none (column -1 included). */
const char *rf_import_field(const import_row *row, int column);

/** Where a column of the row begins, for messages; the row itself when it has no such column. */
import_spot rf_import_field_spot(const import_row *row, int column);

/* _number.c: numbers with their units, in no locale but the file's */

/** How a file writes numbers. */
typedef struct import_marks {
  char decimal; /**< '.' or ',' */
  char group;   /**< the other one, or 0: none seen */
} import_marks;

/** A number written with `marks` (NULL: a decimal point and no groups): NaN for anything that is not wholly
 *  one number ("n/a", "nan", "inf", "--", "<not counted>", ""). */
double rf_import_number(const char *text, const import_marks *marks);

/** A whole count, exact to the last digit. False when `text` is not one or does not fit. */
bool rf_import_count(const char *text, int64_t *count);

/** Collects how numbers are written: call it for every numeric cell, then rf_import_marks_of. */
typedef struct import_votes {
  uint64_t point, comma;
} import_votes;
void rf_import_vote(import_votes *votes, const char *text);
import_marks rf_import_marks_of(const import_votes *votes, char forced);

/** What one `unit` is in SI ("Mbyte", "us", "Gbyte/s", "cycle/nsecond", "%"): s, B, Hz, FLOP, shares.
 *  `kilo` is what K is (1000, or 1024 where the tool means that). NaN: not a unit this table has. */
double rf_import_unit(const char *unit, double kilo);

/** Picoseconds of a number in `unit`: exact where it is a whole number of nanoseconds or more. False when it
 *  is no time. */
bool rf_import_time(const char *text, const char *unit, const import_marks *marks, uint64_t *picoseconds);

/* _profile.c: filling in the profile */

/** Something was left out for want of memory: see rf_import_settled. */
void rf_import_starved(roof_profile *profile);
/** Gives a record its operation and shape, the texts copied. */
void rf_import_keep_ran(roof_profile *profile, roof_record *record, const roof_ran *ran);
/** Gives a record its operation and shape where `label` says them, as roof_op_label writes them. */
void rf_import_ran(roof_profile *profile, roof_record *record, const char *label, const char *device);
/** Adds FLOPs and bytes of a call of what a record ran, by the operation's formula. */
void rf_import_ran_work(roof_profile *profile, roof_record *record);
/** As rf_import_served for a run of another profile. */
roof_status rf_import_copy_run(roof_profile *profile, roof_record *into, const roof_served *run,
                               roof_error *error);
/** Gives one run a setting, a model or a format: "tp=2". */
void rf_import_served_set(roof_profile *profile, roof_served *run, const char *word);
/** Reads a label as `model --seal` makes it: "llama-3.1-8b TPOT batch=16 prompt=1024 generate=256 weights=mlp=fp8".
 *  False where it is none. */
bool rf_import_served_label(roof_profile *profile, const char *label, roof_served *run,
                            roof_served_figure *figure);
/** Gives a record the run of a whole model that it is of.
 *  Ownership: copies *run. Errors: ROOF_E_MEMORY. */
roof_status rf_import_served(roof_record *record, const roof_served *run, roof_error *error);
/** Adds a run of a whole model under that name, timed by the last of its figures that is known.
 *  Ownership: copies *run. Errors: ROOF_E_MEMORY. */
roof_status rf_import_run(roof_profile *profile, const char *name, const roof_served *run, roof_error *error);
/** The record of that name, made when it is new. NULL when out of memory. Bytes that are not UTF-8 become
 *  U+FFFD. The pointer is valid until the next call. */
roof_record *rf_import_record(roof_profile *profile, const char *name, size_t length);

/** The record of that name among those of a part of the dimension asked for; NULL: of none. */
roof_record *rf_import_part(roof_profile *profile, const char *part, const char *name, size_t length);

/** As rf_import_part, of calls that only have a time: the counts of fp32 and of the memory are missing for that reason, a
 *  static text. Where the record is new it shares them with others and only rf_import_own_counts lets it have more. */
roof_record *rf_import_uncounted(roof_profile *profile, const char *part, const char *name, size_t length,
                                 const char *why);

/** Gives a record counts of its own; false when out of memory. */
bool rf_import_own_counts(roof_profile *profile, roof_record *record);

/** The device or the stream of a call, where the profile is rolled up by these; NULL: it is not, or no stream is known. */
const char *rf_import_place(roof_profile *profile, int device, const char *stream);

/** The record of a call of a device that is named with its number, "NVIDIA RTX A6000 (0)", or by its number alone. */
roof_record *rf_import_record_on(roof_profile *profile, const char *name, size_t length, const char *device,
                                 const char *stream);

/** One call that took so many picoseconds. */
void rf_import_call(roof_profile *profile, roof_record *record, uint64_t picoseconds);

/** `calls` calls that took so many picoseconds together, without a sample of each. */
void rf_import_calls(roof_record *record, uint64_t calls, uint64_t picoseconds);

/** The time of a row outside the regions in it, s; NaN: no time. */
static inline double rf_ranked_own(const roof_ranked_record *row) {
  return isnan(row->record->own_seconds) ? row->at.seconds : row->record->own_seconds;
}

/** What a row lost in that time at most, s; NaN: not known. */
static inline double rf_ranked_lost(const roof_ranked_record *row) {
  return isnan(row->at.lost_seconds) ? NAN : fmin(row->at.lost_seconds, rf_ranked_own(row));
}

/** Adds what is given of so many calls, the `first` or further ones; NaN where either has none. */
void rf_import_give(roof_record *record, const roof_given *given, double calls, bool first);

/** Keeps a sample of seconds per call, or an even choice when there are many. */
void rf_import_sample(roof_profile *profile, roof_record *record, double seconds);

/** Picoseconds of a time in seconds; false when it is negative, not finite or too long. */
bool rf_import_picoseconds(double seconds, uint64_t *picoseconds);

/** Adds to a count; what is no amount (NaN with `source` as its reason, negative, not finite) is not added. A
 *  missing one stays missing, with its reason, until something is added; the lower quality of what was added
 *  is kept. `source` is static or from roof_profile_text. */
void rf_import_add(roof_count *count, double value, const char *source, roof_quality quality);

/** Says why a count is missing unless it has a value. */
void rf_import_missing(roof_count *count, const char *why);

/** Keeps a kernel whose instructions were counted in part from being judged by that part: zeros of some formats say nothing
 *  of the others, and a kernel that its name has multiply on the matrix unit does most of its work there. `matrix`: that
 *  unit was counted, or there is none. */
void rf_import_uncounted_compute(roof_record *record, bool matrix);

/** Adds to a counter, weighted by `seconds`. */
void rf_import_counter(roof_profile *profile, roof_record *record, const char *name, double value,
                       double seconds);

/** What a rule of the profiler says; of one name that with the larger speedup stands. Texts are copied, but for type and
 *  scope. */
void rf_import_rule(roof_profile *profile, roof_record *record, const roof_rule *rule);

/** Adds what a line of the kernel cost to what is there of it. Texts are copied. */
void rf_import_line_cost(roof_profile *profile, roof_record *record, const roof_line *line);

/** Counts something that became no figure. */
void rf_import_skip(roof_profile *profile, const char *what, const char *why);

/** The file ends too early: what was read is a part of it. */
void rf_import_cut(roof_profile *profile, const char *why);

/** As rf_import_skip, for so many of them. */
void rf_import_skips(roof_profile *profile, const char *what, const char *why, uint64_t times);

/** A number, or a text where `text` is not NULL. The last one of a name stands. */
void rf_import_fact(roof_profile *profile, const char *name, double value, const char *text);

/** The fact that says which chips of NVIDIA a file is of: "9.0". */
#define IMPORT_CAPABILITY "compute_capability"

/** Dates the profile, "2026-01-31T12:00:00+01:00" or "20260131-120000"; a date without a time zone is in that of this system.
 *  It was written so many seconds after measuring began. The earliest of several counts; what is no date changes nothing.
 *  Units: s. */
void rf_import_date(roof_profile *profile, const char *text, double after);

/** The fact that names a device besides the profile's. */
#define IMPORT_ANOTHER_DEVICE "another_device"

/** Names the device; a second one of another name is a fact. */
void rf_import_device(roof_profile *profile, const char *name);

/** The profile's machine, made when there is none. NULL when out of memory. */
roof_machine *rf_import_machine(roof_profile *profile);

/** Gives a profile that has no machine a copy of `machine`.
 *  Units: none. Ownership: the profile's. Errors: none; what fails is kept in the profile. */
void rf_import_copy_machine(roof_profile *profile, const roof_machine *machine);

/** As roof_profile_text, formatted. */
const char *rf_import_textf(roof_profile *profile, const char *format, ...) ROOF_PRINTF(2, 3);

/* _timeline.c: when the calls were. The first track of a file begins its trace, which ends with the file */

/** The number of a stream of a device, the same for the same two. UINT32_MAX when out of memory: what is added to
 *  it is left out. */
uint32_t rf_import_track(roof_profile *profile, int device, const char *stream);

/** Names a device of the trace, for the tracks that are there. */
void rf_import_track_device(roof_profile *profile, int device, const char *name);

/** The rank of the trace's process. */
void rf_import_rank(roof_profile *profile, int rank);

/** Adds a call of a record; `activity` may be ROOF_ACTIVITY_COUNT: what its record's name says. Times that are none
 *  are left out. */
void rf_import_slice(roof_profile *profile, const roof_slice *slice);

/** Adds a call that began at `start` ns on a device that is named with its number, "NVIDIA RTX A6000 (0)", or by its
 *  number alone; when it was launched is not known. */
void rf_import_call_at(roof_profile *profile, const roof_record *record, int64_t start, uint64_t picoseconds,
                       const char *device, const char *stream);

/** Adds a wait of the host, in ns, to the trace. */
void rf_import_host_wait(roof_profile *profile, int64_t start, int64_t end);

/** Times are no farther from 0, in ns: so that their sums and differences fit. */
#define IMPORT_FARTHEST (INT64_MAX / 4)

/** Ends a trace of a file that has several; what `about` says of it, its path apart, or NULL. Its activities are known. */
void rf_import_trace_end(roof_profile *profile, const char *path, const roof_trace *about);

/** Ends the trace of a file, if it has one. */
void rf_import_trace_read(roof_profile *profile, const char *path);

/** Adds the traces of `from`; `record` has the number of each of its records in `into`. */
void rf_import_timeline_join(roof_profile *into, const roof_profile *from, const uint32_t *record);

/* _copy.c: what copies are called, and what they moved */

/** The name of a copy or a set as all formats of Nsight Systems, nvprof and rocprof have it, "[copy host to device]" for
 *  "[CUDA memcpy HtoD]"; any other as it is. */
const char *rf_import_copy_name(const char *name);

/** What a copy or a set goes through. */
typedef enum import_way { IMPORT_WAY_HOST, IMPORT_WAY_PEER, IMPORT_WAY_INSIDE, IMPORT_WAY_SET } import_way;

/** What the name of a copy says: "[CUDA memcpy HtoD]" goes over the host's bus. */
import_way rf_import_way_of(const char *name);

/** Adds the bytes of a copy or a set to its link, or as often as they pass to the memory; one without bytes is missing. */
void rf_import_moved(roof_record *record, import_way way, double bytes);

/** _join.c: the length of the name without return type, template arguments and parameters, and where it begins:
 *  `void ns::kernel<float, 4>(float*)` is `ns::kernel`. */
size_t rf_import_base_name(const char *name, const char **start);

/* _time_facts.c: the time of the busiest device as facts */

/** Sets the facts of a profile that has one trace: spans, idle time and launches of its busiest device, the idle share
 *  of its others. One that has more traces loses those that joining gave it. */
void rf_import_time_facts(roof_profile *profile);

/** Whether a fact is one of these. */
bool rf_import_is_time_fact(const roof_fact *fact);

/* _group.c: kernels that are one */

/** Kernels whose name matches are calls of one kernel of that name. */
typedef struct import_group {
  regex_t pattern;
  const char *name, *text; /**< in the rule's text */
  int matches;
} import_group;

/** Start from `{0}`. */
typedef struct import_groups {
  import_group *rules;
  size_t count;
  bool base; /**< names without their template arguments */
} import_groups;

/** Compiles a POSIX extended expression; `option` names it in messages. */
roof_status rf_import_regex(const char *option, const char *text, regex_t *pattern, roof_error *error);

/** Reads rules (a list that ends with NULL, or NULL), which outlive the groups. Release in any case. */
roof_status rf_import_groups_read(const char *const *texts, import_groups *groups, roof_error *error);

/** Names the kernels of one file. */
void rf_import_groups_apply(import_groups *groups, roof_profile *profile);

/** ROOF_E_NAME for a rule that matched none. */
roof_status rf_import_groups_check(const import_groups *groups, roof_error *error);
void rf_import_groups_done(import_groups *groups);

/** ROOF_E_MEMORY when anything above ran out of memory. */
roof_status rf_import_settled(const roof_profile *profile, roof_error *error);

#endif
