/* The explorer's page with a machine in it. */
#include <string.h>

#include "host/file.h"
#include "host/process.h"
#include "roofline/documents.h"

/** Where the page may be, from the folder of the program: a build, an installation. */
static const char *const places[] = {"../web/explorer.html", "../share/roofline/explorer.html"};

/** What the machine's JSON comes after. */
static const char slot[] = "<script type=\"application/json\" id=\"host\">";

static roof_status read_page(roof_text *page, roof_error *error) {
  char folder[4096];
  roof_status status = ROOF_E_UNSUPPORTED;
  rf_process_folder(folder, sizeof folder);
  for (size_t i = 0; i < sizeof places / sizeof places[0] && status != ROOF_OK && status != ROOF_E_MEMORY;
       i++) {
    roof_text path = {0};
    roof_text_addf(&path, "%s/%s", folder, places[i]);
    status = path.failed ? ROOF_E_MEMORY : rf_file_read(path.data, page, NULL);
    roof_text_done(&path);
  }
  return status == ROOF_OK ? ROOF_OK
         : status == ROOF_E_MEMORY
             ? roof_error_set(error, status, "explorer: out of memory")
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "the explorer's page is not built here: `./run web` makes it");
}

/** The JSON, in which no text ends the script that it is in. */
static roof_status add_machine(const roof_machine *machine, roof_text *out, roof_error *error) {
  roof_text json = {0};
  roof_status status = roof_machine_write(machine, &json, error);
  for (const char *at = json.data; status == ROOF_OK && *at != '\0'; at++) {
    roof_text_add_bytes(out, *at == '<' ? "\\u003c" : at, *at == '<' ? 6 : 1);
  }
  roof_text_done(&json);
  return status;
}

roof_status roof_explorer_write(const roof_machine *machine, roof_text *out, roof_error *error) {
  roof_text page = {0};
  roof_status status = read_page(&page, error);
  const char *at = status == ROOF_OK ? strstr(page.data, slot) : NULL;
  if (status == ROOF_OK && at == NULL) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED,
                            "the explorer's page is of another version: `./run web` makes it anew");
  }
  if (status == ROOF_OK) {
    size_t head = (size_t)(at - page.data) + sizeof slot - 1;
    roof_text_add_bytes(out, page.data, head);
    status = machine != NULL ? add_machine(machine, out, error) : ROOF_OK;
    roof_text_add_bytes(out, page.data + head, page.length - head);
  }
  roof_text_done(&page);
  return status == ROOF_OK && out->failed ? roof_error_set(error, ROOF_E_MEMORY, "explorer: out of memory")
                                          : status;
}
