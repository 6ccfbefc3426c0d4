/* Any text as a machine file: it is refused with a place in it, or it is checked, written and reads back the
 * same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "mutate.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What may stand in the place of a member. */
static json_t *odd_value(unsigned *seed) {
  static const double numbers[] = {0, -1, 1e308, 1e-308, 9007199254740993.0, 1.4};
  char text[1500];
  size_t length = mutate_random(seed, sizeof text), kind = mutate_random(seed, 6);
  memset(text, 'A', sizeof text);
  text[length] = '\0';
  return kind == 0   ? json_real(numbers[mutate_random(seed, 6)])
         : kind == 1 ? json_string(text)
         : kind == 2 ? json_string("\x1b[2J\n")
         : kind == 3 ? json_null()
         : kind == 4 ? json_array()
                     : json_object();
}

/** Replaces or doubles one value somewhere in the document. */
static void change(json_t *value, unsigned *seed) {
  size_t at = 0, chosen = json_is_array(value) ? json_array_size(value) : json_object_size(value);
  chosen = chosen > 0 ? mutate_random(seed, chosen) : 0;
  if (json_is_array(value) && json_array_size(value) > 0) {
    json_t *one = json_array_get(value, chosen);
    if (mutate_random(seed, 4) == 0) {
      json_array_append_new(value, json_deep_copy(one));
    } else if (json_is_object(one) || json_is_array(one)) {
      change(one, seed);
    } else {
      json_array_set_new(value, chosen, odd_value(seed));
    }
  }
  void *member = json_is_object(value) ? json_object_iter(value) : NULL;
  for (; member != NULL && at < chosen; at++) {
    member = json_object_iter_next(value, member);
  }
  if (member != NULL) {
    json_t *one = json_object_iter_value(member);
    bool inner = (json_is_object(one) || json_is_array(one)) && mutate_random(seed, 8) > 0;
    if (inner) {
      change(one, seed);
    } else {
      json_object_iter_set_new(value, member, odd_value(seed));
    }
  }
}

/** Most often one value of a document that stays JSON; else any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  json_t *root = mutate_random(&seed, 4) > 0 ? json_loadb((const char *)data, size, 0, NULL) : NULL;
  if (root == NULL) {
    return mutate_text(data, size, most, seed);
  }
  change(root, &seed);
  char *text = json_dumps(root, JSON_INDENT(2));
  size_t length = text != NULL ? strlen(text) : 0;
  if (length > 0 && length <= most) {
    memcpy(data, text, length);
    size = length;
  }
  free(text);
  json_decref(root);
  return size;
}

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
