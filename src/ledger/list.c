/* Predictions to seal, from a file: a document, or a list with a prediction on each line. */
#include <string.h>

#include "host/file.h"
#include "ledger/entry.h"
#include "roofline/ledger.h"
#include "roofline/units.h"

/** Who predicts the words of a line. */
typedef struct reader {
  roof_sealing_predict *predict;
  void *user;
} reader;

/** Labels the last prediction; a label that a line before has is refused here, where the place is known. */
static roof_status label_last(roof_sealings *all, const char *label, roof_error *error) {
  for (size_t i = 0; i + 1 < all->count; i++) {
    if (strcmp(all->list[i].label, label) == 0) {
      return rf_ledger_given_twice(label, error);
    }
  }
  return roof_sealing_name(&all->list[all->count - 1], label, error);
}

/** Predicts the words of one line and labels what comes out. */
static roof_status predict_line(const reader *r, const char *label, const char *words, roof_sealings *all,
                                roof_error *error) {
  size_t before = all->count;
  roof_status status = r->predict(r->user, words, all, error);
  size_t count = all->count - before;
  if (status == ROOF_OK && label != NULL && count > 1) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "label `%s`: one label, but %zu predictions", label, count);
  } else if (status == ROOF_OK && label != NULL && count == 1) {
    status = label_last(all, label, error);
  }
  return status;
}

/** Reads `LABEL: WORDS`; the label may be left out. Comments start with #. */
static roof_status read_line(const reader *r, char *line, roof_sealings *all, roof_error *error) {
  line += strspn(line, " \t");
  line[strcspn(line, "\r")] = '\0';
  if (line[0] == '\0' || line[0] == '#') {
    return ROOF_OK;
  }
  char *colon = strstr(line, ": ");
  if (colon != NULL) {
    *colon = '\0';
  }
  return predict_line(r, colon != NULL ? line : NULL, colon != NULL ? colon + 2 : line, all, error);
}

enum { CELLS = 16 };

/** Splits a row of a table in place at the bars that no backslash precedes, and trims its cells. */
static int split(char *line, char *cells[CELLS]) {
  int count = 0;
  char *from = line + 1, *to = from;
  for (char *at = from; *at != '\0' && count < CELLS; at++) {
    if (*at == '\\' && at[1] != '\0') {
      *to++ = *++at;
    } else if (*at == '|') {
      while (to > from && to[-1] == ' ') {
        to--;
      }
      *to = '\0';
      cells[count++] = from + strspn(from, " ");
      to = from = at + 1;
    } else {
      *to++ = *at;
    }
  }
  return count;
}

/** What a row shows of the lower bound holds still: the words may leave out options that it was sealed with. */
static roof_status check_row(char *const *cells, int count, const roof_sealing *s, roof_error *error) {
  char lower[48];
  roof_quantity_format(lower, sizeof lower, s->lower_seconds, "s");
  for (int i = 0; i < count; i++) {
    if (strcmp(cells[i], lower) == 0) {
      return ROOF_OK;
    }
  }
  return roof_error_set(
      error, ROOF_E_ARGUMENT,
      "label `%s`: at best %s now; it was sealed with other options or another machine file", s->label,
      lower);
}

/** A row of a table: the words are the cell that is code, the label is before it. */
static roof_status read_row(const reader *r, char *line, roof_sealings *all, roof_error *error) {
  char *cells[CELLS];
  int count = split(line, cells);
  for (int i = 1; i < count; i++) {
    size_t length = strlen(cells[i]);
    if (length > 2 && cells[i][0] == '`' && cells[i][length - 1] == '`') {
      cells[i][length - 1] = '\0';
      roof_status status = predict_line(r, cells[i - 1], cells[i] + 1, all, error);
      return status == ROOF_OK ? check_row(cells, count, &all->list[all->count - 1], error) : status;
    }
  }
  return ROOF_OK;
}

static bool is_table(const char *text) {
  return text[0] == '|' || strstr(text, "\n|") != NULL;
}

static roof_status read_list(const reader *r, char *text, const char *file, roof_sealings *all,
                             roof_error *error) {
  int number = 1;
  bool table = is_table(text);
  for (char *line = text; line != NULL; number++) {
    char *newline = strchr(line, '\n');
    if (newline != NULL) {
      *newline = '\0';
    }
    roof_status status = !table           ? read_line(r, line, all, error)
                         : line[0] == '|' ? read_row(r, line, all, error)
                                          : ROOF_OK;
    if (status != ROOF_OK) {
      roof_error_at(error, file, number, 0);
      return status;
    }
    line = newline != NULL ? newline + 1 : NULL;
  }
  return ROOF_OK;
}

static roof_status read_document(const roof_text *text, const char *file, roof_sealings *all,
                                 roof_error *error) {
  roof_status status = roof_sealings_read(all, text->data, text->length, file, error);
  return status == ROOF_OK ? roof_sealings_complete(all, error) : status;
}

roof_status roof_sealings_load(roof_sealings *all, const char *file, roof_sealing_predict *predict,
                               void *user, roof_error *error) {
  const reader r = {predict, user};
  roof_text text = {0};
  roof_status status = rf_file_read_text(file, &text, error);
  if (status == ROOF_OK && text.length > 0) {
    char first = text.data[strspn(text.data, " \t\r\n")];
    status = first == '{' || first == '[' ? read_document(&text, file, all, error)
                                          : read_list(&r, text.data, file, all, error);
  }
  if (status == ROOF_OK && all->count == 0) {
    status = roof_error_set(error, ROOF_E_PARSE, "%s: has no predictions", file);
  }
  roof_sealings_name_machines(all);
  roof_text_done(&text);
  return status;
}
