/* What a call is answered with. */
#include <string.h>

#include "cli/cli.h"
#include "cli/mcp/call.h"

enum { PAGE = 30000 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_base64(roof_text *out, const unsigned char *bytes, size_t length) {
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                     (left > 2 ? bytes[i + 2] : 0);
    char four[4];
    for (int k = 0; k < 4; k++) {
      four[k] = (size_t)k > left ? '=' : alphabet[group >> (18 - 6 * k) & 63];
    }
    roof_text_add_bytes(out, four, sizeof four);
  }
}

/** Appends a content of type text; what is no UTF-8 is shown as such. */
static void add_text(json_t *content, const char *text, size_t length) {
  roof_text quoted = {0}, copy = {0};
  roof_text_add_bytes(&copy, text, length);
  json_t *string = json_stringn(text, length);
  if (string == NULL && !copy.failed) { /* bytes of a file in a message */
    roof_text_add_json(&quoted, copy.data);
    string = quoted.failed ? NULL : rf_json_load(quoted.data, quoted.length, JSON_DECODE_ANY, NULL);
  }
  rf_json_append(content, json_pack("{s:s, s:o}", "type", "text", "text", string));
  roof_text_done(&quoted);
  roof_text_done(&copy);
}

/** Where the page that begins at `from` ends: after a line, or else after a character. */
static size_t page_end(const roof_text *text, size_t from) {
  if (text->length - from <= PAGE) {
    return text->length;
  }
  size_t end = from + PAGE;
  const char *line = memrchr(text->data + from, '\n', PAGE);
  while (line == NULL && end > from + 1 && ((unsigned char)text->data[end] & 0xC0) == 0x80) {
    end--;
  }
  return line != NULL ? (size_t)(line - text->data) + 1 : end;
}

/** Appends page `page` of the text, and where it is one of several which. False: there is no such page, and why. */
static bool add_page(json_t *content, const roof_text *text, int page, roof_text *why) {
  size_t from = 0, to = 0, pages = 0, first = 0, last = 0;
  do {
    from = to;
    to = page_end(text, from);
    if (++pages == (size_t)page) {
      first = from, last = to;
    }
  } while (to < text->length);
  if ((size_t)page > pages) {
    roof_text_addf(why, "page %d: the answer has %zu\n", page, pages);
    return false;
  }
  add_text(content, text->length > 0 ? text->data + first : "", last - first);
  if (pages > 1) {
    roof_text note = {0};
    roof_text_addf(&note, "page %d of %zu; `page` asks for another", page, pages);
    add_text(content, note.failed ? "" : note.data, note.length);
    roof_text_done(&note);
  }
  return true;
}

static void add_picture(json_t *content, const cli_mcp_outcome *o) {
  if (o->kind == CLI_MCP_PNG) {
    roof_text text = {0};
    add_base64(&text, (const unsigned char *)o->out.data, o->out.length);
    rf_json_append(content, json_pack("{s:s, s:s%, s:s}", "type", "image", "data",
                                      text.failed ? "" : text.data, text.length, "mimeType", "image/png"));
    roof_text_done(&text);
  } else {
    rf_json_append(content, json_pack("{s:s, s:{s:s, s:s, s:s%}}", "type", "resource", "resource", "uri",
                                      "roofline://plot.svg", "mimeType", "image/svg+xml", "text", o->out.data,
                                      o->out.length));
  }
}

json_t *cli_mcp_refusal(const char *message) {
  json_t *content = json_array();
  add_text(content, message, strlen(message));
  return json_pack("{s:o, s:b}", "content", content, "isError", 1);
}

/** A gate that says no is an answer: exit code 1. */
json_t *cli_mcp_result(const cli_mcp_outcome *o, int page) {
  bool answered = o->code == 0 || o->code == 1, picture = o->kind == CLI_MCP_SVG || o->kind == CLI_MCP_PNG;
  json_t *content = json_array();
  roof_text why = {0};
  if (answered && picture && o->out.length > 0) {
    add_picture(content, o);
  } else if (answered && !add_page(content, &o->out, page, &why)) {
    answered = false;
  }
  if (o->code < 0) {
    roof_text_addf(&why, "there is no answer: %s\n", o->end);
  }
  roof_text_add_bytes(&why, o->why.length > 0 ? o->why.data : "", o->why.length);
  if (why.length > 0 && !why.failed) {
    add_text(content, why.data, why.length);
  }
  roof_text_done(&why);
  return json_pack("{s:o, s:b, s:{s:i}}", "content", content, "isError", !answered, "_meta",
                   "roofline/exit_code", o->code);
}
