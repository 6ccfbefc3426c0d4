/* --to: where an answer goes, and in which format. */
#include <stdlib.h>
#include <string.h>

#include "cli/effects.h"
#include "cli/page.h"
#include "roofline/draw.h"

enum { ENDING_MAX = 8 };

/** What stands after the last point of the file's name; "" where there is none. */
static const char *ending_of(const char *path) {
  const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  const char *point = strrchr(base, '.');
  return point != NULL ? point + 1 : "";
}

static bool is_drawing(const char *ending) {
  return cli_is_among("svg png pdf html", ending);
}

/** "-", "-.svg" and the file of that meaning. */
static bool is_standard_output(const char *path) {
  return strcmp(path, "-") == 0 || (strncmp(path, "-.", 2) == 0 && strchr(path, '/') == NULL) ||
         strcmp(path, "/dev/stdout") == 0;
}

static const char *first_of(const char *list, char word[ENDING_MAX]) {
  snprintf(word, ENDING_MAX, "%.*s", (int)strcspn(list, " "), list);
  return word;
}

/** ".svg, .png or .html" */
static const char *list_endings(const char *list, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (const char *at = list; *at != '\0' && length + ENDING_MAX < size;) {
    size_t word = strcspn(at, " ");
    bool last = at[word] == '\0';
    length += (size_t)snprintf(text + length, size - length, "%s.%.*s",
                               at == list ? ""
                               : last     ? " or "
                                          : ", ",
                               (int)word, at);
    at += word + !last;
  }
  return text;
}

static roof_status refuse_ending(const char *to, const cli_command *command, roof_error *error) {
  char all[128];
  return roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: `%s` writes files that end in %s", to,
                        command->name, list_endings(command->writes, all, sizeof all));
}

/** The format of `args->to`: its ending, else what was typed, else for a stream the command's first. */
static roof_status choose_ending(cli_args *args, const cli_command *command, roof_error *error) {
  static char first[ENDING_MAX];
  const char *ending = ending_of(args->to), *typed = args->json ? "json" : args->csv ? "csv" : "";
  bool stream = is_standard_output(args->to) || rf_write_in_place(args->to);
  if (ending[0] == '\0' || (stream && !cli_is_among(command->writes, ending))) {
    ending = typed[0] != '\0' ? typed : stream ? first_of(command->writes, first) : "";
  }
  if (!cli_is_among(command->writes, ending)) {
    return refuse_ending(args->to, command, error);
  }
  bool both = (command->groups & CLI_ARGS_BOTH) != 0 && !is_standard_output(args->to);
  if (typed[0] != '\0' && strcmp(typed, ending) != 0 && !(both && is_drawing(ending))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: --to %s says another format", typed, args->to);
  }
  args->ending = ending;
  return ROOF_OK;
}

bool cli_to_is_csv(const cli_args *args, const cli_command *command) {
  return args->to != NULL && strcmp(ending_of(args->to), "csv") == 0 && cli_is_among(command->writes, "csv");
}

roof_status cli_to_check(const char *path, roof_error *error) {
  return rf_write_check(path, is_standard_output(path), error);
}

/** --width is of a picture: a page has its charts for wide windows and for narrow ones. */
static roof_status check_width(const cli_args *args, const cli_command *command, roof_error *error) {
  enum { MOST = 4000 };
  bool drawn = args->to != NULL && cli_is_among("svg png pdf", args->ending);
  bool columns = args->to == NULL && (command->groups & CLI_ARGS_COLUMNS) != 0;
  if (args->width == 0 || columns) {
    return ROOF_OK;
  }
  if (!drawn) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--width: has no effect without --to FILE.svg, .png or .pdf");
  }
  return args->width >= ROOF_CHART_NARROW && args->width <= MOST
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--width %d: a drawing is %d to %d pixels wide",
                              args->width, ROOF_CHART_NARROW, MOST);
}

roof_status cli_to_open(cli_args *args, const cli_command *command, roof_error *error) {
  if (args->json && args->csv) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--json --csv: an answer has one format");
  }
  if (args->to == NULL) {
    return check_width(args, command, error);
  }
  roof_status status = cli_to_check(args->to, error);
  status = status == ROOF_OK ? choose_ending(args, command, error) : status;
  status = status == ROOF_OK ? check_width(args, command, error) : status;
  status = status == ROOF_OK && cli_is_among("png pdf", args->ending) ? roof_draw_png_check(error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  bool stream = is_standard_output(args->to);
  if (strcmp(args->ending, "html") == 0 && (command->groups & CLI_ARGS_PAGE) != 0) {
    args->page = calloc(1, sizeof *args->page);
    cli_print_catch(true);
    if (args->page == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
    }
    args->page->part = args->part;
    return ROOF_OK;
  }
  bool keeps = (command->groups & CLI_ARGS_KEEP) != 0;
  if (is_drawing(args->ending) || keeps) {
    args->file = stream ? "-" : args->to;
  }
  args->json = args->json || (strcmp(args->ending, "json") == 0 && (!keeps || stream));
  args->csv = args->csv || strcmp(args->ending, "csv") == 0;
  if (args->file == NULL && !stream) {
    cli_print_catch(false);
  }
  return ROOF_OK;
}

roof_status cli_to_write(const cli_args *args, const char *path, const roof_text *text, roof_error *error) {
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", path);
  }
  if (is_standard_output(path)) {
    roof_status printed = cli_print_document(text, error);
    if (args->file != NULL && is_standard_output(args->file)) {
      cli_print_no_more();
    }
    return printed;
  }
  roof_status status = rf_write_file(path, text->data, text->length, error);
  if (status == ROOF_OK && !args->quiet && !rf_write_in_place(path)) {
    fprintf(stderr, "wrote %s\n", path);
  }
  return status;
}

roof_status cli_to_close(const cli_args *args, const cli_command *command, roof_status status,
                         roof_error *error) {
  roof_text text = {0}, page = {0};
  bool caught = cli_print_caught(&text), answered = status == ROOF_OK || status == ROOF_E_GATE;
  if (caught && answered && args->page != NULL) {
    roof_status drawn = cli_page_of_answer(args, command, &text, &page, error);
    roof_text_done(&text);
    text = page;
    status = drawn != ROOF_OK ? drawn : status;
    answered = drawn == ROOF_OK;
  }
  if (caught && answered) {
    roof_status written = cli_to_write(args, args->to, &text, error);
    status = written != ROOF_OK ? written : status;
  }
  roof_text_done(&text);
  return status;
}
