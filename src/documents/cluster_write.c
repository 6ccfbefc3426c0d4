/* What a cluster is asked, written as roofline.cluster/1. */
#include <math.h>

#include "documents/json.h"

static json_t *links(const roof_cluster_answer *a) {
  json_t *array = json_array();
  for (int i = 0; i < a->link_count; i++) {
    const roof_cluster_link *l = &a->links[i];
    const rf_json_member members[] = {{"bytes_per_second", l->bytes_per_second},
                                      {"flops_per_byte", l->flops_per_byte},
                                      {"flops_per_byte_both_ways", l->flops_per_byte_both_ways},
                                      {"split_width", l->split_width}};
    json_t *object = json_pack("{s:s}", "name", l->name);
    RF_JSON_SET(object, members);
    rf_json_set(object, "source", json_string(l->source));
    rf_json_append(array, object);
  }
  return array;
}

static json_t *routes(const roof_cluster_answer *a) {
  json_t *array = json_array();
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    const roof_cluster_route *r = &a->routes[i];
    const rf_json_member members[] = {{"seconds", r->seconds},
                                      {"bus_bytes_per_second", r->bus_bytes_per_second},
                                      {"gradient_seconds", r->gradient_seconds},
                                      {"exposed_seconds", r->exposed_seconds},
                                      {"devices_limit", r->devices_limit},
                                      {"devices_limit_backward", r->devices_limit_backward}};
    json_t *object = json_pack("{s:s}", "route", r->name);
    RF_JSON_SET(object, members);
    rf_json_append(array, object);
  }
  return array;
}

static json_t *zero(const roof_cluster_answer *a) {
  json_t *array = json_array();
  for (int i = 0; i < ROOF_ZERO_STAGES; i++) {
    const roof_cluster_zero *z = &a->zero[i];
    const rf_json_member members[] = {{"stage", z->stage},
                                      {"bytes", z->bytes},
                                      {"bytes_per_parameter", z->bytes_per_parameter},
                                      {"sent_bytes", z->sent_bytes}};
    json_t *object = json_object();
    RF_JSON_SET(object, members);
    rf_json_set(object, "fits", json_boolean(z->fits));
    rf_json_append(array, object);
  }
  return array;
}

json_t *rf_cluster_json(const roof_target *target, const roof_cluster_settings *s,
                        const roof_cluster_answer *a) {
  const rf_json_member numbers[] = {
      {"devices", s->devices},
      {"node", a->cluster.node},
      {"params", s->parameters},
      {"active_params", isnan(s->active_parameters) ? s->parameters : s->active_parameters},
      {"tokens", s->tokens},
      {"size", a->buffer_bytes},
      {"bytes", s->gradient_bytes},
      {"stages", s->stages},
      {"microbatches", s->microbatches},
      {"compute_seconds", a->compute_seconds},
      {"backward_seconds", a->backward_seconds},
      {"flops_per_byte_sent", a->flops_per_byte_sent},
      {"bubble", a->bubble}};
  json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "roofline.cluster/1", "machine",
                             target->machine->name, "dtype", roof_dtype_name(target->types.compute),
                             "flops_per_second", rf_json_number(a->cluster.flops_per_second), "links",
                             links(a), "all_reduce", routes(a), "zero", zero(a));
  RF_JSON_SET(object, numbers);
  rf_json_set(object, "stragglers", json_null()); /* of a cluster's file, which the command reads */
  return object;
}

roof_status roof_cluster_write(const roof_target *target, const roof_cluster_settings *settings,
                               const roof_cluster_answer *answer, roof_text *out, roof_error *error) {
  return rf_json_write(rf_cluster_json(target, settings, answer), "cluster", out, error);
}
