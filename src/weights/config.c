/* Reads a config.json into a description. */
#include "weights/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "documents/json.h"
#include "documents/locate.h"
#include "host/file.h"
#include "roofline/ops.h"
#include "roofline/text.h"
#include "roofline/weights.h"

/** The state of the reader, in addition to what was read. */
typedef struct reader {
  config c;
  int rank[Q_COUNT]; /**< row of the key that gave each value */
  char type[ROOF_NAME_MAX], class_name[ROOF_NAME_MAX];
  char root_type[ROOF_NAME_MAX]; /**< of the config itself, where a section has a type of its own */
  bool own;                      /**< keys that DeepSeek's inference files alone have */
  bool lenient;                  /**< keys that are not known are left out and named */
  size_t steps[CONFIG_DEPTH];
  size_t depth;
  size_t top; /**< depth of the config's own keys */
} reader;

static roof_status fail_at(const reader *r, bool at_key, roof_status code, const char *key, const char *why,
                           const char *const *candidates) {
  int line = 0, column = 0;
  rf_json_locate(r->c.text, r->c.length, r->steps, r->depth, at_key, &line, &column);
  roof_error_set(r->c.error, code, "%s: %s", key, why);
  if (candidates != NULL) {
    roof_error_suggest(r->c.error, key, candidates);
  }
  return roof_error_at(r->c.error, r->c.file, line, column);
}

/** Numbers and flags, also as the texts "true", "false" and "null" that some writers make of them. */
static bool as_number(const json_t *value, config_kind kind, double *number) {
  const char *text = json_string_value(value);
  if (json_is_number(value)) {
    *number = json_number_value(value);
    return isfinite(*number) && *number >= 0 && *number <= 1e12;
  }
  if (json_is_boolean(value) || (text != NULL && (!strcmp(text, "true") || !strcmp(text, "false")))) {
    *number = json_is_true(value) || (text != NULL && text[0] == 't');
    return kind == KEY_FLAG;
  }
  *number = NAN;
  return json_is_null(value) || (text != NULL && (strcmp(text, "null") == 0 || strcmp(text, "auto") == 0));
}

/** EXAONE 4's "LLLG" is a window in every layer but each fourth; other letters are not computed. */
static bool as_pattern(const json_t *value, double *number) {
  const char *letters = json_string_value(value);
  size_t local = letters != NULL ? strspn(letters, "L") : 0;
  *number = (double)local + 1;
  return letters != NULL && strcmp(letters + local, "G") == 0;
}

static roof_status take_number(reader *r, const config_key *key, const char *name, json_t *value) {
  config *c = &r->c;
  if (key->index == Q_WIDTH && json_is_array(value)) { /* one for each layer */
    c->items[ITEM_WIDTHS] = value;
    value = json_array_get(value, 0);
  }
  double number, old = c->values[key->index];
  int row = (int)(key - rf_config_key_find("model_type"));
  bool pattern = key->index == Q_WINDOW_PATTERN && as_pattern(value, &number);
  if (!pattern && !as_number(value, key->kind, &number)) {
    return fail_at(r, false, ROOF_E_ARGUMENT, name,
                   key->kind == KEY_FLAG ? "not true or false" : "not a number from 0 to 1e12", NULL);
  }
  if (isnan(number)) {
    return ROOF_OK;
  }
  if (!isnan(old) && old != number && r->depth == r->top) {
    roof_model_note(c->model, "%s says %.0f where another key says %.0f; %s holds",
                    rf_config_quantity_name((config_quantity)key->index), number, old,
                    row < r->rank[key->index] ? "the former" : "the latter");
  }
  if (isnan(old) || row <= r->rank[key->index] || r->depth > r->top) {
    c->values[key->index] = number;
    r->rank[key->index] = row;
  }
  return ROOF_OK;
}

/** The class without what it is for: "LlamaForCausalLM" is "Llama". */
static void take_type(reader *r, const config_key *key, const json_t *value) {
  const char *text = json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
  if (text == NULL) {
    return;
  }
  if (key->index == 0 && (r->depth == r->top || rf_config_arch_find(text, NULL) != NULL)) {
    snprintf(r->type, sizeof r->type, "%s", text);
  } else if (key->index != 0 && r->depth == r->top) {
    static const char *const suffixes[] = {"For", "LMHead", "Model"};
    size_t length = strlen(text);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
      const char *at = strstr(text, suffixes[i]);
      length = at != NULL && (size_t)(at - text) < length ? (size_t)(at - text) : length;
    }
    snprintf(r->class_name, sizeof r->class_name, "%.*s", (int)length, text);
  }
}

static roof_status take_section(reader *r, json_t *object);

/** null, false and 0 leave out what a key is about. */
static bool says_nothing(const json_t *value) {
  return json_is_null(value) || json_is_false(value) ||
         (json_is_number(value) && json_number_value(value) == 0);
}

/** Leaves out a key that is not known, and names it once. */
static roof_status ignore_key(reader *r, const char *name) {
  roof_model *m = r->c.model;
  for (int i = 0; i < m->ignored_count; i++) {
    if (strcmp(m->ignored[i], name) == 0) {
      return ROOF_OK;
    }
  }
  if (m->ignored_count == ROOF_MODEL_IGNORED_MAX) {
    return fail_at(r, true, ROOF_E_ARGUMENT, name, "one unknown key more than can be ignored", NULL);
  }
  snprintf(m->ignored[m->ignored_count++], ROOF_NAME_MAX, "%s", name);
  return ROOF_OK;
}

/** The first note names what was ignored; a long list ends with their number. */
static void note_ignored(roof_model *m) {
  char names[ROOF_SOURCE_MAX / 2];
  size_t length = 0;
  int shown = 0;
  for (; shown < m->ignored_count && length + strlen(m->ignored[shown]) + 3 < sizeof names; shown++) {
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", shown > 0 ? ", " : "",
                               m->ignored[shown]);
  }
  if (m->ignored_count == 0) {
    return;
  }
  m->note_count -= m->note_count == ROOF_MODEL_NOTE_MAX;
  memmove(m->notes[1], m->notes[0], (size_t)m->note_count * sizeof m->notes[0]);
  int kept = m->note_count;
  m->note_count = 0;
  roof_model_note(m, "%d unknown key%s ignored (%s%s): what %s change%s is not counted", m->ignored_count,
                  m->ignored_count > 1 ? "s" : "", names, shown < m->ignored_count ? ", ..." : "",
                  m->ignored_count > 1 ? "they" : "it", m->ignored_count > 1 ? "" : "s");
  m->note_count = kept + 1;
}

static void note_left(roof_model *m, const char *section) {
  roof_model_note(m, "%s: that tower is not counted, the language model alone is", section);
}

static roof_status take_key(reader *r, const char *name, json_t *value) {
  const config_key *key = rf_config_key_find(name);
  if (key == NULL && says_nothing(value)) {
    return ROOF_OK;
  }
  if (key == NULL && r->lenient) {
    return ignore_key(r, name);
  }
  if (key == NULL) {
    return fail_at(r, true, ROOF_E_NAME, name,
                   "unknown key, it may change what the model is (`model --lenient` ignores it)",
                   rf_config_key_names());
  }
  r->own |= strcmp(name, "moe_inter_dim") == 0;
  switch (key->kind) {
  case KEY_NUMBER:
  case KEY_FLAG:
    return take_number(r, key, name, value);
  case KEY_ITEM:
    if (!json_is_null(value)) {
      r->c.items[key->index] = value;
    }
    if (key->index == ITEM_QUANTIZATION) {
      memcpy(r->c.place, r->steps, sizeof r->c.place);
      r->c.place_depth = r->depth;
    }
    return ROOF_OK;
  case KEY_TYPE:
    take_type(r, key, value);
    return ROOF_OK;
  case KEY_SECTION:
    return r->depth == r->top && json_is_object(value)
               ? take_section(r, value)
               : fail_at(r, false, ROOF_E_ARGUMENT, name, "not an object", NULL);
  case KEY_TOWER:
    if (json_is_object(value) && key->index != ITEM_COUNT) {
      r->c.items[key->index] = value;
    } else if (json_is_object(value)) {
      note_left(r->c.model, name);
    }
    return ROOF_OK;
  default:
    return ROOF_OK;
  }
}

static roof_status take_section(reader *r, json_t *object) {
  const char *name = NULL;
  json_t *value = NULL;
  size_t step = 0;
  r->depth++;
  json_object_foreach(object, name, value) {
    r->steps[r->depth - 1] = step++;
    roof_status status = take_key(r, name, value);
    if (status != ROOF_OK) {
      return status;
    }
  }
  r->depth--;
  return ROOF_OK;
}

/** Activations by the names that configs have for them. */
static roof_status read_activation(config *c) {
  static const struct {
    const char *name, *op;
  } activations[] = {
      {"silu", "silu"},       {"swish", "silu"},     {"swiglu", "silu"},      {"gelu", "gelu"},
      {"gelu_new", "gelu"},   {"gelu_fast", "gelu"}, {"relu", "relu"},        {"gelu_pytorch_tanh", "gelu"},
      {"relu2", "relu2"},     {"sqrelu", "relu2"},   {"gelu_python", "gelu"}, {"gated-gelu", "gelu"},
      {"gated-silu", "silu"}, {"quick_gelu", "silu"}};
  const char *name = json_string_value(c->items[ITEM_ACTIVATION]);
  name = name != NULL ? name : c->arch->activation != NULL ? c->arch->activation : "silu";
  for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++) {
    const roof_op *op = NULL;
    if (strcmp(activations[i].name, name) == 0 && roof_op_find(activations[i].op, &op, NULL) == ROOF_OK) {
      c->model->activation = op->flops_per_element;
      return ROOF_OK;
    }
  }
  return rf_config_fail(c, "hidden_act: `%.40s` is not a known activation", name);
}

static double item_number(const config *c, config_item item, double fallback) {
  double number = json_number_value(c->items[item]);
  return number >= 1 && number <= 1e6 ? number : fallback;
}

/** An encoder of images: a token is a patch, and each has its place. */
static roof_status read_patches(config *c) {
  roof_model *m = c->model;
  double side = item_number(c, ITEM_PATCH, NAN), any = c->arch->image;
  double image = any > 0 ? any : item_number(c, ITEM_IMAGE, NAN);
  if (!(image >= side)) {
    return rf_config_fail(c, "image_size or patch_size: missing, or no patch fits into the image");
  }
  m->patch = item_number(c, ITEM_CHANNELS, 3) * side * side * rf_config_value(c, Q_FRAMES, 1);
  m->bare_patches = c->arch->bare_patches;
  m->vectors = c->arch->class_token ? m->hidden : 0;
  m->positions = m->context = floor(image / side) * floor(image / side) + c->arch->class_token;
  if (any > 0) {
    m->positions = rf_config_value(c, Q_POSITION_ROWS, 0);
    m->rotary = true;
  } else if (!c->arch->class_token) {
    roof_model_note(m, "what gathers the patches into one result is not counted");
  }
  return ROOF_OK;
}

static roof_status read_globals(config *c) {
  const config_arch *a = c->arch;
  roof_model *m = c->model;
  double heads = rf_config_value(c, Q_HEADS, 0), dim = rf_config_value(c, Q_HEAD_DIM, 0);
  if (a->diffusion != NULL) {
    c->values[Q_HIDDEN] = heads * dim;
  }
  if (a->image > 0 &&
      rf_config_value(c, Q_EMBED_WIDTH, 0) > 0) { /* Qwen2-VL calls the result's width hidden */
    c->values[Q_OUT_WIDTH] = c->values[Q_HIDDEN];
    c->values[Q_HIDDEN] = c->values[Q_EMBED_WIDTH];
  }
  roof_status status = rf_config_need(c, Q_HIDDEN, &m->hidden);
  status = status != ROOF_OK || a->patches || a->diffusion != NULL ? status
                                                                   : rf_config_need(c, Q_VOCAB, &m->vocab);
  /* Where both are given, rows of positions are max_position_embeddings; the length is model_max_length, as vLLM has it. */
  double rows = rf_config_value(c, Q_CONTEXT, rf_config_value(c, Q_LENGTH, 0));
  m->positions = a->learned_positions ? rows + a->more_positions : 0;
  m->context =
      fmax(0, (a->learned_positions ? rows : rf_config_value(c, Q_LENGTH, rows)) - a->first_position);
  m->rotary = !a->learned_positions && !a->no_positions;
  m->token_types = rf_config_value(c, Q_TOKEN_TYPES, 0);
  m->tied = rf_config_flag(c, Q_TIED);
  m->encoder = a->encoder;
  m->layer_norm = a->layer_norm;
  m->shiftless = a->shiftless;
  m->embedding_norm = a->embedding_norm;
  m->final_norm = !a->no_final_norm && rf_config_value(c, Q_FINAL_NORM, 1) != 0;
  m->head_bias = rf_config_flag(c, Q_HEAD_BIAS);
  m->pooler = a->pooler;
  double table = rf_config_value(c, Q_EMBEDDING_DIM, m->hidden);
  m->embedding_dim = table == m->hidden ? 0 : table;
  if (status == ROOF_OK && a->learned_positions && !(m->context >= 1)) {
    status = rf_config_need(c, Q_CONTEXT, &m->context);
  }
  status = status == ROOF_OK && a->patches ? read_patches(c) : status;
  return status == ROOF_OK ? read_activation(c) : status;
}

/** Keys that say something which is not computed: refused when they are set. */
static roof_status refuse(const config *c) {
  const char *mlp = json_string_value(c->items[ITEM_MLP_TYPE]);
  if (mlp != NULL && strcmp(mlp, "default") != 0 && strcmp(mlp, "gated") != 0) {
    return rf_config_fail(c, "mlp_type: `%.40s` is neither `default` nor `gated`", mlp);
  }
  static const config_quantity refused[] = {Q_PER_LAYER_INPUT, Q_KV_SHARED_LAYERS};
  if (rf_config_value(c, Q_ALTUP, 0) > 0) { /* Gemma 3n, whose layers are known */
    return ROOF_OK;
  }
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    if (rf_config_value(c, refused[i], 0) > 0) {
      return rf_config_fail(c, "%s: set, and not computed by this version",
                            rf_config_quantity_name(refused[i]));
    }
  }
  return ROOF_OK;
}

static roof_status find_arch(reader *r) {
  config *c = &r->c;
  if (r->type[0] == '\0' && r->class_name[0] == '\0' && r->own) {
    snprintf(r->type, sizeof r->type, "%s", CONFIG_OWN_DEEPSEEK);
  }
  if (r->type[0] == '\0' && r->class_name[0] == '\0' && c->items[ITEM_DIFFUSERS] != NULL) {
    const char *part = json_string_value(c->items[ITEM_DIFFUSERS]);
    snprintf(r->type, sizeof r->type, "%s", part);
    if (rf_config_arch_find(part, NULL) == NULL) {
      return rf_config_fail(c,
                            "_class_name `%.60s`: a part of a diffusion model, not computed by this version; "
                            "Flux, Qwen-Image, SD3, PixArt and DiT transformers are",
                            part);
    }
  }
  if (r->type[0] == '\0' && r->class_name[0] == '\0') {
    return rf_config_fail(
        c, c->items[ITEM_QUANTIZATION] != NULL
               ? "formats alone: give the model's config.json, and this file with --quantization"
               : "neither `model_type` nor `architectures`: not a model's config");
  }
  c->arch = rf_config_arch_find(r->type[0] != '\0' ? r->type : NULL, r->class_name);
  if (c->arch != NULL) {
    bool root = r->root_type[0] != '\0' && rf_config_arch_find(r->root_type, NULL) == c->arch;
    snprintf(c->model->architecture, sizeof c->model->architecture, "%s",
             root                 ? r->root_type
             : r->type[0] != '\0' ? r->type
                                  : r->class_name);
    return ROOF_OK;
  }
  const char *name = r->type[0] != '\0' ? r->type : r->class_name;
  const char *why = rf_config_arch_refusal(r->type[0] != '\0' ? r->type : NULL, r->class_name);
  if (why != NULL) {
    return rf_config_fail(c, "model_type `%.60s`: not computed by this version: %s", name, why);
  }
  rf_config_fail(c, "model_type `%.60s`: not a known architecture", name);
  return roof_error_suggest(c->error, name, rf_config_arch_names());
}

/** An architecture that is not known is called so before its keys are: neither the config's own type nor that of a
 *  section of it. */
static roof_status check_type(reader *r, json_t *root) {
  static const char *const types[] = {"model_type", "architectures"};
  static const char *const sections[] = {"text_config", "llm_config", "language_config"};
  const config_key *own = rf_config_key_find(types[0]);
  size_t before = r->depth;
  r->depth = r->top;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    take_type(r, rf_config_key_find(types[i]), json_object_get(root, types[i]));
  }
  snprintf(r->root_type, sizeof r->root_type, "%s", r->type);
  r->depth = r->top + 1;
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    take_type(r, own, json_object_get(json_object_get(root, sections[i]), types[0]));
  }
  r->depth = before;
  json_t *part = json_object_get(root, "_class_name");
  r->c.items[ITEM_DIFFUSERS] = json_is_string(part) ? part : NULL;
  bool named = r->type[0] != '\0' || r->class_name[0] != '\0' || r->c.items[ITEM_DIFFUSERS] != NULL;
  return named ? find_arch(r) : ROOF_OK;
}

static void init_reader(reader *r, const char *text, size_t length, const char *file, roof_model *model,
                        roof_error *error) {
  memset(r, 0, sizeof *r);
  r->top = 1;
  r->c = (config){.text = text, .length = length, .file = file, .error = error, .model = model};
  for (int i = 0; i < Q_COUNT; i++) {
    r->c.values[i] = NAN;
  }
}

/** The row of a section about images: by its own type, else by that of the whole config. */
static const config_arch *vision_arch(const char *root, const json_t *section) {
  const char *own = json_string_value(json_object_get(section, "model_type"));
  const config_arch *a = rf_config_arch_find(own, NULL);
  char type[ROOF_NAME_MAX];
  if (own == NULL || a == NULL || !a->patches) {
    snprintf(type, sizeof type, "%.40s_vision", root);
    a = rf_config_arch_find(type, NULL);
  }
  return a != NULL && a->patches ? a : NULL;
}

/** An encoder that a section describes; false where its type is not known, or it cannot be read. */
static bool read_tower(const reader *r, json_t *section, reader *sub, roof_model *tower, roof_error *why) {
  roof_model_init(tower);
  init_reader(sub, r->c.text, r->c.length, r->c.file, tower, why);
  sub->lenient = true;
  sub->c.arch = vision_arch(r->root_type, section);
  return sub->c.arch != NULL && take_section(sub, section) == ROOF_OK && read_globals(&sub->c) == ROOF_OK &&
         rf_config_layers(&sub->c) == ROOF_OK;
}

/** A projection of the result, of text or of the image. */
static roof_status add_projection(config *c, double stream, double hidden) {
  double out = rf_config_value(c, Q_PROJECTION, 0);
  roof_model_product p = {.stream = stream, .rows = 1, .in = hidden, .out = out, .last = true};
  snprintf(p.name, sizeof p.name, "%s", stream > 0 ? "image_projection" : "text_projection");
  return c->arch->projects && out >= 1 ? rf_config_add_product(c, &p) : ROOF_OK;
}

static roof_status describe_tower(reader *r) {
  config *c = &r->c;
  json_t *section = c->items[ITEM_VISION];
  reader sub;
  roof_model tower;
  roof_error why = {0};
  roof_status status = add_projection(c, 0, c->model->hidden);
  if (status != ROOF_OK || section == NULL) {
    return status;
  }
  bool known = c->arch->encoder || rf_config_projects(r->root_type);
  if (!known || !read_tower(r, section, &sub, &tower, &why)) {
    note_left(c->model, "vision_config");
    return ROOF_OK;
  }
  status = rf_config_graft(c->model, &tower, "vision", "an image", c->error);
  if (status == ROOF_OK && !c->arch->encoder) {
    return rf_config_project(c, r->root_type, &sub.c);
  }
  return status == ROOF_OK ? add_projection(c, 1, tower.hidden) : status;
}

static roof_status describe(reader *r, json_t *root) {
  config *c = &r->c;
  roof_status status = check_type(r, root);
  status = status == ROOF_OK ? take_section(r, root) : status;
  status = status == ROOF_OK ? find_arch(r) : status;
  status = status == ROOF_OK ? refuse(c) : status;
  status = status == ROOF_OK ? read_globals(c) : status;
  status = status != ROOF_OK            ? status
           : c->arch->diffusion != NULL ? rf_config_diffusion(c)
           : c->arch->pair              ? rf_config_pair(c)
                                        : rf_config_layers(c);
  status = status == ROOF_OK && rf_config_value(c, Q_ALTUP, 0) > 0 ? rf_config_altup(c) : status;
  status = status == ROOF_OK ? describe_tower(r) : status;
  status = status == ROOF_OK ? rf_config_quantization(c) : status;
  if (status == ROOF_OK && rf_config_value(c, Q_EXTRA_LAYERS, 0) > 0) {
    roof_model_note(c->model, "%.0f layers that predict further tokens are not counted",
                    rf_config_value(c, Q_EXTRA_LAYERS, 0));
  }
  note_ignored(c->model);
  if (status == ROOF_OK && (status = roof_model_check(c->model, c->error)) != ROOF_OK) {
    (void)roof_error_at(c->error, c->file, 1, 1); /* several keys make what is wrong */
  }
  return status;
}

/** Python writes Infinity and NaN into JSON: null of the same length, outside of texts, keeps every
 * column. */
static char *tamed(const char *text, size_t length) {
  static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
  char *copy = malloc(length + 1);
  bool quoted = false;
  if (copy == NULL) {
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    quoted ^= copy[i] == '"' && (i == 0 || copy[i - 1] != '\\');
    for (size_t w = 0; w < sizeof words / sizeof words[0] && !quoted; w++) {
      size_t size = strlen(words[w]);
      if (length - i >= size && memcmp(copy + i, words[w], size) == 0) {
        memset(copy + i, ' ', size);
        copy[i] = '0';
      }
    }
  }
  return copy;
}

/** Of a source on Hugging Face, "https://huggingface.co/OWNER/NAME/blob/...". */
static void read_repository(roof_model *m, const char *source) {
  static const char site[] = "https://huggingface.co/";
  const char *own =
      source != NULL && strncmp(source, site, sizeof site - 1) == 0 ? source + sizeof site - 1 : "";
  const char *end = strstr(own, "/blob/");
  snprintf(m->repository, sizeof m->repository, "%.*s", end != NULL ? (int)(end - own) : 0, own);
}

/** A file of data/models holds a config, the model's name and the sources of both. */
static roof_status describe_root(reader *r, json_t *root) {
  const char *schema = json_string_value(json_object_get(root, "schema"));
  json_t *inner = json_object_get(root, "config");
  const char *name = json_string_value(json_object_get(root, "name"));
  if (schema == NULL) {
    return describe(r, root);
  }
  if (strcmp(schema, "roofline.description/1") != 0 || name == NULL || !json_is_object(inner)) {
    return rf_config_fail(&r->c, "schema: not `roofline.description/1` with a `name` and a `config`");
  }
  snprintf(r->c.model->name, sizeof r->c.model->name, "%.90s", name);
  read_repository(r->c.model, json_string_value(json_object_get(root, "source")));
  r->steps[0] = rf_config_member(root, "config");
  r->depth = 1;
  r->top = 2;
  return describe(r, inner);
}

/** The file's own name, or that of its folder when it is called config.json, without what configs add to
 * it. */
static void name_model(roof_model *model, const char *file) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", rf_file_is_input(file) ? "stdin" : file);
  char *slash = strrchr(copy, '/');
  if (slash != NULL && slash != copy && strcmp(slash + 1, "config.json") == 0) {
    *slash = '\0';
    slash = strrchr(copy, '/');
  }
  char *base = slash != NULL ? slash + 1 : copy;
  static const char *const endings[] = {".json", "_config", "-config"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    size_t size = strlen(endings[i]), length = strlen(base);
    if (length > size && strcmp(base + length - size, endings[i]) == 0) {
      base[length - size] = '\0';
    }
  }
  snprintf(model->name, sizeof model->name, "%.90s", base);
}

roof_status roof_model_read_quantization(const char *text, size_t length, const char *file, roof_model *model,
                                         roof_error *error) {
  json_t *root = NULL;
  roof_status status =
      rf_json_read(text, length, JSON_DECODE_INT_AS_REAL, file, "quantization: ", &root, error);
  json_t *quantization = json_object_get(root, "quantization");
  roof_model changed = *model;
  reader r;
  init_reader(&r, text, length, file, &changed, error);
  changed.precision = roof_model_precision_of(model->precision.activations);
  r.c.items[ITEM_QUANTIZATION] = quantization;
  r.c.place[0] = rf_config_member(root, "quantization");
  r.c.place_depth = 1;
  if (status == ROOF_OK) {
    status = json_is_object(quantization)
                 ? rf_config_quantize(&r.c)
                 : rf_config_fail(&r.c, "no `quantization`: not a hf_quant_config.json");
  }
  if (status == ROOF_OK) {
    *model = changed;
  }
  json_decref(root);
  return status;
}

static roof_status read_text(const char *text, size_t length, const char *file, bool lenient,
                             roof_model *model, roof_error *error) {
  char *copy = tamed(text, length);
  json_t *root = NULL;
  roof_status status =
      copy != NULL ? rf_json_read(copy, length, JSON_DECODE_INT_AS_REAL, file, "config: ", &root, error)
                   : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  roof_model read;
  reader r;
  roof_model_init(&read);
  init_reader(&r, copy, length, file, &read, error);
  r.lenient = lenient;
  if (status == ROOF_OK && !json_is_object(root)) {
    status = rf_config_fail(&r.c, "not an object");
  } else if (status == ROOF_OK) {
    name_model(&read, file);
    status = describe_root(&r, root);
  }
  if (status == ROOF_OK) {
    *model = read;
  }
  json_decref(root);
  free(copy);
  return status;
}

roof_status roof_model_read(const char *text, size_t length, const char *file, roof_model *model,
                            roof_error *error) {
  return read_text(text, length, file, false, model, error);
}

roof_status rf_config_read_lenient(const char *text, size_t length, const char *file, roof_model *model,
                                   roof_error *error) {
  return read_text(text, length, file, true, model, error);
}
