/* The page: one HTML file, which is well-formed XML too. */
#include <math.h>
#include <string.h>

#include "draw/page.h"
#include "draw/screen.h"
#include "draw/value.h"
#include "roofline/page.h"

static const char head[] =
    "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n<style>\n"
    ":root{--ink:#1d2127;--soft:#59626d;--line:#d9dde2;--paper:#fff;--band:#f5f7f9;--good:#0b6b2e;"
    "--doubt:#7a4b00;--bad:#b00020;--shade:#0002}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a3abb5;--line:#3d3d3d;--paper:#141414;"
    "--band:#1f1f1f;--good:#6fd58f;--doubt:#f0b849;--bad:#ff8a8a;--shade:#fff3}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;"
    "overflow-wrap:break-word}\n"
    "main{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 3rem}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .3rem}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}\n"
    "p{margin:.3rem 0}.about,.soft{color:var(--soft)}\n"
    ".wide{overflow-x:auto;margin:.6rem 0;background:linear-gradient(90deg,var(--paper) 30%,transparent) 0 "
    "0/2rem 100% no-repeat local,linear-gradient(270deg,var(--paper) 30%,transparent) 100% 0/2rem 100% "
    "no-repeat "
    "local,linear-gradient(90deg,var(--shade),transparent) 0 0/.7rem 100% no-repeat,linear-gradient(270deg,"
    "var(--shade),transparent) 100% 0/.7rem 100% no-repeat}.chart{"
    "border:1px solid var(--line);border-radius:6px;max-width:62rem}.chart "
    "svg{display:block;width:100%;min-width:40rem;"
    "height:auto}.chart.narrow{max-width:32rem}.narrow svg{min-width:0}"
    "@media(max-width:49.99rem){.broad.broad{display:none}}@media(min-width:50rem){.narrow.narrow{display:"
    "none}}.titled svg .t{display:none}.titled svg{margin-top:-1.4rem}\n"
    "table{border-collapse:collapse;min-width:100%;font-size:.9rem;line-height:1.4}"
    "caption{text-align:left;font-weight:600;padding:.2rem 0}details caption{display:none}\n"
    "th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}"
    "thead th{background:var(--band)}tbody th{font-weight:400;min-width:8rem;max-width:20rem}.facts "
    "th{min-width:0}"
    "td[data-value],.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "td:not(.n,[data-value]){min-width:4.5rem}"
    ".facts{margin:.6rem 0}.facts th{color:var(--soft);white-space:nowrap}.facts td{width:100%}\n"
    ".good,.doubt,.bad{font-weight:600}.good{color:var(--good)}.doubt{color:var(--doubt)}"
    ".bad{color:var(--bad)}\n"
    "details{margin:.6rem 0}summary{cursor:pointer;font-weight:600}\n"
    "pre{background:var(--band);padding:.5rem .7rem;margin:.4rem 0;border-radius:6px;font-size:.88rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "@media(max-width:40rem){tbody th{max-width:9rem}.facts th{white-space:normal}h1{font-size:1.3rem}}\n"
    "@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--band:#f2f2f2;--good:#0b6b2e;"
    "--doubt:#7a4b00;--bad:#b00020;--shade:transparent}body{font-size:10pt}main{max-width:none;padding:0}"
    ".wide{overflow:visible}.chart svg{min-width:0}.chart,tr,pre{break-inside:avoid}"
    "thead{display:table-header-group}h2,caption,summary{break-after:avoid}table{font-size:8pt}"
    "th,td{padding:.15rem "
    ".3rem}td:not(.n,[data-value]){min-width:0}details::details-content{content-visibility:visible;"
    "display:block}}\n";

static void add_element(roof_text *out, const char *open, const char *words, const char *close) {
  roof_text_add(out, open);
  roof_text_add_xml(out, words);
  roof_text_add(out, close);
}

static void add_list(roof_text *out, const char *const *list, const char *open, const char *close) {
  for (int i = 0; list != NULL && list[i] != NULL; i++) {
    add_element(out, open, list[i], close);
  }
}

/** True when the cells of a column begin with a digit or stand for an unknown number. */
static bool is_numeric(const roof_table *table, int column) {
  bool numbers = false;
  for (int row = 1; row <= table->rows && !table->bare; row++) {
    const char *cell = table->cells[row * table->columns + column];
    const char *start = cell + strspn(cell, "+-~<> ");
    bool number = *start >= '0' && *start <= '9';
    if (!number && *start != '\0' && strcmp(cell, "unknown") != 0 && strcmp(cell, "\xE2\x80\x94") != 0) {
      return false;
    }
    numbers |= number;
  }
  return numbers;
}

/** What a verdict's words stand for: the class of its colour, or "". */
static const char *verdict_class(const char *words) {
  const char *mark = rf_screen_verdict(words);
  return strcmp(mark, RF_MARK_GREEN) == 0    ? "good"
         : strcmp(mark, RF_MARK_YELLOW) == 0 ? "doubt"
         : strcmp(mark, RF_MARK_RED) == 0    ? "bad"
                                             : "";
}

/** Columns of a table beyond these are taken for text. */
enum { COLUMNS = 64 };

typedef struct kinds {
  bool numeric[COLUMNS];
} kinds;

static kinds kinds_of(const roof_table *table) {
  kinds k = {{false}};
  for (int column = 1; column < table->columns && column < COLUMNS; column++) {
    k.numeric[column] = is_numeric(table, column);
  }
  return k;
}

static void add_header(roof_text *out, const roof_table *table, const kinds *k) {
  roof_text_add(out, "<thead>\n<tr>");
  for (int column = 0; column < table->columns; column++) {
    bool numeric = column < COLUMNS && k->numeric[column];
    roof_text_addf(out, "<th scope=\"col\"%s>", numeric ? " class=\"n\"" : "");
    add_element(out, "", table->cells[column], "</th>");
  }
  roof_text_add(out, "</tr>\n</thead>\n");
}

static void add_number(roof_text *out, const char *cell) {
  double value = rf_value_of_text(cell);
  if (isnan(value)) {
    roof_text_add(out, "<td class=\"n\"");
  } else {
    roof_text_addf(out, "<td data-value=\"%.6g\"", value);
  }
  add_element(out, ">", cell, "</td>");
}

static void add_row(roof_text *out, const roof_table *table, const kinds *k, int row) {
  const char *const *cells = table->cells + (ptrdiff_t)row * table->columns;
  if (table->keys != NULL || table->rows <= ROOF_TABLE_LONG) {
    add_element(out, "<tr data-key=\"", table->keys != NULL ? table->keys[row - 1] : cells[0], "\">");
  } else { /* of thousands a script reads the first cell */
    roof_text_add(out, "<tr>");
  }
  add_element(out, "<th scope=\"row\">", cells[0], "</th>");
  for (int column = 1; column < table->columns; column++) {
    const char *class = column == table->verdict ? verdict_class(cells[column]) : "";
    if (column < COLUMNS && k->numeric[column]) {
      add_number(out, cells[column]);
    } else {
      roof_text_addf(out, class[0] != '\0' ? "<td class=\"%s\">" : "<td>", class);
      add_element(out, "", cells[column], "</td>");
    }
  }
  roof_text_add(out, "</tr>\n");
}

/** Labels and what they are: no chart has their rows, and nobody sorts them. */
static void add_bare(roof_text *out, const roof_table *table) {
  bool titled = table->title[0] != '\0';
  roof_text_add(out, "<table class=\"facts\">\n");
  if (titled) {
    add_element(out, "<caption>", table->title, "</caption>\n");
  }
  roof_text_add(out, "<tbody>\n");
  for (int row = 0; row < table->rows; row++) {
    const char *const *cells = table->cells + (ptrdiff_t)row * table->columns;
    add_element(out, "<tr><th scope=\"row\">", cells[0], "</th>");
    for (int column = 1; column < table->columns; column++) {
      add_element(out, "<td>", cells[column], "</td>");
    }
    roof_text_add(out, "</tr>\n");
  }
  roof_text_add(out, "</tbody>\n</table>\n");
}

static void add_table(roof_text *out, const roof_table *table) {
  const kinds k = kinds_of(table);
  if (table->bare) {
    add_bare(out, table);
    return;
  }
  bool folded = table->folded || table->rows > ROOF_TABLE_LONG;
  if (folded) {
    add_element(out, "<details>\n<summary>", table->title, "");
    roof_text_addf(out, " (%d)</summary>\n", table->rows);
  }
  add_element(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", table->title, "\">");
  add_element(out, "<table>\n<caption>", table->title, "</caption>\n");
  add_header(out, table, &k);
  roof_text_add(out, "<tbody>\n");
  for (int row = 1; row <= table->rows; row++) {
    add_row(out, table, &k, row);
  }
  roof_text_addf(out, "</tbody>\n</table></div>\n%s", folded ? "</details>\n" : "");
}

/** True when `words` begin with the first `length` bytes of a title, and with the whole of it or up to a mark. */
static bool begins_with(const char *words, const char *title, size_t length) {
  return words != NULL && strncmp(words, title, length) == 0 && strchr(" ,:;", words[length]) != NULL;
}

/** True when the page says the chart's own title already, as its title or the beginning of its headline. */
static bool has_title(const char *svg, const roof_page *page, roof_text *out) {
  roof_text title = {0}, headline = {0};
  const char *from = strstr(svg, "<title"), *start = from != NULL ? strchr(from, '>') : NULL;
  roof_text_add_xml(&title, page->title);
  roof_text_add_xml(&headline, page->headline != NULL ? page->headline : "");
  bool found = start != NULL && (begins_with(title.data, start + 1, strcspn(start + 1, "<")) ||
                                 begins_with(headline.data, start + 1, strcspn(start + 1, "<,")));
  out->failed |= title.failed || headline.failed;
  roof_text_done(&title);
  roof_text_done(&headline);
  return found;
}

/** `class`: for which windows it is; "": for all. */
static void add_chart(roof_text *out, const char *class, const char *svg, const roof_page *page) {
  roof_text_addf(out, "<div class=\"wide chart%s%s\" tabindex=\"0\" role=\"region\" aria-label=\"chart\">\n",
                 class, has_title(svg, page, out) ? " titled" : "");
  roof_text_add(out, svg);
  roof_text_add(out, "</div>\n");
}

static bool is_list(const char *const *list) {
  return list != NULL && list[0] != NULL;
}

static void add_section(roof_text *out, const roof_page *page, const roof_page_section *section) {
  static const char *const ids[] = {
#define X(symbol, id, heading) id,
      ROOF_PAGE_MAP(X)
#undef X
  };
  static const char *const headings[] = {
#define X(symbol, id, heading) heading,
      ROOF_PAGE_MAP(X)
#undef X
  };
  const char *id = ids[section->part];
  roof_text_addf(out, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 id=\"%s-heading\">", id, id,
                 id);
  add_element(out, "", section->heading != NULL ? section->heading : headings[section->part], "</h2>\n");
  add_list(out, section->commands, "<pre><code>", "</code></pre>\n");
  add_list(out, section->lines, "<p>", "</p>\n");
  for (int i = 0; section->charts != NULL && section->charts[i] != NULL; i++) {
    add_chart(out, section->narrow != NULL ? " broad" : "", section->charts[i], page);
    if (section->narrow != NULL) {
      add_chart(out, " narrow", section->narrow[i], page);
    }
  }
  for (int i = 0; i < section->table_count; i++) {
    add_table(out, &section->tables[i]);
  }
  add_list(out, section->notes, "<p>", "</p>\n");
  roof_text_add(out, "</section>\n");
}

/** Nothing is loaded, and no script runs but the page's own: not one that came with a name either. */
static void add_policy(roof_text *out) {
  roof_text_addf(out,
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                 "style-src 'unsafe-inline'; script-src '%s'\"/>\n",
                 rf_page_hash);
}

roof_status roof_page_draw(const roof_page *page, roof_text *out, roof_error *error) {
  roof_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n");
  add_policy(out);
  roof_text_add(out, head);
  roof_text_add(out, rf_page_style);
  roof_text_add(out, "</style>\n");
  add_element(out, "<title>", page->title, "</title>\n</head>\n<body>\n<main>\n<h1>");
  add_element(out, "", page->headline != NULL ? page->headline : page->title, "</h1>\n");
  if (page->headline != NULL) {
    add_element(out, "<p class=\"about\">", page->title, "</p>\n");
  }
  for (int i = 0; i < page->section_count; i++) {
    const roof_page_section *s = &page->sections[i];
    if (is_list(s->lines) || is_list(s->charts) || is_list(s->commands) || is_list(s->notes) ||
        s->table_count > 0) {
      add_section(out, page, s);
    }
  }
  roof_text_add(out, "</main>\n<script>");
  roof_text_add(out, rf_page_script);
  roof_text_add(out, "</script>\n</body>\n</html>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "page: out of memory") : ROOF_OK;
}
