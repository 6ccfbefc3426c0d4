/* The operations: the table is the contract, the formulas say what the code does, and the properties that no
 * table can hold. */
#include "test.h"

#include <stdio.h>

#include <muParserDLL.h>

#include "owned.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

enum { DRAWS = 300 };

/** Every operation as its users call it: name, parameters, defaults. */
static const char *const contract[] = {
    "copy n",
    "scale n",
    "add n",
    "triad n",
    "scal n",
    "axpy n",
    "dot n",
    "nrm2 n",
    "asum n",
    "reduce n",
    "gemv m n",
    "ger m n",
    "transpose rows cols",
    "symv n",
    "trmv n",
    "gemm m n k batch=1 beta=0",
    "symm m n",
    "trmm m n",
    "syrk n k",
    "attention batch heads q_len kv_len head_dim kv_heads=heads causal=0 algorithm=flash passes=2 "
    "window=kv_len",
    "mla batch heads q_len kv_len causal=0 algorithm=absorbed kv_rank=512 rope_dim=64 head_dim=128 "
    "value_dim=128",
    "attend batch heads q_len kv_len pairs key_dim value_dim stored passes=0",
    "indexer batch heads q_len kv_len pairs dim keep",
    "rope tokens queries keys stored=0 rotary=1 norm=0",
    "store_kv n",
    "allreduce size ranks algorithm=ring",
    "allgather size ranks algorithm=ring",
    "reducescatter size ranks algorithm=ring",
    "alltoall size ranks algorithm=ring",
    "broadcast size ranks algorithm=ring",
    "sendrecv size",
    "ep_dispatch tokens hidden top_k ranks groups=0",
    "ep_combine tokens hidden top_k ranks groups=0",
    "relu n",
    "gelu n",
    "silu n",
    "relu2 n",
    "dropout n",
    "residual n",
    "swiglu n",
    "geglu n",
    "activation n flops gated=0",
    "adam n",
    "softmax rows cols passes=2",
    "layernorm rows cols",
    "rmsnorm rows cols",
    "batchnorm rows cols",
    "add_rmsnorm rows cols",
    "add_layernorm rows cols",
    "gated_rmsnorm rows cols",
    "topk rows cols k=0",
    "linear batch in out",
    "linear_act batch in out activation=0 gated=0",
    "moe tokens hidden intermediate experts top_k ep=1 gated=1 activation=4 router=1 imbalance=1 touched=0",
    "grouped batch groups in out activation=0 gated=0 fewest=groups",
    "combine rows tokens hidden",
    "embedding tokens hidden",
    "embedding_sum tokens hidden tables",
    "conv1d tokens channels kernel",
    "mamba sequences tokens channels state kernel=1",
    "mamba2 sequences tokens heads head_dim state groups=1 kernel=1 scan=0",
    "delta sequences tokens heads key_heads=heads key_dim value_dim kernel=1 scan=0",
    ("conv2d batch in_channels out_channels height width kernel stride=1 padding=same groups=1 "
     "algorithm=direct"),
    "spmv rows nnz",
    "stencil3d nx ny nz",
    "fft n",
};
enum { CONTRACT = sizeof contract / sizeof contract[0] };

static const roof_op *find(const char *name) {
  const roof_op *op = NULL;
  if (roof_op_find(name, &op, NULL) != ROOF_OK) {
    fail_msg("no operation %s", name);
  }
  return op;
}

static void the_table_is_the_contract(void **state) {
  (void)state;
  assert_int_equal(roof_op_count(), CONTRACT);
  for (int i = 0; i < CONTRACT; i++) {
    char name[32] = "", signature[256];
    sscanf(contract[i], "%31s", name);
    const roof_op *op = find(name);
    int length = snprintf(signature, sizeof signature, "%s", op->name);
    for (int p = 0; p < roof_op_param_count(op); p++) {
      const roof_param *param = &op->params[p];
      const char *choice = roof_op_value_name(op, p, param->fallback);
      char fallback[32] = "";
      if (param->same_as != NULL || choice != NULL) {
        snprintf(fallback, sizeof fallback, "=%s", choice != NULL ? choice : param->same_as);
      } else if (!isnan(param->fallback)) {
        snprintf(fallback, sizeof fallback, "=%g", param->fallback);
      }
      length +=
          snprintf(signature + length, sizeof signature - (size_t)length, " %s%s", param->name, fallback);
    }
    assert_string_equal(signature, contract[i]);
  }
}

static void rows_are_complete(void **state) {
  (void)state;
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    assert_true(strlen(op->summary) > 2 && strlen(op->source) > 10 && strlen(op->family) > 2);
    assert_non_null(op->flops);
    assert_non_null(op->bytes);
    assert_true((op->link == NULL) == (op->steps == NULL));
    assert_true(op->batch == NULL || roof_op_param_index(op, op->batch) >= 0);
    for (int p = 0; p < roof_op_param_count(op); p++) {
      assert_non_null(op->params[p].text);
      assert_true(op->params[p].same_as == NULL || roof_op_param_index(op, op->params[p].same_as) < p);
    }
  }
  assert_null(roof_op_at(-1));
  assert_null(roof_op_at(roof_op_count()));
}

static void flops_per_element(void **state) {
  (void)state;
  static const struct {
    const char *op;
    double flops;
  } counts[] = {{"relu", 1},      {"residual", 1},  {"add", 1},     {"dropout", 2},
                {"silu", 4},      {"softmax", 5},   {"rmsnorm", 5}, {"copy", 0},
                {"layernorm", 8}, {"batchnorm", 8}, {"gelu", 12}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    assert_true(find(counts[i].op)->flops_per_element == counts[i].flops);
  }
}

/* Random draws, the same on every run. */
static uint64_t seed;

static unsigned draw(unsigned below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % below;
}

static double draw_count(void) {
  return draw(3) > 0 ? ldexp(1, (int)draw(11)) : 1 + draw(3000);
}

static roof_types draw_types(void) {
  roof_types types = roof_types_of((roof_dtype)draw(ROOF_DTYPE_COUNT));
  types.weights = (roof_dtype)draw(ROOF_DTYPE_COUNT);
  types.output = (roof_dtype)draw(ROOF_DTYPE_COUNT);
  types.kv = (roof_dtype)draw(ROOF_DTYPE_COUNT);
  types.group = draw(2) * 128;
  return types;
}

static double draw_value(const roof_param *param) {
  int choices = 0;
  while (choices < ROOF_CHOICE_MAX && param->choices[choices] != NULL) {
    choices++;
  }
  switch (param->kind) {
  case ROOF_PARAM_CHOICE:
    return draw((unsigned)choices);
  case ROOF_PARAM_FLAG:
    return draw(2);
  case ROOF_PARAM_AMOUNT:
    return choices > 0 && draw(2) > 0 ? ROOF_CHOICE_VALUE((int)draw((unsigned)choices)) : draw(4);
  case ROOF_PARAM_BYTES:
    return draw_count() * 1024;
  case ROOF_PARAM_COUNT:
    break;
  }
  return param->same_as != NULL && draw(2) > 0 ? NAN : draw_count();
}

/** Draws values until the operation takes them. */
static void draw_values(const roof_op *op, double *values) {
  for (int tries = 0; tries < 1000; tries++) {
    roof_op_defaults(op, values);
    for (int p = 0; p < roof_op_param_count(op); p++) {
      values[p] = draw_value(&op->params[p]);
    }
    if (roof_op_complete(op, values, NULL) == ROOF_OK) {
      return;
    }
  }
  fail_msg("%s takes none of a thousand shapes", op->name);
}

static roof_work work_of(const roof_op *op, const double *values, const roof_types *types) {
  roof_work work;
  roof_work_init(&work);
  op->work(op, values, types, &work);
  return work;
}

static double moved(const roof_work *work) {
  return work->read_bytes + work->write_bytes;
}

/** A formula bound to an operation's parameters, its choices' names and the bytes per element. */
typedef struct formulas {
  muParserHandle_t parser;
  double values[ROOF_PARAM_MAX];
  double a, w, o, kv;
} formulas;

static double floor_of(double x) {
  return floor(x);
}

static double ceil_of(double x) {
  return ceil(x);
}

static void formulas_init(formulas *f, const roof_op *op) {
  f->parser = mupCreate(muBASETYPE_FLOAT);
  mupDefineFun1(f->parser, "floor", floor_of, 0);
  mupDefineFun1(f->parser, "ceil", ceil_of, 0);
  mupDefineVar(f->parser, "a", &f->a);
  mupDefineVar(f->parser, "w", &f->w);
  mupDefineVar(f->parser, "o", &f->o);
  mupDefineVar(f->parser, "kv", &f->kv);
  for (int p = 0; p < roof_op_param_count(op); p++) {
    const roof_param *param = &op->params[p];
    mupDefineVar(f->parser, param->name, &f->values[p]);
    for (int i = 0; i < ROOF_CHOICE_MAX && param->choices[i] != NULL; i++) {
      mupDefineConst(f->parser, param->choices[i],
                     param->kind == ROOF_PARAM_CHOICE ? i : ROOF_CHOICE_VALUE(i));
    }
  }
}

static void assert_formula(formulas *f, const roof_op *op, const char *text, double value) {
  if (text == NULL) {
    assert_true(value == 0);
    return;
  }
  mupSetExpr(f->parser, text);
  double expected = mupEval(f->parser);
  if (mupError(f->parser)) {
    fail_msg("%s: %s: %s", op->name, text, mupGetErrorMsg(f->parser));
  }
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) {
    fail_msg("%s: `%s` is %.17g, the code counts %.17g", op->name, text, expected, value);
  }
}

static void formulas_are_what_the_code_counts(void **state) {
  (void)state;
  seed = 1;
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    formulas f;
    formulas_init(&f, op);
    for (int d = 0; d < DRAWS; d++) {
      roof_types types = draw_types();
      draw_values(op, f.values);
      f.a = roof_dtype_bytes(types.compute);
      f.w = roof_types_weight_bytes(&types, 1);
      f.o = roof_dtype_bytes(types.output);
      f.kv = roof_dtype_bytes(types.kv);
      roof_work work = work_of(op, f.values, &types);
      assert_formula(&f, op, op->flops, work.flops);
      assert_formula(&f, op, op->bytes, moved(&work));
      assert_formula(&f, op, op->link, work.link_bytes);
      assert_formula(&f, op, op->steps, work.link_steps);
    }
    mupRelease(f.parser);
  }
}

/** What of the bytes grows with the format of weights, and of the cache: the tables of an embedding apart, of
 * which only some rows are read. */
static void parts_of_the_bytes(void **state) {
  (void)state;
  seed = 8;
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    bool table = strncmp(op->name, "embedding", strlen("embedding")) == 0;
    for (int d = 0; d < DRAWS; d++) {
      double values[ROOF_PARAM_MAX];
      roof_types types = roof_types_of(ROOF_BF16), wide = types, cached = types;
      wide.weight_bytes = 5;
      cached.kv = ROOF_FP64;
      draw_values(op, values);
      roof_work a = work_of(op, values, &types), b = work_of(op, values, &wide),
                c = work_of(op, values, &cached);
      assert_near(moved(&b), table ? moved(&b) : moved(&a) + 1.5 * a.weight_bytes, 1e-12);
      assert_near(moved(&c), moved(&a) + 3 * a.cache_bytes, 1e-12);
      assert_true(a.weight_bytes <= a.read_bytes && a.cache_bytes <= moved(&a) * (1 + 1e-12));
    }
  }
}

static void work_is_sane(void **state) {
  (void)state;
  seed = 2;
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    for (int d = 0; d < DRAWS; d++) {
      double values[ROOF_PARAM_MAX];
      roof_types types = draw_types();
      draw_values(op, values);
      roof_work work = work_of(op, values, &types);
      assert_true(work.flops >= 0 && work.read_bytes >= 0 && work.write_bytes >= 0 && work.launches == 1);
      assert_true(work.working_set > 0);
      double apart = moved(&work) - work.update_bytes; /* what is written where it was read lies there once */
      assert_true(op->link != NULL || work.working_set <= apart * (1 + 1e-12));
      assert_true(op->link == NULL || moved(&work) == 0);
      assert_false(work.no_reuse_bytes < 0);
    }
  }
}

/** Counts of which more is less: fewer outputs, fewer products, fewer places for the kernel. */
static bool shrinks(const roof_op *op, const char *name, const double *values) {
  int padding = roof_op_param_index(op, "padding");
  return strcmp(name, "stride") == 0 || strcmp(name, "ep") == 0 ||
         (strcmp(name, "groups") == 0 && strcmp(op->name, "conv2d") == 0) ||
         (strcmp(name, "kernel") == 0 && padding >= 0 && values[padding] >= 0);
}

static void more_is_never_less(void **state) {
  (void)state;
  seed = 3;
  roof_types types = roof_types_of(ROOF_FP16);
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    for (int d = 0; d < DRAWS; d++) {
      double values[ROOF_PARAM_MAX];
      draw_values(op, values);
      roof_work less = work_of(op, values, &types);
      int p = (int)draw((unsigned)roof_op_param_count(op));
      bool count = op->params[p].kind == ROOF_PARAM_COUNT || op->params[p].kind == ROOF_PARAM_BYTES;
      if (!count || shrinks(op, op->params[p].name, values)) {
        continue;
      }
      values[p] *= 2;
      roof_work more = work_of(op, values, &types);
      if (!(more.flops >= less.flops && moved(&more) >= moved(&less) && more.link_bytes >= less.link_bytes &&
            more.link_steps >= less.link_steps)) {
        fail_msg("%s: less work with %s=%g", op->name, op->params[p].name, values[p]);
      }
    }
  }
}

static void formats_of_one_size_move_the_same(void **state) {
  (void)state;
  static const roof_dtype pairs[][2] = {
      {ROOF_FP16, ROOF_BF16}, {ROOF_FP8, ROOF_INT8}, {ROOF_FP32, ROOF_TF32}, {ROOF_FP4, ROOF_INT4}};
  seed = 4;
  for (int i = 0; i < roof_op_count(); i++) {
    for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
      double values[ROOF_PARAM_MAX];
      roof_types one = roof_types_of(pairs[pair][0]), other = roof_types_of(pairs[pair][1]);
      draw_values(roof_op_at(i), values);
      roof_work a = work_of(roof_op_at(i), values, &one), b = work_of(roof_op_at(i), values, &other);
      assert_true(a.flops == b.flops && moved(&a) == moved(&b) && a.working_set == b.working_set);
    }
  }
}

/** Values from a list of as many numbers as the operation has parameters; NaN keeps the default. */
static roof_work work_at(const char *name, roof_dtype dtype, const double *numbers, int count) {
  const roof_op *op = find(name);
  double values[ROOF_PARAM_MAX];
  roof_types types = roof_types_of(dtype);
  roof_op_defaults(op, values);
  for (int i = 0; i < count; i++) {
    values[i] = numbers[i];
  }
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  return work_of(op, values, &types);
}

#define WORK(name, dtype, ...)                                                                               \
  work_at(name, dtype, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static double intensity(roof_work work) {
  return work.flops / moved(&work);
}

static void gemm_intensity_is_bounded_by_its_shortest_side(void **state) {
  (void)state;
  seed = 5;
  for (int d = 0; d < DRAWS; d++) {
    double m = draw_count(), n = draw_count(), k = draw_count(), batch = draw_count();
    double shortest = fmin(m, fmin(n, k));
    double ai = intensity(WORK("gemm", ROOF_FP16, m, n, k));
    assert_true(ai >= shortest / 3 * (1 - 1e-12) && ai <= shortest);
    assert_near(intensity(WORK("gemm", ROOF_FP16, m, n, k, batch)), ai, 1e-12);
    assert_near(intensity(WORK("gemm", ROOF_FP32, m, n, k)), ai / 2, 1e-12);
  }
}

static void attention_algorithms(void **state) {
  (void)state;
  seed = 6;
  for (int d = 0; d < DRAWS; d++) {
    double batch = draw_count(), heads = draw_count(), q = draw_count(), kv = draw_count(),
           dim = draw_count();
    roof_work flash = WORK("attention", ROOF_BF16, batch, heads, q, kv, dim);
    roof_work standard = WORK("attention", ROOF_BF16, batch, heads, q, kv, dim, heads, 0, 1, 1 + draw(6));
    assert_true(flash.flops == standard.flops && intensity(flash) > intensity(standard));
    roof_work shared_kv = WORK("attention", ROOF_BF16, batch, heads, q, kv, dim, 1);
    assert_true(shared_kv.flops == flash.flops && moved(&shared_kv) <= moved(&flash));
    roof_work masked = WORK("attention", ROOF_BF16, batch, heads, q, q, dim, heads, 1);
    roof_work full = WORK("attention", ROOF_BF16, batch, heads, q, q, dim, heads, 0);
    assert_near(masked.flops, full.flops * (q + 1) / (2 * q), 1e-12);
    assert_true(moved(&masked) == moved(&full));
  }
  roof_work decode = WORK("attention", ROOF_BF16, 1, 1, 1, 4096, 128, 1, 1);
  assert_true(decode.flops == 4096 * (4 * 128 + 5));
  double pairs = 0; /* of 96 queries after 1000 keys, each sees those and the ones before it */
  for (int i = 0; i < 96; i++) {
    pairs += 1000 + i + 1;
  }
  roof_work chunk = WORK("attention", ROOF_BF16, 1, 1, 96, 1096, 128, 1, 1);
  assert_near(chunk.flops, pairs * (4 * 128 + 5), 1e-12);
}

/** Pairs under a mask whose last query sees the last key, counted one query after another: queries before the first key see
 * none. */
static void queries_before_the_first_key(void **state) {
  (void)state;
  double per_pair = 4 * 64 + 5, per_latent_pair = 4 * 512 + 2 * 64 + 5;
  for (double kv = 1; kv <= 6; kv++) {
    for (double q = 1; q <= 8; q++) {
      double pairs = 0;
      for (double window = 1; window <= kv; window++) {
        pairs = 0;
        for (double at = fmax(1, kv - q + 1); at <= kv; at++) {
          pairs += fmin(at, window);
        }
        roof_work w = WORK("attention", ROOF_BF16, 1, 1, q, kv, 64, 1, 1, 0, 2, window);
        assert_near(w.flops, pairs * per_pair, 1e-12);
        assert_true(w.kernel.rows == fmin(q, kv));
      }
      roof_work latent = WORK("mla", ROOF_BF16, 1, 1, q, kv, 1);
      assert_near(latent.flops, pairs * per_latent_pair, 1e-12);
      assert_true(latent.kernel.rows == fmin(q, kv));
    }
  }
}

/** Keys of a window, counted one query after another. */
static void attention_in_a_window(void **state) {
  (void)state;
  seed = 9;
  for (int d = 0; d < DRAWS; d++) {
    double q = 1 + draw(60), past = 1 + draw(60), window = 1 + draw(100), pairs = 0, oldest = past + 1;
    for (double at = past + 1; at <= past + q; at++) {
      pairs += fmin(at, window);
      oldest = fmin(oldest, fmax(1, at - window + 1));
    }
    roof_work w = WORK("attention", ROOF_BF16, 1, 1, q, past + q, 128, 1, 1, 0, 2, window);
    assert_near(w.flops, pairs * (4 * 128 + 5), 1e-12);
    assert_near(w.cache_bytes, 2 * 128 * 2 * (past + q - oldest + 1), 1e-12);
  }
  roof_work decode = WORK("attention", ROOF_BF16, 64, 64, 1, 8192, 64, 8, 0, 0, 2, 128);
  assert_true(decode.cache_bytes == 64.0 * 8 * 2 * 128 * 64 * 2 &&
              decode.flops == 64.0 * 64 * 128 * (4 * 64 + 5));
}

/** DeepSeek-V3: a key of the cache is 576 elements for all heads; expanded, each head has 192 and 128. */
static void latent_attention(void **state) {
  (void)state;
  roof_work decode = WORK("mla", ROOF_BF16, 32, 128, 1, 4096);
  assert_true(decode.cache_bytes == 32.0 * 4096 * 576 * 2);
  assert_true(decode.flops == 32.0 * 128 * 4096 * (2 * 576 + 2 * 512 + 5));
  roof_work prefill = WORK("mla", ROOF_BF16, 1, 128, 4096, 4096, 1, 1);
  assert_true(prefill.flops == 128 * 4096.0 * 4097 / 2 * (2 * 192 + 2 * 128 + 5) && prefill.cache_bytes == 0);
  assert_true(moved(&prefill) == 4096.0 * 2 * (128 * (192 + 128) + 128 * 256 + 64));
  roof_work attend = WORK("attend", ROOF_BF16, 32, 128, 1, 4096, 4096, 576, 512, 576);
  assert_true(attend.flops == decode.flops && moved(&attend) == moved(&decode));
}

static void gated_units(void **state) {
  (void)state;
  static const struct { const char *gated, *plain; } units[] = {{"swiglu", "silu"}, {"geglu", "gelu"}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    roof_work one = WORK(units[i].gated, ROOF_BF16, 1000);
    roof_work same = WORK("activation", ROOF_BF16, 1000, find(units[i].plain)->flops_per_element, 1);
    assert_true(one.flops == same.flops && one.read_bytes == 4000 && one.write_bytes == 2000);
    assert_true(moved(&one) == moved(&same));
  }
  assert_ptr_equal(find("fused_add_rms_norm"), find("add_rmsnorm"));
  assert_ptr_equal(find("silu_and_mul"), find("swiglu"));
}

static void convolution(void **state) {
  (void)state;
  roof_work same = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3);
  roof_work padded = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 1, 1);
  roof_work valid = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 1, 0);
  roof_work strided = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 2);
  roof_work depthwise = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 1, 1, 64);
  roof_work expanded = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 1, 1, 1, 1);
  assert_true(same.flops == 2.0 * 64 * 64 * 9 * 56 * 56 && same.flops == padded.flops);
  assert_true(valid.flops == 2.0 * 64 * 64 * 9 * 54 * 54);
  assert_true(strided.flops == same.flops / 4 && depthwise.flops == same.flops / 64);
  assert_true(moved(&expanded) - moved(&same) == 2 * 9 * 64 * 56 * 56 * 2.0);
  roof_work product = WORK("gemm", ROOF_FP16, 56 * 56, 64, 64);
  roof_work pointwise = WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 1);
  assert_true(pointwise.flops == product.flops && moved(&pointwise) == moved(&product));
  roof_work skips =
      WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 1, 2); /* every other row and column is not read */
  assert_true(skips.read_bytes == (64 * 28 * 28 + 64 * 64) * 2.0);
  assert_true(WORK("conv2d", ROOF_FP16, 1, 64, 64, 56, 56, 3, 2).read_bytes == same.read_bytes);
}

/** What lies in memory at once: what one part writes and the next reads is there once. */
static void what_is_read_again_is_resident_once(void **state) {
  (void)state;
  roof_work adam = WORK("adam", ROOF_FP32, 100), narrow = WORK("adam", ROOF_BF16, 100);
  assert_true(adam.working_set == 16 * 100 && narrow.working_set == 16 * 100);
  roof_work moe = WORK("moe", ROOF_BF16, 1000, 64, 128, 8, 2);
  double tokens = 1000 * 64, rows = 2000, weights = 8 * 3 * 64 * 128 + 64 * 8;
  double choice = 1000 * 8 + 1000 * 2;
  assert_near(moe.working_set, 2 * (2 * tokens + rows * (128 + 64) + weights + choice),
              1e-6 * moe.working_set);
}

static void collectives(void **state) {
  (void)state;
  assert_true(WORK("allreduce", ROOF_FP16, 8e6, 8).link_bytes == 14e6);
  assert_true(WORK("allreduce", ROOF_FP16, 8e6, 8).link_steps == 14);
  assert_true(WORK("allreduce", ROOF_FP16, 8e6, 8, 1).link_steps == 6);
  assert_true(WORK("allreduce", ROOF_FP16, 8e6, 8, 3).link_bytes == 56e6);
  assert_true(WORK("allreduce", ROOF_FP16, 8e6, 8, 3).link_steps == 1);
  assert_true(WORK("allgather", ROOF_FP16, 8e6, 8).link_bytes == 7e6);
  assert_true(WORK("broadcast", ROOF_FP16, 8e6, 8).link_bytes == 8e6);
  assert_true(WORK("broadcast", ROOF_FP16, 8e6, 8, 1).link_bytes == 24e6);
  assert_true(WORK("sendrecv", ROOF_FP16, 8e6).link_bytes == 8e6);
  for (int i = 0; i < roof_op_count(); i++) {
    if (roof_op_at(i)->link != NULL && roof_op_param_index(roof_op_at(i), "ranks") == 1) {
      assert_true(WORK(roof_op_at(i)->name, ROOF_FP16, 1e6, 1).link_bytes == 0);
    }
  }
}

/** Of DeepSeek-V3: a token of 8 experts reaches 7 of 32 ranks, or the 4 nodes that it is limited to. */
static void tokens_to_their_experts(void **state) {
  (void)state;
  double copies = 32 * (1 - pow(31.0 / 32, 8));
  assert_near(WORK("ep_dispatch", ROOF_FP8, 4096, 7168, 8, 32).link_bytes, 4096 * 7168 * copies * 31 / 32,
              1e-12);
  assert_near(WORK("ep_combine", ROOF_BF16, 4096, 7168, 8, 32, 4).link_bytes, 2 * 4096 * 7168.0 * 4 * 31 / 32,
              1e-12);
  assert_true(WORK("ep_dispatch", ROOF_FP8, 4096, 7168, 8, 1).link_bytes == 0);
  assert_true(WORK("ep_dispatch", ROOF_FP8, 4096, 7168, 8, 32).link_steps == 31);
}

static void a_layer_of_experts(void **state) {
  (void)state;
  roof_work one = WORK("moe", ROOF_BF16, 1, 2048, 768, 128, 8);
  assert_near(one.weight_bytes, 2 * (8 * 3 * 2048.0 * 768 + 2048 * 128), 1e-12);
  roof_work many = WORK("moe", ROOF_BF16, 8192, 2048, 768, 128, 8, 1, 1, 4, 0);
  assert_near(many.weight_bytes, 2 * 128 * 3 * 2048.0 * 768, 1e-12);
  roof_work up = WORK("grouped", ROOF_BF16, 65536, 128, 2048, 1536, 4, 1),
            down = WORK("grouped", ROOF_BF16, 65536, 128, 768, 2048),
            sum = WORK("combine", ROOF_BF16, 65536, 8192, 2048);
  assert_near(many.flops, up.flops + down.flops + sum.flops, 1e-12);
  assert_near(moved(&many), moved(&up) + moved(&down) + moved(&sum), 1e-9);
  roof_work share = WORK("moe", ROOF_BF16, 8192, 2048, 768, 128, 8, 16, 1, 4, 0);
  assert_near(share.flops, many.flops / 16, 1e-12);
}

/** A device that gets three times its share, on five of its eight experts. */
static void experts_are_picked_unevenly(void **state) {
  (void)state;
  roof_work even = WORK("moe", ROOF_BF16, 8192, 2048, 768, 128, 8, 16, 1, 4, 0),
            uneven = WORK("moe", ROOF_BF16, 8192, 2048, 768, 128, 8, 16, 1, 4, 0, 3, 5);
  assert_near(uneven.flops, 3 * even.flops, 1e-12);
  assert_near(uneven.weight_bytes, even.weight_bytes * 5 / 8, 1e-12);
  assert_true(even.kernel.kind == ROOF_KERNEL_EXPERTS && uneven.kernel.count == 5);
}

static void machine_of(roof_machine **slot, double scale) {
  roof_machine *machine = empty_machine(slot);
  machine->launch_seconds = 3e-6 / scale;
  machine->overhead_cutoff_seconds = 8e-6 / scale;
  fill_machine(machine, 2, 1, 1);
  machine->peaks[0].dtype = machine->peaks[1].dtype = ROOF_FP16;
  machine->peaks[0].unit = ROOF_MATRIX;
  machine->peaks[0].flops_per_second = scale * 989e12;
  machine->peaks[1].flops_per_second = scale * 134e12;
  machine->levels[0].level = ROOF_MEMORY;
  machine->levels[0].bytes = 80e9;
  machine->levels[0].bytes_per_second = scale * 3.35e12;
  machine->links[0].bytes_per_second = scale * 450e9;
  machine->links[0].latency_seconds = 1e-6 / scale;
}

static void predictions_are_ordered_and_scale_with_the_machine(void **state) {
  (void)state;
  static roof_machine *slow = NULL, *fast = NULL;
  machine_of(&slow, 1);
  machine_of(&fast, 4);
  roof_types types = roof_types_of(ROOF_FP16);
  seed = 7;
  for (int d = 0; d < 40 * DRAWS; d++) {
    roof_options options = roof_options_default();
    options.overlap = draw(5) / 4.0;
    options.efficiency = options.efficiency_low = options.efficiency_high = 1;
    roof_target a, b;
    assert_int_equal(roof_target_init(&a, slow, &types, &options, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&b, fast, &types, &options, NULL), ROOF_OK);
    const roof_op *op = roof_op_at((int)draw((unsigned)roof_op_count()));
    double values[ROOF_PARAM_MAX];
    draw_values(op, values);
    roof_prediction p, q;
    roof_predict(&a, op, values, &p);
    roof_predict(&b, op, values, &q);
    assert_true(p.lower_seconds > 0 && p.lower_seconds <= p.expected_seconds * (1 + 1e-12) &&
                p.expected_seconds <= p.upper_seconds * (1 + 1e-12));
    assert_near(q.lower_seconds, p.lower_seconds / 4, 1e-12);
    assert_near(q.upper_seconds, p.upper_seconds / 4, 1e-12);
    assert_int_equal(p.regime, q.regime);
    assert_true(isnan(p.intensity) || p.intensity == q.intensity);
  }
}

static void names_next_to_numbers(void **state) {
  (void)state;
  const roof_op *conv = find("conv2d");
  int padding = roof_op_param_index(conv, "padding"), algorithm = roof_op_param_index(conv, "algorithm");
  double value = 7;
  roof_error error;
  assert_int_equal(roof_op_value_parse(conv, padding, "same", &value, NULL), ROOF_OK);
  assert_string_equal(roof_op_value_name(conv, padding, value), "same");
  assert_int_equal(roof_op_value_parse(conv, padding, "0", &value, NULL), ROOF_OK);
  assert_true(value == 0 && roof_op_value_name(conv, padding, value) == NULL);
  assert_int_equal(roof_op_value_parse(conv, padding, "-1", &value, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_op_value_parse(conv, padding, "sane", &value, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `same`"));
  assert_int_equal(roof_op_value_parse(conv, algorithm, "IM2COL", &value, NULL), ROOF_OK);
  assert_true(value == 1);
  assert_int_equal(roof_op_value_parse(conv, algorithm, "1", &value, &error), ROOF_E_NAME);
}

/** The message when `op` is completed with parameter `name` at `value` and counts of 8 otherwise. */
static void assert_refused(const char *op_name, const char *name, double value, const char *message) {
  const roof_op *op = find(op_name);
  double values[ROOF_PARAM_MAX];
  roof_error error;
  roof_op_defaults(op, values);
  for (int p = 0; p < roof_op_param_count(op); p++) {
    values[p] = isnan(values[p]) && op->params[p].same_as == NULL ? 8 : values[p];
  }
  assert_int_equal(roof_op_complete(op, values, &error), ROOF_OK);
  values[roof_op_param_index(op, name)] = value;
  assert_int_equal(roof_op_complete(op, values, &error), ROOF_E_ARGUMENT);
  if (strstr(error.message, message) == NULL) {
    fail_msg("%s %s=%g: `%s` does not say `%s`", op_name, name, value, error.message, message);
  }
}

/** Half a column has no half to be multiplied with. */
static void assert_refused_gated(const char *op_name) {
  const roof_op *op = find(op_name);
  double values[ROOF_PARAM_MAX];
  roof_error error;
  roof_op_defaults(op, values);
  for (int p = 0; p < roof_op_param_count(op); p++) {
    values[p] = isnan(values[p]) && op->params[p].same_as == NULL ? 7 : values[p];
  }
  assert_int_equal(roof_op_complete(op, values, &error), ROOF_OK);
  values[roof_op_param_index(op, "gated")] = 1;
  assert_int_equal(roof_op_complete(op, values, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "out=7 is odd, without the two halves of gated=1"));
}

static void shapes_that_are_refused(void **state) {
  (void)state;
  roof_error error;
  assert_refused("moe", "touched", 9, "touched=9 is more than the 8 experts of a device");
  assert_refused("moe", "touched", 0.9,
                 "touched=0.9 is less than 8: a token goes to top_k different experts");
  assert_refused("moe", "imbalance", 9, "imbalance=9 is more than all rows of ep=1");
  assert_refused("moe", "imbalance", 0, "imbalance=0: the layer waits");
  assert_refused("moe", "imbalance", 0.99, "at least 1, an even share");
  assert_refused("gemm", "m", 0, "m=0");
  assert_refused("gemm", "m", -3, "m=-3");
  assert_refused("gemm", "n", 2.5, "whole");
  assert_refused("gemm", "k", 1e300, "2^53");
  assert_refused("gemm", "k", NAN, "`k` is missing");
  assert_refused("gemm", "beta", -1, "beta=-1");
  assert_refused("attention", "kv_heads", 3, "must divide heads=8");
  assert_refused("attention", "causal", 2, "0 or 1");
  assert_refused("attention", "algorithm", 2, "choices");
  assert_refused("moe", "top_k", 9, "top_k=9 is more than experts=8");
  assert_refused("moe", "ep", 16, "ep=16 is more than experts=8");
  assert_refused("attend", "pairs", 65, "pairs=65 is more than q_len x kv_len");
  assert_refused("indexer", "pairs", 65, "pairs=65 is more than q_len x kv_len");
  assert_refused("indexer", "keep", 9, "keep=9 is more than kv_len=8");
  assert_refused("grouped", "fewest", 9, "fewest=9 is more than groups=8");
  assert_refused_gated("grouped");
  assert_refused_gated("linear_act");
  assert_refused("conv2d", "groups", 3, "groups=3 must divide");
  assert_refused("mamba2", "groups", 3, "groups=3 must divide heads=8");
  assert_refused("delta", "key_heads", 3, "key_heads=3 must divide heads=8");
  assert_refused("spmv", "nnz", 65, "nnz=65 is more than the 64 elements of A");
  assert_refused("conv2d", "padding", -2, "padding=-2");
  assert_refused("conv2d", "padding", NAN, "`padding` is missing");
  assert_refused("allreduce", "size", 0, "more than 0");
  double few[ROOF_PARAM_MAX] = {2, 64, 64, 128, 8, 4, 1, 4, 1, 1, 17};
  assert_int_equal(roof_op_complete(find("moe"), few, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "touched=17 is more than the 16 rows"));
  const roof_op *conv = find("conv2d");
  double values[ROOF_PARAM_MAX] = {1, 8, 8, 5, 5, 7, 1, 0, 1, 0};
  assert_int_equal(roof_op_complete(conv, values, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "kernel=7 is larger"));
}

static double scanned(const char *name, double tokens, double scan) {
  const roof_op *op = find(name);
  roof_types types = roof_types_of(ROOF_FP16);
  double values[ROOF_PARAM_MAX];
  roof_op_defaults(op, values);
  for (int p = 0; p < roof_op_param_count(op); p++) {
    values[p] = isnan(values[p]) ? 8 : values[p];
  }
  values[roof_op_param_index(op, "tokens")] = tokens;
  values[roof_op_param_index(op, "scan")] = scan;
  return work_of(op, values, &types).flops;
}

/** A chunk has the tokens that there are. */
static void chunks_are_no_longer_than_the_prompt(void **state) {
  (void)state;
  static const char *const names[] = {"mamba2", "delta"};
  for (int i = 0; i < 2; i++) {
    assert_true(scanned(names[i], 16, 256) == scanned(names[i], 16, 16));
    assert_true(scanned(names[i], 16, 16) > scanned(names[i], 16, 8));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_read_again_is_resident_once),
      cmocka_unit_test(chunks_are_no_longer_than_the_prompt),
      cmocka_unit_test(the_table_is_the_contract),
      cmocka_unit_test(rows_are_complete),
      cmocka_unit_test(flops_per_element),
      cmocka_unit_test(formulas_are_what_the_code_counts),
      cmocka_unit_test(parts_of_the_bytes),
      cmocka_unit_test(work_is_sane),
      cmocka_unit_test(more_is_never_less),
      cmocka_unit_test(formats_of_one_size_move_the_same),
      cmocka_unit_test(gemm_intensity_is_bounded_by_its_shortest_side),
      cmocka_unit_test(attention_algorithms),
      cmocka_unit_test(queries_before_the_first_key),
      cmocka_unit_test(attention_in_a_window),
      cmocka_unit_test(latent_attention),
      cmocka_unit_test(gated_units),
      cmocka_unit_test(tokens_to_their_experts),
      cmocka_unit_test(a_layer_of_experts),
      cmocka_unit_test(experts_are_picked_unevenly),
      cmocka_unit_test(convolution),
      cmocka_unit_test(collectives),
      cmocka_unit_test(predictions_are_ordered_and_scale_with_the_machine),
      cmocka_unit_test(names_next_to_numbers),
      cmocka_unit_test(shapes_that_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
