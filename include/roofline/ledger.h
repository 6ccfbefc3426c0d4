/** The append-only, hash-chained record of predictions and measurements (JSON lines).
 *
 *  Each line is one JSON object: `sequence` from 1, `kind`, `time` (UTC), `version`, what was predicted or
 *  measured, then `previous`, the SHA-256 of the whole line before with its newline (`sed -n 1p FILE |
 *  sha256sum`; 64 zeros in the first), and `sha256`, the SHA-256 of this line up to `,"sha256"`. So one
 *  changed byte anywhere shows; dropping whole lines at the end does not. A signed line has `public_key`
 *  before and `signature` after `previous`: Ed25519 of this line up to `,"signature"`.
 *
 *  Example:
 *    extern const roof_sealing *sealing;      // by roof_sealing_of
 *    extern const roof_measurement *measured; // by a backend
 *    roof_reconcile result;
 *    if (roof_ledger_seal("roofline.ledger", sealing, 1, NULL, NULL) == ROOF_OK &&
 *        roof_ledger_record("roofline.ledger", measured, 1, NULL, NULL) == ROOF_OK &&
 *        roof_ledger_reconcile("roofline.ledger", false, &result, NULL) == ROOF_OK) {
 *      puts(result.entries[0].because);
 *      roof_reconcile_done(&result);
 *    } */
#ifndef ROOFLINE_LEDGER_H
#define ROOFLINE_LEDGER_H

#include <stddef.h>

#include "roofline/advise.h"
#include "roofline/documents.h"
#include "roofline/measurement.h"
#include "roofline/predict.h"
#include "roofline/sealing.h"
#include "roofline/text.h"
#include "roofline/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How entries are added. NULL in its place means `{0}`. */
typedef struct roof_ledger_options {
  const char *commit; /**< git commit of the working directory, NULL or "": none */
  const char *key;    /**< file of a secret key that signs, NULL: unsigned */
  bool unsealed;      /**< take measurements that no prediction came before, and mark them */
} roof_ledger_options;

/** The commit checked out in the git repository around the working folder, as git prints it; "" outside a repository and
 *  where there is no git.
 *  Units: none.
 *  Ownership: fills the caller's buffer on success only.
 *  Errors: ROOF_E_MEMORY; ROOF_E_UNSUPPORTED where no more files or processes are allowed. */
ROOF_API roof_status roof_ledger_commit(char commit[ROOF_DIGEST_MAX], roof_error *error);

/** SHA-256 of a text in hexadecimal.
 *  Units: bytes.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: none. */
ROOF_API char *roof_ledger_digest(const char *text, size_t length, char digest[ROOF_DIGEST_MAX]);

/** SHA-256 of the machine as `roofline machine show --json` prints it.
 *  Units: none.
 *  Ownership: fills the caller's buffer on success only.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_digest(const roof_machine *machine, char digest[ROOF_DIGEST_MAX],
                                         roof_error *error);

/** What is sealed of a prediction: its label (roof_op_label), times, ceilings, the machine and its levels.
 *  Units: s, FLOP, bytes.
 *  Ownership: fills *sealing on success only; it points nowhere.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_sealing_of(const roof_target *target, const roof_op *op, const double *values,
                                     const roof_prediction *prediction, roof_sealing *sealing,
                                     roof_error *error);

/** Adds what a document does not say of the machine: its digest, where there is none, and its levels.
 *  Units: bytes/s.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_sealing_complete(roof_sealing *sealing, const roof_machine *machine,
                                           roof_error *error);

/** roof_sealing_complete for predictions that were read from documents, as far as the catalogue has their machines;
 *  what it does not have stays unknown. Each is predicted anew: one that comes out the same is `recomputed`, any other is
 *  by hand, and its `doubt` says why.
 *  Units: bytes/s.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_sealings_complete(roof_sealings *all, roof_error *error);

/** Appends the predictions of a line's words, "gemm m=1 n=8192 k=8192 --machine h100".
 *  Units: s, FLOP, bytes.
 *  Ownership: keeps neither.
 *  Errors: its own. */
typedef roof_status roof_sealing_predict(void *user, const char *words, roof_sealings *all,
                                         roof_error *error);

/** Appends the predictions of a file: documents as roof_sealings_read takes them, completed, or lines `LABEL: WORDS` (the
 *  label may be left out, comments start with #), which `predict` predicts; of a table of roof_ledger_write_markdown its
 *  rows. One whose lower bound is another now is refused.
 *  Units: s, FLOP, bytes.
 *  Ownership: release *all in any case.
 *  Errors: those of `predict` with file and line, ROOF_E_INPUT, ROOF_E_PARSE where there are none, as
 *  roof_sealings_read. */
ROOF_API roof_status roof_sealings_load(roof_sealings *all, const char *file, roof_sealing_predict *predict,
                                        void *user, roof_error *error);

/** Appends what was sealed in `ledger` as one roofline.sealed/1 object, what `seal --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ledger_write_sealed(const char *ledger, const roof_sealings *sealings,
                                              bool is_signed, roof_text *out, roof_error *error);

/** Appends what was recorded in `ledger` as one roofline.recorded/1 object, what `record --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ledger_write_recorded(const char *ledger, const roof_measurements *all,
                                                roof_text *out, roof_error *error);

/** Hears what happens to a ledger's file meanwhile, in a sentence: another program holds its lock, a torn end was dropped.
 *  Units: none.
 *  Ownership: the sentence is the caller's for the call only.
 *  Errors: none. */
typedef void roof_ledger_listener(void *user, const char *sentence);

/** Sets who hears it, for all ledgers of the process; NULL: nobody, as at first. Before threads use ledgers.
 *  Units: none.
 *  Ownership: keeps `user`.
 *  Errors: none. */
ROOF_API void roof_ledger_listen(roof_ledger_listener *listener, void *user);

/** Appends `count` predictions, all or none, to a ledger whose chain holds: one write under a lock, synced, with its folder
 *  where it is new. An end that a crash tore off was never acknowledged: it is kept in a new file `path`.torn
 *  (.torn.2 ...), cut off, reported to the listener, and the first new entry says so.
 *  Units: s, FLOP, bytes.
 *  Ownership: keeps nothing.
 *  Errors: ROOF_E_ARGUMENT for a label that is empty, too long, not UTF-8 or given twice, or a time that is
 *  unknown, ROOF_E_OUTPUT when the file cannot be written or another program keeps its lock for 60 s (nothing is
 *  appended), ROOF_E_PARSE when it is not a ledger, ROOF_E_GATE with the line when it was changed, ROOF_E_INPUT and
 *  ROOF_E_UNSUPPORTED for the key. */
ROOF_API roof_status roof_ledger_seal(const char *path, const roof_sealing *sealings, size_t count,
                                      const roof_ledger_options *options, roof_error *error);

/** Appends `count` measurements with all their samples, as roof_ledger_seal does predictions.
 *  Units: s, FLOP, bytes.
 *  Ownership: keeps nothing.
 *  Errors: as roof_ledger_seal; ROOF_E_GATE also, unless `options->unsealed`, for a
 *  measurement without a prediction or older than it; ROOF_E_ARGUMENT for one taken later than now, fewer FLOPs or bytes
 *  than none, or a clue with a value that roof_clue_check refuses. */
ROOF_API roof_status roof_ledger_record(const char *path, const roof_measurement *measurements, size_t count,
                                        const roof_ledger_options *options, roof_error *error);

/** As roof_ledger_record for those of the measurements that a prediction is sealed for (with
 *  `options->unsealed` for all) and that have a label and a time; why[i] is NULL where one was recorded, else
 *  why it was not.
 *  Units: s, FLOP, bytes.
 *  Ownership: keeps nothing; fills `why` (`count` static texts).
 *  Errors: as roof_ledger_record; ROOF_E_GATE when none is left. */
ROOF_API roof_status roof_ledger_record_known(const char *path, const roof_measurement *measurements,
                                              size_t count, const roof_ledger_options *options,
                                              const char **why, roof_error *error);

/** What a ledger that holds may have in it and a sceptic asks about: numbers of entries. */
typedef struct roof_ledger_doubts {
  size_t unsealed;          /**< measurements marked so */
  size_t superseded;        /**< predictions of labels that had one */
  size_t after_measurement; /**< predictions that a measurement of their label came before */
  size_t by_hand;           /**< predictions with figures that somebody wrote */
  size_t differing;         /**< measurements of another machine or format than their prediction */
  size_t clocks;            /**< entries whose date went another way than the time since the system started */
  size_t torn;              /**< entries before which the end of a torn append was dropped */
} roof_ledger_doubts;

/** What a ledger that holds consists of. */
typedef struct roof_ledger_summary {
  size_t entries;
  size_t predictions;
  size_t measurements;
  size_t signatures;
  roof_ledger_doubts doubts;
  size_t torn_files;          /**< torn ends kept next to it, in `path`.torn, .torn.2 ... */
  char head[ROOF_DIGEST_MAX]; /**< SHA-256 of the last line: what to publish */
  bool keyed;                 /**< signatures were held against a key */
  size_t own_signatures;      /**< of that key */
  size_t covered;             /**< entries up to the last of these, which nobody else can have changed */
} roof_ledger_summary;

/** Recomputes the chain and checks every signature, the order of times, and that measurements are of the predictions
 *  they name; with `key`, a file of a public key, every prediction must be signed by it.
 *  Units: entries.
 *  Ownership: writes *summary on success only.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE when it is not a ledger, ROOF_E_GATE with the number of the first bad entry as line,
 *  and for a ledger without entries. */
ROOF_API roof_status roof_ledger_verify(const char *path, const char *key, roof_ledger_summary *summary,
                                        roof_error *error);

/** Whether a ledger goes on from an earlier state of it, nothing before changed: `earlier` is a copy of its file, or the
 *  head that `ledger verify` printed of it, "3:SHA256". *entries is how many that state had.
 *  Units: entries.
 *  Ownership: writes *entries on success only.
 *  Errors: ROOF_E_GATE where it does not, or one of the two does not hold; ROOF_E_INPUT, and ROOF_E_PARSE when one is not a ledger. */
ROOF_API roof_status roof_ledger_extends(const char *path, const char *earlier, size_t *entries,
                                         roof_error *error);

/** ROOF_E_GATE for what a ledger that is intact may hold and a sceptic would ask about: any of its
 *  doubts, entries that no signature of the key covers. `ledger` is for the message.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as said. */
ROOF_API roof_status roof_ledger_check(const roof_ledger_summary *summary, const char *ledger,
                                       roof_error *error);

/** Appends the answer in a sentence: the ledger is intact, how many entries, predictions and measurements it has, how
 *  many signatures match; then in lines its head and what the signatures of the key cover.
 *  Units: entries.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_ledger_sentence(const char *ledger, const roof_ledger_summary *summary, roof_text *out);

/** Anchors of a ledger that were verified: anchor.h. */
typedef struct roof_anchors roof_anchors;

/** Appends the summary of a ledger that holds as one roofline.verification/1 object, what `ledger verify --json`
 *  prints; `anchors` are those that were verified, NULL: none.
 *  Units: entries.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ledger_write_summary(const char *ledger, const roof_ledger_summary *summary,
                                               const roof_anchors *anchors, roof_text *out,
                                               roof_error *error);

/** Appends the lines of a ledger whose chain holds to `lines`.
 *  Units: bytes.
 *  Ownership: the caller's text.
 *  Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_lines(const char *path, roof_text *lines, roof_error *error);

/** One line of a ledger. Numbers that are not known are NaN, texts "". */
typedef struct roof_ledger_entry {
  double sequence;   /**< from 1 */
  double prediction; /**< of a measurement: the entry that it is of */
  char kind[16];
  bool measured;
  bool unsealed;
  char time[ROOF_TIME_MAX];
  double at;           /**< that time, s since 1970 */
  char boot[20];       /**< digest of the name of the system's start that it was written in; "" unknown */
  double uptime;       /**< s since that start */
  char origin[16];     /**< of a prediction: a name of roof_sealing_origin_name */
  char taken_from[16]; /**< of a measurement: a name of roof_taken_name */
  char differs[24];    /**< of a measurement: "machine", "dtype": what is another than its prediction's */
  char measured_as
      [ROOF_OWN_NAME_MAX];   /**< of a measurement: the kernel's own name where the label is another */
  char taken[ROOF_TIME_MAX]; /**< of a measurement: when measuring began, "" when it was recorded */
  char commit[ROOF_DIGEST_MAX];
  char public_key[ROOF_DIGEST_MAX]; /**< "" unsigned */
  char previous[ROOF_DIGEST_MAX];
  char sha256[ROOF_DIGEST_MAX];
  char digest[ROOF_DIGEST_MAX]; /**< of the whole line with its newline: the next line's `previous` */
  double batch_first;           /**< of the entries that were appended together; NaN: it was alone */
  double batch_last;
  double torn_bytes; /**< of a torn append that was dropped before it; NaN: none */
  char torn_sha256[ROOF_DIGEST_MAX];
  roof_sealing of;    /**< what was predicted; of a measurement its label, machine, format and work */
  double seconds;     /**< measured */
  double noise;       /**< how far that may be off, as a share of it */
  double memory_pace; /**< how fast memory was meanwhile, as a share of its ceiling; NaN: as fast as that */
  char counted[64];   /**< how the bytes of a measurement were */
  char counted_flops[64];                    /**< how its FLOPs were */
  double level_bytes[ROOF_LEVEL_KIND_COUNT]; /**< counted */
  double clue[ROOF_CLUE_COUNT];              /**< counted */
  double *samples;                           /**< s; filled by roof_ledger_read */
  size_t sample_count;
} roof_ledger_entry;

/** All of them. */
typedef struct roof_ledger_entries {
  roof_ledger_entry *entries;
  size_t count;
} roof_ledger_entries;

/** Reads a ledger whose chain holds.
 *  Units: s, FLOP, bytes.
 *  Ownership: fills *out on success only; release with roof_ledger_entries_done.
 *  Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_read(const char *path, roof_ledger_entries *out, roof_error *error);

/** Frees entries.
 *  Units: none.
 *  Ownership: releases what roof_ledger_read filled.
 *  Errors: none. */
ROOF_API void roof_ledger_entries_done(roof_ledger_entries *all);

/** Appends the entries as one roofline.ledger/1 object, what `ledger show --json` prints.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_write(const char *path, roof_text *out, roof_error *error);

/** Appends the predictions as a table in Markdown, with what was measured of each; roof_sealings_load reads it again.
 *  Units: s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_write_markdown(const char *path, roof_text *out, roof_error *error);

/** Makes a key pair: the secret in `path`, readable by its owner only, the public key in `path`.pub.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_OUTPUT when a file exists or cannot be written. */
ROOF_API roof_status roof_ledger_keygen(const char *path, roof_error *error);

/** A prediction and its measurement. Numbers that are not known are NaN, texts "" or NULL. */
typedef struct roof_reconciled {
  char label[ROOF_LABEL_MAX];
  size_t prediction;                    /**< its entry's number */
  size_t measurement;                   /**< its entry's number */
  char origin[16];                      /**< of the prediction: a name of roof_sealing_origin_name */
  char taken_from[16];                  /**< of the measurement: a name of roof_taken_name */
  char differs[24];                     /**< what is another than its prediction's: "machine", "dtype" */
  char measured_as[ROOF_OWN_NAME_MAX];  /**< the kernel's own name where the label is another */
  size_t superseded;                    /**< other predictions of the label */
  size_t after_measurement;             /**< predictions of the label that a measurement of it came before */
  bool late;                            /**< this one is of these */
  size_t measured_again;                /**< other measurements of it, which do not count */
  size_t again;                         /**< the number of the last of them, 0: none */
  double again_seconds;                 /**< its time */
  char machine[ROOF_NAME_MAX];          /**< predicted for */
  char machine_digest[ROOF_DIGEST_MAX]; /**< of that machine's file when it was sealed, "" unknown */
  bool machine_changed;   /**< the file that the catalogue has under that name today is another */
  char device_class[32];  /**< of that machine, "" unknown */
  char op[ROOF_NAME_MAX]; /**< what was predicted, "" unknown */
  char parameters[ROOF_PARAMETERS_MAX];
  char dtype[16];
  char typed[ROOF_TYPED_MAX]; /**< formats and options that it was predicted with, as they are typed */
  bool unsealed;              /**< the measurement was taken before its prediction was sealed */
  double predicted_seconds;   /**< expected */
  double fastest_seconds;     /**< the fast end of its interval; NaN: none was sealed */
  double slowest_seconds;     /**< the slow end of it */
  double measured_seconds;    /**< median */
  double mine_seconds;        /**< what a person predicted with it; NaN: nothing */
  size_t guesses;             /**< predictions of the label with which a person predicted too */
  double mine_error;          /**< that / measured - 1 */
  double lower_seconds;       /**< as sealed */
  double upper_seconds;       /**< as sealed */
  double ceiling_seconds;     /**< the lower bound at memory_pace, which the shares are of */
  double compute_seconds;
  double memory_seconds;
  double overhead_seconds;
  double flops;                                         /**< predicted */
  double bytes;                                         /**< predicted */
  double level_bytes_per_second[ROOF_LEVEL_KIND_COUNT]; /**< of the machine */
  double counted_bytes;                                 /**< NaN: by the formula only */
  char regime[16];
  char binding[64];
  double clue[ROOF_CLUE_COUNT];        /**< what was counted, NaN: was not */
  roof_seen seen;                      /**< the regime that the counters show; resource NULL: not counted */
  double fraction_of_ceiling;          /**< ceiling / measured */
  double expected_fraction;            /**< lower / predicted */
  double headroom;                     /**< measured / ceiling */
  double gap_points;                   /**< 100 x (expected_fraction - fraction_of_ceiling) */
  double share[ROOF_BASIS_COUNT];      /**< of the theoretical and of the achieved ceiling */
  const char *bands[ROOF_BASIS_COUNT]; /**< a name of roof_verdict_on */
  double overlap; /**< implied: 1 at the lower bound, 0 at the sum without overlap; NaN where the two agree */
  double intensity;             /**< arithmetic, FLOP/byte */
  double operational_intensity; /**< from counted bytes */
  const char *traffic;          /**< "equal", "lower" or "higher" than arithmetic, NULL not counted */
  double flops_per_second;      /**< achieved */
  double roof_flops_per_second; /**< of the theoretical roof at that intensity */
  double roof_share;            /**< achieved / that */
  bool done;                    /**< at 90 % of the achieved roof: stop */
  double memory_pace;           /**< the shares are of memory as fast as this; NaN: as its ceiling */
  const char *verdict;          /**< a name of roof_verdict_on(fraction_of_ceiling), heeding the prediction */
  char because[256];
  char impossible[192]; /**< the arithmetic of a point above its theoretical roof, else "" */
  const char *next;     /**< what would move the roof, when done */
} roof_reconciled;

/** A machine that was predicted for, as roof_reconcile_why looked it up. */
typedef struct roof_reconcile_machine {
  char name[ROOF_NAME_MAX];
  roof_machine *machine;        /**< NULL: the catalogue does not have it */
  char digest[ROOF_DIGEST_MAX]; /**< of its file today, "" without one */
} roof_reconcile_machine;

/** What persons predicted (`--mine`), graded next to the model; errors are |predicted / measured - 1|, NaN without any. */
typedef struct roof_guesses {
  size_t count;  /**< labels that count */
  size_t nearer; /**< of these, those where the person was nearer than the model */
  double median_error;
  double model_median_error; /**< of the same labels */
} roof_guesses;

typedef struct roof_reconcile {
  roof_reconciled *entries; /**< in the order the labels first appear */
  size_t count;
  bool latest;             /**< the last prediction of a label counts, not the first */
  size_t impossible_count; /**< entries above their ceiling */
  roof_ledger_doubts doubts;
  roof_guesses guesses;
  char (*unmatched_predictions)[ROOF_LABEL_MAX];
  size_t unmatched_prediction_count;
  char (*unmatched_measurements)[ROOF_LABEL_MAX];
  size_t unmatched_measurement_count;
  roof_reconcile_machine *machines;
  size_t machine_count;
} roof_reconcile;

/** Matches the first prediction of each label (`latest`: the last) with the first measurement after it, one that is marked
 *  `unsealed` where there is no other. A prediction without one is unmatched; so is a measurement that no prediction of its
 *  label came before.
 *  Units: s.
 *  Ownership: release with roof_reconcile_done; filled on success only.
 *  Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_reconcile(const char *path, bool latest, roof_reconcile *result,
                                           roof_error *error);

/** The measurement of `label` against the last prediction of it.
 *  Units: as roof_reconciled.
 *  Ownership: writes *measured on success only.
 *  Errors: ROOF_E_NAME where the ledger has no such measurement; as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_measured(const char *path, const char *label, roof_reconciled *measured,
                                          roof_error *error);

/** ROOF_E_GATE where there is no label, one has no counterpart or a kernel is above its ceiling; `strict`: also where there
 *  are doubts. `ledger` is for the message.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as said. */
ROOF_API roof_status roof_reconcile_check(const roof_reconcile *all, const char *ledger, bool strict,
                                          roof_error *error);

/** Appends the answer in one sentence: "3 of 4 predictions measured".
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_reconcile_sentence(const roof_reconcile *all, roof_text *out);

/** What decided the measured regime, where it is not the one predicted or no resource is busy; "" else.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_reconciled_regime(const roof_reconciled *reconciled, char *buffer, size_t size);

/** What a `traffic` of a result means, after a colon: "lower: redundant traffic".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for another text. */
ROOF_API const char *roof_traffic_meaning(const char *traffic);

#define ROOF_WHY_CAUSES 8

/** Why a reconciled kernel is as fast as it is. Do not copy it: the prediction points into it. */
typedef struct roof_why {
  roof_peak peak;
  roof_level level;
  roof_level caches[ROOF_MEMORY]; /**< by their name and bandwidth alone */
  roof_link link;
  roof_machine machine;               /**< its class alone, where nothing else is known of it */
  roof_prediction prediction;         /**< as far as it was sealed */
  roof_cause causes[ROOF_WHY_CAUSES]; /**< the best supported first */
  size_t count;
  char sentence[512]; /**< roof_causes_sentence */
} roof_why;

/** Ranks the causes of a reconciled entry. `machine`, nullable, is the one predicted for.
 *  Units: as roof_reconciled.
 *  Ownership: fills *why, which points to nothing outside itself.
 *  Errors: none; without a machine the causes are those of the class of device that was sealed, or of every. */
ROOF_API void roof_why_of(roof_why *why, const roof_reconciled *reconciled, const roof_machine *machine);

/** roof_why_of an entry, with the machine predicted for while the catalogue has it.
 *  Units: as roof_reconciled.
 *  Ownership: fills *why; *all keeps the machines for the next entries.
 *  Errors: none; of a machine that is not found, or where memory is short, nothing is known. */
ROOF_API void roof_reconcile_why(roof_reconcile *all, size_t index, roof_why *why);

/** Appends what is to be said of a reconciled kernel, in indented lines: why it is as fast as it is, what was counted and
 *  what that leaves open, a person's own prediction graded; nothing of one that is as fast as expected.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_reconciled_remarks(const roof_reconciled *reconciled, const roof_why *why, roof_text *out);

/** Appends what is to be said of all of them together, in indented lines: how near persons were, machines whose file has
 *  changed since.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_reconcile_remarks(const roof_reconcile *all, roof_text *out);

/** Appends a reconciliation with its causes as one roofline.reconcile/1 object, what `reconcile --json` prints.
 *  Units: s, FLOP/s, FLOP/byte.
 *  Ownership: appends to the caller's `out`; *all keeps the machines it looked up.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_reconcile_write(roof_reconcile *all, const char *ledger, roof_text *out,
                                          roof_error *error);

/** Frees a result.
 *  Units: none.
 *  Ownership: releases what reconcile filled.
 *  Errors: none. */
ROOF_API void roof_reconcile_done(roof_reconcile *result);

#ifdef __cplusplus
}
#endif
#endif
