/* The commit that the working folder is at. */
#include <string.h>

#include "host/ask.h"
#include "roofline/ledger.h"

enum { GIT_SECONDS = 60 };

roof_status roof_ledger_commit(char commit[ROOF_DIGEST_MAX], roof_error *error) {
  const rf_question question = {
      .words = (const char *const[]){"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL},
      .patience = GIT_SECONDS};
  rf_answer answer;
  roof_status status = rf_ask(&question, &answer, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *line = answer.code == 0 && answer.out.length > 0 ? answer.out.data : "";
  size_t length = strspn(line, "0123456789abcdef");
  bool is_commit = (length == 40 || length == 64) && line[length] == '\n';
  memcpy(commit, line, is_commit ? length : 0);
  commit[is_commit ? length : 0] = '\0';
  rf_answer_done(&answer);
  return ROOF_OK;
}
