/* The explorer in the browser, on this machine's own ceilings. */
#include <unistd.h>

#include "cli/cli.h"
#include "host/process.h"

/** Opens the page where somebody sits before a desktop; false where nothing does. */
static bool open_page(const char *path) {
  const char *const words[] = {"xdg-open", path, NULL};
  const rf_process process = {.words = words, .quiet = true};
  rf_process_hold hold;
  rf_process_usage usage;
  rf_process_begin(&hold);
  bool opened = rf_process_run(&process, &hold, &usage, NULL) == ROOF_OK;
  rf_process_end(&hold);
  return opened;
}

/** Says how this machine gets into the page. */
static roof_status note_absent(roof_error *error) {
  roof_text note = {0};
  roof_text_addf(&note, "this machine is not in it: `%s measure` measures it first\n", cli_program_name());
  roof_status status = cli_note(&note, error);
  roof_text_done(&note);
  return status;
}

static roof_status write_page(const cli_args *args, const char *path, roof_error *error) {
  roof_machine *host = NULL;
  roof_text page = {0};
  roof_status status = roof_catalog_load_known("host", &host, error);
  status = status == ROOF_OK ? roof_explorer_write(host, &page, error) : status;
  status = status == ROOF_OK ? cli_to_write(args, path, &page, error) : status;
  status = status == ROOF_OK && host == NULL && !args->quiet ? note_absent(error) : status;
  roof_text_done(&page);
  roof_machine_free(host);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *path = args->file != NULL ? args->file : "roofline-explorer.html";
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? cli_to_check(path, error) : status;
  status = status == ROOF_OK ? write_page(args, path, error) : status;
  if (status == ROOF_OK && args->file == NULL && isatty(STDOUT_FILENO) && !open_page(path)) {
    fprintf(stderr, "no xdg-open: open it in a browser\n");
  }
  return status;
}

static const cli_effect only_page[] = {{.options = "csv json"}, {0}};

const cli_command cli_cmd_explore = {
    .name = "explore",
    .task = CLI_TASK_ASK,
    .arguments = "",
    .summary = "the explorer in the browser: predict by sliders, on this machine's own ceilings",
    .examples = "  roofline explore\n"
                "  roofline explore --to explorer.html\n"
                "\n"
                "  Writes roofline-explorer.html, or FILE, and opens it where there is a desktop: a page "
                "that works from "
                "a file, offline, with the machine that `roofline measure` measured in it.\n",
    .writes = "html",
    .effects = only_page,
    .run = run,
};
