/* The operations that can be named: those of the user's files, then the built-in ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/letters.h"
#include "documents/json.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

roof_status roof_userops_find(const roof_userops *files, int count, const char *name, const roof_op **op,
                              roof_error *error) {
  for (int i = 0; i < count; i++) {
    for (size_t k = 0; k < files[i].count; k++) {
      if (strcmp(files[i].ops[k].name, name) == 0) {
        *op = &files[i].ops[k];
        return ROOF_OK;
      }
    }
  }
  return access(name, F_OK) == 0 && roof_op_find(name, op, NULL) != ROOF_OK
             ? roof_error_set(
                   error, ROOF_E_NAME,
                   "`%.200s`: a file, no operation; what a profiler wrote, `roofline import FILE --json` "
                   "reads first",
                   name)
             : roof_op_find(name, op, error);
}

const roof_op *roof_userops_at(const roof_userops *files, int count, int index) {
  for (int i = 0; i < count; i++) {
    if (index >= 0 && index < (int)files[i].count) {
      return &files[i].ops[index];
    }
    index -= (int)files[i].count;
  }
  return roof_op_at(index);
}

roof_status roof_userops_list(const roof_userops *files, int count, const roof_op ***list,
                              roof_error *error) {
  size_t all = 0;
  for (int i = 0; i < count; i++) {
    all += files[i].count;
  }
  const roof_op **ops = calloc(all + 1, sizeof *ops);
  if (ops == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "operations: out of memory");
  }
  for (size_t i = 0; i < all; i++) {
    ops[i] = roof_userops_at(files, count, (int)i);
  }
  *list = ops;
  return ROOF_OK;
}

bool roof_op_mentions(const roof_op *op, const char *text) {
  const char *const texts[] = {op->name, op->family, op->summary};
  bool found = false;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !found; i++) {
    found = rf_letters_find(texts[i], text) != NULL;
  }
  return found;
}

roof_status roof_userops_write(const roof_userops *files, int count, const char *text, roof_text *out,
                               roof_error *error) {
  json_t *list = json_array();
  for (int i = 0; roof_userops_at(files, count, i) != NULL; i++) {
    if (roof_op_mentions(roof_userops_at(files, count, i), text)) {
      json_t *member = rf_op_json(roof_userops_at(files, count, i));
      json_object_del(member, "schema");
      rf_json_append(list, member);
    }
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.ops/1", "operations", list), "operations",
                       out, error);
}

void roof_op_add_usage(roof_text *out, const roof_op *op) {
  for (int i = 0; i < roof_op_param_count(op); i++) {
    const roof_param *p = &op->params[i];
    bool optional = p->same_as != NULL || !isnan(p->fallback);
    roof_text_addf(out, "%s%s%s", i > 0 ? " " : "", optional ? "[" : "", p->name);
    if (p->same_as != NULL) {
      roof_text_addf(out, "=%s", p->same_as);
    } else if (p->kind == ROOF_PARAM_CHOICE) {
      for (int c = 0; c < ROOF_CHOICE_MAX && p->choices[c] != NULL; c++) {
        roof_text_addf(out, "%s%s", c > 0 ? "|" : "=", p->choices[c]);
      }
    } else if (optional) {
      char value[64];
      roof_op_value_text(op, i, p->fallback, value, sizeof value);
      roof_text_addf(out, "=%s", value);
    }
    roof_text_add(out, optional ? "]" : "");
  }
}
