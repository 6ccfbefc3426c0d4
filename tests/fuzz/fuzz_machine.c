/* Any text as a machine file: it is refused with a place in it, or it is checked, written and reads back the
 * same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_machine *machine = NULL, *again = NULL;
  roof_error error;
  if (roof_machine_read((const char *)data, size, "fuzz", &machine, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0' && error.line >= 1 && error.column >= 1);
    return 0;
  }
  roof_finding findings[4];
  roof_text first = {0}, second = {0};
  roof_machine_lint(machine, findings, 4);
  require(roof_machine_write(machine, &first, NULL) == ROOF_OK);
  require(roof_machine_read(first.data, first.length, "again", &again, NULL) == ROOF_OK);
  require(roof_machine_write(again, &second, NULL) == ROOF_OK);
  require(strcmp(first.data, second.data) == 0);
  roof_text_done(&first);
  roof_text_done(&second);
  roof_machine_free(machine);
  roof_machine_free(again);
  return 0;
}
