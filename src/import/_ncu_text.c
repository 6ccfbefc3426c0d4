/* Until 2023 tables had no row of headings, and the line of a launch had its date in the place of its grid. */
#include "import/_ncu_text.h"

#include <ctype.h>
#include <string.h>

/** The last place where `mark` stands before a digit, or NULL. */
static const char *last_mark(const char *line, const char *mark) {
  const char *found = NULL;
  size_t length = strlen(mark);
  for (const char *p = line; (p = strstr(p, mark)) != NULL; p += length) {
    found = isdigit((unsigned char)p[length]) ? p : found;
  }
  return found;
}

/** Without "(2, 1, 1)x(32, 1, 1)", the blocks and threads of the launch, at its end. */
static size_t without_grid(const char *name, size_t length) {
  size_t at = length, parts = 0;
  while (parts < 2 && at > 0 && name[at - 1] == ')') {
    at--;
    while (at > 0 && (isdigit((unsigned char)name[at - 1]) || strchr(", ", name[at - 1]) != NULL)) {
      at--;
    }
    if (at == 0 || name[at - 1] != '(') {
      return length;
    }
    at--;
    parts++;
    at -= parts == 1 && at > 0 && name[at - 1] == 'x';
  }
  return parts == 2 && at > 1 && name[at - 1] == ' ' ? at - 1 : length;
}

/** Without ", 2024-Aug-28 11:14:50" at its end. */
static size_t without_date(const char *name, size_t length) {
  enum { DATE = 22 };
  const char *at = length > DATE ? name + length - DATE : "";
  bool dated = strncmp(at, ", ", 2) == 0 && at[6] == '-' && at[10] == '-' && at[16] == ':' && at[19] == ':';
  return dated ? length - DATE : length;
}

bool rf_ncu_heading(const char *line, ncu_heading *heading) {
  static const char capability[] = ", CC ", calls[] = ", Invocations ";
  const char *context = last_mark(line, ", Context "), *cc = last_mark(line, capability);
  const char *summary = last_mark(line, calls), *device = last_mark(line, ", Device ");
  const char *end = context != NULL ? context : summary != NULL ? device : NULL;
  line += strspn(line, " \t");
  if (end == NULL || end <= line) {
    return false;
  }
  size_t length = (size_t)(end - line), bare = without_grid(line, length);
  *heading = (ncu_heading){.kernel = line,
                           .length = bare < length ? bare : without_date(line, length),
                           .capability = cc != NULL ? cc + sizeof capability - 1 : "",
                           .calls = summary != NULL ? summary + sizeof calls - 1 : ""};
  return true;
}

/** Dashes and blanks alone: the edge of a table. Sets its columns. */
static bool take_edge(ncu_text *t, const char *line) {
  size_t at = strspn(line, " \t");
  int columns = 0;
  if (line[at + strspn(line + at, "- \r")] != '\0' || strncmp(line + at, "---", 3) != 0) {
    return false;
  }
  while (line[at] == '-' && columns < NCU_TEXT_COLUMNS) {
    t->start[columns] = at;
    at += strspn(line + at, "-");
    t->end[columns++] = at;
    at += strspn(line + at, " \r");
  }
  t->columns = line[at] == '\0' ? columns : 0;
  return true;
}

/** The text of a column without the blanks around it, "" behind the line's end. */
static const char *column_of(const ncu_text *t, int column, char *line, size_t length) {
  size_t start = t->start[column], end = t->end[column] < length ? t->end[column] : length;
  while (start < end && isspace((unsigned char)line[start])) {
    start++;
  }
  while (end > start && isspace((unsigned char)line[end - 1])) {
    end--;
  }
  if (start >= end) {
    return "";
  }
  line[end] = '\0';
  return line + start;
}

/** What stands between two columns is blank in every row. */
static bool fits(const ncu_text *t, const char *line, size_t length) {
  for (int i = 0; i < t->columns; i++) {
    if (t->end[i] < length && !isspace((unsigned char)line[t->end[i]])) {
      return false;
    }
  }
  return t->columns >= 3 && length > t->start[2];
}

bool rf_ncu_text_row(ncu_text *t, char *line, const char **name, const char **unit, const char **value) {
  if (take_edge(t, line)) {
    t->inside = !t->inside || t->heading;
    t->value = t->heading ? t->value : t->columns == 3 ? 2 : 0;
    t->heading = false;
    return false;
  }
  size_t length = strlen(line);
  if (!t->inside || !fits(t, line, length)) {
    return false;
  }
  *name = column_of(t, 0, line, length);
  *unit = column_of(t, 1, line, length);
  if (strcmp(*name, "Metric Name") == 0) {
    const char *last = column_of(t, t->columns - 1, line, length);
    bool values = strcmp(last, "Metric Value") == 0 || strcmp(last, "Average") == 0;
    t->value = values ? t->columns - 1 : 0;
    t->heading = true;
    return false;
  }
  *value = t->value > 0 ? column_of(t, t->value, line, length) : "";
  return t->value > 0 && **name != '\0';
}

static const char *const types[] = {"OPT", "WRN", "ERR", "INF"};

/** The type that a line begins with, and blanks behind it. */
static const char *type_of(const char *line) {
  const char *text = line + strspn(line, " \t");
  for (size_t i = 0; i < sizeof types / sizeof types[0] && text > line; i++) {
    if (strncmp(text, types[i], 3) == 0 && strncmp(text + 3, "  ", 2) == 0) {
      return types[i];
    }
  }
  return NULL;
}

ncu_rule_line rf_ncu_rule_is(const ncu_rule *said, const char *line) {
  enum { INDENT = 8 };
  size_t indent = strspn(line, " \t");
  bool text = line[indent] != '\0' && line[indent] != '\r' && strncmp(line + indent, "---", 3) != 0;
  return type_of(line) != NULL                            ? NCU_RULE_BEGINS
         : said->type != NULL && indent >= INDENT && text ? NCU_RULE_GOES_ON
                                                          : NCU_RULE_OTHER;
}

/** Without blanks around it. */
static void trim(const char **text, size_t *length) {
  while (*length > 0 && isspace((unsigned char)(*text)[0])) {
    (*text)++;
    (*length)--;
  }
  while (*length > 0 && isspace((unsigned char)(*text)[*length - 1])) {
    (*length)--;
  }
}

static void append(ncu_rule *said, const char *text) {
  size_t length = strlen(text), at = strlen(said->text);
  trim(&text, &length);
  snprintf(said->text + at, sizeof said->text - at, "%s%.*s", at > 0 ? " " : "", (int)length, text);
}

/** What a rule would bring: "Est. Speedup: 45.2%", "Est. Local Speedup: 19.39%". False where the text is another. */
static bool take_speedup(ncu_rule *said, const char *text) {
  static const struct {
    const char *before, *scope;
  } forms[] = {{"Est. Speedup: ", "global"}, {"Est. Local Speedup: ", "local"}};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    size_t length = strlen(forms[i].before);
    if (strncmp(text, forms[i].before, length) == 0) {
      snprintf(said->percent, sizeof said->percent, "%.*s", (int)strcspn(text + length, "% \r"),
               text + length);
      said->scope = forms[i].scope;
      return true;
    }
  }
  return false;
}

void rf_ncu_rule_take(ncu_rule *said, const char *line) {
  static const char section[] = "Section: ";
  const char *text = line + strspn(line, " \t"), *type = type_of(line);
  if (type != NULL) {
    said->number++;
    said->type = type;
    said->scope = "";
    said->percent[0] = said->text[0] = '\0';
    text += 3;
    text += strspn(text, " \t");
  } else if (strncmp(text, section, sizeof section - 1) == 0) {
    text += sizeof section - 1;
    size_t length = strlen(text);
    trim(&text, &length);
    snprintf(said->section, sizeof said->section, "%.*s", (int)length, text);
    said->number = 0;
    return;
  }
  if (said->type != NULL && (type == NULL || !take_speedup(said, text))) {
    append(said, text);
  }
}
