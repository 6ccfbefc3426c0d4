#include "weights/weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first that fits holds. The `*_exps` names are llama.cpp's (src/llama-arch.cpp), the dotted ones those
 * of transformers' classes. */
static const struct {
  const char *text;
  int kind;
} names[] = {{"token_embd", WEIGHTS_TABLE},
             {"embed_tokens", WEIGHTS_TABLE},
             {"word_embeddings", WEIGHTS_TABLE},
             {"wte", WEIGHTS_TABLE},
             {"embed_in", WEIGHTS_TABLE},
             {"position_embd", WEIGHTS_POSITIONS},
             {"token_types", WEIGHTS_POSITIONS},
             {"position_embeddings", WEIGHTS_POSITIONS},
             {"token_type_embeddings", WEIGHTS_POSITIONS},
             {"embed_positions", WEIGHTS_POSITIONS},
             {"wpe", WEIGHTS_POSITIONS},
             {"lm_head", ROOF_PART_HEAD},
             {"embed_out", ROOF_PART_HEAD},
             {"_exps", ROOF_PART_EXPERTS},
             {".experts.", ROOF_PART_EXPERTS},
             {"ffn_gate_inp", ROOF_PART_ROUTER},
             {".router", ROOF_PART_ROUTER},
             {"shared_expert_gate", ROOF_PART_ROUTER},
             {".mlp.gate.", ROOF_PART_ROUTER},
             {"moe.gate.", ROOF_PART_ROUTER},
             {"ffn_", ROOF_PART_MLP},
             {"mlp", ROOF_PART_MLP},
             {"feed_forward", ROOF_PART_MLP},
             {"shared_expert", ROOF_PART_MLP},
             {".fc1", ROOF_PART_MLP},
             {".fc2", ROOF_PART_MLP},
             {"attn", ROOF_PART_MIXER},
             {"attention", ROOF_PART_MIXER},
             {"ssm_", ROOF_PART_MIXER},
             {"mixer", ROOF_PART_MIXER},
             {"mamba", ROOF_PART_MIXER}};

int rf_weights_kind_of(const char *name, int rank) {
  if (rank < 2) {
    return WEIGHTS_VECTORS;
  }
  if (strncmp(name, "output.", 7) == 0) {
    return ROOF_PART_HEAD;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strstr(name, names[i].text) != NULL) {
      return names[i].kind;
    }
  }
  return WEIGHTS_VECTORS;
}

void rf_weights_add(weights *w, const weights_type *type, int kind, double elements, double bytes) {
  int i = 0;
  while (i < w->count && w->rows[i] != type) {
    i++;
  }
  if (i == w->count && w->count < ROOF_STORED_MAX) {
    w->rows[w->count] = type;
    w->types[w->count++] = (roof_stored_type){.name = type->name};
  }
  i = i < ROOF_STORED_MAX ? i : ROOF_STORED_MAX - 1;
  w->types[i].tensors++;
  w->types[i].elements += elements;
  w->types[i].bytes += bytes;
  w->by_type[kind][i] += bytes;
  w->elements[kind] += elements;
  w->bytes[kind] += bytes;
}

/** The type with the most bytes in a kind but those in `taken`; -1: none. */
static int most(const double *bytes, int count, const bool *taken) {
  int found = -1;
  for (int i = 0; i < count; i++) {
    if (!taken[i] && bytes[i] > 0 && (found < 0 || bytes[i] > bytes[found])) {
      found = i;
    }
  }
  return found;
}

const weights_type *rf_weights_main_type(const weights *w, int kind) {
  bool taken[ROOF_STORED_MAX] = {false};
  int found = most(w->by_type[kind], w->count, taken);
  return found < 0 ? NULL : w->rows[found];
}

/** "Q4_K+Q6_K": as many types as there is room for, then "+". */
static void name_types(const weights *w, const double *bytes, char *label, size_t size) {
  bool taken[ROOF_STORED_MAX] = {false};
  size_t used = 0;
  for (int i = most(bytes, w->count, taken); i >= 0; i = most(bytes, w->count, taken)) {
    size_t length = strlen(w->types[i].name);
    taken[i] = true;
    if (used + length + 3 > size) {
      snprintf(label + used, size - used, "+");
      return;
    }
    used += (size_t)snprintf(label + used, size - used, "%s%s", used > 0 ? "+" : "", w->types[i].name);
  }
}

/** What the bytes of a kind are in the description. */
static void move_tables(const weights *w, const roof_model_parameters *p, double *tables, double *vectors,
                        double *head) {
  bool separate = w->bytes[ROOF_PART_HEAD] > 0;
  bool looked_up = p->embedding > 0;
  *head = w->bytes[ROOF_PART_HEAD];
  *vectors = w->bytes[WEIGHTS_VECTORS];
  *tables = looked_up ? w->bytes[WEIGHTS_POSITIONS] : 0;
  *vectors += looked_up ? 0 : w->bytes[WEIGHTS_POSITIONS];
  if (separate || p->parts[ROOF_PART_HEAD] <= 0) {
    *(looked_up ? tables : vectors) += w->bytes[WEIGHTS_TABLE];
  } else {
    *head += w->bytes[WEIGHTS_TABLE];
  }
}

static void apply_part(const weights *w, roof_model_precision *p, int part, double bytes, double counted) {
  int kind = part == ROOF_PART_HEAD && w->bytes[part] <= 0 ? (int)WEIGHTS_TABLE : part;
  const weights_type *type = rf_weights_main_type(w, kind);
  roof_weight_format *format = &p->weights[part];
  if (type != NULL && type->stored < ROOF_DTYPE_COUNT && type->stored != format->stored) {
    *format = roof_weight_format_of(type->stored);
    format->weight_only = type->packed;
  }
  format->bytes = bytes / counted;
  name_types(w, w->by_type[kind], format->label, sizeof format->label);
}

static void apply_types(const weights *w, roof_model *m) {
  double bytes[ROOF_STORED_MAX];
  bool taken[ROOF_STORED_MAX] = {false};
  for (int i = 0; i < w->count; i++) {
    bytes[i] = w->types[i].bytes;
  }
  m->stored_count = 0;
  for (int i = most(bytes, w->count, taken); i >= 0; i = most(bytes, w->count, taken)) {
    taken[i] = true;
    m->stored[m->stored_count++] = w->types[i];
  }
}

void rf_weights_apply(const weights *w, roof_model *m) {
  roof_model_parameters p = roof_model_count(m);
  double tables = 0, vectors = 0, head = 0, elements = 0;
  move_tables(w, &p, &tables, &vectors, &head);
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    double bytes = part == ROOF_PART_HEAD ? head : w->bytes[part];
    if (bytes > 0 && p.parts[part] > 0) {
      apply_part(w, &m->precision, part, bytes, p.parts[part]);
    } else {
      vectors += bytes;
    }
  }
  m->precision.table_bytes = p.embedding > 0 ? tables / p.embedding : 0;
  m->precision.vector_bytes = p.vectors > 0 ? vectors / p.vectors : 0;
  for (int kind = 0; kind < WEIGHTS_KIND_COUNT; kind++) {
    elements += w->elements[kind];
  }
  if (elements != p.total) {
    roof_model_note(
        m,
        "the tensors have %.0f elements, the description %.0f parameters (%+.3g %%); bytes are the tensors'",
        elements, p.total, 100 * (elements / p.total - 1));
  }
  apply_types(w, m);
}
