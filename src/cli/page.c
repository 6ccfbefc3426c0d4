/* Pages of --to FILE.html: the answer in text, its tables typed. */
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "host/here.h"
#include "roofline/ledger.h"

enum { FIRST = 10 };

/** The column of verdicts among those that the text shows; 0: none. */
static int verdict_of(const cli_column *columns) {
  int at = 0;
  for (const cli_column *c = columns; c->key != NULL || c->header != NULL; c++) {
    if (c->verdict && c->header != NULL) {
      return at;
    }
    at += c->header != NULL;
  }
  return 0;
}

roof_status cli_page_table_fill(cli_page_table *table, const char *title, cli_rows rows, roof_error *error) {
  int width = cli_columns_add_cells(&table->grid, rows);
  table->table = (roof_table){.title = title, .verdict = verdict_of(rows.columns)};
  return cli_page_table_close(table, width, error);
}

/** Lines of a page. */
typedef struct lines {
  rf_cells text;
  const char **list; /**< once there is no more to come; NULL behind the last */
} lines;

/** Adds each line of a text: "  label   value" as "label: value", marks left out. */
static void add_line(lines *l, const char *line, size_t length) {
  roof_text out = {0};
  const char *end = line + length;
  line += strspn(line, " ");
  for (bool label = true; line < end; line++) {
    size_t blanks = strspn(line, " ");
    if (*line == RF_MARK_BOLD[0]) {
      line++;
    } else if (*line == RF_MARK_END[0]) {
      continue;
    } else if (blanks > 1) {
      bool ends = out.length > 0 && strchr(":,;.", out.data[out.length - 1]) != NULL;
      roof_text_add(&out, ends ? " " : label ? ": " : " \xE2\x80\x94 ");
      label = false;
      line += blanks - 1;
    } else {
      roof_text_add_bytes(&out, line, 1);
    }
  }
  if (out.length > 0) {
    rf_cells_add_text(&l->text, out.data);
  }
  l->text.text.failed |= out.failed;
  roof_text_done(&out);
}

static void add_lines(lines *l, const roof_text *text) {
  l->text.text.failed |= text->failed;
  for (const char *at = text->data; at != NULL && *at != '\0';) {
    size_t length = strcspn(at, "\n");
    add_line(l, at, length);
    at += length + (at[length] == '\n');
  }
}

static roof_status end_lines(lines *l, roof_error *error) {
  l->list = rf_cells_list(&l->text);
  return l->list != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
}

static void lines_done(lines *l) {
  free(l->list);
  rf_cells_done(&l->text);
}

/** The command line, what wrote the page and where, and where the machines' figures are from. */
static roof_status read_frame(const cli_args *args, lines frame[3], roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_text text = {0};
  rf_here_command(&text);
  add_lines(&frame[0], &text);
  roof_text_done(&text);
  roof_status status = roof_ledger_commit(commit, error);
  if (status == ROOF_OK) {
    roof_text_add(&text, "The command that was asked gives this answer again");
    roof_text_add(&text,
                  args->machines != NULL ? "; this one the machine's figures and their sources.\n" : ".\n");
    rf_here_describe(&text, commit);
    add_lines(&frame[1], &text);
    roof_text_done(&text);
  }
  for (int i = 0; args->machines != NULL && args->machines[i] != NULL; i++) {
    rf_cells_add(&frame[2].text, "roofline machine show %s", args->machines[i]);
  }
  for (int i = 0; i < 3 && status == ROOF_OK; i++) {
    status = end_lines(&frame[i], error);
  }
  return status;
}

roof_status cli_page_draw(const cli_args *args, const char *title, const char *headline,
                          const roof_page_section *section, roof_text *out, roof_error *error) {
  lines frame[3] = {0};
  roof_status status = read_frame(args, frame, error);
  if (status == ROOF_OK) {
    const roof_page_section sections[] = {
        {.part = ROOF_PAGE_ASKED, .commands = frame[0].list},
        *section,
        {.part = ROOF_PAGE_REPRODUCE, .lines = frame[1].list, .commands = frame[2].list}};
    const roof_page page = {title, headline, sections, 3};
    status = roof_page_draw(&page, out, error);
  }
  for (int i = 0; i < 3; i++) {
    lines_done(&frame[i]);
  }
  return status;
}

/** The answer's lines before its last table and after it, and its tables; of a long one the first rows too. */
typedef struct answer_page {
  lines before, after, titles;
  roof_table tables[2 * CLI_PAGE_TABLES];
  int table_count;
} answer_page;

/** Takes the table whose place was found; `title` is the line above it, which is no paragraph then. */
static void take_table(answer_page *p, int index, const char *title, size_t length) {
  const roof_table *table = &cli_page_kept()->tables[index].table;
  if (length > 0) {
    add_line(&p->titles, title, length);
  } else {
    bool named = table->cells[0][0] != '\0';
    rf_cells_add(&p->titles.text, "%s%s", named ? "By " : "Parts", table->cells[0]);
  }
  p->tables[p->table_count++] = *table;
  if (table->rows > ROOF_TABLE_LONG) {
    rf_cells_add_text(&p->titles.text, "All");
    p->tables[p->table_count - 1].rows = FIRST;
    p->tables[p->table_count++] = *table;
  }
}

static void read_answer(answer_page *p, const char *text) {
  const char *above = NULL; /* the line that may be a table's caption */
  int tables = 0;           /* so far */
  const int all = cli_page_kept()->table_count;
  for (const char *at = text, *next = NULL; *at != '\0'; at = next) {
    size_t length = strcspn(at, "\n");
    next = at + length + (at[length] == '\n');
    bool place = *at == CLI_PAGE_PLACE;
    lines *where = tables < all || tables == 0 ? &p->before : &p->after;
    size_t held = above != NULL ? strcspn(above, "\n") : 0;
    bool caption = place && held > 0 && above != text && above[0] != ' ';
    if (held > 0 && !caption) {
      add_line(where, above, held);
    }
    if (place) {
      take_table(p, tables++, above, caption ? held : 0);
    }
    above = place ? NULL : at;
  }
  if (above != NULL) {
    add_line(all > 0 ? &p->after : &p->before, above, strcspn(above, "\n"));
  }
}

/** The part of the story that a command's answer is. */
static roof_page_part part_of(const cli_command *command) {
  return command->task == CLI_TASK_RECORD                                        ? ROOF_PAGE_VERDICTS
         : command->task == CLI_TASK_MEASURE || command->task == CLI_TASK_IMPORT ? ROOF_PAGE_MEASURED
                                                                                 : ROOF_PAGE_PREDICTED;
}

/** "model llama-3.1-8b on h100": what the page is about. */
static void add_title(roof_text *out, const cli_args *args, const cli_command *command) {
  roof_text_add(out, command->name);
  for (int i = 0; i < args->word_count; i++) {
    roof_text_addf(out, " %s", args->words[i]);
  }
  for (int i = 0; args->machines != NULL && args->machines[i] != NULL; i++) {
    roof_text_addf(out, "%s%s", i == 0 ? " on " : ", ", args->machines[i]);
  }
}

static roof_status draw_answer(answer_page *p, const cli_args *args, const cli_command *command,
                               roof_text *out, roof_error *error) {
  roof_text title = {0};
  roof_status status = end_lines(&p->before, error);
  status = status == ROOF_OK ? end_lines(&p->after, error) : status;
  status = status == ROOF_OK ? end_lines(&p->titles, error) : status;
  add_title(&title, args, command);
  if (status == ROOF_OK && title.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
  }
  if (status == ROOF_OK) {
    bool headed = p->before.list[0] != NULL, named = args->word_count > 0 || args->machines != NULL;
    for (int i = 0; i < p->table_count; i++) {
      p->tables[i].title = p->titles.list[i];
    }
    const roof_page_section section = {.part = part_of(command),
                                       .heading = "The answer",
                                       .lines = headed ? p->before.list + 1 : NULL,
                                       .charts = (const char *const *)cli_page_kept()->charts,
                                       .tables = p->tables,
                                       .table_count = p->table_count,
                                       .notes = p->after.list};
    status = cli_page_draw(args, headed && !named ? p->before.list[0] : title.data,
                           named ? p->before.list[0] : NULL, &section, out, error);
  }
  roof_text_done(&title);
  return status;
}

roof_status cli_page_of_answer(const cli_args *args, const cli_command *command, const roof_text *answer,
                               roof_text *out, roof_error *error) {
  answer_page *p = calloc(1, sizeof *p);
  roof_status status = p != NULL && !answer->failed && !cli_page_kept()->failed
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
  if (status == ROOF_OK) {
    read_answer(p, answer->data != NULL ? answer->data : "");
    status = draw_answer(p, args, command, out, error);
    lines_done(&p->before);
    lines_done(&p->after);
    lines_done(&p->titles);
  }
  free(p);
  cli_page_forget();
  return status;
}
