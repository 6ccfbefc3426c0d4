/* What a term means written as roofline.explanation/1, the terms as roofline.topics/1. */
#include "documents/json.h"
#include "roofline/documents.h"

roof_status roof_explanation_write(const roof_target *target, const roof_explanation *explanation,
                                   roof_text *out, roof_error *error) {
  const char *text = explanation->text.data, *worked = explanation->worked.data;
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "schema", "roofline.explanation/1",
                                 "topic", explanation->topic, "text", text != NULL ? text : "", "worked",
                                 worked != NULL ? worked : "", "machine", target->machine->name, "dtype",
                                 roof_dtype_name(target->types.compute)),
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
