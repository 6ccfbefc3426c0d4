#include "documents/annotation.h"

#include <string.h>

/** Escapes for a workflow command; `property` also what ends one. */
static void add_escaped(roof_text *out, const char *text, bool property) {
  for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
    bool special = strchr("%\r\n", *text) != NULL || (property && strchr(":,", *text) != NULL);
    length = special ? 0 : roof_text_shown(text);
    roof_text_add_bytes(out, text, length);
    if (length == 0) {
      roof_text_addf(out, special ? "%%%02X" : "?", (unsigned char)*text);
    }
  }
}

void rf_annotation_add(const rf_annotation *a, roof_text *out) {
  roof_text_addf(out, "::%s ", a->level);
  if (a->file != NULL) {
    roof_text_add(out, "file=");
    add_escaped(out, a->file, true);
    roof_text_add(out, ",");
  }
  if (a->line > 0) {
    roof_text_addf(out, "line=%d,", a->line);
  }
  if (a->column > 0) {
    roof_text_addf(out, "col=%d,", a->column);
  }
  roof_text_add(out, "title=");
  add_escaped(out, a->title, true);
  roof_text_add(out, "::");
  add_escaped(out, a->message, false);
  roof_text_add(out, "\n");
}
