#include "cluster/members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/fabric.h"

static json_t *estimate_json(const roof_estimate *e) {
  json_t *object = json_object();
  RF_JSON_SET(object, ((rf_json_member[]){{"value", e->value}, {"low", e->low}, {"high", e->high}}));
  return object;
}

json_t *rf_members_json(const void *of, const rf_member *members) {
  json_t *object = json_object();
  for (const rf_member *m = members; m->key != NULL; m++) {
    const void *at = (const char *)of + m->offset;
    rf_json_set(object, m->key,
                m->kind == RF_NUMBER     ? rf_json_number(*(const double *)at)
                : m->kind == RF_COUNT    ? json_integer(*(const int *)at)
                : m->kind == RF_ESTIMATE ? estimate_json(at)
                                         : json_string(at));
  }
  return object;
}

json_t *rf_members_list_json(const void *first, size_t size, int count, const rf_member *members) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    rf_json_append(list, rf_members_json((const char *)first + (size_t)i * size, members));
  }
  return list;
}

double rf_member_number(json_t *value) {
  double number = rf_json_number_of(value);
  return number >= 0 && isfinite(number) ? number : (double)NAN;
}

static int count_of(json_t *value) {
  double number = rf_member_number(value);
  return number <= 1e9 ? (int)number : 0;
}

void rf_member_text(char *to, size_t size, json_t *value) {
  const char *text = rf_json_text_of(value);
  snprintf(to, size, "%s", roof_text_is_plain(text) && strlen(text) < size ? text : "?");
}

void rf_members_read(json_t *object, void *of, const rf_member *members) {
  for (const rf_member *m = members; m->key != NULL; m++) {
    json_t *value = json_object_get(object, m->key);
    void *at = (char *)of + m->offset;
    if (m->kind == RF_NUMBER) {
      *(double *)at = rf_member_number(value);
    } else if (m->kind == RF_COUNT) {
      *(int *)at = count_of(value);
    } else if (m->kind == RF_ESTIMATE) {
      *(roof_estimate *)at = (roof_estimate){rf_member_number(json_object_get(value, "value")),
                                             rf_member_number(json_object_get(value, "low")),
                                             rf_member_number(json_object_get(value, "high"))};
    } else {
      rf_member_text(at, m->size, value);
    }
  }
}

int rf_members_length(json_t *list, size_t most) {
  size_t count = json_array_size(list);
  bool fits = json_is_array(list) && count <= most;
  for (size_t i = 0; i < count && fits; i++) {
    fits = json_is_object(json_array_get(list, i));
  }
  return fits ? (int)count : -1;
}

int rf_members_read_list(json_t *list, size_t most, void *first, size_t size, const rf_member *members) {
  int count = rf_members_length(list, most);
  for (int i = 0; i < count; i++) {
    rf_members_read(json_array_get(list, (size_t)i), (char *)first + (size_t)i * size, members);
  }
  return count;
}
