/* A scaling study as a document: tables of members, by which it is written and read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/members.h"
#include "cluster/scaling.h"
#include "documents/json.h"
#include "documents/locate.h"
#include "host/file.h"
#include "roofline/ops.h"

#define SCHEMA "roofline.scaling/1"

static const rf_member study_members[] = {
    RF_MEMBER(rf_scaling_study, machine, "machine", TEXT),
    RF_MEMBER(rf_scaling_study, machine_title, "machine_title", TEXT),
    RF_MEMBER(rf_scaling_study, machine_date, "machine_date", TEXT),
    RF_MEMBER(rf_scaling_study, launcher, "launcher", TEXT),
    RF_MEMBER(rf_scaling_study, library, "library", TEXT),
    RF_MEMBERS_END,
};

static const rf_member link_members[] = {
    RF_MEMBER(rf_scaling_link, latency_seconds, "latency_seconds", NUMBER),
    RF_MEMBER(rf_scaling_link, bytes_per_second, "bytes_per_second", NUMBER),
    RF_MEMBERS_END,
};

static const rf_member point_members[] = {
    RF_MEMBER(rf_scaling_point, part.ranks, "ranks", COUNT),
    RF_MEMBER(rf_scaling_point, place.nodes, "nodes", COUNT),
    RF_MEMBER(rf_scaling_point, place.most, "ranks_of_node", COUNT),
    RF_MEMBER(rf_scaling_point, place.cores, "cores_of_node", COUNT),
    RF_MEMBER(rf_scaling_point, part.rows, "rows", COUNT),
    RF_MEMBER(rf_scaling_point, part.columns, "columns", COUNT),
    RF_MEMBER(rf_scaling_point, part.flops, "flops", NUMBER),
    RF_MEMBER(rf_scaling_point, part.sent_bytes, "sent_bytes", NUMBER),
    RF_MEMBERS_END,
};

static const rf_member predicted_members[] = {
    RF_MEMBER(rf_scaling_point, predicted.seconds, "seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.low, "seconds_low", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.high, "seconds_high", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.compute_seconds, "compute_seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.network_seconds, "network_seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.lower_seconds, "lower_seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, predicted.binding, "binding", TEXT),
    RF_MEMBERS_END,
};

static const rf_member measured_members[] = {
    RF_MEMBER(rf_scaling_point, measured.seconds, "seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, measured.low, "seconds_low", NUMBER),
    RF_MEMBER(rf_scaling_point, measured.high, "seconds_high", NUMBER),
    RF_MEMBER(rf_scaling_point, measured.network_seconds, "network_seconds", NUMBER),
    RF_MEMBER(rf_scaling_point, measured.steps, "steps", COUNT),
    RF_MEMBERS_END,
};

/* --- writing --- */

/** Sets what follows from the times of two points. */
static void set_pace(json_t *object, double times, int ranks) {
  RF_JSON_SET(object, ((rf_json_member[]){{"speedup", times}, {"efficiency", times / ranks}}));
}

static json_t *predicted_json(const rf_scaling_point *first, const rf_scaling_point *p) {
  json_t *object = rf_members_json(p, predicted_members);
  set_pace(object, rf_scaling_speedup(first, first->predicted.seconds, p, p->predicted.seconds),
           p->part.ranks);
  rf_json_set_text(object, "regime", roof_regime_name(p->predicted.regime));
  return object;
}

static json_t *measured_json(const rf_scaling_point *first, const rf_scaling_point *p) {
  json_t *object = rf_members_json(p, measured_members);
  set_pace(object, rf_scaling_speedup(first, first->measured.seconds, p, p->measured.seconds), p->part.ranks);
  rf_json_set(object, "verdict",
              p->measured.verdict[0] != '\0' ? json_string(p->measured.verdict) : json_null());
  return object;
}

static json_t *point_json(const rf_scaling_study *s, const roof_op *op, const rf_scaling_point *p) {
  json_t *object = rf_members_json(p, point_members);
  rf_json_set(object, "distance",
              p->part.ranks > 1 ? json_string(roof_distance_name(p->place.distance)) : json_null());
  rf_json_set(object, "parameters", rf_parameters_json(op, p->part.whole));
  rf_json_set(object, "predicted", predicted_json(&s->points[0], p));
  rf_json_set(object, "measured", measured_json(&s->points[0], p));
  return object;
}

static json_t *links_json(const rf_scaling_study *s) {
  json_t *list = json_array();
  for (int i = 0; i < s->link_count; i++) {
    json_t *link = rf_members_json(&s->links[i], link_members);
    rf_json_set_text(link, "distance", roof_distance_name(s->links[i].distance));
    rf_json_append(list, link);
  }
  return list;
}

roof_status rf_scaling_write(const rf_scaling_study *study, roof_text *out, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(study->kernel->op, &op, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_json_begin();
  json_t *object = json_object(), *points = json_array();
  rf_json_set_text(object, "schema", SCHEMA);
  rf_json_set_text(object, "kernel", study->kernel->name);
  rf_json_set_text(object, "op", study->kernel->op);
  rf_json_set_text(object, "scaling", study->weak ? "weak" : "strong");
  rf_json_set_text(object, "dtype", roof_dtype_name(study->kernel->dtype));
  rf_json_set(object, "parameters", rf_parameters_json(op, study->values));
  rf_json_merge(object, rf_members_json(study, study_members));
  rf_json_set(object, "links", links_json(study));
  for (int i = 0; i < study->count; i++) {
    rf_json_append(points, point_json(study, op, &study->points[i]));
  }
  rf_json_set(object, "points", points);
  return rf_json_write(object, "scaling", out, error);
}

/* --- reading --- */

enum { DEPTH = 4 };

/** Where reading stands. */
typedef struct reader {
  const char *text, *file;
  size_t length;
  size_t steps[DEPTH], depth;
  roof_error *error;
} reader;

/** Refuses the value at which reading stands. */
static roof_status refuse(const reader *r, const char *why) {
  int line = 1, column = 1;
  rf_json_locate(r->text, r->length, r->steps, r->depth, false, &line, &column);
  roof_error_set(r->error, ROOF_E_PARSE, "scaling: %s", why);
  return roof_error_at(r->error, r->file, line, column);
}

/** The member of that key, which reading then stands at; of none at the object itself. */
static json_t *enter(reader *r, json_t *object, const char *key) {
  const char *at = NULL;
  json_t *value = NULL;
  size_t number = 0;
  json_object_foreach(object, at, value) {
    if (strcmp(at, key) == 0) {
      r->steps[r->depth++] = number;
      return value;
    }
    number++;
  }
  return NULL;
}

static void leave(reader *r, const json_t *entered) {
  r->depth -= entered != NULL;
}

/** A member that is one of `count` words; which of them, in *index. */
static roof_status read_word(reader *r, json_t *object, const char *key, const char *const *words, int count,
                             int *index) {
  char why[96];
  json_t *value = enter(r, object, key);
  const char *word = rf_json_text_of(value);
  roof_status status = ROOF_OK;
  for (*index = 0; *index < count && strcmp(words[*index], word) != 0;) {
    ++*index;
  }
  if (*index == count) {
    snprintf(why, sizeof why, "its `%s` is %s", key, value == NULL ? "missing" : "none that there is");
    status = refuse(r, why);
  }
  leave(r, value);
  return status;
}

static roof_status read_kernel(reader *r, json_t *root, const rf_scaling_kernel **kernel) {
  roof_error why;
  json_t *value = enter(r, root, "kernel");
  roof_status status = ROOF_OK;
  if (!json_is_string(value) || rf_scaling_find(json_string_value(value), kernel, &why) != ROOF_OK) {
    status = refuse(r, json_is_string(value) ? why.message : "its `kernel` is no name");
  }
  leave(r, value);
  return status;
}

/** Every parameter of the operation. */
static roof_status read_parameters(reader *r, json_t *object, const roof_op *op, double *values) {
  json_t *given = enter(r, object, "parameters");
  roof_status status = ROOF_OK;
  for (int i = 0; i < roof_op_param_count(op) && status == ROOF_OK; i++) {
    json_t *value = enter(r, given, op->params[i].name);
    values[i] = rf_member_number(value);
    if (isnan(values[i])) {
      char why[96];
      snprintf(why, sizeof why, "no number for the parameter `%s`", op->params[i].name);
      status = refuse(r, why);
    }
    leave(r, value);
  }
  leave(r, given);
  return status;
}

static roof_status read_distance(reader *r, json_t *object, roof_distance *distance) {
  const char *names[ROOF_DISTANCE_COUNT];
  int found = 0;
  for (int i = 0; i < ROOF_DISTANCE_COUNT; i++) {
    names[i] = roof_distance_name((roof_distance)i);
  }
  roof_status status = read_word(r, object, "distance", names, ROOF_DISTANCE_COUNT, &found);
  *distance = status == ROOF_OK ? (roof_distance)found : ROOF_DISTANCE_CORE;
  return status;
}

static roof_status read_links(reader *r, json_t *root, rf_scaling_study *study) {
  json_t *list = enter(r, root, "links");
  study->link_count =
      rf_members_read_list(list, ROOF_DISTANCE_COUNT, study->links, sizeof *study->links, link_members);
  roof_status status =
      study->link_count >= 0 ? ROOF_OK : refuse(r, "`links` is no list of at most five objects");
  for (int i = 0; i < study->link_count && status == ROOF_OK; i++) {
    r->steps[r->depth++] = (size_t)i;
    status = read_distance(r, json_array_get(list, (size_t)i), &study->links[i].distance);
    r->depth--;
  }
  leave(r, list);
  return status;
}

static roof_status read_predicted(reader *r, json_t *object, rf_scaling_point *p) {
  const char *names[ROOF_REGIME_COUNT];
  json_t *value = enter(r, object, "predicted");
  int regime = 0;
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    names[i] = roof_regime_name((roof_regime)i);
  }
  rf_members_read(value, p, predicted_members);
  roof_status status = !(p->predicted.seconds > 0) || !(p->predicted.compute_seconds > 0)
                           ? refuse(r, "`predicted` without the `seconds` and `compute_seconds` of a step")
                           : read_word(r, value, "regime", names, ROOF_REGIME_COUNT, &regime);
  p->predicted.regime = status == ROOF_OK ? (roof_regime)regime : ROOF_COMPUTE_BOUND;
  leave(r, value);
  return status;
}

static void read_measured(json_t *object, rf_scaling_point *p) {
  json_t *verdict = json_object_get(object, "verdict");
  rf_members_read(object, p, measured_members);
  p->measured.seconds = p->measured.seconds > 0 ? p->measured.seconds : (double)NAN;
  if (json_is_string(verdict)) {
    rf_member_text(p->measured.verdict, sizeof p->measured.verdict, verdict);
  }
}

/** A point; `before` it were so many ranks. */
static roof_status read_point(reader *r, json_t *object, const roof_op *op, int before, rf_scaling_point *p) {
  rf_members_read(object, p, point_members);
  if (before == 0 ? p->part.ranks != 1 : p->part.ranks <= before) {
    return refuse(r, before == 0 ? "the first point's `ranks` are not 1"
                                 : "a point whose `ranks` are not more than those of the one before");
  }
  if (!(p->part.flops > 0) || !(p->part.sent_bytes > 0 || p->part.ranks == 1)) {
    return refuse(r, "a point without `flops`, or that sends no bytes");
  }
  roof_status status = read_parameters(r, object, op, p->part.whole);
  if (status == ROOF_OK && p->part.ranks > 1) {
    status = read_distance(r, object, &p->place.distance);
  }
  read_measured(json_object_get(object, "measured"), p);
  return status == ROOF_OK ? read_predicted(r, object, p) : status;
}

/** Points that were measured come first. */
static roof_status read_points(reader *r, json_t *root, const roof_op *op, rf_scaling_study *study) {
  json_t *list = enter(r, root, "points");
  int count = rf_members_length(list, RF_SCALING_POINTS), before = 0;
  roof_status status = count > 0 ? ROOF_OK : refuse(r, "`points` is no list of 1 to 24 objects");
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    rf_scaling_point *p = &study->points[i];
    r->steps[r->depth++] = (size_t)i;
    status = read_point(r, json_array_get(list, (size_t)i), op, before, p);
    r->depth--;
    before = p->part.ranks;
    study->measured += study->measured == i && p->measured.seconds > 0;
  }
  study->count = count;
  leave(r, list);
  return status;
}

static roof_status read_study(reader *r, json_t *root, rf_scaling_study *study) {
  static const char *const schemas[] = {SCHEMA}, *const modes[] = {"strong", "weak"};
  const roof_op *op = NULL;
  int schema = 0, weak = 0;
  roof_status status = json_is_object(root) ? read_word(r, root, "schema", schemas, 1, &schema)
                                            : refuse(r, "is no JSON object");
  status = status == ROOF_OK ? read_kernel(r, root, &study->kernel) : status;
  status = status == ROOF_OK ? roof_op_find(study->kernel->op, &op, r->error) : status;
  status = status == ROOF_OK ? read_word(r, root, "scaling", modes, 2, &weak) : status;
  study->weak = weak == 1;
  status = status == ROOF_OK ? read_parameters(r, root, op, study->values) : status;
  status = status == ROOF_OK ? read_links(r, root, study) : status;
  rf_members_read(root, study, study_members);
  return status == ROOF_OK ? read_points(r, root, op, study) : status;
}

roof_status rf_scaling_read(const char *text, size_t length, const char *file, rf_scaling_study *study,
                            roof_error *error) {
  json_t *root = NULL;
  rf_scaling_study read = {0};
  reader r = {.text = text, .file = file, .length = length, .error = error};
  roof_status status = rf_json_read(text, length, JSON_REJECT_DUPLICATES, file, "scaling", &root, error);
  status = status == ROOF_OK ? read_study(&r, root, &read) : status;
  json_decref(root);
  if (status == ROOF_OK) {
    *study = read;
  }
  return status;
}

bool rf_scaling_is_file(const char *path) {
  return rf_file_says(path, "\"roofline.scaling/");
}

roof_status rf_scaling_load(const char *path, rf_scaling_study *study, roof_error *error) {
  rf_file_mapping mapping;
  roof_status status = rf_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    size_t mark = rf_file_mark(mapping.data, mapping.length);
    status = rf_scaling_read((const char *)mapping.data + mark, mapping.length - mark, path, study, error);
    rf_file_unmap(&mapping);
  }
  return status;
}
