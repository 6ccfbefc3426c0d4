#include "draw/glyph.h"

#include <stdio.h>
#include <string.h>

#include "core/letters.h"

unsigned rf_glyph_next(const char **cursor) {
  const unsigned char *s = (const unsigned char *)*cursor;
  if (s[0] == '\0') {
    return 0;
  }
  if (s[0] >= ' ' && s[0] < 0x80) {
    (*cursor)++;
    return s[0];
  }
  size_t length = roof_text_sequence(*cursor);
  *cursor += length == 0 ? 1 : length;
  if (length <= 1) {
    return length == 0 ? RF_REPLACEMENT : s[0];
  }
  return rf_letters_code((const char *)s, length);
}

typedef struct range {
  unsigned first, last;
} range;

/** Combining marks, zero-width and direction characters (Unicode 15, the common blocks). */
static const range invisible[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1160, 0x11FF},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F},
    {0x20D0, 0x20FF}, {0x302A, 0x302F}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
};

/** East Asian Width W and F (Unicode 15, UAX #11), and emoji. */
static const range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static bool within(const range *ranges, size_t count, unsigned code) {
  for (size_t i = 0; i < count; i++) {
    if (code >= ranges[i].first && code <= ranges[i].last) {
      return true;
    }
  }
  return false;
}

int rf_glyph_cells(unsigned code) {
  if (code < 0x300) {
    return 1;
  }
  if (within(invisible, sizeof invisible / sizeof invisible[0], code)) {
    return 0;
  }
  return within(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

int rf_glyph_width(const char *text) {
  int width = 0;
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    width += rf_glyph_cells(code);
  }
  return width;
}

typedef struct likeness {
  unsigned first, last;
  const char *ascii;
} likeness;

/** Of ranges that overlap the first counts. */
static const likeness likenesses[] = {
    {0xA0, 0xA0, " "},      {0xB1, 0xB1, "+-"},     {0xB2, 0xB2, "^2"},     {0xB3, 0xB3, "^3"},
    {0xB5, 0xB5, "u"},      {0xB7, 0xB7, "."},      {0xD7, 0xD7, "x"},      {0x3BC, 0x3BC, "u"},
    {0x2010, 0x2015, "-"},  {0x2018, 0x2019, "'"},  {0x201C, 0x201D, "\""}, {0x2022, 0x2022, "*"},
    {0x2026, 0x2026, ".."}, {0x202F, 0x202F, " "},  {0x2190, 0x2190, "<-"}, {0x2191, 0x2191, "^"},
    {0x2192, 0x2192, "->"}, {0x2193, 0x2193, "v"},  {0x2212, 0x2212, "-"},  {0x2248, 0x2248, "~"},
    {0x2264, 0x2264, "<="}, {0x2265, 0x2265, ">="}, {0x2500, 0x2501, "-"},  {0x254C, 0x254D, "-"},
    {0x2502, 0x2503, "|"},  {0x2504, 0x257F, "+"},  {0x2580, 0x258F, "#"},  {0x2590, 0x259F, "#"},
    {0x25A0, 0x25A1, "#"},  {0x25B2, 0x25B4, "^"},  {0x25B6, 0x25B8, ">"},  {0x25C0, 0x25C2, "<"},
    {0x25CB, 0x25CF, "o"},  {0x2713, 0x2714, "ok"}, {0x80, 0x10FFFF, "?"},
};

static size_t encode(char bytes[RF_GLYPH_BYTES], unsigned code) {
  static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  bytes[length] = '\0';
  for (size_t i = length; i-- > 1; code >>= 6) {
    bytes[i] = (char)(0x80 | (code & 0x3F));
  }
  bytes[0] = (char)(leads[length] | code);
  return length;
}

size_t rf_glyph_plain(char bytes[RF_GLYPH_BYTES], unsigned code, bool ascii) {
  code = code == '\t' ? ' ' : code;
  size_t length = encode(bytes, code);
  if (roof_text_shown(bytes) == 0) {
    length = encode(bytes, code = RF_REPLACEMENT);
  }
  if (!ascii || code < 0x80) {
    return length;
  }
  const likeness *like = likenesses;
  while (code < like->first || code > like->last) {
    like++;
  }
  return (size_t)snprintf(bytes, RF_GLYPH_BYTES, "%s", rf_glyph_cells(code) == 0 ? "" : like->ascii);
}

static double glyph_ems(unsigned code) {
  if (code >= 0x80) {
    return 1.0 * rf_glyph_cells(code) / (code < 0x500 ? 1.45 : 1) / (rf_glyph_cells(code) == 2 ? 2 : 1);
  }
  if (strchr("ijl'|", (int)code) != NULL) {
    return 0.28;
  }
  if (strchr(" ,.:;!fIJrt()[]/\\-", (int)code) != NULL) {
    return 0.4;
  }
  if (strchr("mMWw@%", (int)code) != NULL) {
    return 0.98;
  }
  return code >= 'A' && code <= 'Z' ? 0.72 : 0.63;
}

double rf_glyph_ems(const char *text) {
  double ems = 0;
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    ems += glyph_ems(code);
  }
  return ems;
}

void rf_glyph_elide(char *buffer, size_t size, const char *text, double ems) {
  static const char ellipsis[] = "\xE2\x80\xA6";
  if (rf_glyph_ems(text) <= ems && strlen(text) < size) {
    snprintf(buffer, size, "%s", text);
    return;
  }
  const char *end = text;
  double used = 1;
  for (const char *cursor = text; *cursor != '\0';) {
    used += glyph_ems(rf_glyph_next(&cursor));
    if (used > ems || (size_t)(cursor - text) + sizeof ellipsis > size) {
      break;
    }
    end = cursor;
  }
  snprintf(buffer, size, "%.*s%s", (int)(end - text), text, ellipsis);
}

size_t rf_glyph_line(const char *text, double ems) {
  const char *cursor = text, *space = text;
  double used = 0;
  while (*cursor != '\0') {
    const char *before = cursor;
    unsigned code = rf_glyph_next(&cursor);
    used += glyph_ems(code);
    if (used > ems && before > text) {
      return (size_t)((space > text ? space : before) - text);
    }
    space = code == ' ' ? before : space;
  }
  return (size_t)(cursor - text);
}

void rf_glyph_trim(char *field, size_t size) {
  size_t length = strnlen(field, size - 1);
  field[length] = '\0';
  if (length + 1 < size) {
    return;
  }
  size_t start = length;
  while (start > 0 && length - start < 4 && ((unsigned char)field[start - 1] & 0xC0) == 0x80) {
    start--;
  }
  if (start > 0 && (unsigned char)field[start - 1] >= 0xC0 && roof_text_sequence(field + start - 1) == 0) {
    field[start - 1] = '\0';
  }
}
