/* Any bytes as a cluster's file: refused with a reason and a place, or what is written of it reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/nodes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_curves chart;
  roof_nodes *nodes = NULL, *again = NULL;
  roof_nodes_changes changes;
  roof_text first = {0}, second = {0};
  roof_error error;
  if (roof_nodes_read((const char *)data, size, "fuzz", &nodes, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0' && nodes == NULL);
    return 0;
  }
  require(roof_nodes_write(nodes, &first, &error) == ROOF_OK);
  require(roof_nodes_read(first.data, first.length, "written", &again, &error) == ROOF_OK);
  require(roof_nodes_write(again, &second, &error) == ROOF_OK);
  require(strcmp(first.data, second.data) == 0);
  require(roof_nodes_compare(nodes, again, &changes, &error) == ROOF_OK);
  roof_nodes_changes_done(&changes);
  roof_nodes_chart(nodes, &chart, &error);
  roof_text_done(&first);
  roof_text_done(&second);
  roof_nodes_free(nodes);
  roof_nodes_free(again);
  return 0;
}
