#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "draw/answer.h"
#include "host/process.h"
#include "host/terminal.h"
#include "models/words.h"

/** What is printed, while it is kept for a file. */
static struct {
  bool catches, done;
  bool whole; /**< as answers are before a screen shows them */
  roof_text text;
} caught;

void cli_print_catch(bool whole) {
  caught.catches = true;
  caught.whole = whole;
}

bool cli_print_caught(roof_text *out) {
  bool catches = caught.catches;
  *out = caught.text;
  caught.text = (roof_text){0};
  caught.catches = caught.whole = false;
  return catches;
}

void cli_print_no_more(void) {
  caught.done = true;
}

/** What the options say of all output. */
static struct {
  bool document; /**< JSON or CSV */
  bool commands; /**< for GitHub's log */
  enum { AUTO, ALWAYS, NEVER } color;
} asked;

void cli_screen_github(void) {
  asked.commands = true;
}

void cli_screen_set(const cli_args *args) {
  const char *color = args->color != NULL ? args->color : "auto";
  asked.document = args->json || args->csv;
  asked.color = strcmp(color, "always") == 0 ? ALWAYS : strcmp(color, "never") == 0 ? NEVER : AUTO;
}

rf_screen cli_prose_screen(FILE *stream) {
  const rf_terminal terminal = rf_terminal_of(fileno(stream), stream == stdout && caught.catches);
  return (rf_screen){.width = terminal.width,
                     .ascii = terminal.ascii,
                     .commands = terminal.commands || asked.commands,
                     .color = asked.color == AUTO ? terminal.color : asked.color == ALWAYS};
}

rf_screen cli_screen(FILE *stream) {
  rf_screen screen = cli_prose_screen(stream);
  screen.width = screen.width > 0 ? screen.width : CLI_SCREEN;
  return screen;
}

roof_status cli_output_status(int why, roof_error *error) {
  return why == 0 || why == EPIPE
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_OUTPUT, "standard output: %s", strerror(why));
}

roof_status cli_print_document(const roof_text *text, roof_error *error) {
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "output: out of memory");
  }
  if (caught.catches) {
    roof_text_add_bytes(&caught.text, text->data, text->length);
  }
  if (caught.catches || caught.done) {
    return ROOF_OK;
  }
  if ((text->length > 0 && fwrite(text->data, 1, text->length, stdout) != text->length) ||
      fflush(stdout) != 0 || ferror(stdout) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "standard output: %s", strerror(errno));
  }
  return ROOF_OK;
}

roof_status cli_print(const roof_text *text, roof_error *error) {
  if (asked.document || text->failed || text->data == NULL || caught.whole) {
    return cli_print_document(text, error);
  }
  const rf_screen lines = cli_prose_screen(stdout), tables = cli_screen(stdout);
  roof_text shown = {0};
  rf_answer_show(&shown, &lines, &tables, text->data);
  roof_status status = cli_print_document(&shown, error);
  roof_text_done(&shown);
  return status;
}

roof_status cli_note(const roof_text *text, roof_error *error) {
  const rf_screen lines = cli_prose_screen(stderr), tables = cli_screen(stderr);
  roof_text shown = {0};
  rf_answer_show(&shown, &lines, &tables, text->data != NULL ? text->data : "");
  bool failed = text->failed || shown.failed, empty = shown.length == 0;
  bool written = failed || empty || fwrite(shown.data, 1, shown.length, stderr) == shown.length;
  roof_text_done(&shown);
  return failed    ? roof_error_set(error, ROOF_E_MEMORY, "standard error: out of memory")
         : written ? ROOF_OK
                   : roof_error_set(error, ROOF_E_OUTPUT, "standard error: %s", strerror(errno));
}

roof_status cli_print_end(roof_text *text, roof_status status, roof_error *error) {
  status = status == ROOF_OK ? cli_print(text, error) : status;
  roof_text_done(text);
  return status;
}

const char *cli_program_name(void) {
  static char path[4096];
  if (caught.whole) { /* which is read elsewhere */
    return "roofline";
  }
  return strchr(rf_process_name(path, sizeof path), '/') != NULL ? path : "roofline";
}

void cli_report(const char *severity, const roof_error *error) {
  roof_text line = {0};
  rf_screen screen = cli_screen(stderr);
  screen.width = 0; /* one line, for whoever reads it by program */
  roof_text_addf(&line, "roofline: %s", severity);
  if (error->file[0] != '\0') {
    roof_text_add(&line, error->file);
    if (error->line > 0) {
      roof_text_addf(&line, ":%d", error->line);
    }
    if (error->column > 0) {
      roof_text_addf(&line, ":%d", error->column);
    }
    roof_text_add(&line, ": ");
  }
  rf_screen_add_plain(&line, error->message, strlen(error->message), screen.ascii);
  roof_text shown = {0};
  rf_screen_add(&shown, &screen, line.data != NULL ? line.data : error->message);
  fprintf(stderr, "%s\n", shown.failed ? "roofline: out of memory" : shown.data);
  roof_text_done(&shown);
  roof_text_done(&line);
}

void cli_show_progress(void *args, const char *step, int done, int total) {
  const cli_args *a = args;
  if (a->quiet || !isatty(STDERR_FILENO)) {
    return;
  }
  if (done >= total) {
    fputs("\r\033[K", stderr);
  } else {
    fprintf(stderr, "\r\033[K%d/%d %s", done + 1, total, step);
  }
  fflush(stderr);
}

const char *cli_number(char buffer[CLI_SHORT], double value) {
  return rf_plain_number(buffer, CLI_SHORT, value);
}

const char *cli_quantity(char buffer[CLI_SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, CLI_SHORT, value, unit);
}
