/* The head of a ledger where others keep it: made, and held against the ledger. */
#include "ledger/anchor.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/write.h"

/** Writes the file that proofs are of, or finds it there; `digest` gets its SHA-256. */
static roof_status make_head(const roof_anchor *a, const char *file, char digest[ROOF_DIGEST_MAX],
                             roof_error *error) {
  char line[LEDGER_HEAD_MAX];
  roof_text there = {0};
  strcat(rf_anchor_head(a, line), "\n");
  roof_ledger_digest(line, strlen(line), digest);
  if (access(file, F_OK) != 0) {
    return rf_write_file(file, line, strlen(line), error);
  }
  roof_status status = rf_file_read(file, &there, error);
  if (status == ROOF_OK && (there.length != strlen(line) || memcmp(there.data, line, there.length) != 0)) {
    status =
        roof_error_set(error, ROOF_E_GATE, "%s: is of another head: the ledger was written anew since", file);
  }
  roof_text_done(&there);
  return status;
}

static roof_status make_proof(const char *ledger, const char *url, roof_anchor *a, roof_error *error) {
  char file[ROOF_ANCHOR_NAME_MAX], digest[ROOF_DIGEST_MAX];
  if (snprintf(file, sizeof file, "%s.%zu.head", ledger, a->entries) >= (int)sizeof file) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.40s...: the name is too long", ledger);
  }
  roof_status status = make_head(a, file, digest, error);
  if (status != ROOF_OK) {
    return status;
  }
  return a->kind == ROOF_ANCHOR_TSA ? rf_anchor_tsa_make(file, digest, url, a, error)
                                    : rf_anchor_ots_make(file, a, error);
}

roof_status roof_ledger_anchor(const char *ledger, roof_anchor_kind kind, const char *url, roof_anchor *made,
                               roof_error *error) {
  roof_ledger_summary summary;
  roof_anchor a = {.kind = kind};
  if (url != NULL && kind != ROOF_ANCHOR_TSA) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "anchor %s: takes no address", roof_anchor_kind_name(kind));
  }
  roof_status status = roof_ledger_verify(ledger, NULL, &summary, error);
  if (status != ROOF_OK) {
    return status;
  }
  a.entries = summary.entries;
  memcpy(a.digest, summary.head, sizeof a.digest);
  status =
      kind == ROOF_ANCHOR_GIT ? rf_anchor_git_make(ledger, &a, error) : make_proof(ledger, url, &a, error);
  if (status == ROOF_OK) {
    *made = a;
  }
  return status;
}

/** Reads the head that the proof `a->name` is of, in the file of that name without its ending. */
static roof_status read_head(roof_anchor *a, char digest[ROOF_DIGEST_MAX], roof_error *error) {
  char file[ROOF_ANCHOR_NAME_MAX];
  roof_text text = {0};
  snprintf(file, sizeof file, "%.*s", (int)(strrchr(a->name, '.') - a->name), a->name);
  roof_status status = rf_file_read(file, &text, error);
  if (status == ROOF_OK) {
    bool line = text.length > 0 && strlen(text.data) == text.length && text.data[text.length - 1] == '\n';
    roof_ledger_digest(text.data, text.length, digest);
    if (line) {
      text.data[text.length - 1] = '\0';
    }
    if (!line || !rf_ledger_head_read(text.data, &a->entries, a->digest)) {
      status = roof_error_set(error, ROOF_E_GATE, "%s: is no head, one line `N:SHA256`", file);
    }
  }
  roof_text_done(&text);
  return status;
}

/** Reads the proof in a file. */
static roof_status prove(const char *file, const char *ca, roof_anchors *all, roof_error *error) {
  roof_anchor a = {.kind = roof_text_ends_with(file, ".tsr") ? ROOF_ANCHOR_TSA : ROOF_ANCHOR_OTS};
  char digest[ROOF_DIGEST_MAX];
  if (a.kind == ROOF_ANCHOR_OTS && !roof_text_ends_with(file, ".ots")) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "anchor `%s`: must be git, files, or a file .tsr or .ots",
                          file);
  }
  roof_status status = rf_anchor_name(&a, file, "", error);
  status = status == ROOF_OK ? read_head(&a, digest, error) : status;
  if (status == ROOF_OK) {
    status = a.kind == ROOF_ANCHOR_TSA ? rf_anchor_tsa_prove(digest, ca, &a, error)
                                       : rf_anchor_ots_prove(digest, &a, error);
  }
  return status == ROOF_OK ? rf_anchors_add(all, &a, error) : status;
}

/** The pattern of the proofs next to a ledger whose names end so. */
static void make_pattern(const char *ledger, const char *ending, char *pattern, size_t size) {
  size_t length = 0;
  for (; *ledger != '\0' && length + 2 < size; ledger++) {
    if (strchr("*?[\\", *ledger) != NULL) {
      pattern[length++] = '\\';
    }
    pattern[length++] = *ledger;
  }
  snprintf(pattern + length, size - length, ".[1-9]*.head%s", ending);
}

/** Reads all of these. */
static roof_status prove_found(const char *ledger, const char *ending, const char *ca, roof_anchors *all,
                               roof_error *error) {
  char pattern[2 * ROOF_ANCHOR_NAME_MAX];
  glob_t found = {0};
  make_pattern(ledger, ending, pattern, sizeof pattern);
  int code = glob(pattern, GLOB_ERR, NULL, &found);
  int why = code == GLOB_NOSPACE ? ENOMEM : errno;
  roof_status status = ROOF_OK;
  if (code != 0 && code != GLOB_NOMATCH) {
    status = roof_error_set(error, why == ENOMEM ? ROOF_E_MEMORY : ROOF_E_INPUT,
                            "%s: the files next to it: %s", ledger, strerror(why));
  }
  for (size_t i = 0; i < found.gl_pathc && status == ROOF_OK; i++) {
    status = prove(found.gl_pathv[i], ca, all, error);
  }
  globfree(&found);
  return status;
}

static roof_status find(const char *ledger, const char *which, const char *ca, roof_anchors *all,
                        roof_error *error) {
  if (strcmp(which, "git") == 0) {
    return rf_anchor_git_list(ledger, all, error);
  }
  if (strcmp(which, "files") != 0) {
    return prove(which, ca, all, error);
  }
  roof_status status = prove_found(ledger, ".tsr", ca, all, error);
  status = status == ROOF_OK ? prove_found(ledger, ".ots", ca, all, error) : status;
  return status != ROOF_OK || all->count > 0
             ? status
             : roof_error_set(error, ROOF_E_GATE, "%s: no proof next to it, %s.N.head.tsr or .ots", ledger,
                              ledger);
}

/** Each head must be one that the ledger goes on from. */
static roof_status check_heads(const char *ledger, const roof_anchors *all, roof_error *error) {
  roof_ledger_entries entries = {0};
  roof_status status = rf_ledger_load(ledger, false, &entries, NULL, error);
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const roof_anchor *a = &all->list[i];
    char what[ROOF_ANCHOR_NAME_MAX + 64];
    snprintf(what, sizeof what, "anchor %s of %s", a->name, a->time);
    status = rf_ledger_goes_on(&entries, ledger, what, a->entries, a->digest, error);
  }
  free(entries.entries);
  return status;
}

roof_status roof_ledger_verify_anchors(const char *ledger, const char *which, const char *ca,
                                       roof_anchors *all, roof_error *error) {
  roof_anchors found = {0};
  roof_status status = find(ledger, which, ca, &found, error);
  status = status == ROOF_OK ? check_heads(ledger, &found, error) : status;
  size_t before = all->count;
  for (size_t i = 0; i < found.count && status == ROOF_OK; i++) {
    status = rf_anchors_add(all, &found.list[i], error);
  }
  all->count = status == ROOF_OK ? all->count : before;
  free(found.list);
  return status;
}
