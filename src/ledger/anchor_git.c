/* An annotated tag whose message is "HEAD NAME", the name of the ledger in its repository. Who has fetched a tag is not given
 * another of its name: git refuses it, as it refuses to push one over it. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/ask.h"
#include "ledger/anchor.h"

enum {
  GIT_WORDS = 24,
  GIT_SECONDS = 60,
  TAG_DIGITS = 12,
  RECORD_MAX = ROOF_ANCHOR_NAME_MAX + LEDGER_HEAD_MAX
};

/** Asks git in the folder of the ledger, where no configuration starts another program or goes to the network. */
static roof_status git(const char *ledger, const char *const *words, rf_answer *answer, roof_error *error) {
  static const char *const environment[] = {"LC_ALL=C", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
                                            NULL};
  char copy[ROOF_ANCHOR_NAME_MAX], why[256];
  snprintf(copy, sizeof copy, "%s", ledger);
  const char *all[GIT_WORDS] = {
      "git", "-C", dirname(copy), "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};
  for (int i = 7; i < GIT_WORDS - 1 && *words != NULL; i++) {
    all[i] = *words++;
  }
  rf_question question = {.words = all, .environment = environment, .patience = GIT_SECONDS};
  roof_status status = rf_ask(&question, answer, error);
  if (status == ROOF_OK && answer->code != 0) {
    rf_answer_why(answer, why, sizeof why);
    rf_answer_done(answer);
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "git: %s", why);
  }
  return status;
}

/** What the ledger is called in its repository: its path from the root on. */
static roof_status name_ledger(const char *ledger, char name[ROOF_ANCHOR_NAME_MAX], roof_error *error) {
  static const char *const words[] = {"rev-parse", "--show-prefix", NULL};
  const char *slash = strrchr(ledger, '/');
  rf_answer answer = {0};
  roof_status status = git(ledger, words, &answer, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *prefix = answer.out.length > 0 ? answer.out.data : "";
  int length = snprintf(name, ROOF_ANCHOR_NAME_MAX, "%.*s%s", (int)strcspn(prefix, "\n"), prefix,
                        slash != NULL ? slash + 1 : ledger);
  rf_answer_done(&answer);
  return length < ROOF_ANCHOR_NAME_MAX && roof_text_is_plain(name)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a name that is too long, or no text, for a tag",
                              ledger);
}

static void name_tag(roof_anchor *a) {
  snprintf(a->name, sizeof a->name, "roofline/%zu-%.*s", a->entries, TAG_DIGITS, a->digest);
}

roof_status rf_anchor_git_make(const char *ledger, roof_anchor *a, roof_error *error) {
  char name[ROOF_ANCHOR_NAME_MAX], head[LEDGER_HEAD_MAX], record[RECORD_MAX];
  rf_answer answer = {0};
  roof_status status = name_ledger(ledger, name, error);
  if (status != ROOF_OK) {
    return status;
  }
  name_tag(a);
  snprintf(record, sizeof record, "%s %s\n", rf_anchor_head(a, head), name);
  const char *const words[] = {"tag", "--annotate", "--cleanup=verbatim", "--message", record, a->name, NULL};
  status = git(ledger, words, &answer, error);
  rf_answer_done(&answer);
  return status;
}

/** Reads a line "TAG TYPE SECONDS HEAD NAME", HEAD and NAME its message, and adds it where it is of that ledger. */
static roof_status read_tag(char *line, const char *name, roof_anchors *all, roof_error *error) {
  const char *tag = strsep(&line, " "), *type = strsep(&line, " "), *seconds = strsep(&line, " ");
  const char *head = strsep(&line, " ");
  roof_anchor a = {.kind = ROOF_ANCHOR_GIT};
  bool good = line != NULL && strcmp(type, "tag") == 0 && rf_ledger_head_read(head, &a.entries, a.digest);
  long long at = good ? strtoll(seconds, NULL, 10) : 0;
  name_tag(&a);
  if (at <= 0 || strcmp(a.name, tag) != 0) {
    return roof_error_set(error, ROOF_E_GATE, "tag %s: was edited: it is not of the head in its name", tag);
  }
  roof_time_write((double)at, a.time);
  return strcmp(line, name) == 0 ? rf_anchors_add(all, &a, error) : ROOF_OK;
}

roof_status rf_anchor_git_list(const char *ledger, roof_anchors *all, roof_error *error) {
  static const char *const words[] = {
      "for-each-ref", "--format=%(refname:strip=2) %(objecttype) %(taggerdate:unix) %(contents:subject)",
      "refs/tags/roofline/", NULL};
  char name[ROOF_ANCHOR_NAME_MAX];
  rf_answer answer = {0};
  roof_status status = name_ledger(ledger, name, error);
  status = status == ROOF_OK ? git(ledger, words, &answer, error) : status;
  char *rest = status == ROOF_OK && answer.out.length > 0 ? answer.out.data : NULL;
  for (char *line; status == ROOF_OK && (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
    status = read_tag(line, name, all, error);
  }
  rf_answer_done(&answer);
  return status != ROOF_OK || all->count > 0
             ? status
             : roof_error_set(error, ROOF_E_GATE, "%s: no tag of it in the repository around it", ledger);
}
