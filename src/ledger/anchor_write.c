/* What anchors prove, in words and as documents. */
#include <string.h>

#include "documents/json.h"
#include "ledger/anchor.h"

static json_t *anchor_json(const roof_anchor *a) {
  char head[LEDGER_HEAD_MAX];
  return json_pack("{s:s, s:s, s:I, s:s, s:s?}", "kind", roof_anchor_kind_name(a->kind), "anchor", a->name,
                   "entries", (json_int_t)a->entries, "head", rf_anchor_head(a, head), "time",
                   a->time[0] != '\0' ? a->time : NULL);
}

json_t *rf_anchors_json(const roof_anchors *all) {
  json_t *list = json_array();
  for (size_t i = 0; all != NULL && i < all->count; i++) {
    rf_json_append(list, anchor_json(&all->list[i]));
  }
  return list;
}

roof_status roof_anchor_write(const char *ledger, const roof_anchor *made, roof_text *out,
                              roof_error *error) {
  json_t *object = json_pack("{s:s, s:s}", "schema", "roofline.anchor/1", "ledger", ledger);
  rf_json_merge(object, anchor_json(made));
  return rf_json_write(object, "anchor", out, error);
}

void roof_anchor_sentence(const roof_anchor *made, roof_text *out) {
  char head[LEDGER_HEAD_MAX];
  const char *name = made->name;
  int stem = (int)strlen(name) - (int)strlen(".tsq");
  roof_text_addf(out, "%s is of head %s\n", name, rf_anchor_head(made, head));
  if (made->kind == ROOF_ANCHOR_GIT) {
    roof_text_addf(out, "it guards once others have it: `git push origin %s`", name);
  } else if (made->kind == ROOF_ANCHOR_OTS) {
    roof_text_addf(out, "in some hours, `ots upgrade %s` completes it", name);
  } else if (made->time[0] == '\0') {
    roof_text_addf(out, "it guards once an authority has answered: send it, keep the reply as %.*s.tsr", stem,
                   name);
  } else {
    roof_text_addf(out, "it says %s; `ledger verify --anchor %s --ca FILE` verifies who says so", made->time,
                   name);
  }
}

static void add_proof(const roof_anchor *a, roof_text *out) {
  roof_text_addf(out, "\nanchor %s: entries 1 to %zu are as they were ", a->name, a->entries);
  if (a->kind == ROOF_ANCHOR_GIT) {
    roof_text_addf(out, "when others got this tag, made %s by its maker's clock", a->time);
  } else {
    roof_text_addf(out, "on %s, says %s", a->time,
                   a->kind == ROOF_ANCHOR_TSA ? "the authority" : "a block of Bitcoin");
  }
}

void roof_anchors_sentences(const roof_anchors *all, const roof_ledger_summary *summary, roof_text *out) {
  size_t covered = roof_anchors_cover(all);
  for (size_t i = 0; i < all->count; i++) {
    add_proof(&all->list[i], out);
  }
  if (all->count > 0 && covered < summary->entries) {
    roof_text_addf(out, "\nno anchor covers entries %zu to %zu", covered + 1, summary->entries);
  }
}
