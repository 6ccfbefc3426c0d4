#include "draw/labels.h"

#include <stdlib.h>
#include <string.h>

#include "draw/glyph.h"
#include "draw/screen.h"
#include "roofline/documents.h"

typedef struct label {
  const char *name, *shown;
} label;

static int by_shown(const void *a, const void *b) {
  const label *x = a, *y = b;
  int order = strcmp(x->shown, y->shown);
  return order != 0 ? order : strcmp(x->name, y->name);
}

/** Whether two different names are shown alike; *failed where memory is short. */
static bool is_ambiguous(const char *const *names, const char *const *shown, int count, bool *failed) {
  label *labels = calloc((size_t)count + 1, sizeof *labels);
  bool found = false;
  *failed |= labels == NULL;
  for (int i = 0; i < count && labels != NULL; i++) {
    labels[i] = (label){names[i], shown[i]};
  }
  if (labels != NULL) {
    qsort(labels, (size_t)count, sizeof *labels, by_shown);
  }
  for (int i = 1; i < count && labels != NULL && !found; i++) {
    found =
        strcmp(labels[i - 1].shown, labels[i].shown) == 0 && strcmp(labels[i - 1].name, labels[i].name) != 0;
  }
  free(labels);
  return found;
}

static int widest(const char *const *names, int count) {
  int most = 0;
  for (int i = 0; i < count; i++) {
    int cells = rf_glyph_width(names[i]);
    most = cells > most ? cells : most;
  }
  return most;
}

/** The bytes of the words that all names begin with, one word of each left. */
static size_t common_words(const char *const *names, int count) {
  size_t common = count > 1 ? strlen(names[0]) : 0;
  for (int i = 1; i < count; i++) {
    size_t alike = 0;
    while (alike < common && names[i][alike] == names[0][alike]) {
      alike++;
    }
    common = names[i][alike] == '\0' && alike > 0 ? alike - 1 : alike;
  }
  while (common > 0 && names[0][common - 1] != ' ') {
    common--;
  }
  return common;
}

static void add_cut(rf_cells *out, const char *const *names, int count, int cells, bool ascii) {
  for (int i = 0; i < count; i++) {
    rf_screen_add_cut(&out->text, names[i], cells, ascii);
    roof_text_add_bytes(&out->text, "", 1);
    out->count++;
  }
}

static void add_kernels(rf_cells *out, const char *const *names, int count, int cells) {
  size_t stride = (size_t)cells + 1;
  char *shown = calloc((size_t)count + 1, stride);
  bool named =
      shown != NULL && roof_kernel_names(names, (size_t)count, (size_t)cells, shown, stride, NULL) == ROOF_OK;
  for (int i = 0; i < count && named; i++) {
    rf_cells_add_text(out, shown + (size_t)i * stride);
  }
  out->text.failed |= !named;
  free(shown);
}

/** Of names that are safe. */
static void add(rf_cells *out, const char **names, int count, int cells, bool legend, bool ascii) {
  size_t common = legend && widest(names, count) > cells ? common_words(names, count) : 0;
  for (int i = 0; i < count; i++) {
    names[i] += common;
  }
  rf_cells cut = {0};
  add_cut(&cut, names, count, cells, ascii);
  const char **shown = rf_cells_list(&cut);
  if (shown != NULL && is_ambiguous(names, shown, count, &out->text.failed)) {
    add_kernels(out, names, count, cells);
  } else if (shown != NULL) {
    rf_cells_add_row(out, shown, count);
  }
  out->text.failed |= shown == NULL;
  free(shown);
  rf_cells_done(&cut);
}

void rf_labels_add(rf_cells *out, const char *const *names, int count, int cells, bool legend, bool ascii) {
  rf_cells safe = {0};
  for (int i = 0; i < count; i++) {
    rf_screen_add_plain(&safe.text, names[i], strlen(names[i]), ascii);
    roof_text_add_bytes(&safe.text, "", 1);
    safe.count++;
  }
  const char **plain = rf_cells_list(&safe);
  if (plain != NULL) {
    add(out, plain, count, cells, legend, ascii);
  }
  out->text.failed |= plain == NULL;
  free(plain);
  rf_cells_done(&safe);
}
