#include "draw/table.h"

#include <stdlib.h>
#include <string.h>

#include "draw/cells.h"
#include "draw/glyph.h"
#include "draw/labels.h"

enum { GAP = 2 };

/** How far a table is narrowed: no name is cut, names stay easy to tell apart, or whatever it takes. */
typedef enum effort { WHOLE, WELL, WORST, EFFORTS } effort;

/** The least cells of a text that wraps, of one of its words, and of a name. */
static const int text_floors[EFFORTS] = {24, 10, 8}, word_floors[EFFORTS] = {1000, 24, 10},
                 name_floors[EFFORTS] = {1000, 20, 16};

typedef struct table {
  const rf_screen *screen;
  const char **cells; /**< made safe */
  const char **shown; /**< those that stand in the lines: the same, names cut */
  const rf_table_column *columns;
  int count, rows;
  bool has_header;
  int natural[RF_TABLE_COLUMNS]; /**< cells that the widest text takes */
  int least[RF_TABLE_COLUMNS];   /**< the same, the header broken at its spaces */
  int words[RF_TABLE_COLUMNS];   /**< that the longest word takes */
  bool empty[RF_TABLE_COLUMNS];  /**< nothing is known in it */
} table;

/** The columns that are shown, and how wide. */
typedef struct layout {
  int count;
  int columns[RF_TABLE_COLUMNS], widths[RF_TABLE_COLUMNS];
} layout;

static int longest_word(const char *text) {
  int longest = 0;
  char word[64];
  while (*text != '\0') {
    size_t length = strcspn(text, " ");
    size_t kept = length < sizeof word - 1 ? length : sizeof word - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    int width = rf_glyph_width(word);
    longest = width > longest ? width : longest;
    text += length;
    text += strspn(text, " ");
  }
  return longest;
}

static int at_least(int value, int least) {
  return value > least ? value : least;
}

static int at_most(int value, int most) {
  return value < most ? value : most;
}

static void measure(table *t) {
  for (int c = 0; c < t->count; c++) {
    t->empty[c] = t->has_header;
    for (int r = 0; r < t->rows; r++) {
      const char *cell = t->cells[r * t->count + c];
      bool header = r == 0 && t->has_header;
      int width = rf_glyph_width(cell), word = longest_word(cell), least = header ? word : width;
      t->natural[c] = at_least(t->natural[c], width);
      t->least[c] = at_least(t->least[c], least);
      t->words[c] = at_least(t->words[c], word);
      t->empty[c] = t->empty[c] && (header || cell[0] == '\0' || strcmp(cell, "-") == 0);
    }
  }
}

static bool is_wrapped(const table *t, int column) {
  return !t->columns[column].right && !t->columns[column].name;
}

/** How narrow a column may become. */
static int floor_of(const table *t, int column, effort how) {
  const rf_table_column *c = &t->columns[column];
  int floor = c->right  ? t->least[column]
              : c->name ? name_floors[c->whole && how < WORST ? WHOLE : how]
                        : at_least(text_floors[how], at_most(t->words[column], word_floors[how]));
  return at_most(t->least[column], floor);
}

static int total_of(const layout *l) {
  int total = 0;
  for (int i = 0; i < l->count; i++) {
    total += l->widths[i] + GAP;
  }
  return total;
}

/** Takes width from the columns that have most to give until all fit; false when they cannot. */
static bool shrink(const table *t, layout *l, effort how) {
  for (int total = total_of(l); t->screen->width > 0 && total > t->screen->width; total--) {
    int most = 0, at = 0;
    for (int i = 0; i < l->count; i++) {
      int slack = l->widths[i] - floor_of(t, l->columns[i], how);
      at = slack > most ? i : at;
      most = slack > most ? slack : most;
    }
    if (most == 0) {
      return false;
    }
    l->widths[at]--;
  }
  return true;
}

static bool fit(const table *t, layout *l, effort most) {
  for (int i = 0; i < l->count; i++) {
    l->widths[i] = t->natural[l->columns[i]];
  }
  for (effort e = WHOLE; e <= most; e++) {
    if (shrink(t, l, e)) {
      return true;
    }
  }
  return false;
}

static void take_out(layout *l, int at) {
  l->count--;
  for (int i = at; i < l->count; i++) {
    l->columns[i] = l->columns[i + 1];
  }
}

/** The column to leave out next, negative for none: one in which nothing is known, or that of the highest rank. */
static int next_out(const table *t, const layout *l, bool empty) {
  int at = -1, highest = 0;
  for (int i = 1; i < l->count; i++) {
    int rank = empty ? t->empty[l->columns[i]] : t->columns[l->columns[i]].rank;
    at = rank > highest ? i : at;
    highest = at_least(rank, highest);
  }
  return at;
}

/** Leaves out columns until the others fit; false when they never do. */
static bool leave_out(const table *t, layout *l, bool empty) {
  for (int at = 0; !fit(t, l, WELL);) {
    at = next_out(t, l, empty);
    if (at < 0) {
      return false;
    }
    take_out(l, at);
  }
  return true;
}

/** Chooses the columns; false when only the empty ones are left out, for leaving out more is not enough. */
static bool choose(const table *t, layout *l) {
  if (leave_out(t, l, true)) {
    return true;
  }
  layout known = *l;
  if (leave_out(t, l, false)) {
    return true;
  }
  *l = known;
  return l->count < 3 && fit(t, l, WORST);
}

static void add_spaces(roof_text *out, int count) {
  static const char spaces[] = "                                                                ";
  const int most = sizeof spaces - 1;
  for (; count > 0; count -= most) {
    roof_text_add_bytes(out, spaces, (size_t)at_most(count, most));
  }
}

/** Appends a text cut to `width`, padded, in the colour of its verdict. */
static void add_padded(roof_text *out, const table *t, int column, int width, const char *text, bool last) {
  bool right = t->columns[column].right;
  const char *mark = t->columns[column].verdict ? rf_screen_verdict(text) : "";
  int used = rf_glyph_width(text), padding = width > used ? width - used : 0;
  add_spaces(out, right ? padding : 0);
  roof_text_add(out, mark);
  if (used <= width) {
    roof_text_add(out, text);
  } else {
    rf_screen_add_cut(out, text, width, t->screen->ascii);
  }
  roof_text_add(out, mark[0] != '\0' ? RF_MARK_END : "");
  add_spaces(out, right || last ? 0 : padding);
}

/** Appends a piece of a cell; returns how much of the cell it was. */
static size_t add_piece(roof_text *out, const table *t, int column, int width, const char *cell, bool broken,
                        bool last) {
  size_t length = broken ? rf_screen_break(cell, width) : strlen(cell);
  if (cell[length] == '\0') {
    add_padded(out, t, column, width, cell, last);
    return length;
  }
  roof_text piece = {0};
  roof_text_add_bytes(&piece, cell, length);
  add_padded(out, t, column, width, piece.data != NULL ? piece.data : "", last);
  out->failed |= piece.failed;
  roof_text_done(&piece);
  return length + strspn(cell + length, " ");
}

/** Whether a line of the row has anything after column `from`. */
static bool is_last(const layout *l, const char *const *rests, int from) {
  for (int i = from + 1; i < l->count; i++) {
    if (rests[i][0] != '\0') {
      return false;
    }
  }
  return true;
}

static void add_row(roof_text *out, const table *t, const layout *l, int row) {
  const char *rests[RF_TABLE_COLUMNS];
  int lead = at_most((int)strspn(t->shown[row * t->count + l->columns[0]], " "), l->widths[0] / 2);
  for (int i = 0; i < l->count; i++) {
    rests[i] = t->shown[row * t->count + l->columns[i]];
  }
  bool header = row == 0 && t->has_header, more = true;
  for (int line = 0; more; line++) {
    more = false;
    for (int i = 0; i < l->count; i++) {
      bool broken = header || is_wrapped(t, l->columns[i]), last = line > 0 && is_last(l, rests, i);
      int indent = i == 0 && line > 0 && rests[0][0] != '\0' ? lead : 0;
      add_spaces(out, GAP + indent);
      size_t length = add_piece(out, t, l->columns[i], l->widths[i] - indent, rests[i], broken,
                                last || i == l->count - 1);
      rests[i] += length;
      more = more || rests[i][0] != '\0';
      if (last) {
        break;
      }
    }
    roof_text_add(out, "\n");
  }
}

/** Cuts the names of a column; `cut` has the texts. */
static void cut_names(const table *t, int column, int width, rf_cells *cut) {
  int first = t->has_header, count = 0;
  const char **names = calloc((size_t)t->rows + 1, sizeof *names);
  for (int r = first; r < t->rows && names != NULL; r++) {
    names[count++] = t->cells[r * t->count + column];
  }
  if (names != NULL) {
    rf_labels_add(cut, names, count, width, false, t->screen->ascii);
  }
  free(names);
  names = names != NULL ? rf_cells_list(cut) : NULL;
  for (int i = 0; i < count && names != NULL; i++) {
    t->shown[(first + i) * t->count + column] = names[i];
  }
  cut->text.failed |= names == NULL;
  free(names);
}

static void add_rows(roof_text *out, const table *t, const layout *l) {
  rf_cells cut[RF_TABLE_COLUMNS] = {0};
  memcpy(t->shown, t->cells, (size_t)t->count * (size_t)t->rows * sizeof *t->cells);
  for (int i = 0; i < l->count; i++) {
    int column = l->columns[i];
    if (t->columns[column].name && t->natural[column] > l->widths[i]) {
      cut_names(t, column, l->widths[i], &cut[i]);
    }
  }
  for (int row = 0; row < t->rows; row++) {
    add_row(out, t, l, row);
  }
  for (int i = 0; i < l->count; i++) {
    out->failed |= cut[i].text.failed;
    rf_cells_done(&cut[i]);
  }
}

/** Names the columns that are not shown though something is known in them. */
static void add_left_out(roof_text *out, const table *t, const layout *l) {
  int total = 0;
  const char *separator = "  not shown: ";
  for (int c = 0, i = 0; c < t->count; c++) {
    bool shown = i < l->count && l->columns[i] == c;
    total += t->empty[c] && t->columns[c].optional ? 0 : t->natural[c] + GAP;
    if (!shown && !t->empty[c]) {
      roof_text_addf(out, "%s%s", separator, t->cells[c]);
      separator = ", ";
    }
    i += shown;
  }
  if (separator[0] == ',') {
    roof_text_addf(out, " (COLUMNS=%d shows all)\n", total);
  }
}

/** The columns in blocks below each other, the keys in all of them. */
static void add_blocks(roof_text *out, const table *t, const layout *all) {
  layout keys = {0};
  int lead = 0;
  for (int i = 0; i < all->count && (i == 0 || t->columns[all->columns[i]].key); i++) {
    keys.columns[keys.count++] = all->columns[i];
    lead += floor_of(t, all->columns[i], WELL) + GAP;
  }
  for (int next = keys.count; next < all->count;) {
    layout block = keys;
    int used = lead;
    roof_text_add(out, next > keys.count ? "\n" : "");
    do {
      used += floor_of(t, all->columns[next], WELL) + GAP;
      block.columns[block.count++] = all->columns[next++];
    } while (next < all->count && used + floor_of(t, all->columns[next], WELL) + GAP <= t->screen->width);
    fit(t, &block, WORST);
    add_rows(out, t, &block);
  }
}

static void add_table(roof_text *out, table *t) {
  layout l = {0};
  measure(t);
  for (int c = 0; c < t->count; c++) {
    l.columns[l.count] = c;
    l.count += !t->empty[c] || !t->columns[c].optional;
  }
  if (choose(t, &l) || l.count < 2) {
    add_rows(out, t, &l);
  } else {
    add_blocks(out, t, &l);
  }
  if (t->has_header) {
    add_left_out(out, t, &l);
  }
}

void rf_table_add(roof_text *out, const rf_screen *screen, const char *const *cells,
                  const rf_table_column *columns, int count, int rows, bool has_header) {
  rf_cells safe = {0};
  for (int i = 0; i < count * rows; i++) {
    rf_screen_add_plain(&safe.text, cells[i], strlen(cells[i]), screen->ascii);
    roof_text_add_bytes(&safe.text, "", 1);
    safe.count++;
  }
  table t = {.screen = screen,
             .cells = rf_cells_list(&safe),
             .columns = columns,
             .count = count,
             .rows = rows,
             .shown = calloc((size_t)count * (size_t)rows + 1, sizeof *t.shown),
             .has_header = has_header};
  bool memory = t.cells != NULL && t.shown != NULL;
  out->failed |= !memory;
  if (memory && count <= RF_TABLE_COLUMNS) {
    add_table(out, &t);
  }
  free(t.cells);
  free(t.shown);
  rf_cells_done(&safe);
}
