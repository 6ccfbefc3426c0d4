/* Pages of --to FILE.html: the answer between the command that asked for it and how to reproduce it. */
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "draw/answer.h"
#include "host/here.h"
#include "roofline/ledger.h"

static roof_status no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
}

roof_status cli_page_add_chart(cli_page *page, const roof_text *wide, const roof_text *narrow,
                               roof_error *error) {
  int i = page->chart_count;
  if (wide->data == NULL || narrow->data == NULL || i == CLI_PAGE_CHARTS) {
    return wide->failed || narrow->failed ? no_memory(error) : ROOF_OK;
  }
  page->charts[i] = strdup(wide->data);
  page->narrow[i] = strdup(narrow->data);
  page->chart_count++;
  return page->charts[i] != NULL && page->narrow[i] != NULL ? ROOF_OK : no_memory(error);
}

void cli_page_free(cli_page *page) {
  for (int i = 0; page != NULL && i < page->chart_count; i++) {
    free(page->charts[i]);
    free(page->narrow[i]);
  }
  free(page);
}

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
  table->cells = rf_cells_list(&table->grid);
  table->table = (roof_table){.title = title,
                              .cells = table->cells,
                              .columns = width,
                              .rows = width > 0 ? table->grid.count / width - 1 : 0,
                              .verdict = verdict_of(rows.columns)};
  return table->cells != NULL ? ROOF_OK : no_memory(error);
}

void cli_page_table_done(cli_page_table *table) {
  free(table->cells);
  rf_cells_done(&table->grid);
  *table = (cli_page_table){0};
}

/** What stands around every answer. */
typedef struct frame {
  cli_grid asked, reproduce, elsewhere;
  const char **asked_list, **reproduce_list, **elsewhere_list;
} frame;

static void add_lines(cli_grid *list, const roof_text *text) {
  list->text.failed |= text->failed;
  for (const char *at = text->data; at != NULL && *at != '\0';) {
    int length = (int)strcspn(at, "\n");
    cli_grid_add(list, "%.*s", length, at);
    at += length + (at[length] == '\n');
  }
}

/** A command for each machine of "a100,h100". */
static void add_machines(cli_grid *list, const char *names) {
  for (size_t length; *names != '\0'; names += length + (names[length] == ',')) {
    length = strcspn(names, ",");
    cli_grid_add(list, "roofline machine show %.*s", (int)length, names);
  }
}

/** The command line, what wrote the page and where, and where the machines' figures are from. */
static roof_status frame_fill(frame *f, const cli_args *args, roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_text text = {0};
  rf_here_command(&text);
  add_lines(&f->asked, &text);
  roof_text_done(&text);
  roof_status status = roof_ledger_commit(commit, error);
  if (status != ROOF_OK) {
    return status;
  }
  cli_grid_add(&f->reproduce, "The command that was asked gives this answer again%s",
               args->machines != NULL ? "; this one the machine's figures and their sources." : ".");
  rf_here_describe(&text, commit);
  add_lines(&f->reproduce, &text);
  roof_text_done(&text);
  for (int i = 0; args->machines != NULL && args->machines[i] != NULL; i++) {
    add_machines(&f->elsewhere, args->machines[i]);
  }
  f->asked_list = rf_cells_list(&f->asked);
  f->reproduce_list = rf_cells_list(&f->reproduce);
  f->elsewhere_list = rf_cells_list(&f->elsewhere);
  return f->asked_list != NULL && f->reproduce_list != NULL && f->elsewhere_list != NULL ? ROOF_OK
                                                                                         : no_memory(error);
}

static void frame_done(frame *f) {
  free(f->asked_list);
  free(f->reproduce_list);
  free(f->elsewhere_list);
  rf_cells_done(&f->asked);
  rf_cells_done(&f->reproduce);
  rf_cells_done(&f->elsewhere);
}

roof_status cli_page_draw(const cli_args *args, const char *title, const roof_page_section *section,
                          roof_text *out, roof_error *error) {
  frame f = {.asked_list = NULL};
  roof_status status = frame_fill(&f, args, error);
  if (status == ROOF_OK) {
    const roof_page_section sections[] = {
        {.part = ROOF_PAGE_ASKED, .commands = f.asked_list},
        *section,
        {.part = ROOF_PAGE_REPRODUCE, .lines = f.reproduce_list, .commands = f.elsewhere_list}};
    const roof_page page = {title, NULL, sections, 3};
    status = roof_page_draw(&page, out, error);
  }
  frame_done(&f);
  return status;
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

roof_status cli_page_of_answer(const cli_args *args, const cli_command *command, const roof_text *answer,
                               roof_text *out, roof_error *error) {
  frame f = {.asked_list = NULL};
  roof_text title = {0};
  bool named = args->word_count > 0 || args->machines != NULL;
  roof_status status = answer->failed ? no_memory(error) : frame_fill(&f, args, error);
  add_title(&title, args, command);
  status = status == ROOF_OK && title.failed ? no_memory(error) : status;
  if (status == ROOF_OK) {
    const rf_answer_frame around = {.title = named ? title.data : NULL,
                                    .part = args->page->part,
                                    .charts = (const char *const *)args->page->charts,
                                    .narrow = (const char *const *)args->page->narrow,
                                    .asked = f.asked_list,
                                    .reproduce = f.reproduce_list,
                                    .elsewhere = f.elsewhere_list};
    status = rf_answer_page(answer->data != NULL ? answer->data : "", &around, out, error);
  }
  roof_text_done(&title);
  frame_done(&f);
  return status;
}
