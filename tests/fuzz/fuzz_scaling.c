/* Any bytes as a scaling study: refused with a reason and a place, or said and drawn, and what is written of it reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/scaling.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rf_scaling_study study, again;
  static roof_curves chart;
  roof_text words = {0}, given = {0}, first = {0}, second = {0};
  roof_error error;
  if (rf_scaling_read((const char *)data, size, "fuzz", &study, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0' && error.line >= 1);
    return 0;
  }
  rf_scaling_sentence(&study, &words);
  require(words.length > 0);
  require(rf_scaling_chart(&study, &chart, &error) == ROOF_OK || study.count == 1);
  require(rf_scaling_write(&study, &given, &error) == ROOF_OK);
  require(rf_scaling_read(given.data, given.length, "written", &again, &error) == ROOF_OK);
  require(rf_scaling_write(&again, &first, &error) == ROOF_OK); /* numbers have 15 digits from here on */
  require(rf_scaling_read(first.data, first.length, "written", &again, &error) == ROOF_OK);
  require(rf_scaling_write(&again, &second, &error) == ROOF_OK);
  require(strcmp(first.data, second.data) == 0);
  roof_text_done(&words);
  roof_text_done(&given);
  roof_text_done(&first);
  roof_text_done(&second);
  return 0;
}
