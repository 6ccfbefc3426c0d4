#include "draw/answer.h"

#include <stdlib.h>
#include <string.h>

/* A table is TABLE, a character of flags, two for each column, a new line, its cells with CELL after each, and END with a new line. No cell has
 * any of them. A part is PART and a character. */
enum { TABLE = '\034', PART = '\035', CELL = '\036', END = '\037', BASE = '0', FLAGS = '@' };

#define FLAG_MAP(X) X(0, right) X(1, name) X(2, whole) X(3, key) X(4, verdict) X(5, optional)

static void add_letter(roof_text *out, int letter) {
  roof_text_add_bytes(out, (const char[]){(char)letter}, 1);
}

static void add_column(roof_text *out, const rf_table_column *c) {
  int flags = 0;
#define X(bit, member) flags |= c->member << (bit);
  FLAG_MAP(X)
#undef X
  add_letter(out, FLAGS + flags);
  add_letter(out, BASE + c->rank);
}

static void add_cell(roof_text *out, const char *cell) {
  for (size_t plain; *cell != '\0'; cell += plain) {
    plain = strcspn(cell, "\034\035\036\037");
    roof_text_add_bytes(out, cell, plain);
    if (plain == 0) {
      roof_text_add(out, "\xEF\xBF\xBD");
      plain = 1;
    }
  }
  add_letter(out, CELL);
}

void rf_answer_add_table(roof_text *out, rf_answer_table *table) {
  const char **cells = rf_cells_list(&table->grid);
  out->failed |= cells == NULL;
  if (cells != NULL && table->count > 0) {
    add_letter(out, TABLE);
    add_letter(out, BASE + table->has_header + 2 * table->wide);
    for (int i = 0; i < table->count; i++) {
      add_column(out, &table->columns[i]);
    }
    roof_text_add(out, "\n");
    for (int i = 0; i < table->grid.count; i++) {
      add_cell(out, cells[i]);
    }
    roof_text_add(out, "\037\n");
  }
  free(cells);
  rf_cells_done(&table->grid);
}

void rf_answer_add_part(roof_text *out, roof_page_part part) {
  add_letter(out, PART);
  add_letter(out, BASE + (int)part);
  roof_text_add(out, "\n");
}

/** True where the text up to the end of the line is a table's head, and an END follows. */
static bool is_table(const char *at) {
  size_t length = strcspn(at, "\n");
  if (length < 4 || length % 2 != 0 || (length - 2) / 2 > RF_TABLE_COLUMNS || at[length] == '\0') {
    return false;
  }
  return strchr(at + length, END) != NULL;
}

rf_answer_kind rf_answer_kind_of(const char *line) {
  bool part = line[0] == PART && line[1] >= BASE && line[1] < BASE + ROOF_PAGE_PART_COUNT && line[2] == '\n';
  return part ? RF_ANSWER_PART : line[0] == TABLE && is_table(line) ? RF_ANSWER_TABLE : RF_ANSWER_LINE;
}

static rf_table_column read_column(const char *at) {
  int flags = at[0] - FLAGS;
  rf_table_column c = {.rank = at[1] - BASE};
#define X(bit, member) c.member = (flags >> (bit)&1) != 0;
  FLAG_MAP(X)
#undef X
  return c;
}

const char *rf_answer_read_table(const char *at, rf_answer_table *table) {
  size_t head = strcspn(at, "\n");
  int flags = at[1] - BASE;
  table->has_header = (flags & 1) != 0;
  table->wide = (flags & 2) != 0;
  table->count = (int)((head - 2) / 2);
  for (int i = 0; i < table->count; i++) {
    table->columns[i] = read_column(at + 2 + (size_t)(2 * i));
  }
  for (at += head + 1; *at != END && *at != '\0';) {
    size_t length = strcspn(at, "\036\037");
    roof_text_add_bytes(&table->grid.text, at, length);
    roof_text_add_bytes(&table->grid.text, "", 1);
    table->grid.count++;
    at += length + (at[length] == CELL);
  }
  at += *at == END;
  return at + (*at == '\n');
}

static const char *show_table(roof_text *out, const rf_screen *screen, const char *at) {
  rf_answer_table table = {0};
  rf_screen fitted = *screen;
  const char *next = rf_answer_read_table(at, &table);
  const char **cells = rf_cells_list(&table.grid);
  roof_text drawn = {0};
  fitted.width = table.wide ? 0 : screen->width;
  out->failed |= cells == NULL;
  if (cells != NULL) {
    rf_table_add(&drawn, &fitted, cells, table.columns, table.count, table.grid.count / table.count,
                 table.has_header);
    roof_text_add_bytes(out, drawn.data != NULL ? drawn.data : "", drawn.length);
    out->failed |= drawn.failed;
  }
  roof_text_done(&drawn);
  free(cells);
  rf_cells_done(&table.grid);
  return next;
}

/** The lines up to the next table or part. */
static const char *end_of_lines(const char *at) {
  while (*at != '\0' && rf_answer_kind_of(at) == RF_ANSWER_LINE) {
    size_t length = strcspn(at, "\n");
    at += length + (at[length] == '\n');
  }
  return at;
}

void rf_answer_show(roof_text *out, const rf_screen *lines, const rf_screen *tables, const char *answer) {
  roof_text flat = {0}; /* the tables drawn */
  for (const char *at = answer, *next; *at != '\0'; at = next) {
    rf_answer_kind kind = rf_answer_kind_of(at);
    if (kind == RF_ANSWER_TABLE) {
      next = show_table(&flat, tables, at);
    } else if (kind == RF_ANSWER_PART) {
      next = at + 3;
    } else {
      next = end_of_lines(at);
      roof_text_add_bytes(&flat, at, (size_t)(next - at));
    }
  }
  rf_screen_add(out, lines, flat.data != NULL ? flat.data : "");
  out->failed |= flat.failed;
  roof_text_done(&flat);
}
