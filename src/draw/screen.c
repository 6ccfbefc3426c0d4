#include "draw/screen.h"

#include <string.h>

#include "draw/glyph.h"

enum { MARK = '\016', MARK_END = '\017', HANG = 2, DEEP = 8, DEEPEST = 32, LAST_ROOM = 15 };

/** What a text says of itself in its first word. */
static const struct {
  const char *word, *mark;
} verdicts[] = {
    {"normal", RF_MARK_GREEN},   {"good", RF_MARK_GREEN},
    {"done", RF_MARK_GREEN},     {"ok", RF_MARK_GREEN},
    {"possible", RF_MARK_GREEN}, {"faster", RF_MARK_GREEN},
    {"expected", RF_MARK_GREEN}, {"pass", RF_MARK_GREEN},
    {"few", RF_MARK_YELLOW},     {"gone", RF_MARK_RED},
    {"noise", RF_MARK_DIM},      {"new", RF_MARK_DIM},
    {"low", RF_MARK_YELLOW},     {"warn", RF_MARK_YELLOW},
    {"explain", RF_MARK_YELLOW}, {"remeasure", RF_MARK_YELLOW},
    {"noisy", RF_MARK_YELLOW},   {"overhead", RF_MARK_YELLOW},
    {"bug", RF_MARK_RED},        {"error", RF_MARK_RED},
    {"impossible", RF_MARK_RED}, {"failed", RF_MARK_RED},
    {"slower", RF_MARK_RED},     {"unknown", RF_MARK_DIM},
    {"-", RF_MARK_DIM},
};

const char *rf_screen_verdict(const char *text) {
  size_t length = strcspn(text, " ,:;");
  for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
    if (strlen(verdicts[i].word) == length && strncmp(verdicts[i].word, text, length) == 0) {
      return verdicts[i].mark;
    }
  }
  return "";
}

static bool is_mark(const char *text) {
  return text[0] == MARK_END || (text[0] == MARK && text[1] != '\0' && strchr("bgyrd", text[1]) != NULL);
}

static size_t mark_length(const char *text) {
  return text[0] == MARK_END ? 1 : 2;
}

/** How many of the bytes are letters of ASCII, which are shown as they are. */
static size_t letters(const char *text, const char *end) {
  const char *at = text;
  while (at < end && *at >= ' ' && *at < 0x7F) {
    at++;
  }
  return (size_t)(at - text);
}

void rf_screen_add_plain(roof_text *out, const char *text, size_t length, bool ascii) {
  char plain[RF_GLYPH_BYTES];
  for (const char *end = text + length; text < end;) {
    size_t known = letters(text, end);
    roof_text_add_bytes(out, text, known);
    text += known;
    if (text < end) {
      roof_text_add_bytes(out, plain, rf_glyph_plain(plain, rf_glyph_next(&text), ascii));
    }
  }
}

/** Bytes up to the next that may begin a mark; what stands after `end` is not read: a text may have a million lines. */
static size_t unmarked(const char *text, const char *end) {
  const char *at = text;
  while (at < end && *at != '\016' && *at != '\017') {
    at++;
  }
  return (size_t)(at - text);
}

/** The same of a line with its marks. */
static void add_plain_line(roof_text *out, const char *text, size_t length, bool ascii) {
  for (const char *end = text + length; text < end;) {
    size_t marked = is_mark(text) ? mark_length(text) : 0;
    roof_text_add_bytes(out, text, marked);
    text += marked;
    size_t plain = unmarked(text, end);
    plain = marked == 0 && plain == 0 ? 1 : plain;
    rf_screen_add_plain(out, text, plain, ascii);
    text += plain;
  }
}

/** Moves past a character, or a mark, which takes no cell; returns how many it takes. */
static int step(const char **text) {
  if (is_mark(*text)) {
    *text += mark_length(*text);
    return 0;
  }
  return rf_glyph_cells(rf_glyph_next(text));
}

static int width_of(const char *text) {
  int width = 0;
  while (*text != '\0') {
    width += step(&text);
  }
  return width;
}

/** True of the space in "4.989 ms" and "78 %". */
static bool binds(const char *space) {
  static const char *const units[] = {"%", "s", "B", "iB", "FLOP", "J", "W", "Hz", "B/s", "FLOP/s", "FLOP/B"};
  const char *unit = space + 1;
  if (space[-1] < '0' || space[-1] > '9') {
    return false;
  }
  size_t length = strcspn(unit, " ,;:.)\n");
  size_t prefix =
      strncmp(unit, "\xC2\xB5", 2) == 0 ? 2 : length > 1 && strchr("kKMGTPEmunpfa", *unit) != NULL;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    size_t known = strlen(units[i]);
    if ((known == length && strncmp(unit, units[i], known) == 0) ||
        (known + prefix == length && strncmp(unit + prefix, units[i], known) == 0)) {
      return true;
    }
  }
  return false;
}

/** rf_screen_break, not within quotes where these are `quoted`. */
static size_t find_break(const char *text, int cells, bool quoted) {
  const char *at = text;
  size_t last = 0;
  char quote = '\0';
  for (int used = 0; *at != '\0';) {
    bool free = quote == '\0' && *at == ' ' && at > text && !binds(at);
    if (free && used > cells && last > 0) {
      return last;
    }
    if (free && at[-1] != ' ') {
      last = (size_t)(at - text);
      if (used > cells) {
        return last;
      }
    }
    if (quoted && (*at == '\'' || *at == '"') && (quote == '\0' || quote == *at)) {
      quote = quote == '\0' ? *at : '\0';
    }
    used += step(&at);
    if (used > cells && last > 0) {
      return last;
    }
  }
  return (size_t)(at - text);
}

size_t rf_screen_break(const char *text, int cells) {
  return find_break(text, cells, false);
}

void rf_screen_add_cut(roof_text *out, const char *text, int cells, bool ascii) {
  int width = width_of(text);
  if (width <= cells) {
    roof_text_add(out, text);
    return;
  }
  const char *ellipsis = ascii ? ".." : "\xE2\x80\xA6", *at = text;
  int room = cells - rf_glyph_width(ellipsis), used = 0;
  while (used < (room + 1) / 2) {
    const char *start = at;
    used += step(&at);
    if (used <= (room + 1) / 2) {
      roof_text_add_bytes(out, start, (size_t)(at - start));
    }
  }
  roof_text_add(out, ellipsis);
  for (int left = width - used; left > room / 2;) {
    left -= step(&at);
  }
  roof_text_add(out, at);
}

/** Appends bytes of a line with its marks as the terminal wants them. */
static void add_marked(roof_text *out, const char *text, size_t length, bool color) {
  static const char *const codes[128] = {
      ['b'] = "\033[1m", ['g'] = "\033[32m", ['y'] = "\033[33m", ['r'] = "\033[31m", ['d'] = "\033[2m"};
  for (const char *end = text + length; text < end;) {
    if (!is_mark(text)) {
      size_t before = 1 + strcspn(text + 1, "\016\017");
      before = text + before > end ? (size_t)(end - text) : before;
      roof_text_add_bytes(out, text, before);
      text += before;
      continue;
    }
    const char *code = *text == MARK_END ? "\033[0m" : codes[(unsigned char)text[1] & 0x7F];
    roof_text_add(out, color ? code : "");
    text += mark_length(text);
  }
}

/** An indented command line; a table's row of that name has more than one blank after it. */
static bool is_command(const char *line) {
  const char *first = line + strspn(line, " ");
  return first > line && strncmp(first, "roofline ", 9) == 0 && first[9] != ' ';
}

/** The cells before `end`, which is within the line. */
static int cells_before(const char *line, const char *end) {
  int cells = 0;
  while (line < end) {
    cells += step(&line);
  }
  return cells;
}

/** Whether a column of `cells` has room for each of the words. */
static bool has_room(const char *words, int cells) {
  for (const char *end = words; *words != '\0'; words = end + strspn(end, " ")) {
    end = words + strcspn(words, " ");
    if (cells_before(words, end) > cells) {
      return false;
    }
  }
  return true;
}

/** Where the last column of a table's row begins, -1 where the line is none or the column too narrow for its words. */
static int last_column(const char *line, int width) {
  const char *at = line + strspn(line, " "), *last = NULL;
  for (const char *gap; (gap = strstr(at, "  ")) != NULL;) {
    at = last = gap + strspn(gap, " ");
  }
  int start = last != NULL ? cells_before(line, last) : width;
  bool column = start > DEEPEST && width - start >= LAST_ROOM && *last != '\0';
  return column && has_room(last, width - start) ? start : -1;
}

/** Where the further lines of one begin. */
static int hang_of(const char *line, int width) {
  int lead = (int)strspn(line, " ");
  const char *rest = line + lead, *gap = strstr(rest, "  ");
  if (strncmp(rest, "- ", 2) == 0 || lead >= DEEP) {
    return strncmp(rest, "- ", 2) == 0 ? lead + HANG : lead;
  }
  int column = last_column(line, width);
  if (column >= 0) {
    return column;
  }
  bool bracket = rest[0] == '[';
  size_t digits = strspn(rest + bracket, "0123456789");
  if (digits > 0 && strncmp(rest + bracket + digits, bracket ? "] " : ". ", 2) == 0) {
    return lead + bracket + (int)digits + HANG;
  }
  char label[4 * DEEPEST];
  size_t before = gap != NULL ? (size_t)(gap - line) : sizeof label;
  if (before < sizeof label) {
    memcpy(label, line, before);
    label[before] = '\0';
    int value = width_of(label) + (int)strspn(gap, " ");
    if (value <= DEEPEST && value <= width / 2 && gap[strspn(gap, " ")] != '\0') {
      return value;
    }
  }
  return lead + HANG;
}

static void add_line(roof_text *out, const rf_screen *s, const char *line) {
  if (s->width <= 0 || width_of(line) <= s->width) {
    add_marked(out, line, strlen(line), s->color);
    return;
  }
  bool command = is_command(line);
  int hang = hang_of(line, s->width), room = s->width - (command ? HANG : 0);
  size_t lead = strspn(line, " ");
  roof_text_add_bytes(out, line, lead);
  line += lead;
  for (int left = room - (int)lead; *line != '\0'; left = room - hang) {
    size_t length = find_break(line, left, command);
    add_marked(out, line, length, s->color);
    line += length;
    line += strspn(line, " ");
    if (*line != '\0') {
      roof_text_addf(out, "%s\n%*s", command ? " \\" : "", hang, "");
    }
  }
}

/** Makes lines from `from` on no commands: those that begin with `::` after blanks, or have `##[` anywhere. */
static void disarm(roof_text *out, size_t from) {
  for (char *at = out->data != NULL ? out->data + from : NULL; at != NULL;) {
    at += strspn(at, " ");
    at[0] = strncmp(at, "::", 2) == 0 ? '.' : at[0];
    at = strchr(at, '\n');
    at = at != NULL ? at + 1 : NULL;
  }
  for (char *at = out->data != NULL ? out->data + from : NULL;
       at != NULL && (at = strstr(at, "##[")) != NULL;) {
    at[1] = '.';
  }
}

void rf_screen_add(roof_text *out, const rf_screen *screen, const char *text) {
  size_t from = out->length;
  roof_text line = {0};
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    line.length = 0;
    roof_text_add(&line, "");
    add_plain_line(&line, text, length, screen->ascii);
    while (text[length] == '\n' && line.length > 0 && line.data[line.length - 1] == ' ') {
      line.data[--line.length] = '\0';
    }
    out->failed |= line.failed;
    add_line(out, screen, line.data != NULL ? line.data : "");
    text += length;
    if (*text == '\n') {
      roof_text_add(out, "\n");
      text++;
    }
  }
  if (screen->commands) {
    disarm(out, from);
  }
  roof_text_done(&line);
}
