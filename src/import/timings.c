/* Tables of timed operations with their shapes, as those who fit predictors publish them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_routing.h"
#include "import/_table.h"
#include "roofline/ops.h"

/** An operation in the rows of a table, which its first line gives away. A word of `dtype`, `device` and `how` is a
 * column, else it is meant as it stands. */
typedef struct layout {
  const char *header;
  const char
      *where; /**< "op=all_reduce;isl!=1": rows whose column is as a text or another column; NULL: all */
  const char *op;
  const char
      *shape; /**< "n=B*H": columns, numbers and `bytes` of an element, from left to right by + * and /;
                        "window=size?": left out where it is 0 or empty */
  const char *dtype;   /**< NULL: fp32 */
  const char *kv;      /**< column of the cache's format; NULL: as `dtype` */
  const char *how;     /**< what ran it */
  const char *also;    /**< a column that distinguishes runs of one shape */
  const char *routing; /**< column of the distribution of tokens over experts */
  const char *device;
  const char *time; /**< column; NULL: "us" */
  const char *unit; /**< of the time; NULL: "us" */
  const char *why;  /**< what no operation here says of these rows, which are left out; NULL: they are read */
} layout;

#define AICONFIGURATOR(head, table, operation, sizes, ...)                                                   \
  { .header = "sys," head, .where = table, .op = operation, .shape = sizes, .device = "sys", __VA_ARGS__ }
#define ATTENTION                                                                                            \
  "fw,kernel_source,batch_size,isl,num_heads,num_key_value_heads,head_dim,attn_dtype,kv_cache_dtype,step,"   \
  "window_size,us"
#define ATTENTION_SHAPE                                                                                      \
  "batch=batch_size heads=num_heads q_len=isl kv_len=isl+step head_dim=head_dim "                            \
  "kv_heads=num_key_value_heads window=window_size?"
#define ATTENTION_FORMATS .dtype = "attn_dtype", .kv = "kv_cache_dtype", .how = "fw"
#define MLA "fw,mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,tp_size,step,us"
#define MLA_SHAPE "batch=batch_size heads=num_heads q_len=isl kv_len=isl+step "
#define MLA_FORMATS .dtype = "mla_dtype", .kv = "kv_cache_dtype", .how = "fw"
#define MOE                                                                                                  \
  "fw,kernel_source,moe_dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,"   \
  "distribution,us"
#define MOE_SHAPE                                                                                            \
  "tokens=num_tokens hidden=hidden_size intermediate=inter_size/moe_tp_size experts=num_experts top_k=topk " \
  "ep=moe_ep_size router=0"
#define NCCL(table, operation)                                                                               \
  AICONFIGURATOR("nccl,op,dtype,gpus,elems,us,src", table, operation, "size=elems*bytes ranks=gpus",         \
                 .dtype = "dtype", .how = "src")
#define NEUSIGHT(table, operation, sizes)                                                                    \
  {                                                                                                          \
    .header = "split,op,dev,B,H,us", .where = table, .op = operation, .shape = sizes,                        \
    .how = RF_EAGER_PYTORCH, .device = "dev"                                                                 \
  }
#define VIDUR(column, condition, operation, sizes)                                                           \
  {                                                                                                          \
    .header = "dev,model,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,num_tokens,tp,"    \
              "emb,input_layernorm,attn_pre_proj,attn_rope,attn_post_proj,post_attention_layernorm,"         \
              "mlp_up_proj,mlp_act,mlp_down_proj,add",                                                       \
    .where = condition, .op = operation, .shape = sizes, .dtype = "fp16", .how = "PyTorch", .device = "dev", \
    .time = column                                                                                           \
  }
#define VIDUR_NETWORK(table, operation, sizes)                                                               \
  {                                                                                                          \
    .header = "node,op,num_workers,devices_per_node,rank,bytes_or_elems,median_us,min_us", .where = table,   \
    .op = operation, .shape = sizes, .dtype = "fp16", .how = "NCCL", .device = "node", .time = "median_us"   \
  }
#define VIDUR_NODES(table)                                                                                   \
  {                                                                                                          \
    .header = "node,op,num_workers,devices_per_node,rank,bytes_or_elems,median_us,min_us",                   \
    .where = table ";num_workers!=devices_per_node",                                                         \
    .why = "its ranks lie on several nodes, which no operation here says; `roofline cluster` predicts those" \
  }
#define DEEPBENCH_GEMM(sheet, format)                                                                        \
  {                                                                                                          \
    .header = "dev,sheet,M,N,K,tA,tB,us", .where = sheet, .op = "gemm", .shape = "m=M n=N k=K",              \
    .dtype = format, .device = "dev"                                                                         \
  }
#define DEEPBENCH_CONV(sheet, format)                                                                        \
  {                                                                                                          \
    .header = "dev,sheet,W,H,C,N,K,R,S,pad_h,pad_w,stride_v,stride_h,fwd_ms,bwd_in_ms,bwd_w_ms,fwd_algo",    \
    .where = sheet ";R=S;pad_h=pad_w;stride_v=stride_h;fwd_ms!=", .op = "conv2d",                            \
    .shape = "batch=N in_channels=C out_channels=K height=H width=W kernel=R stride=stride_v padding=pad_h", \
    .dtype = format, .how = "fwd_algo", .device = "dev", .time = "fwd_ms", .unit = "ms"                      \
  }
#define INFERSIM_EXPERTS(tokens, column, sizes)                                                              \
  {                                                                                                          \
    .header = "num_experts,num_gpus,num_local_experts,topk,hidden_size,intermediate_size," tokens            \
              ",tokens_per_expert,up_proj_us,up_mfu,down_proj_us,down_mfu",                                  \
    .op = "grouped", .shape = "batch=" tokens "*topk groups=num_local_experts " sizes, .dtype = "fp8",       \
    .how = "DeepGEMM", .device = "h20", .time = column                                                       \
  }

#define FRONTIER(first, column, condition, operation, sizes)                                                 \
  {                                                                                                          \
    .header = "time_stats." first ".min,time_stats." first ".max,*",                                         \
    .where = "time_stats." column ".median!=0.0;time_stats." column ".median!=;" condition, .op = operation, \
    .shape = sizes, .dtype = "profiling_precision", .how = "measurement_type", .device = "h800",             \
    .time = "time_stats." column ".median", .unit = "ms"                                                     \
  }
#define FRONTIER_LAYER(column, operation, sizes)                                                             \
  FRONTIER("emb", column, "use_gated_mlp=True", operation, sizes)
#define FRONTIER_ATTENTION(column, condition, sizes)                                                         \
  FRONTIER("attn_input_reshape", column, "mode=even;" condition, "attention",                                \
           "batch=batch_size heads=n_q_head/num_tensor_parallel_workers "                                    \
           "kv_heads=n_kv_head/num_tensor_parallel_workers head_dim=n_embd/n_q_head " sizes)
#define INFERSIM_ATTENTION(columns, condition, operation, sizes, cache, kernels)                             \
  {                                                                                                          \
    .header = columns, .where = condition, .op = operation, .shape = sizes, .dtype = "dtype", .kv = cache,   \
    .how = kernels, .device = "file:4", .time = "latency_us"                                                 \
  }

/* ai-dynamo/aiconfigurator: CUDA graph replays; decode attention has one query, `step` positions are cached; heads, experts
 * and widths are those of one device; a collective's elements are those of the whole buffer.
 * sitar-lab/NeuSight: PyTorch in fp32, timed eagerly. microsoft/vidur: layers in fp16, collectives within a node.
 * baidu-research/DeepBench: forward convolutions with square kernels. alibaba/InferSim: DeepGEMM on H20, and
 * attention of FlashInfer and FlashMLA, whose sizes are in the file's name (mha/decode/h20/32-8-128.csv).
 * NetX-lab/Frontier: layers of Llama 2 7B, timed by events with their launch, or kernels alone. */
static const layout layouts[] = {
    AICONFIGURATOR("fw,gemm_dtype,kernel_source,m,n,k,us", NULL, "gemm", "m=m n=n k=k", .dtype = "gemm_dtype",
                   .how = "fw"),
    AICONFIGURATOR(ATTENTION, "isl=1", "attention", ATTENTION_SHAPE, ATTENTION_FORMATS),
    AICONFIGURATOR(ATTENTION, "isl!=1", "attention", ATTENTION_SHAPE " causal=1", ATTENTION_FORMATS),
    AICONFIGURATOR(MLA, "step!=0", "mla", MLA_SHAPE, MLA_FORMATS),
    AICONFIGURATOR(MLA, "step=0", "mla", MLA_SHAPE "causal=1 algorithm=1", MLA_FORMATS),
    AICONFIGURATOR(MOE, "kernel_source!=moe_torch_flow_nongated", "moe", MOE_SHAPE, .dtype = "moe_dtype",
                   .how = "fw", .also = "distribution", .routing = "distribution"),
    AICONFIGURATOR(MOE, "kernel_source=moe_torch_flow_nongated", "moe", MOE_SHAPE " gated=0 activation=1",
                   .dtype = "moe_dtype", .how = "fw", .also = "distribution", .routing = "distribution"),
    NCCL("op=all_reduce", "allreduce"),
    NCCL("op=all_gather", "allgather"),
    NCCL("op=reduce_scatter", "reducescatter"),
    NCCL("op=alltoall", "alltoall"),
    {.header = "split,dev,B,M,N,K,gx,gy,gz,kernel,us",
     .op = "gemm",
     .shape = "m=M n=N k=K batch=B",
     .how = RF_EAGER_PYTORCH,
     .device = "dev"},
    {.header = "split,dev,B,Cin,Cout,ksize,HW,stride,pad,kernel,us",
     .op = "conv2d",
     .shape = "batch=B in_channels=Cin out_channels=Cout height=HW width=HW kernel=ksize stride=stride "
              "padding=pad",
     .how = "cuDNN",
     .device = "dev"},
    NEUSIGHT("op=relu", "relu", "n=B*H"),
    NEUSIGHT("op=addu", "relu", "n=B*H"),
    NEUSIGHT("op=mulu", "relu", "n=B*H"),
    NEUSIGHT("op=gelu", "gelu", "n=B*H"),
    NEUSIGHT("op=add", "residual", "n=B*H"),
    NEUSIGHT("op=mul", "residual", "n=B*H"),
    NEUSIGHT("op=softmax", "softmax", "rows=B cols=H"),
    NEUSIGHT("op=ln", "layernorm", "rows=B cols=H"),
    VIDUR("input_layernorm", "use_gated_mlp=True", "rmsnorm", "rows=num_tokens cols=n_embd"),
    VIDUR("input_layernorm", "use_gated_mlp=False", "layernorm", "rows=num_tokens cols=n_embd"),
    VIDUR("attn_pre_proj", NULL, "gemm", "m=num_tokens n=n_kv_head/n_head*2+1*n_embd/tp k=n_embd"),
    VIDUR("attn_post_proj", NULL, "gemm", "m=num_tokens n=n_embd k=n_embd/tp"),
    VIDUR("mlp_up_proj", "use_gated_mlp=True", "gemm", "m=num_tokens n=n_expanded_embd*2/tp k=n_embd"),
    VIDUR("mlp_up_proj", "use_gated_mlp=False", "gemm", "m=num_tokens n=n_expanded_embd/tp k=n_embd"),
    VIDUR("mlp_act", "use_gated_mlp=True", "swiglu", "n=num_tokens*n_expanded_embd/tp"),
    VIDUR("mlp_act", "use_gated_mlp=False", "gelu", "n=num_tokens*n_expanded_embd/tp"),
    VIDUR("mlp_down_proj", NULL, "gemm", "m=num_tokens n=n_embd k=n_expanded_embd/tp"),
    VIDUR("add", "use_gated_mlp=True", "residual", "n=num_tokens*n_embd"),
    VIDUR("add", "use_gated_mlp=False", "residual", "n=2*num_tokens*n_embd"),
    VIDUR_NETWORK("op=all_reduce;num_workers=devices_per_node", "allreduce",
                  "size=bytes_or_elems ranks=num_workers"),
    VIDUR_NETWORK("op=send_recv;num_workers=devices_per_node", "sendrecv", "size=bytes_or_elems"),
    VIDUR_NODES("op=all_reduce"),
    VIDUR_NODES("op=send_recv"),
    DEEPBENCH_GEMM("sheet=Results FP32", "fp32"),
    DEEPBENCH_GEMM("sheet=Results - FP32", "fp32"),
    DEEPBENCH_GEMM("sheet=FP32", "fp32"),
    DEEPBENCH_GEMM("sheet=Results - FP16 ip, Mixed math", "fp16"),
    DEEPBENCH_CONV("sheet=Results FP32", "fp32"),
    DEEPBENCH_CONV("sheet=Results - FP32", "fp32"),
    DEEPBENCH_CONV("sheet=FP32", "fp32"),
    DEEPBENCH_CONV("sheet=Results - FP16 ip, Mixed math", "fp16"),
    {.header = "dev,floats,ranks,mean_ms,algo",
     .op = "allreduce",
     .shape = "size=floats*bytes ranks=ranks",
     .how = "algo",
     .device = "dev",
     .time = "mean_ms",
     .unit = "ms"},
    {.header = "m,k,n,latency_us,mfu",
     .op = "gemm",
     .shape = "m=m n=n k=k",
     .dtype = "fp8_block",
     .how = "DeepGEMM",
     .device = "h20",
     .time = "latency_us"},
    INFERSIM_EXPERTS("batch_size_per_gpu", "up_proj_us", "in=hidden_size out=intermediate_size*2"),
    INFERSIM_EXPERTS("batch_size_per_gpu", "down_proj_us", "in=intermediate_size out=hidden_size"),
    INFERSIM_EXPERTS("seq_len_per_gpu", "up_proj_us", "in=hidden_size out=intermediate_size*2"),
    INFERSIM_EXPERTS("seq_len_per_gpu", "down_proj_us", "in=intermediate_size out=hidden_size"),
    INFERSIM_ATTENTION("dtype,kv_dtype,batch_size,kv_len,latency_us,mfu", "file:5=decode;file:6=mha",
                       "attention",
                       "batch=batch_size heads=file:3 kv_heads=file:2 head_dim=file:1 q_len=1 kv_len=kv_len",
                       "kv_dtype", "FlashInfer"),
    INFERSIM_ATTENTION(
        "dtype,seq_len,latency_us,mfu", "file:5=prefill;file:6=mha", "attention",
        "batch=1 heads=file:3 kv_heads=file:2 head_dim=file:1 q_len=seq_len kv_len=seq_len causal=1", NULL,
        "FlashInfer"),
    INFERSIM_ATTENTION("dtype,kv_dtype,batch_size,kv_len,latency_us,mfu", "file:5=decode;file:6=mla", "mla",
                       "batch=batch_size heads=file:3 q_len=1 kv_len=kv_len", "kv_dtype", "FlashMLA"),
    FRONTIER_LAYER("emb", "embedding", "tokens=num_tokens hidden=n_embd"),
    FRONTIER_LAYER("input_layernorm", "rmsnorm", "rows=num_tokens cols=n_embd"),
    FRONTIER_LAYER("attn_pre_proj", "gemm",
                   "m=num_tokens n=n_kv_head/n_head*2+1*n_embd/num_tensor_parallel_workers k=n_embd"),
    FRONTIER_LAYER("attn_post_proj", "gemm", "m=num_tokens n=n_embd k=n_embd/num_tensor_parallel_workers"),
    FRONTIER_LAYER("mlp_up_proj", "gemm",
                   "m=num_tokens n=n_expanded_embd*2/num_tensor_parallel_workers k=n_embd"),
    FRONTIER_LAYER("mlp_act", "swiglu", "n=num_tokens*n_expanded_embd/num_tensor_parallel_workers"),
    FRONTIER_LAYER("mlp_down_proj", "gemm",
                   "m=num_tokens n=n_embd k=n_expanded_embd/num_tensor_parallel_workers"),
    FRONTIER_ATTENTION("attn_prefill", "is_prefill=True",
                       "q_len=prefill_chunk_size kv_len=prefill_chunk_size+kv_cache_size causal=1"),
    FRONTIER_ATTENTION("attn_decode", "is_prefill=False", "q_len=1 kv_len=kv_cache_size+1"),
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
    {"w4a16_mxfp4", ROOF_BF16, ROOF_FP4, ROOF_FP8, 32},
    {"w4a8_mxfp4_mxfp8", ROOF_FP8, ROOF_FP4, ROOF_FP8, 32},
};

/** Devices that a table names in its own way. DeepBench's P100 reduces over PCIe. */
static const struct {
  const char *name, *device;
} devices[] = {{"a100_dgx", "a100_sxm"}, {"NV_V100", "v100"}, {"NV_T4", "t4"}, {"NV_P100", "p100_pcie"}};

/** The only column of a layout that the first line of `text` lacks; "" where it is another header. */
static const char *lacked(const char *text, const char *header) {
  const char *lacks = "";
  for (size_t length; *header != '\0'; header += length + (header[length] == ',')) {
    length = strcspn(header, ",");
    if (strncmp(text, header, length) == 0 && strchr(",\r\n", text[length]) != NULL) {
      text += length + (text[length] == ',');
    } else if (*lacks == '\0') {
      lacks = header;
    } else {
      return "";
    }
  }
  return strchr("\r\n", *text) != NULL ? lacks : "";
}

/** The layout that a first line has; NULL: none, and *near is one of which it lacks a single column, or NULL. */
static const layout *layout_of(const char *text, const layout **near) {
  *near = NULL;
  for (int i = 0; i < LAYOUTS; i++) {
    if (rf_table_begins(text, layouts[i].header)) {
      return &layouts[i];
    }
    *near = *near == NULL && *lacked(text, layouts[i].header) != '\0' ? &layouts[i] : *near;
  }
  return NULL;
}

static int detect(const char *text, size_t size) {
  const layout *near;
  (void)size;
  return layout_of(text, &near) != NULL ? 95 : near != NULL ? 40 : 0;
}

/** What is wrong with the cell of a column, with its place. */
static roof_status refuse_cell(const rf_table *r, const char *column, const char *what, roof_error *error) {
  int at = rf_import_column(&r->header, column);
  bool there = at >= 0 && (size_t)at < r->row.count;
  import_spot spot = there ? r->row.spots[at] : (import_spot){r->row.line, 0};
  return rf_import_error(r->source, error, ROOF_E_PARSE, spot.line, spot.column, "%s", what);
}

/** The format in a column, which `column` may be itself. */
static roof_status read_format(const rf_table *r, const char *column, roof_dtype *dtype, roof_error *error) {
  roof_error why = {0};
  char what[sizeof why.message + 64];
  if (roof_dtype_parse(rf_table_word(r, column), dtype, &why) == ROOF_OK) {
    return ROOF_OK;
  }
  snprintf(what, sizeof what, "%.60s: %s", column, why.message);
  return refuse_cell(r, column, what, error);
}

/** Products of narrow formats leave the multiplier wider. */
static roof_status read_types(const rf_table *r, const layout *l, roof_types *types, roof_error *error) {
  const char *column = l->dtype != NULL ? l->dtype : "fp32", *name = rf_table_word(r, column);
  roof_dtype dtype = ROOF_FP32;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(name, formats[i].name) == 0) {
      *types = roof_types_of(formats[i].compute);
      types->weights = formats[i].weights;
      types->scale = formats[i].scale;
      types->group = formats[i].group;
      types->output = ROOF_BF16;
      return ROOF_OK;
    }
  }
  roof_status status = read_format(r, column, &dtype, error);
  if (status != ROOF_OK) {
    return status;
  }
  *types = roof_types_of(dtype);
  types->output = roof_dtype_bytes(dtype) < 2 && l->dtype != NULL ? ROOF_BF16 : dtype;
  return read_format(r, l->kv != NULL ? l->kv : column, &types->kv, error);
}

/** How the tokens of a row are shared out among its experts. */
static void read_routing(const char *distribution, roof_ran *ran) {
  double value[4];
  static const char *const names[4] = {"tokens", "top_k", "experts", "ep"};
  for (int i = 0; i < 4; i++) {
    value[i] = ran->values[roof_op_param_index(ran->op, names[i])];
  }
  rf_routing routing = rf_routing_of(distribution, value[0], value[1], value[2], value[3]);
  ran->values[roof_op_param_index(ran->op, "imbalance")] = routing.imbalance;
  ran->values[roof_op_param_index(ran->op, "touched")] = routing.touched;
}

/** A column with `?` that is empty or 0 leaves a parameter as it is. */
static bool left_out(const rf_table *r, char *expression) {
  char *mark = strchr(expression, '?');
  if (mark == NULL) {
    return false;
  }
  *mark = '\0';
  return !(rf_import_number(rf_table_cell(r, expression), NULL) > 0);
}

static roof_status read_shape(const rf_table *r, const layout *l, roof_ran *ran, roof_error *error) {
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
    if (!left_out(r, expression)) {
      ran->values[roof_op_param_index(ran->op, word)] =
          rf_table_evaluate(r, roof_dtype_bytes(ran->types.compute), expression);
    }
  }
  if (l->routing != NULL) {
    read_routing(rf_table_cell(r, l->routing), ran);
  }
  return roof_op_complete(ran->op, ran->values, error);
}

static roof_status keep(rf_table *r, const layout *l, const roof_ran *ran, uint64_t picoseconds,
                        roof_error *error) {
  char label[256], stored[48] = "";
  const roof_types *t = &ran->types;
  roof_op_label(ran->op, ran->op->name, t->compute, ran->values, label, sizeof label);
  if (t->kv != t->compute) {
    snprintf(stored, sizeof stored, ", cache %s", roof_dtype_name(t->kv));
  } else if (t->weights != t->compute || t->group > 0) {
    snprintf(stored, sizeof stored, ", %.40s", rf_table_word(r, l->dtype));
  }
  const char *name = rf_import_textf(r->profile, "%s (%s%s%s%s)", label, ran->device,
                                     ran->how[0] != '\0' ? ", " : "", ran->how, stored);
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL || (record->ran == NULL && (record->ran = malloc(sizeof *record->ran)) == NULL)) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(r->source));
  }
  *record->ran = *ran;
  rf_import_call(r->profile, record, picoseconds);
  rf_import_ran_work(r->profile, record);
  return ROOF_OK;
}

static const char *device_of(const rf_table *r, const layout *l) {
  const char *name = rf_table_word(r, l->device);
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    if (strcmp(name, devices[i].name) == 0) {
      return devices[i].device;
    }
  }
  return roof_profile_text(r->profile, name);
}

/** What ran it, and what else distinguishes runs of one shape. */
static const char *how_of(const rf_table *r, const layout *l) {
  const char *how = rf_table_word(r, l->how);
  return l->also != NULL ? rf_import_textf(r->profile, "%s, %s", how, rf_table_cell(r, l->also))
                         : roof_profile_text(r->profile, how);
}

/** A time over 0. */
static roof_status read_time(const rf_table *r, const layout *l, uint64_t *picoseconds, roof_error *error) {
  const char *column = l->time != NULL ? l->time : "us", *time = rf_table_cell(r, column);
  char what[160];
  if (rf_import_time(time, l->unit != NULL ? l->unit : "us", NULL, picoseconds) && *picoseconds > 0) {
    return ROOF_OK;
  }
  snprintf(what, sizeof what, "%.60s `%.60s`: must be a time over 0", column, time);
  return refuse_cell(r, column, what, error);
}

static roof_status take_operation(rf_table *r, const layout *l, roof_error *error) {
  roof_error why = {0};
  roof_ran ran = {0};
  uint64_t picoseconds;
  roof_status status = read_time(r, l, &picoseconds, error);
  status = status == ROOF_OK ? read_types(r, l, &ran.types, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (read_shape(r, l, &ran, &why) != ROOF_OK) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, r->row.line, 0, "%s", why.message);
  }
  ran.how = how_of(r, l);
  ran.device = device_of(r, l);
  rf_import_device(r->profile, ran.device);
  return keep(r, l, &ran, picoseconds, error);
}

static void leave_out(const rf_table *r, const char *why) {
  const char *what = rf_table_cell(r, "op");
  rf_import_skip(r->profile, what[0] != '\0' ? what : "a row", why);
}

static roof_status refuse_header(const rf_table *r, const char *header, const layout *near,
                                 roof_error *error) {
  const char *column = lacked(header, near->header);
  return rf_import_error(r->source, error, ROOF_E_PARSE, 1, 0, "%s%sneeds the column `%.*s`",
                         near->op != NULL ? near->op : "", near->op != NULL ? " " : "",
                         (int)strcspn(column, ","), column);
}

/** A row may hold several operations, each with a time of its own. */
static roof_status take_row(rf_table *r, const char *header, roof_error *error) {
  const layout *near;
  roof_status status =
      layout_of(header, &near) == NULL && near != NULL ? refuse_header(r, header, near, error) : ROOF_OK;
  bool known = status != ROOF_OK;
  for (int i = 0; i < LAYOUTS && status == ROOF_OK; i++) {
    if (rf_table_begins(header, layouts[i].header) && rf_table_is(r, layouts[i].where)) {
      known = true;
      if (layouts[i].why != NULL) {
        leave_out(r, layouts[i].why);
      } else {
        status = take_operation(r, &layouts[i], error);
      }
    }
  }
  if (!known) {
    leave_out(r, "no operation here is known to be the same");
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  return rf_table_read(source, profile, take_row, "no row of an operation that is known", error);
}

const roof_format rf_format_timings = {
    .name = "timings",
    .title = "tables of timed operations (aiconfigurator, NeuSight, Vidur ...)",
    .gives = "time, shape and format of each operation; FLOPs and bytes by its formula",
    .detect = detect,
    .read = read,
};
