#include "draw/frame.h"

/** FNV-1a. */
static unsigned fingerprint(unsigned hash, const char *text) {
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  }
  return hash;
}

static void add_described(roof_text *out, const char *class, const char *element, unsigned id,
                          const char *words) {
  roof_text_addf(out, "<%s id=\"%s-%s-%08x\">", element, class, element, id);
  roof_text_add_xml(out, words);
  roof_text_addf(out, "</%s>\n", element);
}

void rf_frame_begin(roof_text *out, const char *class, int width, int height, const char *title,
                    const char *description, const char *style) {
  description = description != NULL ? description : "";
  unsigned id = fingerprint(fingerprint(2166136261u, title), description);
  roof_text_addf(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\" "
                 "aria-labelledby=\"%s-title-%08x %s-desc-%08x\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\">\n",
                 class, class, id, class, id, width, height, width, height);
  add_described(out, class, "title", id, title);
  add_described(out, class, "desc", id, description);
  roof_text_add(out, style);
}
