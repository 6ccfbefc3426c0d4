/* The network's part of a cluster file: tables of members, by which it is written and read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/fabric.h"

typedef enum kind { NUMBER, COUNT, ESTIMATE, TEXT } kind;

/** A member of a struct under its key. */
typedef struct field {
  const char *key;
  kind kind;
  size_t offset;
  size_t size; /**< of a text */
} field;

#define FIELD(type, member, name, its_kind)                                                                  \
  { name, its_kind, offsetof(type, member), sizeof(((type *)0)->member) }
#define END                                                                                                  \
  { NULL, NUMBER, 0, 0 }

static const field time_fields[] = {
    FIELD(roof_message_time, bytes, "bytes", NUMBER),
    FIELD(roof_message_time, seconds, "seconds", NUMBER),
    FIELD(roof_message_time, seconds_low, "seconds_low", NUMBER),
    FIELD(roof_message_time, seconds_high, "seconds_high", NUMBER),
    FIELD(roof_message_time, windowed_seconds, "windowed_seconds", NUMBER),
    FIELD(roof_message_time, overlap, "overlap", NUMBER),
    END,
};

static const field protocol_fields[] = {
    FIELD(roof_protocol, from_bytes, "from_bytes", NUMBER),
    FIELD(roof_protocol, to_bytes, "to_bytes", NUMBER),
    FIELD(roof_protocol, alpha, "latency_seconds", ESTIMATE),
    FIELD(roof_protocol, beta, "seconds_per_byte", ESTIMATE),
    END,
};

static const field loggp_fields[] = {
    FIELD(roof_loggp, latency, "latency_seconds", ESTIMATE),
    FIELD(roof_loggp, overhead, "overhead_seconds", ESTIMATE),
    FIELD(roof_loggp, gap, "gap_seconds", ESTIMATE),
    FIELD(roof_loggp, gap_per_byte, "gap_seconds_per_byte", ESTIMATE),
    END,
};

static const field distance_fields[] = {
    FIELD(roof_distance_fit, ranks[0], "rank", COUNT),
    FIELD(roof_distance_fit, ranks[1], "other_rank", COUNT),
    FIELD(roof_distance_fit, nodes[0], "node", TEXT),
    FIELD(roof_distance_fit, nodes[1], "other_node", TEXT),
    FIELD(roof_distance_fit, fit.error, "fit_error", NUMBER),
    FIELD(roof_distance_fit, messages_per_second, "messages_per_second", NUMBER),
    END,
};

static const field node_fields[] = {
    FIELD(roof_fabric_node, name, "node", TEXT),
    FIELD(roof_fabric_node, rank, "rank", COUNT),
    FIELD(roof_fabric_node, latency_seconds, "latency_seconds", NUMBER),
    FIELD(roof_fabric_node, bytes_per_second, "bytes_per_second", NUMBER),
    END,
};

static const field fabric_fields[] = {
    FIELD(roof_fabric, library, "library", TEXT),
    FIELD(roof_fabric, ranks, "ranks", COUNT),
    FIELD(roof_fabric, bisection_bytes_per_second, "bisection_bytes_per_second", NUMBER),
    FIELD(roof_fabric, bisection_pairs, "bisection_pairs", COUNT),
    END,
};

static const field collective_fields[] = {
    FIELD(roof_collective_curve, op, "op", TEXT),
    FIELD(roof_collective_curve, ranks, "ranks", COUNT),
    END,
};

static const field collective_time_fields[] = {
    FIELD(roof_collective_time, bytes, "bytes", NUMBER),
    FIELD(roof_collective_time, seconds, "seconds", NUMBER),
    FIELD(roof_collective_time, seconds_low, "seconds_low", NUMBER),
    FIELD(roof_collective_time, seconds_high, "seconds_high", NUMBER),
    END,
};

/* --- writing --- */

static json_t *estimate_json(const roof_estimate *e) {
  json_t *object = json_object();
  RF_JSON_SET(object, ((rf_json_member[]){{"value", e->value}, {"low", e->low}, {"high", e->high}}));
  return object;
}

static json_t *write_fields(const void *of, const field *fields) {
  json_t *object = json_object();
  for (const field *f = fields; f->key != NULL; f++) {
    const void *at = (const char *)of + f->offset;
    rf_json_set(object, f->key,
                f->kind == NUMBER     ? rf_json_number(*(const double *)at)
                : f->kind == COUNT    ? json_integer(*(const int *)at)
                : f->kind == ESTIMATE ? estimate_json(at)
                                      : json_string(at));
  }
  return object;
}

/** A list of `count` structs, `size` bytes each. */
static json_t *write_list(const void *first, size_t size, int count, const field *fields) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    rf_json_append(list, write_fields((const char *)first + (size_t)i * size, fields));
  }
  return list;
}

static json_t *distance_json(const roof_distance_fit *d) {
  json_t *object = write_fields(d, distance_fields);
  rf_json_set_text(object, "distance", roof_distance_name(d->distance));
  rf_json_set(object, "protocols", write_list(d->fit.of, sizeof *d->fit.of, d->fit.count, protocol_fields));
  rf_json_set(object, "loggp", write_fields(&d->loggp, loggp_fields));
  rf_json_set(object, "messages", write_list(d->times, sizeof *d->times, d->time_count, time_fields));
  return object;
}

static json_t *collective_json(const roof_collective_curve *c) {
  json_t *object = write_fields(c, collective_fields), *list = json_array();
  for (int i = 0; i < c->time_count; i++) {
    const roof_collective_time *t = &c->times[i];
    json_t *one = write_fields(t, collective_time_fields), *predicted = json_object();
    for (int a = 0; a < c->algorithm_count; a++) {
      rf_json_set(predicted, c->algorithms[a], rf_json_number(t->predicted[a]));
    }
    rf_json_set(one, "predicted_seconds", predicted);
    rf_json_set_text(one, "expected", c->algorithms[t->expected]);
    rf_json_set_text(one, "follows", c->algorithms[t->follows]);
    rf_json_append(list, one);
  }
  rf_json_set(object, "sizes", list);
  return object;
}

static json_t *node_json(const roof_fabric_node *n) {
  json_t *object = write_fields(n, node_fields);
  RF_JSON_SET(object,
              ((rf_json_member[]){{"latency_score", n->latency_z}, {"bandwidth_score", n->bandwidth_z}}));
  rf_json_set(object, "slow", json_boolean(n->slow));
  return object;
}

roof_status roof_fabric_write(const roof_fabric *fabric, roof_text *out, roof_error *error) {
  rf_json_begin();
  json_t *object = write_fields(fabric, fabric_fields), *distances = json_array(), *nodes = json_array(),
         *collectives = json_array();
  for (int i = 0; i < fabric->distance_count; i++) {
    rf_json_append(distances, distance_json(&fabric->distances[i]));
  }
  for (int i = 0; i < fabric->node_count; i++) {
    rf_json_append(nodes, node_json(&fabric->nodes[i]));
  }
  for (int i = 0; i < fabric->collective_count; i++) {
    rf_json_append(collectives, collective_json(&fabric->collectives[i]));
  }
  rf_json_set(object, "distances", distances);
  rf_json_set(object, "nodes", nodes);
  rf_json_set(object, "collectives", collectives);
  rf_json_add(object, 0, out);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "network: out of memory") : ROOF_OK;
}

/* --- reading: a figure that makes no sense is unknown, a list that is too long or of another type is refused --- */

/** Times and counts are from 0 on. */
static double number_of(json_t *value) {
  double number = rf_json_number_of(value);
  return number >= 0 && isfinite(number) ? number : (double)NAN;
}

static int count_of(json_t *value) {
  double number = number_of(value);
  return number <= 1e9 ? (int)number : 0;
}

/** A text that people are shown. */
static void read_text(char *to, size_t size, json_t *value) {
  const char *text = rf_json_text_of(value);
  snprintf(to, size, "%s", roof_text_is_plain(text) && strlen(text) < size ? text : "?");
}

static void read_fields(json_t *object, void *of, const field *fields) {
  for (const field *f = fields; f->key != NULL; f++) {
    json_t *value = json_object_get(object, f->key);
    void *at = (char *)of + f->offset;
    if (f->kind == NUMBER) {
      *(double *)at = number_of(value);
    } else if (f->kind == COUNT) {
      *(int *)at = count_of(value);
    } else if (f->kind == ESTIMATE) {
      *(roof_estimate *)at = (roof_estimate){number_of(json_object_get(value, "value")),
                                             number_of(json_object_get(value, "low")),
                                             number_of(json_object_get(value, "high"))};
    } else {
      read_text(at, f->size, value);
    }
  }
}

/** How many objects a list has; -1: it is no list of at most `most` objects. */
static int length_of(json_t *list, size_t most) {
  size_t count = json_array_size(list);
  bool fits = json_is_array(list) && count <= most;
  for (size_t i = 0; i < count && fits; i++) {
    fits = json_is_object(json_array_get(list, i));
  }
  return fits ? (int)count : -1;
}

static int read_list(json_t *list, size_t most, void *first, size_t size, const field *fields) {
  int count = length_of(list, most);
  for (int i = 0; i < count; i++) {
    read_fields(json_array_get(list, (size_t)i), (char *)first + (size_t)i * size, fields);
  }
  return count;
}

/** Why a distance is refused, or NULL. */
static const char *read_distance(json_t *object, roof_distance_fit *d) {
  const char *name = rf_json_text_of(json_object_get(object, "distance"));
  int distance = 0;
  while (distance < ROOF_DISTANCE_COUNT && strcmp(name, roof_distance_name((roof_distance)distance)) != 0) {
    distance++;
  }
  if (distance == ROOF_DISTANCE_COUNT) {
    return "a `distance` of the network that is none: core, socket, node, switch, network";
  }
  d->distance = (roof_distance)distance;
  read_fields(object, d, distance_fields);
  read_fields(json_object_get(object, "loggp"), &d->loggp, loggp_fields);
  d->fit.count = read_list(json_object_get(object, "protocols"), ROOF_PROTOCOLS, d->fit.of, sizeof *d->fit.of,
                           protocol_fields);
  d->time_count = read_list(json_object_get(object, "messages"), ROOF_FABRIC_SIZES, d->times,
                            sizeof *d->times, time_fields);
  return d->fit.count < 0 || d->time_count < 0
             ? "`protocols` or `messages` of a distance are no list, or too long"
             : NULL;
}

static int algorithm_of(const roof_collective_curve *c, json_t *name) {
  for (int i = 0; i < c->algorithm_count; i++) {
    if (strcmp(c->algorithms[i], rf_json_text_of(name)) == 0) {
      return i;
    }
  }
  return 0;
}

static void read_collective_time(json_t *object, roof_collective_curve *c, roof_collective_time *t) {
  json_t *predicted = json_object_get(object, "predicted_seconds"), *value = NULL;
  const char *key = NULL;
  read_fields(object, t, collective_time_fields);
  json_object_foreach(predicted, key, value) {
    bool known = false;
    for (int i = 0; i < c->algorithm_count; i++) {
      known = known || strcmp(c->algorithms[i], key) == 0;
    }
    if (!known && c->algorithm_count < ROOF_CURVES && roof_text_is_plain(key)) {
      snprintf(c->algorithms[c->algorithm_count++], sizeof *c->algorithms, "%s", key);
    }
  }
  for (int i = 0; i < ROOF_CURVES; i++) {
    t->predicted[i] =
        i < c->algorithm_count ? number_of(json_object_get(predicted, c->algorithms[i])) : (double)NAN;
  }
  t->expected = algorithm_of(c, json_object_get(object, "expected"));
  t->follows = algorithm_of(c, json_object_get(object, "follows"));
}

static const char *read_collective(json_t *object, roof_collective_curve *c) {
  json_t *sizes = json_object_get(object, "sizes");
  read_fields(object, c, collective_fields);
  c->time_count = length_of(sizes, ROOF_FABRIC_SIZES);
  for (int i = 0; i < c->time_count; i++) {
    read_collective_time(json_array_get(sizes, (size_t)i), c, &c->times[i]);
  }
  return c->time_count < 0 ? "`sizes` of a collective are no list, or too long" : NULL;
}

static const char *read_lists(json_t *object, roof_fabric *fabric) {
  json_t *distances = json_object_get(object, "distances"), *nodes = json_object_get(object, "nodes"),
         *collectives = json_object_get(object, "collectives");
  const char *why = NULL;
  fabric->distance_count = length_of(distances, ROOF_DISTANCE_COUNT);
  fabric->node_count = length_of(nodes, SIZE_MAX);
  fabric->collective_count = length_of(collectives, ROOF_COLLECTIVES);
  if (fabric->distance_count < 0 || fabric->node_count < 0 || fabric->collective_count < 0) {
    return "`distances`, `nodes` or `collectives` of the network are no list, or too long";
  }
  for (int i = 0; i < fabric->distance_count && why == NULL; i++) {
    why = read_distance(json_array_get(distances, (size_t)i), &fabric->distances[i]);
  }
  for (int i = 0; i < fabric->collective_count && why == NULL; i++) {
    why = read_collective(json_array_get(collectives, (size_t)i), &fabric->collectives[i]);
  }
  fabric->nodes = calloc((size_t)fabric->node_count + 1, sizeof *fabric->nodes);
  if (fabric->nodes != NULL) {
    read_list(nodes, SIZE_MAX, fabric->nodes, sizeof *fabric->nodes, node_fields);
  }
  return why;
}

roof_status roof_fabric_read(const char *text, size_t length, const char *file, roof_fabric *fabric,
                             roof_error *error) {
  json_t *object = NULL;
  roof_status status = rf_json_read(text, length, JSON_REJECT_DUPLICATES, file, "network", &object, error);
  roof_fabric *read = calloc(1, sizeof *read);
  const char *why = NULL;
  if (status == ROOF_OK && read != NULL) {
    read_fields(object, read, fabric_fields);
    why = json_is_object(object) ? read_lists(object, read) : "is no object";
  }
  json_decref(object);
  if (why != NULL) {
    status = roof_error_set(error, ROOF_E_PARSE, "network: %s", why);
    roof_error_at(error, file, 1, 1);
  } else if (status == ROOF_OK && (read == NULL || read->nodes == NULL)) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  }
  status = status == ROOF_OK ? roof_fabric_judge(read, error) : status;
  if (status == ROOF_OK) {
    *fabric = *read;
  } else if (read != NULL) {
    roof_fabric_done(read);
  }
  free(read);
  return status;
}
