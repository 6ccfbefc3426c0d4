/* The network's part of a cluster file: tables of members, by which it is written and read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/members.h"
#include "documents/json.h"
#include "roofline/fabric.h"

static const rf_member time_fields[] = {
    RF_MEMBER(roof_message_time, bytes, "bytes", NUMBER),
    RF_MEMBER(roof_message_time, seconds, "seconds", NUMBER),
    RF_MEMBER(roof_message_time, seconds_low, "seconds_low", NUMBER),
    RF_MEMBER(roof_message_time, seconds_high, "seconds_high", NUMBER),
    RF_MEMBER(roof_message_time, windowed_seconds, "windowed_seconds", NUMBER),
    RF_MEMBER(roof_message_time, overlap, "overlap", NUMBER),
    RF_MEMBERS_END,
};

static const rf_member protocol_fields[] = {
    RF_MEMBER(roof_protocol, from_bytes, "from_bytes", NUMBER),
    RF_MEMBER(roof_protocol, to_bytes, "to_bytes", NUMBER),
    RF_MEMBER(roof_protocol, alpha, "latency_seconds", ESTIMATE),
    RF_MEMBER(roof_protocol, beta, "seconds_per_byte", ESTIMATE),
    RF_MEMBERS_END,
};

static const rf_member loggp_fields[] = {
    RF_MEMBER(roof_loggp, latency, "latency_seconds", ESTIMATE),
    RF_MEMBER(roof_loggp, overhead, "overhead_seconds", ESTIMATE),
    RF_MEMBER(roof_loggp, gap, "gap_seconds", ESTIMATE),
    RF_MEMBER(roof_loggp, gap_per_byte, "gap_seconds_per_byte", ESTIMATE),
    RF_MEMBERS_END,
};

static const rf_member distance_fields[] = {
    RF_MEMBER(roof_distance_fit, ranks[0], "rank", COUNT),
    RF_MEMBER(roof_distance_fit, ranks[1], "other_rank", COUNT),
    RF_MEMBER(roof_distance_fit, nodes[0], "node", TEXT),
    RF_MEMBER(roof_distance_fit, nodes[1], "other_node", TEXT),
    RF_MEMBER(roof_distance_fit, fit.error, "fit_error", NUMBER),
    RF_MEMBER(roof_distance_fit, messages_per_second, "messages_per_second", NUMBER),
    RF_MEMBERS_END,
};

static const rf_member node_fields[] = {
    RF_MEMBER(roof_fabric_node, name, "node", TEXT),
    RF_MEMBER(roof_fabric_node, rank, "rank", COUNT),
    RF_MEMBER(roof_fabric_node, latency_seconds, "latency_seconds", NUMBER),
    RF_MEMBER(roof_fabric_node, bytes_per_second, "bytes_per_second", NUMBER),
    RF_MEMBERS_END,
};

static const rf_member fabric_fields[] = {
    RF_MEMBER(roof_fabric, library, "library", TEXT),
    RF_MEMBER(roof_fabric, ranks, "ranks", COUNT),
    RF_MEMBER(roof_fabric, bisection_bytes_per_second, "bisection_bytes_per_second", NUMBER),
    RF_MEMBER(roof_fabric, bisection_pairs, "bisection_pairs", COUNT),
    RF_MEMBERS_END,
};

static const rf_member collective_fields[] = {
    RF_MEMBER(roof_collective_curve, op, "op", TEXT),
    RF_MEMBER(roof_collective_curve, ranks, "ranks", COUNT),
    RF_MEMBERS_END,
};

static const rf_member collective_time_fields[] = {
    RF_MEMBER(roof_collective_time, bytes, "bytes", NUMBER),
    RF_MEMBER(roof_collective_time, seconds, "seconds", NUMBER),
    RF_MEMBER(roof_collective_time, seconds_low, "seconds_low", NUMBER),
    RF_MEMBER(roof_collective_time, seconds_high, "seconds_high", NUMBER),
    RF_MEMBERS_END,
};

/* --- writing --- */

static json_t *distance_json(const roof_distance_fit *d) {
  json_t *object = rf_members_json(d, distance_fields);
  rf_json_set_text(object, "distance", roof_distance_name(d->distance));
  rf_json_set(object, "protocols",
              rf_members_list_json(d->fit.of, sizeof *d->fit.of, d->fit.count, protocol_fields));
  rf_json_set(object, "loggp", rf_members_json(&d->loggp, loggp_fields));
  rf_json_set(object, "messages",
              rf_members_list_json(d->times, sizeof *d->times, d->time_count, time_fields));
  return object;
}

static json_t *collective_json(const roof_collective_curve *c) {
  json_t *object = rf_members_json(c, collective_fields), *list = json_array();
  for (int i = 0; i < c->time_count; i++) {
    const roof_collective_time *t = &c->times[i];
    json_t *one = rf_members_json(t, collective_time_fields), *predicted = json_object();
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
  json_t *object = rf_members_json(n, node_fields);
  RF_JSON_SET(object,
              ((rf_json_member[]){{"latency_score", n->latency_z}, {"bandwidth_score", n->bandwidth_z}}));
  rf_json_set(object, "slow", json_boolean(n->slow));
  return object;
}

static json_t *fabric_json(const roof_fabric *fabric) {
  json_t *object = rf_members_json(fabric, fabric_fields), *distances = json_array(), *nodes = json_array(),
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
  rf_json_set(object, "gpus", fabric->gpus != NULL ? fabric_json(fabric->gpus) : json_null());
  return object;
}

roof_status roof_fabric_write(const roof_fabric *fabric, roof_text *out, roof_error *error) {
  rf_json_begin();
  rf_json_add(fabric_json(fabric), 0, out);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "network: out of memory") : ROOF_OK;
}

/* --- reading: a figure that makes no sense is unknown, a list that is too long or of another type is refused --- */

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
  rf_members_read(object, d, distance_fields);
  rf_members_read(json_object_get(object, "loggp"), &d->loggp, loggp_fields);
  d->fit.count = rf_members_read_list(json_object_get(object, "protocols"), ROOF_PROTOCOLS, d->fit.of,
                                      sizeof *d->fit.of, protocol_fields);
  d->time_count = rf_members_read_list(json_object_get(object, "messages"), ROOF_FABRIC_SIZES, d->times,
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
  rf_members_read(object, t, collective_time_fields);
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
        i < c->algorithm_count ? rf_member_number(json_object_get(predicted, c->algorithms[i])) : (double)NAN;
  }
  t->expected = algorithm_of(c, json_object_get(object, "expected"));
  t->follows = algorithm_of(c, json_object_get(object, "follows"));
}

static const char *read_collective(json_t *object, roof_collective_curve *c) {
  json_t *sizes = json_object_get(object, "sizes");
  rf_members_read(object, c, collective_fields);
  c->time_count = rf_members_length(sizes, ROOF_FABRIC_SIZES);
  for (int i = 0; i < c->time_count; i++) {
    read_collective_time(json_array_get(sizes, (size_t)i), c, &c->times[i]);
  }
  return c->time_count < 0 ? "`sizes` of a collective are no list, or too long" : NULL;
}

static const char *read_lists(json_t *object, roof_fabric *fabric) {
  json_t *distances = json_object_get(object, "distances"), *nodes = json_object_get(object, "nodes"),
         *collectives = json_object_get(object, "collectives");
  const char *why = NULL;
  fabric->distance_count = rf_members_length(distances, ROOF_DISTANCE_COUNT);
  fabric->node_count = rf_members_length(nodes, SIZE_MAX);
  fabric->collective_count = rf_members_length(collectives, ROOF_COLLECTIVES);
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
    rf_members_read_list(nodes, SIZE_MAX, fabric->nodes, sizeof *fabric->nodes, node_fields);
  }
  return why;
}

/** Of the network, or of its part between GPUs, which has no such part itself. */
static const char *read_part(json_t *object, bool whole, roof_fabric *fabric) {
  json_t *gpus = json_object_get(object, "gpus");
  rf_members_read(object, fabric, fabric_fields);
  const char *why = json_is_object(object) ? read_lists(object, fabric) : "is no object";
  if (why == NULL && whole && json_is_object(gpus)) {
    fabric->gpus = calloc(1, sizeof *fabric->gpus);
    why = fabric->gpus != NULL ? read_part(gpus, false, fabric->gpus) : "out of memory";
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
    why = read_part(object, true, read);
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
