/* Tables of timed operations with their shapes, as those who fit predictors publish them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/ops.h"

/** A table known by its first line; several rows may share one, each for the rows with `value` in `column`. */
typedef struct layout {
  const char *header;
  const char *column, *value; /**< NULL: all rows */
  const char *op;
  const char
      *shape; /**< "n=B*H": columns, numbers and `bytes` of an element, from left to right by + and * */
  const char *dtype;  /**< column; NULL: fp32 */
  const char *kv;     /**< column of the cache's format; NULL: as `dtype` */
  const char *how;    /**< column: what ran it */
  const char *device; /**< column */
  const char *window; /**< column of an attention window: no operation here has one */
} layout;

#define AICONFIGURATOR_ATTENTION                                                                             \
  "sys,fw,kernel_source,batch_size,isl,num_heads,num_key_value_heads,head_dim,attn_dtype,kv_cache_dtype,"    \
  "step,window_size,us"
#define ATTENTION_SHAPE                                                                                      \
  "batch=batch_size heads=num_heads q_len=isl kv_len=isl+step head_dim=head_dim "                            \
  "kv_heads=num_key_value_heads"
#define NEUSIGHT_VECTOR "split,op,dev,B,H,us"
#define NEUSIGHT(name, operation, sizes)                                                                     \
  {                                                                                                          \
    .header = NEUSIGHT_VECTOR, .column = "op", .value = name, .op = operation, .shape = sizes,               \
    .device = "dev"                                                                                          \
  }

/* ai-dynamo/aiconfigurator: CUDA graph replays; decode attention has one query, `step` positions are cached.
 * sitar-lab/NeuSight: PyTorch in fp32, timed eagerly. */
static const layout layouts[] = {
    {.header = "sys,fw,gemm_dtype,kernel_source,m,n,k,us",
     .op = "gemm",
     .shape = "m=m n=n k=k",
     .dtype = "gemm_dtype",
     .how = "fw",
     .device = "sys"},
    {.header = AICONFIGURATOR_ATTENTION,
     .column = "isl",
     .value = "1",
     .op = "attention",
     .shape = ATTENTION_SHAPE,
     .dtype = "attn_dtype",
     .kv = "kv_cache_dtype",
     .how = "fw",
     .device = "sys",
     .window = "window_size"},
    {.header = AICONFIGURATOR_ATTENTION,
     .op = "attention",
     .shape = ATTENTION_SHAPE " causal=1",
     .dtype = "attn_dtype",
     .kv = "kv_cache_dtype",
     .how = "fw",
     .device = "sys",
     .window = "window_size"},
    {.header = "sys,nccl,op,dtype,gpus,elems,us,src",
     .column = "op",
     .value = "all_reduce",
     .op = "allreduce",
     .shape = "size=elems*bytes ranks=gpus",
     .dtype = "dtype",
     .how = "src",
     .device = "sys"},
    {.header = "split,dev,B,M,N,K,gx,gy,gz,kernel,us",
     .op = "gemm",
     .shape = "m=M n=N k=K batch=B",
     .device = "dev"},
    NEUSIGHT("relu", "relu", "n=B*H"),
    NEUSIGHT("gelu", "gelu", "n=B*H"),
    NEUSIGHT("add", "residual", "n=B*H"),
    NEUSIGHT("softmax", "softmax", "rows=B cols=H"),
    NEUSIGHT("ln", "layernorm", "rows=B cols=H"),
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/** What the tables call formats: of activations and of weights, with the weights per scale. */
static const struct {
  const char *name;
  roof_dtype compute, weights, scale;
  double group;
} formats[] = {
    {"fp8_block", ROOF_FP8, ROOF_FP8, ROOF_FP32, 128.0 * 128},
    {"nvfp4", ROOF_FP4, ROOF_FP4, ROOF_FP8, 16},
    {"int8_wo", ROOF_BF16, ROOF_INT8, ROOF_FP16, 0},
    {"int4_wo", ROOF_BF16, ROOF_INT4, ROOF_FP16, 128},
    {"sq", ROOF_INT8, ROOF_INT8, ROOF_FP16, 0},
};

static int detect(const char *text, size_t size) {
  (void)size;
  for (int i = 0; i < LAYOUTS; i++) {
    size_t length = strlen(layouts[i].header);
    if (strncmp(text, layouts[i].header, length) == 0 && strchr("\r\n", text[length]) != NULL) {
      return 95;
    }
  }
  return 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  import_row header, row;
} reading;

static const char *cell(const reading *r, const char *column) {
  return rf_import_field(&r->row, rf_import_column(&r->header, column));
}

/** Products of narrow formats leave the multiplier wider. */
static bool read_types(const reading *r, const layout *l, roof_types *types) {
  const char *name = l->dtype != NULL ? cell(r, l->dtype) : "fp32";
  const char *kv = l->kv != NULL ? cell(r, l->kv) : name;
  roof_dtype dtype = ROOF_FP32;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(name, formats[i].name) == 0) {
      *types = roof_types_of(formats[i].compute);
      types->weights = formats[i].weights;
      types->scale = formats[i].scale;
      types->group = formats[i].group;
      types->output = ROOF_BF16;
      return true;
    }
  }
  if (roof_dtype_parse(name, &dtype, NULL) != ROOF_OK) {
    return false;
  }
  *types = roof_types_of(dtype);
  types->output = roof_dtype_bytes(dtype) < 2 && l->dtype != NULL ? ROOF_BF16 : dtype;
  return roof_dtype_parse(kv, &types->kv, NULL) == ROOF_OK;
}

/** A column's number, a number, or the bytes of an element. */
static double term(const reading *r, const roof_types *types, const char *word) {
  int column = rf_import_column(&r->header, word);
  return column >= 0                  ? rf_import_number(rf_import_field(&r->row, column), NULL)
         : strcmp(word, "bytes") == 0 ? roof_dtype_bytes(types->compute)
                                      : rf_import_number(word, NULL);
}

static double evaluate(const reading *r, const roof_types *types, const char *expression) {
  char word[64];
  double value = 0;
  for (char sign = '+'; sign != '\0';) {
    size_t length = strcspn(expression, "+*");
    snprintf(word, sizeof word, "%.*s", (int)length, expression);
    double next = term(r, types, word);
    value = sign == '*' ? value * next : value + next;
    sign = expression[length];
    expression += length + (sign != '\0');
  }
  return value;
}

static roof_status read_shape(const reading *r, const layout *l, roof_ran *ran, roof_error *error) {
  char shape[256], *rest = NULL;
  roof_status status = roof_op_find(l->op, &ran->op, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_op_defaults(ran->op, ran->values);
  snprintf(shape, sizeof shape, "%s", l->shape);
  for (char *word = strtok_r(shape, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *expression = strchr(word, '=');
    *expression++ = '\0';
    ran->values[roof_op_param_index(ran->op, word)] = evaluate(r, &ran->types, expression);
  }
  return roof_op_complete(ran->op, ran->values, error);
}

static void add_work(reading *r, roof_record *record, const roof_ran *ran) {
  roof_work work;
  roof_work_init(&work);
  work.unit = ran->op->unit;
  ran->op->work(ran->op, ran->values, &ran->types, &work);
  const char *source = rf_import_textf(r->profile, "formula of %s", ran->op->name);
  rf_import_add(&record->flops[ran->types.compute][work.unit], work.flops, source, ROOF_QUALITY_DERIVED);
  rf_import_add(&record->bytes[ROOF_MEMORY], work.read_bytes + work.write_bytes, source,
                ROOF_QUALITY_ESTIMATED);
  if (work.link_bytes > 0) {
    rf_import_add(&record->link_bytes, work.link_bytes, source, ROOF_QUALITY_DERIVED);
  }
}

/** The layout whose rows this one is of, or NULL. */
static const layout *layout_of(const reading *r, const char *header) {
  for (int i = 0; i < LAYOUTS; i++) {
    const layout *l = &layouts[i];
    if (strcmp(l->header, header) == 0 && (l->column == NULL || strcmp(cell(r, l->column), l->value) == 0)) {
      return l;
    }
  }
  return NULL;
}

static roof_status keep(reading *r, const layout *l, const roof_ran *ran, uint64_t picoseconds,
                        roof_error *error) {
  char label[256], stored[48] = "";
  const roof_types *t = &ran->types;
  roof_op_label(ran->op, ran->op->name, t->compute, ran->values, label, sizeof label);
  if (t->kv != t->compute) {
    snprintf(stored, sizeof stored, ", cache %s", roof_dtype_name(t->kv));
  } else if (t->weights != t->compute || t->group > 0) {
    snprintf(stored, sizeof stored, ", %.40s", cell(r, l->dtype));
  }
  const char *name = rf_import_textf(r->profile, "%s (%s%s%s%s)", label, ran->device,
                                     ran->how[0] != '\0' ? ", " : "", ran->how, stored);
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL || (record->ran == NULL && (record->ran = malloc(sizeof *record->ran)) == NULL)) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(r->source));
  }
  *record->ran = *ran;
  rf_import_call(r->profile, record, picoseconds);
  add_work(r, record, ran);
  return ROOF_OK;
}

static roof_status take_row(reading *r, const char *header, roof_error *error) {
  roof_error why = {0};
  roof_ran ran = {0};
  uint64_t picoseconds;
  const layout *l = layout_of(r, header);
  if (l == NULL) {
    rf_import_skip(r->profile, cell(r, "op"), "no operation here is known to be the same");
    return ROOF_OK;
  }
  if (l->window != NULL && rf_import_number(cell(r, l->window), NULL) > 0) {
    rf_import_skip(r->profile, "attention within a window", "the operation here attends to all positions");
    return ROOF_OK;
  }
  if (!rf_import_time(cell(r, "us"), "us", NULL, &picoseconds) || picoseconds == 0 ||
      !read_types(r, l, &ran.types)) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, r->row.line, 0,
                           "no time or no known format in this row");
  }
  if (read_shape(r, l, &ran, &why) != ROOF_OK) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, r->row.line, 0, "%s", why.message);
  }
  ran.how = roof_profile_text(r->profile, l->how != NULL ? cell(r, l->how) : "");
  ran.device = roof_profile_text(r->profile, cell(r, l->device));
  rf_import_device(r->profile, ran.device);
  return keep(r, l, &ran, picoseconds, error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = ROOF_OK;
  size_t length = 0;
  const char *line = rf_import_line(source, &length);
  const char *header = roof_profile_text(profile, line != NULL ? line : "");
  status = rf_import_csv_split(header, ',', &r.header, error);
  while (status == ROOF_OK && rf_import_csv(source, ',', &r.row, &status, error)) {
    status = take_row(&r, header, error);
  }
  rf_import_row_done(&r.header);
  rf_import_row_done(&r.row);
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no row of an operation that is known")
             : status;
}

const roof_format rf_format_timings = {
    .name = "timings",
    .title = "tables of timed operations (aiconfigurator, NeuSight)",
    .gives = "time, shape and format of each operation; FLOPs and bytes by its formula",
    .detect = detect,
    .read = read,
};
