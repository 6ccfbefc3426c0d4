/* Any text as the network of a cluster file: it is refused with a place in it, or said, drawn and written, and read again as it was. */
#include <stdint.h>
#include <stdlib.h>

#include "roofline/fabric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_fabric fabric, again;
  static roof_curves chart;
  roof_text first = {0}, words = {0};
  roof_error error;
  if (roof_fabric_read((const char *)data, size, "fuzz", &fabric, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0' && error.line >= 1);
    return 0;
  }
  roof_fabric_sentence(&fabric, &words);
  require(words.length > 0);
  if (roof_fabric_chart(&fabric, &chart, NULL) == ROOF_OK) {
    require(chart.panel_count > 0);
  }
  require(roof_fabric_write(&fabric, &first, NULL) == ROOF_OK);
  require(roof_fabric_read(first.data, first.length, "fuzz", &again, NULL) == ROOF_OK);
  require(again.node_count == fabric.node_count && again.distance_count == fabric.distance_count);
  roof_text_done(&first);
  roof_text_done(&words);
  roof_fabric_done(&fabric);
  roof_fabric_done(&again);
  return 0;
}
