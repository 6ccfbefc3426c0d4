/* What lines of kernels cost: kept by place, shown hottest first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_stalls.h"

/** By file and number; instructions of no known line behind those, by function and offset. */
static int by_place(const roof_line *a, const roof_line *b) {
  int order = strcmp(a->file, b->file);
  if (order != 0 || a->number != b->number) {
    return order != 0 ? order : a->number < b->number ? -1 : 1;
  }
  order = strcmp(a->function, b->function);
  bool instructions = a->number == 0 && order == 0 && a->offset != b->offset;
  return instructions ? (a->offset < b->offset ? -1 : 1) : order;
}

static void add_line(roof_line *to, const roof_line *from) {
  to->offset = from->offset < to->offset ? from->offset : to->offset;
  to->executed += from->executed;
  to->samples += from->samples;
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    to->stalls[i] += from->stalls[i];
  }
}

/** Where the line is or would be. */
static size_t place_of(const roof_record *record, const roof_line *line) {
  size_t low = 0, high = record->line_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (by_place(&record->lines[middle], line) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void rf_import_line_cost(roof_profile *profile, roof_record *record, const roof_line *line) {
  size_t at = place_of(record, line), count = record->line_count;
  if (at < count && by_place(&record->lines[at], line) == 0) {
    add_line(&record->lines[at], line);
    return;
  }
  bool full = (count & (count - 1)) == 0; /* room for 1, 2, 4, 8, ... lines */
  roof_line *more =
      full ? realloc(record->lines, (count == 0 ? 1 : count * 2) * sizeof *more) : record->lines;
  if (more == NULL) {
    rf_import_starved(profile);
    return;
  }
  memmove(more + at + 1, more + at, (count - at) * sizeof *more);
  more[at] = *line;
  more[at].file = roof_profile_text(profile, line->file);
  more[at].function = roof_profile_text(profile, line->function);
  record->lines = more;
  record->line_count = count + 1;
}

static int by_heat(const void *a, const void *b) {
  const roof_hot_line *x = a, *y = b;
  if (x->seconds != y->seconds && !isnan(x->seconds) && !isnan(y->seconds)) {
    return x->seconds > y->seconds ? -1 : 1;
  }
  if (x->share != y->share) {
    return x->share > y->share ? -1 : 1;
  }
  return by_place(x->line, y->line);
}

/** What most warps there waited for; being issued is no wait. */
static roof_stall stall_of(const roof_line *line) {
  roof_stall most = ROOF_STALL_COUNT;
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    bool more =
        i != ROOF_STALL_selected && line->stalls[i] > (most < ROOF_STALL_COUNT ? line->stalls[most] : 0);
    most = more ? (roof_stall)i : most;
  }
  return most;
}

/** "sgemm.cu:14", or "sgemm+0x230" */
static void name_line(roof_hot_line *hot) {
  const roof_line *line = hot->line;
  const char *slash = strrchr(line->file, '/'), *file = slash != NULL ? slash + 1 : line->file;
  if (line->number > 0) {
    snprintf(hot->label, sizeof hot->label, "%.*s:%u", ROOF_HOT_LABEL - 12, file, line->number);
  } else {
    snprintf(hot->label, sizeof hot->label, "%.*s+0x%llx", ROOF_HOT_LABEL - 20, line->function,
             (unsigned long long)line->offset);
  }
}

/** The lines of a row, with their shares of the row's samples, or of its instructions where nothing was sampled. */
static size_t add_lines(const roof_ranked_record *row, roof_hot_line *to) {
  const roof_record *r = row->record;
  double samples = 0, executed = 0;
  for (size_t i = 0; i < r->line_count; i++) {
    samples += (double)r->lines[i].samples;
    executed += (double)r->lines[i].executed;
  }
  for (size_t i = 0; i < r->line_count; i++) {
    const roof_line *line = &r->lines[i];
    double share = samples > 0    ? (double)line->samples / samples
                   : executed > 0 ? (double)line->executed / executed
                                  : 0;
    to[i] = (roof_hot_line){.line = line,
                            .row = row,
                            .share = share,
                            .seconds = samples > 0 ? share * row->at.seconds : NAN,
                            .stall = stall_of(line)};

    name_line(&to[i]);
  }
  return r->line_count;
}

static roof_status lines_of(const roof_ranked_record *rows, size_t row_count, roof_hot_line **lines,
                            size_t *count, roof_error *error) {
  size_t all = 0;
  for (size_t i = 0; i < row_count; i++) {
    all += rows[i].record->line_count;
  }
  roof_hot_line *list = calloc(all + 1, sizeof *list);
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  all = 0;
  for (size_t i = 0; i < row_count; i++) {
    all += add_lines(&rows[i], list + all);
  }
  qsort(list, all, sizeof *list, by_heat);
  *lines = list;
  *count = all;
  return ROOF_OK;
}

roof_status roof_ranking_lines(const roof_ranking *ranking, roof_hot_line **lines, size_t *count,
                               roof_error *error) {
  return lines_of(ranking->rows, ranking->count, lines, count, error);
}

roof_status roof_ranking_lines_sentence(const roof_ranking *ranking, roof_text *out, roof_error *error) {
  enum { SHOWN = 3 };
  static const double LEAST = 0.01;
  roof_hot_line *lines = NULL;
  size_t count = 0;
  if (ranking->longest == NULL || ranking->longest->record->line_count == 0) {
    return ROOF_OK;
  }
  roof_status status = lines_of(ranking->longest, 1, &lines, &count, error);
  while (count > 0 && (count > SHOWN || (count > 1 && lines[count - 1].share < LEAST))) {
    count--;
  }
  for (size_t i = 0; i < count; i++) {
    const roof_hot_line *hot = &lines[i];
    bool sampled = hot->line->samples > 0;
    if (i == 0) {
      roof_text_addf(out, "  %s: hottest lines, by %s:", hot->row->shown,
                     sampled ? "samples of warps" : "instructions executed");
    }
    roof_text_addf(out, "%s %s %.0f %%", i > 0 ? "," : "", hot->label, 100 * hot->share);
    if (hot->stall < ROOF_STALL_COUNT) {
      char reason[32];
      roof_text_addf(out, " (%s)", rf_stall_words(hot->stall, reason, sizeof reason));
    }
    roof_text_add(out, i + 1 == count ? "\n" : "");
  }
  free(lines);
  return status;
}
