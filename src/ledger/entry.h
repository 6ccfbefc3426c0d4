/** One line of a ledger, and a ledger read from memory. */
#ifndef LEDGER_ENTRY_H
#define LEDGER_ENTRY_H

#include <jansson.h>
#include <sodium.h>

#include "roofline/ledger.h"
#include "roofline/text.h"
#include "roofline/time.h"

enum {
  LEDGER_DIGEST = ROOF_DIGEST_MAX - 1,                /* hexadecimal digits of a SHA-256 */
  LEDGER_SIGNATURE = 2 * crypto_sign_BYTES,           /* of an Ed25519 signature */
  LEDGER_PUBLIC_KEY = 2 * crypto_sign_PUBLICKEYBYTES, /* of a public key */
  LEDGER_TIME = ROOF_TIME_MAX,
  LEDGER_BOOT = 16 /* digits kept of the digest of a start's name */
};

/** Where the next line joins the chain. */
typedef struct ledger_link {
  size_t sequence; /**< of the last line, 0: none */
  char digest[LEDGER_DIGEST + 1];
} ledger_link;

/** An Ed25519 key pair; rf_ledger_key_done forgets it. */
typedef struct ledger_key {
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  char public_key[LEDGER_PUBLIC_KEY + 1];
} ledger_key;

/* entry.c */
/** The start of the system, and the seconds since, as an entry that is written now has them. */
char *rf_ledger_boot(char digest[ROOF_DIGEST_MAX]);
double rf_ledger_uptime(void);

/** The link of an empty ledger. */
ledger_link rf_ledger_link_first(void);
ledger_link rf_ledger_link_after(const roof_ledger_entry *last);

/** Appends the line that follows `link` with the caller's `fields`, newline included, signed when `key` is
 *  not NULL, and moves `link` on. */
roof_status rf_ledger_entry_write(ledger_link *link, json_t *fields, const ledger_key *key, roof_text *line,
                                  roof_error *error);

/** Reads one line of `length` bytes without its newline. Returns NULL, or what is wrong with it. */
const char *rf_ledger_entry_read(const char *line, size_t length, roof_ledger_entry *entry);

/** Whether the line ends as an entry does, in a SHA-256 of whatever. */
bool rf_ledger_entry_is_sealed(const char *line, size_t length);

/** Checks a signed line against its own public key. Returns NULL, or what is wrong with it. */
const char *rf_ledger_entry_signature(const char *line, size_t length, const roof_ledger_entry *entry);

/** Returns NULL when `entry` follows `link`, or what is wrong. */
const char *rf_ledger_entry_follows(const roof_ledger_entry *entry, const ledger_link *link);

/* labels.c */
/** The labels of a ledger by numbers from 0 on, in the order they first appear. */
typedef struct ledger_labels {
  const char **list;
  size_t count;
  size_t *slots;     /**< index into list + 1, 0: free */
  size_t slot_count; /**< a power of two, at least twice the labels there can be */
} ledger_labels;

/** False when out of memory; release in any case. */
bool rf_ledger_labels_init(ledger_labels *labels, size_t most);
void rf_ledger_labels_done(ledger_labels *labels);

/** The number of a label, which must stay where it is. */
size_t rf_ledger_label_index(ledger_labels *labels, const char *label);

/* check.c */
/** Clocks of two machines agree within this. */
#define RF_LEDGER_SKEW_SECONDS 2.0

/** Whether what was measured at `taken` ("": when it was recorded) was so before its prediction was sealed. */
bool rf_ledger_is_early(const roof_ledger_entry *prediction, const char *taken);

/** Seconds by which measurement `m` (taken, at, boot and uptime are known) was taken before its prediction was sealed, by
 *  the time since the system started, which no setting of the clock changes; at most 0 where that is not known. */
double rf_ledger_lead(const roof_ledger_entry *prediction, const roof_ledger_entry *m);

/** What the times of a prediction say against each other, or NULL. */
const char *rf_ledger_contradiction(const roof_sealing *sealing);

/** What entries of a chain that holds say of themselves and of each other: ROOF_E_GATE with the number of the first that is
 *  wrong. */
roof_status rf_ledger_check(const roof_ledger_entries *all, const char *file, roof_error *error);

/* judge.c */
/** The regime of that name; memory for any other. */
roof_regime rf_ledger_regime(const char *name);

/** ROOF_E_ARGUMENT: the label is that of another prediction too. */
roof_status rf_ledger_given_twice(const char *label, roof_error *error);

/** The bound without overlap, of memory as fast as it was meanwhile. */
double rf_ledger_paced_upper(const roof_reconciled *r);

/** Far from its ceiling, as was predicted, or less far: nobody has to look for the cause. */
bool rf_ledger_foreseen(const roof_reconciled *r);

/* scan.c */
/** Reads the fields of one compact JSON object into *entry, unknown as NaN and ""; false when it is none, a
 *  field is given twice, has another type or does not fit. The text ends with a quote and a brace. */
bool rf_ledger_scan(const char *text, size_t length, roof_ledger_entry *entry);

/* chain.c */
/** Where the next entry goes. */
typedef struct ledger_end {
  ledger_link link;
  size_t length; /**< bytes of the entries; what follows is torn */
  bool unended;  /**< the last entry is whole but its newline is missing */
} ledger_end;

/** True when `text` starts as a ledger does, is the start of such a start, or a first append that a crash left. */
bool rf_ledger_begins(const char *text, size_t length);

/** Reads and checks a whole ledger; `file` names it in errors. `signatures`: check those too. */
roof_status rf_ledger_read(const char *text, size_t length, const char *file, bool signatures,
                           roof_ledger_entries *out, roof_error *error);

/** As rf_ledger_read, without signatures, for a ledger whose last append may be torn: *out has the entries before it. */
roof_status rf_ledger_read_end(const char *text, size_t length, const char *file, roof_ledger_entries *out,
                               ledger_end *end, roof_error *error);

/* ledger.c */
/** Loads and checks the ledger at `path`; `text` (nullable) gets its lines. */
roof_status rf_ledger_load(const char *path, bool signatures, roof_ledger_entries *out, roof_text *text,
                           roof_error *error);

/** Called with what is in the ledger to complete the objects about to be added. */
typedef roof_status ledger_completer(json_t *list, const roof_ledger_entries *before, void *user,
                                     roof_error *error);

/** Appends the objects of `list` with one write under a lock, or nothing; `key_path` and `complete` may be
 *  NULL. */
roof_status rf_ledger_append(const char *path, json_t *list, const char *key_path, ledger_completer *complete,
                             void *user, roof_error *error);

/* verify.c */
/** Reads the head "3:SHA256" that `verify` prints; false: it is none, and nothing is written. */
bool rf_ledger_head_read(const char *text, size_t *number, char digest[ROOF_DIGEST_MAX]);

/** ROOF_E_GATE unless the ledger's entry of that number has that digest: then all up to it are as they were. `path` and
 *  `earlier` are for the message. */
roof_status rf_ledger_goes_on(const roof_ledger_entries *ledger, const char *path, const char *earlier,
                              size_t number, const char *digest, roof_error *error);

/* key.c */
roof_status rf_ledger_key_load(const char *path, ledger_key *key, roof_error *error);
void rf_ledger_key_done(ledger_key *key);
/** The public key in the file at `path`, in hexadecimal. */
roof_status rf_ledger_key_public(const char *path, char out[LEDGER_PUBLIC_KEY + 1], roof_error *error);

/* reconcile.c */
/** Matches predictions with measurements: the first prediction of each label counts, or the last. */
roof_status rf_ledger_match(const roof_ledger_entries *ledger, bool latest, roof_reconcile *result,
                            roof_error *error);

/** Loads the machine of every entry that the catalogue has, once each, and notes which have changed since. */
roof_status rf_reconcile_machines(roof_reconcile *all, roof_error *error);

/** The machine of that name as the catalogue has it, or NULL. */
const roof_machine *rf_reconcile_machine(const roof_reconcile *all, const char *name);

/* guesses.c */
/** Grades what persons predicted. */
roof_status rf_ledger_grade(const roof_reconcile *all, roof_guesses *guesses, roof_error *error);

/* doubts.c */
/** What a sceptic would ask about. */
roof_status rf_ledger_doubts_of(const roof_ledger_entries *ledger, roof_ledger_doubts *doubts,
                                roof_error *error);

/** ROOF_E_GATE where there is anything. */
roof_status rf_ledger_doubts_check(const roof_ledger_doubts *doubts, const char *ledger, roof_error *error);

/** Appends ", 2 by hand": all there are. */
void rf_ledger_doubts_add(const roof_ledger_doubts *doubts, roof_text *out);

/** Writes a document with the members that count them; takes `object`, NULL: memory ran out. */
roof_status rf_ledger_doubts_write(json_t *object, const roof_ledger_doubts *doubts, const char *what,
                                   roof_text *out, roof_error *error);

/* judge.c */
/** Sets a measurement against its prediction. */
roof_reconciled rf_ledger_judge(const roof_ledger_entry *prediction, const roof_ledger_entry *measurement);

#endif
