/* What a term means written as roofline.explanation/1, the terms as roofline.topics/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/documents.h"

static json_t *occupancy_of(const roof_occupancy *o) {
  if (isnan(o->blocks)) {
    return json_null();
  }
  json_t *most = json_pack("{s:o, s:o, s:o, s:o}", "warps", rf_json_number(o->most[ROOF_OCCUPANCY_WARPS]),
                           "blocks", rf_json_number(o->most[ROOF_OCCUPANCY_BLOCKS]), "registers",
                           rf_json_number(o->most[ROOF_OCCUPANCY_REGISTERS]), "shared",
                           rf_json_number(o->most[ROOF_OCCUPANCY_SHARED]));
  json_t *limits = json_array();
  for (int i = 0; i < ROOF_OCCUPANCY_LIMITS; i++) {
    if (o->most[i] == o->blocks) {
      rf_json_append(limits, json_string(roof_occupancy_limit_name((roof_occupancy_limit)i)));
    }
  }
  return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "blocks",
                   rf_json_number(o->blocks), "warps", rf_json_number(o->warps), "share",
                   rf_json_number(o->share), "limit", roof_occupancy_limit_name(o->limit), "limits", limits,
                   "most_blocks", most, "block_registers", rf_json_number(o->block_registers),
                   "block_shared_bytes", rf_json_number(o->block_shared), "next_registers",
                   rf_json_number(o->next_registers), "next_shared_bytes", rf_json_number(o->next_shared),
                   "next_threads", rf_json_number(o->next_threads));
}

roof_status roof_explanation_write(const roof_target *target, const roof_explanation *explanation,
                                   roof_text *out, roof_error *error) {
  const char *text = explanation->text.data, *worked = explanation->worked.data;
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "schema", "roofline.explanation/1",
                                 "topic", explanation->topic, "text", text != NULL ? text : "", "worked",
                                 worked != NULL ? worked : "", "machine", target->machine->name, "dtype",
                                 roof_dtype_name(target->types.compute), "occupancy",
                                 occupancy_of(&explanation->occupancy)),
                       "explanation", out, error);
}

roof_status roof_topics_write(roof_text *out, roof_error *error) {
  json_t *names = json_array();
  for (int i = 0; roof_topic_at(i) != NULL; i++) {
    rf_json_append(names, json_string(roof_topic_at(i)->name));
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.topics/1", "topics", names), "topics", out,
                       error);
}
