#include "documents/locate.h"

#include <string.h>

/** The text from the current place to its end. The text is valid JSON; the end is only checked so as never to
 * trust that. */
typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->end && memchr(" \t\r\n", *c->at, 4) != NULL) {
    c->at++;
  }
}

static void skip_string(cursor *c) {
  c->at++;
  while (c->at < c->end && *c->at != '"') {
    c->at += *c->at == '\\' ? 2 : 1;
  }
  c->at++;
}

static void skip_value(cursor *c) {
  int open = 0;
  do {
    skip_space(c);
    if (c->at >= c->end) {
      return;
    }
    if (*c->at == '"') {
      skip_string(c);
    } else if (memchr("{[", *c->at, 2) != NULL) {
      open++;
      c->at++;
    } else if (memchr("}]", *c->at, 2) != NULL) {
      open--;
      c->at++;
    } else if (memchr(",:", *c->at, 2) != NULL) {
      c->at++;
    } else {
      while (c->at < c->end && memchr(" \t\r\n,:{}[]\"", *c->at, 11) == NULL) {
        c->at++;
      }
    }
  } while (open > 0);
}

/** From a container's bracket to its member or element number `step`. */
static void enter(cursor *c, size_t step, bool at_key) {
  skip_space(c);
  bool object = c->at < c->end && *c->at == '{';
  c->at++;
  for (size_t i = 0; c->at < c->end; i++) {
    skip_space(c);
    if (i == step && (at_key || !object)) {
      return;
    }
    if (object) {
      skip_value(c);
      skip_space(c);
      c->at++;
      skip_space(c);
    }
    if (i == step) {
      return;
    }
    skip_value(c);
    skip_space(c);
    c->at++;
  }
}

void rf_json_locate(const char *text, size_t length, const size_t *steps, size_t depth, bool at_key,
                    int *line, int *column) {
  cursor c = {text, text + length};
  skip_space(&c);
  for (size_t i = 0; i < depth; i++) {
    enter(&c, steps[i], at_key && i + 1 == depth);
  }
  *line = *column = 1;
  for (const char *s = text; s < c.at && s < c.end; s++) {
    if (*s == '\n') {
      *line += 1;
      *column = 1;
    } else if (((unsigned char)*s & 0xC0) != 0x80) {
      *column += 1;
    }
  }
}
