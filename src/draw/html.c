#include "roofline/draw.h"

#include <string.h>

static const char head[] =
    "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n<style>\n"
    ":root{--ink:#1d2127;--soft:#5b6470;--line:#d9dde2;--paper:#fff;--band:#f5f7f9}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a3abb5;--line:#3a4048;--paper:#16191d;"
    "--band:#1e2227}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}\n"
    "main{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 3rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .8rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}\n"
    "p{margin:.4rem 0}.summary p:first-child{font-size:1.12rem;font-weight:600}.method{color:var(--soft)}\n"
    ".wide{overflow-x:auto;margin:1.2rem 0}.wide svg{display:block;width:100%;min-width:40rem;height:auto;"
    "border:1px solid var(--line);border-radius:6px}.titled svg .t{display:none}\n"
    "table{border-collapse:collapse;min-width:100%;font-size:.92rem}"
    "th,td{padding:.35rem .7rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "td{min-width:6.5rem}td:first-child{white-space:nowrap}th{background:var(--band);font-weight:600}"
    "td.n,th.n{min-width:0;text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    "@media print{body{font-size:11pt}main{max-width:none;padding:0}.wide{overflow:visible;"
    "break-inside:avoid}.wide svg{min-width:0}tr{break-inside:avoid}thead{display:table-header-group}}\n"
    "</style>\n";

static void add_element(roof_text *out, const char *element, const char *class, const char *words) {
  roof_text_addf(out, "<%s%s%s%s>", element, class != NULL ? " class=\"" : "", class != NULL ? class : "",
                 class != NULL ? "\"" : "");
  roof_text_add_xml(out, words);
  roof_text_addf(out, "</%s>", element);
}

static void add_paragraphs(roof_text *out, const char *const *paragraphs) {
  for (int i = 0; paragraphs != NULL && paragraphs[i] != NULL; i++) {
    add_element(out, "p", NULL, paragraphs[i]);
    roof_text_add(out, "\n");
  }
}

/** True when the cells of a column begin with a digit or stand for an unknown number. */
static bool is_numeric(const roof_table *table, int column) {
  bool numbers = false;
  for (int row = 1; row <= table->rows; row++) {
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

static void add_row(roof_text *out, const roof_table *table, int row) {
  roof_text_add(out, "<tr>");
  for (int column = 0; column < table->columns; column++) {
    const char *cell = table->cells[row * table->columns + column], *element = row == 0 ? "th" : "td";
    roof_text_addf(out, "<%s%s%s>", element, row == 0 ? " scope=\"col\"" : "",
                   is_numeric(table, column) ? " class=\"n\"" : "");
    roof_text_add_xml(out, cell);
    roof_text_addf(out, "</%s>", element);
  }
  roof_text_add(out, "</tr>\n");
}

static void add_table(roof_text *out, const roof_table *table) {
  add_element(out, "h2", NULL, table->title);
  roof_text_add(out, "\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
  roof_text_add_xml(out, table->title);
  roof_text_add(out, "\"><table>\n<thead>\n");
  add_row(out, table, 0);
  roof_text_add(out, "</thead>\n<tbody>\n");
  for (int row = 1; row <= table->rows; row++) {
    add_row(out, table, row);
  }
  roof_text_add(out, "</tbody>\n</table></div>\n");
}

/** True when the chart's own title is the page's, which is then not shown twice. */
static bool has_title(const roof_text *svg, const char *title, roof_text *out) {
  roof_text escaped = {0};
  roof_text_add(&escaped, ">");
  roof_text_add_xml(&escaped, title);
  roof_text_add(&escaped, "</title>");
  bool found = escaped.data != NULL && strstr(svg->data, escaped.data) != NULL;
  out->failed |= escaped.failed;
  roof_text_done(&escaped);
  return found;
}

roof_status roof_draw_page(const char *title, const char *const *summary, const roof_text *svg,
                           const roof_table *tables, int table_count, const char *const *method,
                           roof_text *out, roof_error *error) {
  roof_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n");
  roof_text_add(out, head);
  add_element(out, "title", NULL, title);
  roof_text_add(out, "\n</head>\n<body>\n<main>\n");
  add_element(out, "h1", NULL, title);
  if (summary != NULL && summary[0] != NULL) {
    roof_text_add(out, "\n<div class=\"summary\">\n");
    add_paragraphs(out, summary);
    roof_text_add(out, "</div>");
  }
  if (svg->length > 0) {
    roof_text_addf(out, "\n<div class=\"wide%s\" tabindex=\"0\" role=\"region\" aria-label=\"chart\">\n",
                   has_title(svg, title, out) ? " titled" : "");
    roof_text_add_bytes(out, svg->data, svg->length);
    roof_text_add(out, "</div>\n");
  }
  for (int i = 0; i < table_count; i++) {
    add_table(out, &tables[i]);
  }
  if (method != NULL && method[0] != NULL) {
    roof_text_add(out, "<section class=\"method\">\n<h2>How it was measured</h2>\n");
    add_paragraphs(out, method);
    roof_text_add(out, "</section>\n");
  }
  roof_text_add(out, "</main>\n</body>\n</html>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "report: out of memory") : ROOF_OK;
}

roof_status roof_draw_html(const char *title, const char *const *summary, const roof_scene *scene,
                           const roof_table *tables, int table_count, const char *const *method,
                           roof_text *out, roof_error *error) {
  roof_text svg = {0};
  roof_status status = roof_draw_svg(scene, &svg, error);
  if (status == ROOF_OK) {
    status = roof_draw_page(title, summary, &svg, tables, table_count, method, out, error);
  }
  roof_text_done(&svg);
  return status;
}
