/* Stall reasons as counters of a record, `stall_` before their name, and in words. */
#include "import/_stalls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *reason, *counter, *meaning;
} stalls[] = {
#define STALL_ROW(reason, meaning) [STALL_##reason] = {#reason, RF_STALL #reason, meaning},
    STALL_MAP(STALL_ROW)
#undef STALL_ROW
};

stall rf_stall_of(const char *metric) {
  static const char before[] = "smsp__average_warps_issue_stalled_", after[] = "_per_issue_active.ratio";
  if (strncmp(metric, before, sizeof before - 1) != 0) {
    return STALLS;
  }
  const char *name = metric + sizeof before - 1;
  for (int i = 0; i < STALLS; i++) {
    size_t length = strlen(stalls[i].reason);
    if (strncmp(name, stalls[i].reason, length) == 0 && strcmp(name + length, after) == 0) {
      return (stall)i;
    }
  }
  return STALLS;
}

void rf_stalls_add(roof_profile *profile, roof_record *record, const double cycles[STALLS], double seconds) {
  double sum = 0;
  for (int i = 0; i < STALLS; i++) {
    sum += cycles[i] > 0 ? cycles[i] : 0;
  }
  for (int i = 0; i < STALLS && sum > 0; i++) {
    rf_import_counter(profile, record, stalls[i].counter, cycles[i] / sum, seconds);
  }
}

bool rf_stall_is(const char *counter) {
  return strncmp(counter, RF_STALL, strlen(RF_STALL)) == 0;
}

/** What a warp of the kernel waits for most, -1: not counted. */
static int most_of(const roof_record *record, double *share) {
  int most = -1;
  for (int i = 0; i < STALLS; i++) {
    double value = i != STALL_selected ? roof_record_counter(record, stalls[i].counter) : NAN;
    if (value > 0 && (most < 0 || value > *share)) {
      most = i;
      *share = value;
    }
  }
  return most;
}

/** The rule that promises most; where none does, the one on the bottleneck, or the first. */
static const roof_rule *rule_of(const roof_record *record) {
  const roof_rule *best = record->rule_count > 0 ? record->rules : NULL;
  for (size_t i = 1; i < record->rule_count; i++) {
    const roof_rule *r = &record->rules[i];
    bool known = !isnan(r->speedup), bottleneck = strcmp(r->name, "SOLBottleneck") == 0;
    best = r->speedup > best->speedup || (isnan(best->speedup) && (known || bottleneck)) ? r : best;
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
    snprintf(name, sizeof name, "%s", stalls[most].reason);
    for (char *c = name; *c != '\0'; c++) {
      *c = *c == '_' ? ' ' : *c;
    }
    roof_text_addf(out, "  %s: a warp mostly waits %s: %s %.0f %%\n", row->shown, stalls[most].meaning, name,
                   100 * share);
  }
  if (rule != NULL) {
    roof_text_addf(out, "  %s: Nsight says: %.*s", row->shown, sentence_of(rule->text), rule->text);
    if (!isnan(rule->speedup)) {
      roof_text_addf(out, ", est. speedup %.1f %%", 100 * rule->speedup);
    }
    roof_text_add(out, "\n");
  }
}
