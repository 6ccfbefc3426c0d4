/** Anchors: the head of a ledger, "N:SHA256" as `ledger verify` prints it, where the ledger's owner cannot rewrite it. Each
 *  shows that the first N entries were there at some time as they are now; nothing about later entries.
 *
 *  A git tag says so to whoever has fetched it. A time stamp (RFC 3161) and an OpenTimestamps proof are of the file
 *  LEDGER.N.head, which has the head as its one line; they are next to it, with `.tsr` and `.ots` after its name.
 *  Programs do the work: git, openssl, curl, ots. Each is looked for in PATH and started without a shell.
 *
 *  Example:
 *    roof_anchors all = {0};
 *    if (roof_ledger_verify_anchors("roofline.ledger", "git", NULL, &all, NULL) == ROOF_OK) {
 *      printf("%zu entries were there on %s\n", all.list[0].entries, all.list[0].time);
 *    }
 *    roof_anchors_done(&all); */
#ifndef ROOFLINE_ANCHOR_H
#define ROOFLINE_ANCHOR_H

#include "roofline/ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name) */
#define ROOF_ANCHOR_MAP(X)                                                                                   \
  X(GIT, "git")                                                                                              \
  X(TSA, "tsa")                                                                                              \
  X(OTS, "ots")

typedef enum roof_anchor_kind {
#define ROOF_ANCHOR_ENUM(symbol, name) ROOF_ANCHOR_##symbol,
  ROOF_ANCHOR_MAP(ROOF_ANCHOR_ENUM)
#undef ROOF_ANCHOR_ENUM
      ROOF_ANCHOR_KIND_COUNT
} roof_anchor_kind;

#define ROOF_ANCHOR_NAME_MAX 4096

typedef struct roof_anchor {
  roof_anchor_kind kind;
  char name
      [ROOF_ANCHOR_NAME_MAX]; /**< the tag, or the file of the proof, of a request that none answered yet its own */
  size_t entries;             /**< that it covers: the first ones */
  char digest[ROOF_DIGEST_MAX]; /**< of the last of these */
  char time[ROOF_TIME_MAX];     /**< when they were there, a moment or a day; "" while that is not known */
} roof_anchor;

struct roof_anchors {
  roof_anchor *list;
  size_t count;
};

/** "git", "tsa" (a time stamp authority), "ots" (OpenTimestamps).
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for another kind. */
ROOF_API const char *roof_anchor_kind_name(roof_anchor_kind kind);

/** Reads a kind's name.
 *  Units: none.
 *  Ownership: writes *kind on success only.
 *  Errors: ROOF_E_NAME. */
ROOF_API roof_status roof_anchor_kind_parse(const char *name, roof_anchor_kind *kind, roof_error *error);

/** Anchors the head of a ledger whose chain holds. GIT: an annotated tag roofline/N-DIGITS of the repository that the ledger
 *  lies in, signed where git is asked to sign tags. TSA: LEDGER.N.head and the request LEDGER.N.head.tsq; with `url`, an
 *  authority's, it is sent and the reply kept as LEDGER.N.head.tsr. OTS: LEDGER.N.head, which the client `ots` stamps.
 *  Units: entries.
 *  Ownership: fills *made on success only; `url` is nullable.
 *  Errors: as roof_ledger_verify; ROOF_E_ARGUMENT for a `url` of another kind than TSA; ROOF_E_GATE where LEDGER.N.head is
 *  of another head; ROOF_E_OUTPUT; ROOF_E_UNSUPPORTED where a program is missing, fails or does not end. */
ROOF_API roof_status roof_ledger_anchor(const char *ledger, roof_anchor_kind kind, const char *url,
                                        roof_anchor *made, roof_error *error);

/** Verifies anchors of a ledger: of `which` = "git" each tag of it in the repository around it, of "files" each proof next to
 *  it, else the proof in that file, NAME.tsr or NAME.ots, with the head in NAME. `ca` is the file of the certificates that a time stamp's has to come
 *  from, NULL for the other kinds.
 *  Units: entries.
 *  Ownership: appends to *all, on success only; release with roof_anchors_done.
 *  Errors: ROOF_E_GATE where a proof does not hold, is not of the head, or the ledger does not go on from that head, and
 *  where there is no tag or proof of it; ROOF_E_ARGUMENT; ROOF_E_INPUT; ROOF_E_UNSUPPORTED as roof_ledger_anchor. */
ROOF_API roof_status roof_ledger_verify_anchors(const char *ledger, const char *which, const char *ca,
                                                roof_anchors *all, roof_error *error);

/** How many entries, the first ones, some anchor covers.
 *  Units: entries.
 *  Ownership: none.
 *  Errors: 0 without anchors. */
ROOF_API size_t roof_anchors_cover(const roof_anchors *all);

/** Appends what each anchor proves, in lines of their own, and which of the ledger's entries none covers.
 *  Units: entries.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_anchors_sentences(const roof_anchors *all, const roof_ledger_summary *summary,
                                     roof_text *out);

/** Appends what was made, and what is left to do before it guards.
 *  Units: entries.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_anchor_sentence(const roof_anchor *made, roof_text *out);

/** Appends an anchor as one roofline.anchor/1 object, what `ledger anchor --json` prints.
 *  Units: entries.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_anchor_write(const char *ledger, const roof_anchor *made, roof_text *out,
                                       roof_error *error);

/** Frees a list.
 *  Units: none.
 *  Ownership: releases what roof_ledger_verify_anchors appended.
 *  Errors: none. */
ROOF_API void roof_anchors_done(roof_anchors *all);

#ifdef __cplusplus
}
#endif
#endif
