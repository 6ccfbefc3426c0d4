/* Predictions against timings: what is counted, by what, and what is left out. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "roofline/calibrate.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/weights.h"

#define HEADER "sys,fw,gemm_dtype,kernel_source,m,n,k,us\n"

static double expected_seconds(const char *machine_name, roof_dtype dtype, double side, double *lower) {
  roof_machine *machine = NULL;
  const roof_op *gemm = NULL;
  roof_target target;
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  roof_options options = roof_options_default();
  roof_types types = roof_types_of(dtype);
  assert_int_equal(roof_catalog_load(machine_name, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = side;
  assert_int_equal(roof_op_complete(gemm, values, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, gemm, values, &p);
  roof_machine_free(machine);
  *lower = p.lower_seconds;
  return p.expected_seconds;
}

static roof_status validate(const char *csv, const char *machine_name, roof_accuracy *accuracy,
                            roof_error *error) {
  roof_profile profile;
  roof_machine *machine = NULL;
  roof_options options = roof_options_default();
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  if (machine_name != NULL) {
    assert_int_equal(roof_catalog_load(machine_name, &machine, NULL), ROOF_OK);
  }
  roof_status status = roof_import_memory(csv, strlen(csv), "timings.csv", NULL, &profile, error);
  status = status == ROOF_OK ? roof_accuracy_of(&profile, machine, &options, accuracy, error) : status;
  roof_machine_free(machine);
  roof_profile_done(&profile);
  return status;
}

static size_t count_of(const roof_accuracy *a, roof_accuracy_by by, const char *name) {
  for (size_t i = 0; i < a->line_count[by]; i++) {
    if (strcmp(a->lines[by][i].name, name) == 0) {
      return a->lines[by][i].count;
    }
  }
  return 0;
}

/* Measured at 1.25, 1, 1.1 and 0.5 times the expected time: errors of -20, 0, -9.09 and +100 %. */
static void errors_of_known_timings(void **state) {
  (void)state;
  static const double factors[] = {1.25, 1, 1.1, 0.5};
  char csv[1024] = HEADER;
  double lower;
  for (int i = 0; i < 4; i++) {
    double side = 2048 * (i + 1);
    size_t used = strlen(csv);
    rf_format(csv + used, sizeof csv - used, "h100_sxm,engine/1,bfloat16,x,%g,%g,%g,%.9g\n", side, side, side,
              1e6 * factors[i] * expected_seconds("h100", ROOF_BF16, side, &lower));
  }
  roof_accuracy a;
  assert_int_equal(validate(csv, NULL, &a, NULL), ROOF_OK);
  assert_int_equal(a.all.count, 4);
  assert_near(a.all.median, (0.2 + 1 / 11.0) / 2, 1e-6);
  assert_near(a.all.mean, (0.2 + 1 / 11.0 + 1) / 4, 1e-6);
  assert_near(a.all.bias, -1 / 22.0, 1e-6);
  assert_near(a.all.inside, 0.5, 1e-12); /* 1 and 1.1: within 0.65 to 0.85 of the ceiling */
  assert_near(a.all.below, 0.25, 1e-12);
  assert_int_equal(count_of(&a, ROOF_ACCURACY_DEVICE, "nvidia-h100-sxm"), 4);
  assert_int_equal(count_of(&a, ROOF_ACCURACY_HOW, "engine/1"), 4);
  assert_int_equal(a.gap_count, 0);
  roof_accuracy_done(&a);
}

/** Each grouping holds every timing once, whatever was in the file. */
static void groups_add_up(void **state) {
  (void)state;
  static const char csv[] = HEADER "h100_sxm,a,bfloat16,x,128,128,128,5\n"
                                   "h100_sxm,b,fp8,x,4096,4096,4096,300\n"
                                   "a100_sxm,a,int4_wo,x,16,8192,8192,40\n"
                                   "a100_sxm,a,sq,x,8192,8192,8192,20000\n";
  roof_accuracy a;
  assert_int_equal(validate(csv, NULL, &a, NULL), ROOF_OK);
  assert_int_equal(a.all.count, 4);
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    size_t sum = 0;
    for (size_t i = 0; i < a.line_count[by]; i++) {
      sum += a.lines[by][i].count;
      assert_true(a.lines[by][i].median <= a.lines[by][i].p90);
    }
    assert_int_equal(sum, by == ROOF_ACCURACY_MODEL ? 0 : a.all.count);
  }
  assert_int_equal(a.line_count[ROOF_ACCURACY_FORMAT], 4);
  assert_int_equal(count_of(&a, ROOF_ACCURACY_FORMAT, "bf16 x int4, 128 per scale"), 1);
  assert_string_equal(a.lines[ROOF_ACCURACY_DURATION][0].name, "under 10 us");
  assert_string_equal(a.lines[ROOF_ACCURACY_DURATION][3].name, "10 ms and more");
  roof_accuracy_done(&a);
}

static void what_cannot_be_judged_is_counted(void **state) {
  (void)state;
  static const char csv[] = HEADER "nobody's,a,bfloat16,x,128,128,128,5\n"
                                   "h100_sxm,a,nvfp4,x,128,128,128,5\n"
                                   "h100_sxm,a,bfloat16,x,128,128,128,5\n";
  roof_accuracy a;
  assert_int_equal(validate(csv, NULL, &a, NULL), ROOF_OK);
  assert_int_equal(a.all.count, 1);
  assert_int_equal(a.gap_count, 2);
  assert_non_null(strstr(a.gaps[0].why, "nobody's"));
  assert_non_null(strstr(a.gaps[1].why, "no native fp4"));
  roof_accuracy_done(&a);
  assert_int_equal(validate(csv, "b200", &a, NULL),
                   ROOF_OK); /* the machine asked for takes the file's place */
  assert_int_equal(a.all.count, 3);
  assert_int_equal(a.gap_count, 0);
  roof_accuracy_done(&a);
}

static double value_of(const roof_record *record, const char *parameter) {
  return record->ran->values[roof_op_param_index(record->ran->op, parameter)];
}

static void timings_of_a_program_itself(void **state) {
  (void)state;
  roof_profile p;
  assert_int_equal(roof_profile_init(&p, NULL), ROOF_OK);
  assert_int_equal(roof_profile_add(&p, "gemm m=8 n=4Ki k=16 fp16", NULL, "h200", 2e-6, NULL), ROOF_OK);
  assert_int_equal(roof_profile_add(&p, "gemm m=8 n=4Ki k=16 fp16", NULL, "h200", 4e-6, NULL), ROOF_OK);
  assert_int_equal(roof_profile_add(&p, "somebody's kernel", NULL, "h200", 4e-6, NULL), ROOF_OK);
  assert_int_equal(roof_profile_add(&p, "gemm m=8 n=8 k=8 fp16", NULL, "h200", 0, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(p.count, 2);
  assert_near(value_of(&p.records[0], "n"), 4096, 0);
  assert_int_equal(p.records[0].ran->types.compute, ROOF_FP16);
  assert_string_equal(p.records[0].ran->device, "h200");
  assert_near(roof_record_seconds(&p.records[0]) / (double)p.records[0].calls, 3e-6, 1e-12);
  assert_null(p.records[1].ran);
  roof_profile_done(&p);
}

/** As many times as long as predicted as the curves say. */
static void a_chart_of_errors(void **state) {
  (void)state;
  roof_accuracy_point points[100];
  roof_accuracy a = {.all = {.count = 100, .median = 0.5}, .points = points};
  roof_curves *chart = calloc(1, sizeof *chart);
  for (int i = 0; i < 100; i++) {
    double expected = i < 50 ? 1e-5 : 1e-3;
    points[i] = (roof_accuracy_point){"product", expected, 2 * expected};
  }
  assert_int_equal(roof_accuracy_chart(&a, chart, NULL), ROOF_OK);
  const roof_curve *product = &chart->panels[0].curves[0], *diagonal = &chart->panels[0].curves[1];
  assert_string_equal(chart->series[0], "product");
  assert_int_equal(product->count, 2);
  assert_near(product->y[1] / product->x[1], 2e-6, 1e-9);
  assert_near(diagonal->y[1] / diagonal->x[1], 1e-6, 1e-9);
  assert_int_equal(chart->panels[1].curve_count, 3);
  assert_near(chart->panels[1].curves[1].y[0], 2, 1e-9);
  a.all.count = 50;
  assert_int_equal(roof_accuracy_chart(&a, chart, NULL), ROOF_E_ARGUMENT);
  free(chart);
}

/** A run is judged by the model's own answer: its TPOT with the others' prompts, within the range and over the bound. */
static void runs_are_judged_as_model_answers(void **state) {
  (void)state;
  static const char csv[] = "device,backend,bw_GBs_datasheet,pp512_tps,tg128_tps\nRTX 4090,cuda,1008,,100\n";
  roof_machine *machine = NULL;
  roof_whole *whole = NULL;
  roof_options options = roof_options_default();
  const roof_formats formats = {.dtype = "fp16", .weights = "q4_0"};
  const char *const words[] = {"llama-2-7b", "batch=1", "prompt=1", "generate=128"};
  assert_int_equal(roof_catalog_load("rtx-4090", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_whole_read(words, 4, &formats, &options, false, &whole, NULL), ROOF_OK);
  assert_int_equal(roof_whole_on(whole, machine, NULL), ROOF_OK);
  const roof_model_answer *answer = &whole->answer;
  assert_near(answer->continuous.tpot_seconds, answer->tpot_seconds, 1e-12); /* no other request */
  assert_true(answer->continuous_least.tpot_seconds <= answer->continuous_low.tpot_seconds &&
              answer->continuous_low.tpot_seconds < answer->continuous.tpot_seconds &&
              answer->continuous.tpot_seconds < answer->continuous_high.tpot_seconds);
  roof_accuracy a;
  assert_int_equal(validate(csv, NULL, &a, NULL), ROOF_OK);
  assert_int_equal(a.all.count, 1);
  assert_near(a.all.bias, answer->continuous.tpot_seconds / 0.01 - 1, 1e-9);
  assert_int_equal(count_of(&a, ROOF_ACCURACY_OPERATION, roof_served_figure_name(ROOF_SERVED_TPOT)), 1);
  assert_int_equal(count_of(&a, ROOF_ACCURACY_DEVICE, "TPOT, nvidia-rtx-4090"), 1);
  assert_int_equal(a.line_count[ROOF_ACCURACY_KERNEL], 0);
  assert_string_equal(roof_served_figure_name(ROOF_SERVED_FIGURE_COUNT), "?");
  roof_accuracy_done(&a);
  roof_whole_free(whole);
  roof_machine_free(machine);
}

/** Sealed, measured at a time of its own, explained: the label finds the run, and each class alone would do. */
static void a_sealed_run_is_found_and_explained(void **state) {
  (void)state;
  static const char log[] =
      "{\"model_id\": \"meta-llama/Llama-3.1-8B\", \"max_concurrency\": 8, \"duration\": 10, \"completed\": "
      "80, "
      "\"total_input_tokens\": 80000, \"total_output_tokens\": 8000, \"request_throughput\": 8, "
      "\"mean_tpot_ms\": 20}";
  roof_machine *machine = NULL;
  roof_whole *whole = NULL;
  roof_options options = roof_options_default();
  const roof_formats formats = {0};
  const char *const words[] = {"llama-3.1-8b", "batch=8", "prompt=1000", "generate=100"};
  roof_sealings sealings = {0};
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_whole_read(words, 4, &formats, &options, false, &whole, NULL), ROOF_OK);
  assert_int_equal(roof_whole_on(whole, machine, NULL), ROOF_OK);
  assert_int_equal(roof_model_served_sealings(&whole->target, &whole->answer, &sealings, NULL), ROOF_OK);
  assert_int_equal(sealings.count, 2);
  assert_string_equal(sealings.list[1].label, "llama-3.1-8b TPOT batch=8 prompt=1000 generate=100");
  char labels[2][ROOF_LABEL_MAX];
  memcpy(labels[0], sealings.list[0].label, ROOF_LABEL_MAX);
  memcpy(labels[1], sealings.list[1].label, ROOF_LABEL_MAX);
  roof_profile profile;
  roof_measurements all = {0};
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(log, strlen(log), "log.json", NULL, &profile, NULL), ROOF_OK);
  assert_true(roof_profile_has_runs(&profile));
  assert_int_equal(roof_served_measurements(&profile, labels, 2, 2, &all, NULL), ROOF_OK);
  assert_int_equal(all.count, 1);
  assert_string_equal(all.list[0].label, labels[1]);
  assert_near(all.list[0].seconds, 0.02, 1e-12);
  assert_true(roof_served_is_setting("tp=2") && !roof_served_is_setting("a/b=c") &&
              !roof_served_is_setting("log.json"));
  assert_int_equal(roof_profile_set_runs(&profile, "batch=8", NULL), ROOF_OK);
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_calibration calibration;
  roof_text text = {0};
  how.machine = machine;
  assert_int_equal(roof_calibrate(&profile, &how, &options, &calibration, NULL), ROOF_OK);
  assert_int_equal(calibration.count, 0);
  assert_int_equal(calibration.run_count, 1);
  const roof_run_causes *causes = &calibration.runs[0];
  assert_string_equal(causes->causes[0].name, "host");
  assert_near(causes->causes[0].seconds, 0.02 - whole->answer.continuous.tpot_seconds, 1e-5);
  assert_true(causes->causes[1].alike);
  roof_run_causes_sentence(causes, &text);
  assert_non_null(strstr(text.data, "TPOT of 1 run: "));
  roof_text_done(&text);
  roof_calibration_done(&calibration);
  roof_measurements_done(&all);
  roof_profile_done(&profile);
  roof_sealings_done(&sealings);
  roof_whole_free(whole);
  roof_machine_free(machine);
}

static void errors_name_the_row(void **state) {
  (void)state;
  roof_accuracy a = {0};
  roof_error error = {0};
  assert_int_equal(validate(HEADER "h100_sxm,a,bfloat16,x,128,128,-1,5\n", NULL, &a, &error), ROOF_E_PARSE);
  assert_int_equal(error.line, 2);
  assert_int_equal(validate(HEADER "h100_sxm,a,float7,x,128,128,128,5\n", NULL, &a, &error), ROOF_E_PARSE);
  assert_int_equal(validate(HEADER "h100_sxm,a,bfloat16,x,128,128,128,0\n", NULL, &a, &error), ROOF_E_PARSE);
  assert_int_equal(validate(HEADER, NULL, &a, &error), ROOF_E_PARSE);
  assert_int_equal(validate(HEADER "nobody's,a,bfloat16,x,128,128,128,5\n", NULL, &a, &error),
                   ROOF_E_ARGUMENT);
  assert_int_equal(a.all.count, 0);
}

/** An element of an all-reduce is as large as its format; a decode's keys are those cached and its own. */
static void shapes_are_read_from_columns(void **state) {
  (void)state;
  static const char reduce[] = "sys,nccl,op,dtype,gpus,elems,us,src\nh100_sxm,2,all_reduce,half,8,1000,20,n\n"
                               "h100_sxm,2,broadcast,half,8,1000,20,n\n";
  static const char decode[] = "sys,fw,kernel_source,batch_size,isl,num_heads,num_key_value_heads,head_dim,"
                               "attn_dtype,kv_cache_dtype,step,window_size,us\n"
                               "h100_sxm,f,x,4,1,32,8,128,bfloat16,fp8,4095,0,20\n"
                               "h100_sxm,f,x,4,1,32,8,128,bfloat16,bfloat16,4095,0,30\n"
                               "h100_sxm,f,x,4,512,32,8,128,bfloat16,fp8,0,128,20\n";
  roof_profile p;
  assert_int_equal(roof_profile_init(&p, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(reduce, strlen(reduce), "r", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(decode, strlen(decode), "d", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 4); /* caches of two formats are two operations */
  assert_int_equal(p.skip_count, 1);
  const roof_ran *r = p.records[0].ran, *d = p.records[1].ran;
  assert_near(r->values[roof_op_param_index(r->op, "size")], 2000, 0);
  assert_near(r->values[roof_op_param_index(r->op, "ranks")], 8, 0);
  assert_near(d->values[roof_op_param_index(d->op, "kv_len")], 4096, 0);
  assert_near(d->values[roof_op_param_index(d->op, "kv_heads")], 8, 0);
  assert_int_equal(d->types.kv, ROOF_FP8);
  assert_near(roof_record_seconds(&p.records[1]), 20e-6, 1e-12);
  const roof_ran *window = p.records[3].ran;
  assert_near(window->values[roof_op_param_index(window->op, "window")], 128, 0);
  assert_near(d->values[roof_op_param_index(d->op, "window")], 4096, 0); /* 0: all keys */
  roof_profile_done(&p);
}

/** What one device has of experts and heads; runs of one shape that differ stay apart. */
static void layers_are_read_from_columns(void **state) {
  (void)state;
  static const char experts[] =
      "sys,fw,kernel_source,moe_dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,"
      "moe_ep_size,distribution,us\n"
      "h200_sxm,f,x,bfloat16,32,4096,14336,2,8,4,2,balanced,500\n"
      "h200_sxm,f,x,bfloat16,32,4096,14336,2,8,4,2,power_law_1.2,600\n"
      "h200_sxm,f,moe_torch_flow_nongated,w4a16_mxfp4,32,4096,14336,2,8,1,1,balanced,700\n";
  static const char latent[] =
      "sys,fw,mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,tp_size,step,us\n"
      "h200_sxm,f,bfloat16,fp8,16,4,1,8,1023,15\nh200_sxm,f,bfloat16,bfloat16,16,4,512,8,0,50\n";
  roof_profile p;
  assert_int_equal(roof_profile_init(&p, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(experts, strlen(experts), "e", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(latent, strlen(latent), "l", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 5);
  assert_near(value_of(&p.records[0], "intermediate"), 3584, 0);
  assert_near(value_of(&p.records[0], "ep"), 2, 0);
  assert_string_equal(p.records[1].ran->how, "f, power_law_1.2");
  assert_near(value_of(&p.records[0], "imbalance"), 1, 0);
  assert_near(value_of(&p.records[0], "touched"), 4, 0);
  double imbalance = value_of(&p.records[1], "imbalance"), touched = value_of(&p.records[1], "touched");
  assert_true(imbalance > 1.2 && imbalance <= 2 && touched > 3 && touched <= 4);
  assert_near(value_of(&p.records[2], "gated"), 0, 0);
  assert_int_equal(p.records[2].ran->types.weights, ROOF_FP4);
  assert_near(value_of(&p.records[3], "kv_len"), 1024, 0);
  assert_near(value_of(&p.records[3], "algorithm"), 0, 0);
  assert_int_equal(p.records[3].ran->types.kv, ROOF_FP8);
  assert_near(value_of(&p.records[4], "causal"), 1, 0);
  assert_near(value_of(&p.records[4], "algorithm"), 1, 0);
  roof_profile_done(&p);
}

/** A row of several operations, and one in milliseconds. */
static void rows_of_other_tables(void **state) {
  (void)state;
  static const char layer[] =
      "dev,model,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,num_tokens,tp,emb,"
      "input_layernorm,attn_pre_proj,attn_rope,attn_post_proj,post_attention_layernorm,mlp_up_proj,mlp_act,"
      "mlp_down_proj,add\n"
      "a100,m,64,8,8192,28672,32000,True,512,4,1,20,300,3,200,5,900,40,500,30\n";
  static const char conv[] =
      "dev,sheet,W,H,C,N,K,R,S,pad_h,pad_w,stride_v,stride_h,fwd_ms,bwd_in_ms,bwd_w_ms,fwd_algo\n"
      "NV_V100,\"Results - FP16 ip, Mixed math\",112.0,56,64.0,8.0,128.0,3.0,3.0,1.0,1.0,1.0,1.0,0.5,,,X\n"
      "NV_V100,Results FP32,700.0,161,1.0,4.0,32.0,5.0,20.0,0.0,0.0,2.0,2.0,0.208,,,X\n";
  static const char network[] =
      "node,op,num_workers,devices_per_node,rank,bytes_or_elems,median_us,min_us\n"
      "a100_dgx,all_reduce,8,8,0,2048,43,31\na100_dgx,all_reduce,16,8,0,2048,90,80\n";
  roof_profile p;
  assert_int_equal(roof_profile_init(&p, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(layer, strlen(layer), "l", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 7);
  assert_string_equal(p.records[0].ran->op->name, "rmsnorm");
  assert_near(value_of(&p.records[1], "n"), (8192 + 2 * 1024) / 4, 0);
  assert_near(roof_record_seconds(&p.records[1]), 300e-6, 1e-12);
  assert_near(value_of(&p.records[3], "n"), 2 * 28672 / 4, 0);
  assert_int_equal(p.records[3].ran->types.compute, ROOF_FP16);
  assert_int_equal(roof_import_memory(conv, strlen(conv), "c", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 8); /* a kernel that is no square is left out */
  assert_near(value_of(&p.records[7], "width"), 112, 0);
  assert_near(roof_record_seconds(&p.records[7]), 0.5e-3, 1e-12);
  assert_int_equal(roof_import_memory(network, strlen(network), "n", NULL, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 9); /* across nodes it is another link */
  assert_string_equal(p.records[8].ran->device, "a100_sxm");
  assert_int_equal(p.skip_count, 2);
  roof_profile_done(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_of_known_timings),
      cmocka_unit_test(groups_add_up),
      cmocka_unit_test(what_cannot_be_judged_is_counted),
      cmocka_unit_test(runs_are_judged_as_model_answers),
      cmocka_unit_test(a_sealed_run_is_found_and_explained),
      cmocka_unit_test(errors_name_the_row),
      cmocka_unit_test(shapes_are_read_from_columns),
      cmocka_unit_test(layers_are_read_from_columns),
      cmocka_unit_test(rows_of_other_tables),
      cmocka_unit_test(a_chart_of_errors),
      cmocka_unit_test(timings_of_a_program_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
