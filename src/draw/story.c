/* A page of an answer: its lines and tables sorted into the parts of the story. */
#include <stdlib.h>
#include <string.h>

#include "draw/answer.h"

/** The first rows of a long table, which is folded below them. */
enum { FIRST = 10 };

/** A table of a part, with its cells. */
typedef struct entry {
  rf_cells grid;
  const char **cells;
  int columns, verdict;
  bool has_header;
} entry;

/** What a part has, in the order of the answer. */
typedef struct part {
  rf_cells before, after, titles; /**< lines before the first table and after it, a title for each table */
  const char **before_list, **after_list, **title_list;
  entry *entries;
  roof_table *tables; /**< once there is no more to come */
  int entry_count, table_count;
} part;

typedef struct story {
  part parts[ROOF_PAGE_PART_COUNT];
  part *now;
  entry *fields;    /**< lines of a label and a value, while they go on */
  int indent;       /**< of the value of the last of them */
  const char *held; /**< a line that may be the caption of what follows */
  size_t held_length;
  bool failed;
} story;

/** Appends a line without its marks; gaps between its pieces are dashes. */
static void add_words(roof_text *out, const char *line, size_t length) {
  const char *end = line + length;
  line += strspn(line, " ");
  while (line < end) {
    size_t blanks = strspn(line, " ");
    if (*line == RF_MARK_BOLD[0]) {
      line += 2;
    } else if (*line == RF_MARK_END[0]) {
      line++;
    } else if (blanks > 1) {
      bool ends = out->length > 0 && strchr(":,;.", out->data[out->length - 1]) != NULL;
      line += blanks;
      roof_text_add(out, line >= end ? "" : ends ? " " : " \xE2\x80\x94 ");
    } else {
      roof_text_add_bytes(out, line++, 1);
    }
  }
}

static void add_line(rf_cells *cells, const char *line, size_t length) {
  roof_text words = {0};
  add_words(&words, line, length);
  if (words.length > 0) {
    rf_cells_add_text(cells, words.data);
  }
  cells->text.failed |= words.failed;
  roof_text_done(&words);
}

/** Puts the line that was held where lines go. */
static void drop_held(story *s) {
  if (s->held != NULL) {
    add_line(s->now->entry_count == 0 ? &s->now->before : &s->now->after, s->held, s->held_length);
  }
  s->held = NULL;
}

/** A new table of the part; its title is the line held, else `title`. */
static entry *open_entry(story *s, const char *title) {
  part *p = s->now;
  bool caption = s->held != NULL && s->held[0] != ' ';
  if (!caption) {
    drop_held(s);
  }
  entry *grown = realloc(p->entries, (size_t)(p->entry_count + 1) * sizeof *grown);
  s->failed |= grown == NULL;
  if (grown == NULL) {
    return NULL;
  }
  p->entries = grown;
  entry *e = &p->entries[p->entry_count++];
  *e = (entry){0};
  if (caption) {
    add_line(&p->titles, s->held, s->held_length);
    s->held = NULL;
  } else {
    rf_cells_add_text(&p->titles, title);
  }
  return e;
}

/** Whether all rows say the same words in a column that a narrow screen leaves out too. */
static bool is_constant(const char *const *cells, const rf_answer_table *table, int column) {
  enum { FEW = 3 };
  int rows = table->grid.count / table->count;
  const rf_table_column *c = &table->columns[column];
  bool same = table->has_header && rows > FEW && c->rank > 0 && !c->right && !c->verdict;
  for (int row = 2; row < rows && same; row++) {
    same = strcmp(cells[row * table->count + column], cells[table->count + column]) == 0;
  }
  return same;
}

/** Whether nothing is known in a column of a table, which is left out then. */
static bool is_left_out(const char *const *cells, const rf_answer_table *table, int column) {
  int rows = table->grid.count / table->count, first = table->has_header ? 1 : 0;
  bool empty = column > 0 && rows > first;
  for (int row = first; row < rows && empty; row++) {
    const char *cell = cells[row * table->count + column];
    empty = cell[0] == '\0' || strcmp(cell, "-") == 0;
  }
  return empty;
}

static void take_cells(story *s, const rf_answer_table *table, const char *const *cells) {
  roof_text title = {0};
  roof_text_addf(&title, "%s%s", cells[0][0] != '\0' && table->has_header ? "By " : "Parts",
                 table->has_header ? cells[0] : "");
  entry *e = open_entry(s, title.data != NULL ? title.data : "");
  s->failed |= title.failed;
  roof_text_done(&title);
  bool left_out[RF_TABLE_COLUMNS] = {false};
  for (int c = 0; c < table->count && e != NULL; c++) {
    bool empty = is_left_out(cells, table, c), constant = !empty && is_constant(cells, table, c);
    left_out[c] = empty || constant;
    if (constant) {
      rf_cells_add(&s->now->after, "In all rows, %s: %s.", cells[c], cells[table->count + c]);
    }
    e->verdict = table->columns[c].verdict && !left_out[c] ? e->columns : e->verdict;
    e->columns += !left_out[c];
    e->has_header = table->has_header;
  }
  for (int i = 0; i < table->grid.count && e != NULL; i++) {
    if (!left_out[i % table->count]) {
      rf_cells_add_text(&e->grid, cells[i] + strspn(cells[i], i % table->count > 0 ? " " : ""));
    }
  }
}

static const char *take_table(story *s, const char *at) {
  rf_answer_table table = {0};
  const char *next = rf_answer_read_table(at, &table);
  const char **cells = rf_cells_list(&table.grid);
  s->failed |= cells == NULL;
  if (cells != NULL && table.grid.count >= table.count) {
    take_cells(s, &table, cells);
  }
  free(cells);
  rf_cells_done(&table.grid);
  return next;
}

/** Where the value of "  label   value" begins; 0: the line is none of these. */
static size_t value_at(const char *line, size_t length) {
  size_t lead = strspn(line, " ");
  for (size_t at = lead; lead >= 2 && at + 2 < length; at++) {
    if (line[at] == ' ' && line[at + 1] == ' ') {
      size_t value = at + strspn(line + at, " ");
      return value < length ? value : 0;
    }
  }
  return 0;
}

/** "  time", whose values are the lines under it, further in. */
static bool is_label(const char *line, size_t length) {
  size_t lead = strspn(line, " ");
  return lead >= 2 && lead < length && memchr(line + lead, ' ', length - lead) == NULL &&
         line[length] == '\n' && strspn(line + length + 1, " ") > lead;
}

/** Adds a label, those of lines further in after a space each, and its value. */
static void add_field(story *s, const char *line, size_t length, size_t value) {
  enum { LEAD = 2 };
  roof_text words = {0};
  if (s->fields == NULL) {
    s->fields = open_entry(s, "");
  }
  size_t lead = strspn(line, " "), end = value > 0 ? value : length;
  for (size_t i = LEAD; i < lead; i += LEAD) {
    roof_text_add(&words, "\xC2\xA0\xC2\xA0\xC2\xA0");
  }
  while (end > lead && line[end - 1] == ' ') {
    end--;
  }
  add_words(&words, line + lead, end - lead);
  if (s->fields != NULL) {
    s->fields->columns = 2;
    rf_cells_add_text(&s->fields->grid, words.data != NULL ? words.data : "");
    words.length = 0;
    roof_text_add(&words, "");
    add_words(&words, line + end, length - end);
    rf_cells_add_text(&s->fields->grid, words.data != NULL && words.length > 0 ? words.data : "");
  }
  s->indent = (int)value;
  s->failed |= words.failed;
  roof_text_done(&words);
}

/** A line under the value of the last field goes on with it. */
static void go_on(story *s, const char *line, size_t length) {
  roof_text *text = &s->fields->grid.text;
  if (text->length > 0) {
    text->length--; /* the end of the cell */
    roof_text_add(text, "; ");
    add_words(text, line, length);
    roof_text_add_bytes(text, "", 1);
  }
}

static void take_line(story *s, const char *line, size_t length) {
  size_t value = value_at(line, length), lead = strspn(line, " ");
  if (s->fields != NULL && lead < length && value == 0 && s->indent > 0 && lead >= (size_t)s->indent) {
    go_on(s, line, length);
  } else if (value > 0 || is_label(line, length)) {
    add_field(s, line, length, value);
  } else if (s->fields != NULL && lead >= length) {
    s->indent = 0; /* a blank line between fields */
  } else {
    s->fields = NULL;
    drop_held(s);
    s->held = lead < length ? line : NULL;
    s->held_length = length;
  }
}

static void read_answer(story *s, const char *answer) {
  for (const char *at = answer; *at != '\0';) {
    rf_answer_kind kind = rf_answer_kind_of(at);
    size_t length = strcspn(at, "\n");
    if (kind == RF_ANSWER_LINE) {
      take_line(s, at, length);
      at += length + (at[length] == '\n');
      continue;
    }
    s->fields = NULL;
    if (kind == RF_ANSWER_PART) {
      drop_held(s);
      s->now = &s->parts[at[1] - '0'];
      at += length + 1;
    } else {
      at = take_table(s, at);
    }
  }
  drop_held(s);
}

/** The tables of a part, of each long one the first rows too. */
static void end_tables(story *s, part *p) {
  p->title_list = rf_cells_list(&p->titles);
  p->tables = calloc((size_t)(2 * p->entry_count + 1), sizeof *p->tables);
  s->failed |= p->title_list == NULL || p->tables == NULL;
  for (int i = 0; i < p->entry_count && !s->failed; i++) {
    entry *e = &p->entries[i];
    e->cells = rf_cells_list(&e->grid);
    s->failed |= e->cells == NULL || e->columns == 0;
    roof_table *t = &p->tables[p->table_count++];
    *t = (roof_table){.title = p->title_list[i],
                      .cells = e->cells,
                      .columns = e->columns,
                      .verdict = e->verdict,
                      .bare = !e->has_header};
    t->rows = s->failed ? 0 : e->grid.count / e->columns - e->has_header;
    if (t->rows > ROOF_TABLE_LONG && !t->bare) {
      p->tables[p->table_count] = *t;
      p->tables[p->table_count++].title = "All";
      t->rows = FIRST;
    }
  }
}

static void end_part(story *s, part *p) {
  p->before_list = rf_cells_list(&p->before);
  p->after_list = rf_cells_list(&p->after);
  s->failed |= p->before_list == NULL || p->after_list == NULL;
  end_tables(s, p);
}

static void part_done(part *p) {
  for (int i = 0; i < p->entry_count; i++) {
    free(p->entries[i].cells);
    rf_cells_done(&p->entries[i].grid);
  }
  free(p->entries);
  free(p->tables);
  free(p->before_list);
  free(p->after_list);
  free(p->title_list);
  rf_cells_done(&p->before);
  rf_cells_done(&p->after);
  rf_cells_done(&p->titles);
}

static roof_status draw_page(const story *s, const rf_answer_frame *frame, const char *first, roof_text *out,
                             roof_error *error) {
  roof_page_section sections[ROOF_PAGE_PART_COUNT];
  for (int i = 0; i < ROOF_PAGE_PART_COUNT; i++) {
    const part *p = &s->parts[i];
    sections[i] = (roof_page_section){.part = (roof_page_part)i,
                                      .lines = p->before_list,
                                      .charts = i == (int)frame->part ? frame->charts : NULL,
                                      .narrow = frame->narrow,
                                      .tables = p->tables,
                                      .table_count = p->table_count,
                                      .notes = p->after_list};
  }
  sections[ROOF_PAGE_ASKED].commands = frame->asked;
  sections[ROOF_PAGE_REPRODUCE].lines = frame->reproduce;
  sections[ROOF_PAGE_REPRODUCE].commands = frame->elsewhere;
  bool titled = frame->title != NULL;
  const roof_page page = {titled ? frame->title : first, titled ? first : NULL, sections,
                          ROOF_PAGE_PART_COUNT};
  return roof_page_draw(&page, out, error);
}

roof_status rf_answer_page(const char *answer, const rf_answer_frame *frame, roof_text *out,
                           roof_error *error) {
  story s = {.now = NULL};
  roof_text first = {0};
  s.now = &s.parts[frame->part];
  for (; rf_answer_kind_of(answer) == RF_ANSWER_PART; answer += strcspn(answer, "\n") + 1) {
    s.now = &s.parts[answer[1] - '0'];
  }
  size_t length = strcspn(answer, "\n");
  add_words(&first, answer, length);
  read_answer(&s, answer + length + (answer[length] == '\n'));
  for (int i = 0; i < ROOF_PAGE_PART_COUNT; i++) {
    end_part(&s, &s.parts[i]);
  }
  roof_status status = s.failed || first.failed
                           ? roof_error_set(error, ROOF_E_MEMORY, "page: out of memory")
                           : draw_page(&s, frame, first.data != NULL ? first.data : "", out, error);
  for (int i = 0; i < ROOF_PAGE_PART_COUNT; i++) {
    part_done(&s.parts[i]);
  }
  roof_text_done(&first);
  return status;
}
