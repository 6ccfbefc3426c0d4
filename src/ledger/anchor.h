/** The ways to anchor a head: how each is made and verified. */
#ifndef LEDGER_ANCHOR_H
#define LEDGER_ANCHOR_H

#include "ledger/entry.h"
#include "roofline/anchor.h"

enum { LEDGER_HEAD_MAX = 96 }; /* "N:SHA256" and a newline */

/* anchor_git.c */
/** Tags the head and writes its name. */
roof_status rf_anchor_git_make(const char *ledger, roof_anchor *a, roof_error *error);

/** Reads all tags of the ledger in the repository around it, as they say what they are of. ROOF_E_GATE where one was edited,
 *  or there is none. */
roof_status rf_anchor_git_list(const char *ledger, roof_anchors *all, roof_error *error);

/* anchor_stamp.c: of a file `digest` is the SHA-256; `name` is that of its proof */
/** Makes a request and, with `url`, gets the answer to it. */
roof_status rf_anchor_tsa_make(const char *file, const char *digest, const char *url, roof_anchor *a,
                               roof_error *error);
roof_status rf_anchor_tsa_prove(const char *digest, const char *ca, roof_anchor *a, roof_error *error);
roof_status rf_anchor_ots_make(const char *file, roof_anchor *a, roof_error *error);
roof_status rf_anchor_ots_prove(const char *digest, roof_anchor *a, roof_error *error);

/* anchor_write.c */
/** An array of them; NULL: memory ran out. `all` is nullable. */
json_t *rf_anchors_json(const roof_anchors *all);

/* anchors.c */
/** Writes the head that an anchor is of; returns `text`. */
char *rf_anchor_head(const roof_anchor *a, char text[LEDGER_HEAD_MAX]);

/** Appends an anchor. */
roof_status rf_anchors_add(roof_anchors *all, const roof_anchor *a, roof_error *error);

/** The name of a file of an anchor: `file` with an ending. */
roof_status rf_anchor_name(roof_anchor *a, const char *file, const char *ending, roof_error *error);

#endif
