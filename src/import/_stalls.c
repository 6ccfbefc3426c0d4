/* Stall reasons as counters of a record, `stall_` before their name, and in words. */
#include "import/_stalls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *reason, *counter, *meaning;
} stalls[] = {
#define STALL_ROW(reason, meaning) [ROOF_STALL_##reason] = {#reason, RF_STALL #reason, meaning},
    ROOF_STALL_MAP(STALL_ROW)
#undef STALL_ROW
};

/** The reason that stands between two texts; its name may end with an s that ours has not. */
static roof_stall reason_between(const char *metric, const char *before, const char *after) {
  size_t skip = strlen(before);
  if (strncmp(metric, before, skip) != 0) {
    return ROOF_STALL_COUNT;
  }
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    size_t length = strlen(stalls[i].reason);
    const char *rest = metric + skip + length;
    if (strncmp(metric + skip, stalls[i].reason, length) == 0 && strcmp(rest + (*rest == 's'), after) == 0) {
      return (roof_stall)i;
    }
  }
  return ROOF_STALL_COUNT;
}

roof_stall rf_stall_of(const char *metric) {
  return reason_between(metric, "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");
}

roof_stall rf_stall_sampled(const char *metric) {
  return reason_between(metric, "smsp__pcsamp_warps_issue_stalled_", "");
}

const char *roof_stall_name(roof_stall reason) {
  return (unsigned)reason < ROOF_STALL_COUNT ? stalls[reason].reason : "?";
}

void rf_stalls_add(roof_profile *profile, roof_record *record, const double cycles[ROOF_STALL_COUNT],
                   double seconds) {
  double sum = 0;
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    sum += cycles[i] > 0 ? cycles[i] : 0;
  }
  for (int i = 0; i < ROOF_STALL_COUNT && sum > 0; i++) {
    rf_import_counter(profile, record, stalls[i].counter, cycles[i] / sum, seconds);
  }
}

bool rf_stall_is(const char *counter) {
  return strncmp(counter, RF_STALL, strlen(RF_STALL)) == 0;
}

const char *rf_stall_words(roof_stall reason, char *words, size_t size) {
  snprintf(words, size, "%s", roof_stall_name(reason));
  for (char *c = words; *c != '\0'; c++) {
    *c = *c == '_' ? ' ' : *c;
  }
  return words;
}

/** What a warp of the kernel waits for most, -1: not counted. */
static int most_of(const roof_record *record, double *share) {
  int most = -1;
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    double value = i != ROOF_STALL_selected ? roof_record_counter(record, stalls[i].counter) : NAN;
    if (value > 0 && (most < 0 || value > *share)) {
      most = i;
      *share = value;
    }
  }
  return most;
}

/** How much a rule is worth telling: what it promises of the kernel's time, then of one resource, then the one on the
 * bottleneck, any advice, what is for information. */
static double worth_of(const roof_rule *rule) {
  bool info = strcmp(rule->type, "INF") == 0, local = strcmp(rule->scope, "local") == 0;
  return !isnan(rule->speedup)                      ? (local ? 1000 : 2000) + rule->speedup
         : info                                     ? 0
         : strcmp(rule->name, "SOLBottleneck") == 0 ? 2
                                                    : 1;
}

static const roof_rule *rule_of(const roof_record *record) {
  const roof_rule *best = record->rule_count > 0 ? record->rules : NULL;
  for (size_t i = 1; i < record->rule_count; i++) {
    best = worth_of(&record->rules[i]) > worth_of(best) ? &record->rules[i] : best;
  }
  return best;
}

/** The first sentence of a text: up to a full stop before a blank. */
static int sentence_of(const char *text) {
  const char *end = strstr(text, ". ");
  size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
  return (int)(length > 0 && text[length - 1] == '.' ? length - 1 : length);
}

void roof_ranked_remarks(const roof_ranked_record *row, roof_text *out) {
  double share = 0;
  int most = most_of(row->record, &share);
  const roof_rule *rule = rule_of(row->record);
  if (most >= 0) {
    char name[32];
    roof_text_addf(out, "  %s: a warp mostly waits %s: %s %.0f %%\n", row->shown, stalls[most].meaning,
                   rf_stall_words((roof_stall)most, name, sizeof name), 100 * share);
  }
  if (rule != NULL) {
    roof_text_addf(out, "  %s: Nsight says: %.*s", row->shown, sentence_of(rule->text), rule->text);
    if (!isnan(rule->speedup)) {
      roof_text_addf(out, ", est. %sspeedup %.1f %%", strcmp(rule->scope, "local") == 0 ? "local " : "",
                     100 * rule->speedup);
    }
    roof_text_add(out, "\n");
  }
}
