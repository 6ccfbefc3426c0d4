/* Operators of PyTorch's traces against counts by hand, and what kernels' names say. */
#include "test.h"

#include <string.h>

#include "import/_kernel_name.h"
#include "import/_torch.h"

enum { TEXT = 1000, READABLE = 8 /* after the end, as the scanner wants */ };

static rf_span span_of(const char *text, char room[TEXT + READABLE]) {
  size_t size = text != NULL ? strlen(text) : 0;
  assert_true(size < TEXT);
  memset(room, 0, TEXT + READABLE);
  memcpy(room, text != NULL ? text : "", size);
  return (rf_span){text != NULL ? room : NULL, size, false};
}

static rf_span name_of(const char *text) {
  static char room[TEXT + READABLE];
  return span_of(text, room);
}

static torch_work work_of(const char *name, const char *shapes, const char *types, const char *values) {
  static char room[4][TEXT + READABLE];
  return rf_torch_work_of(&(torch_call){span_of(name, room[0]), span_of(shapes, room[1]),
                                        span_of(types, room[2]), span_of(values, room[3])});
}

typedef struct expectation {
  const char *name, *shapes, *types, *values;
  double flops, bytes; /* NaN: not counted */
} expectation;

static void check(const expectation *e) {
  torch_work w = work_of(e->name, e->shapes, e->types, e->values);
  if (w.known != TORCH_KNOWN) {
    fail_msg("%s: not known (%d)", e->name, (int)w.known);
  }
  bool same = isnan(e->flops) ? isnan(w.flops) : w.flops == e->flops;
  if (!same || w.bytes != e->bytes) {
    fail_msg("%s: %g FLOP, %g bytes, not %g and %g", e->name, w.flops, w.bytes, e->flops, e->bytes);
  }
}

#define FF "[\"float\",\"float\"]"
#define FFF "[\"float\",\"float\",\"float\"]"

static void elementwise_operators_count_per_element(void **state) {
  (void)state;
  static const expectation list[] = {
      {"aten::sigmoid", "[[4,8]]", "[\"float\"]", NULL, 4 * 32, 2 * 32 * 4},
      {"aten::sigmoid_backward", "[[4,8],[4,8]]", FF, NULL, 3 * 32, 3 * 32 * 4},
      {"aten::tanh", "[[32]]", "[\"c10::BFloat16\"]", NULL, 5 * 32, 2 * 32 * 2},
      {"aten::tanh_backward", "[[4,8],[4,8]]", FF, NULL, 3 * 32, 3 * 32 * 4},
      {"aten::gelu_backward", "[[4,8],[4,8],[]]", "[\"c10::Half\",\"c10::Half\",\"\"]", NULL, 22 * 32,
       3 * 32 * 2},
      {"aten::silu_backward", "[[4,8],[4,8]]", FF, NULL, 9 * 32, 3 * 32 * 4},
      {"aten::clamp", "[[32],[],[]]", "[\"float\",\"Scalar\",\"Scalar\"]", NULL, 2 * 32, 2 * 32 * 4},
      {"aten::clamp_", "[[32],[],[]]", "[\"float\",\"Scalar\",\"Scalar\"]", NULL, 2 * 32, 2 * 32 * 4},
      {"aten::cumsum", "[[32],[],[]]", "[\"float\",\"Scalar\",\"\"]", NULL, 32, 2 * 32 * 4},
      {"aten::native_dropout", "[[32],[],[]]", "[\"float\",\"Scalar\",\"Scalar\"]", NULL, 2 * 32,
       2 * 32 * 4 + 32},
      {"aten::mse_loss_backward", "[[],[4,8],[4,8],[]]", "[\"float\",\"float\",\"float\",\"Scalar\"]", NULL,
       3 * 32, 4 + 3 * 32 * 4},
      /* the tensor for the results is not read */
      {"aten::mse_loss_backward", "[[],[4,8],[4,8],[],[4,8]]",
       "[\"float\",\"float\",\"float\",\"Scalar\",\"float\"]", NULL, 3 * 32, 4 + 3 * 32 * 4},
      {"aten::logical_and", "[[32],[32]]", "[\"bool\",\"bool\"]", NULL, 0, 96},
      {"aten::uniform_", "[[32],[],[],[]]", "[\"float\",\"Scalar\",\"Scalar\",\"\"]", NULL, NAN, 32 * 4},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    check(&list[i]);
  }
}

static void norms_and_softmax_backward_read_two_and_write_one(void **state) {
  (void)state;
  static const expectation list[] = {
      {"aten::_softmax_backward_data", "[[4,8],[4,8],[],[]]", "[\"float\",\"float\",\"Scalar\",\"Scalar\"]",
       NULL, 4 * 32, 3 * 32 * 4},
      {"aten::_log_softmax_backward_data", "[[4,8],[4,8],[],[]]",
       "[\"float\",\"float\",\"Scalar\",\"Scalar\"]", NULL, 4 * 32, 3 * 32 * 4},
      /* mean and deviation of 4 rows; gain and shift of 8 columns */
      {"aten::native_layer_norm_backward", "[[4,8],[4,8],[],[4,1],[4,1],[8],[8],[]]",
       "[\"float\",\"float\",\"\",\"float\",\"float\",\"float\",\"float\",\"\"]", NULL, 13 * 32,
       3 * 32 * 4 + 4 * (4 + 4 + 8 + 8)},
      {"aten::cudnn_batch_norm_backward", "[[2,4,2,2],[2,4,2,2],[4],[4],[4],[4],[4],[],[0]]",
       "[\"float\",\"float\",\"float\",\"float\",\"float\",\"float\",\"float\",\"Scalar\",\"unsigned char\"]",
       NULL, 9 * 32, 3 * 32 * 4 + 5 * 4 * 4},
      {"aten::native_group_norm_backward", "[[2,4,4],[2,4,4],[2,2],[2,2],[4],[],[],[],[],[]]",
       "[\"float\",\"float\",\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\",\"\"]",
       NULL, 9 * 32, 3 * 32 * 4 + 4 * (4 + 4 + 4)},
      {"_C::rms_norm", "[[4,8],[4,8],[8],[]]",
       "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\"]", NULL, 5 * 32,
       2 * 32 * 2 + 8 * 2},
      {"_C::silu_and_mul", "[[4,8],[4,16]]", "[\"c10::BFloat16\",\"c10::BFloat16\"]", NULL, 5 * 32, 96 * 2},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    check(&list[i]);
  }
}

/** A window of 3, a step of 2 and an edge of 1 over 8 x 8 give 4 x 4; rounded up from 7 x 7 with a window of 2, 4 x 4. */
static void pooling_follows_its_windows(void **state) {
  (void)state;
  static const char types[] = "[\"float\",\"\",\"\",\"\",\"\",\"\"]";
  static const expectation list[] = {
      {"aten::max_pool2d_with_indices", "[[1,2,8,8],[],[],[],[],[]]", types,
       "[\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\"]", 9 * 32, 128 * 4 + 32 * 12},
      {"aten::max_pool2d_with_indices", "[[1,2,7,7],[],[],[],[],[]]", types,
       "[\"\",\"[2]\",\"[]\",\"[0]\",\"[1]\",\"True\"]", 4 * 32, 98 * 4 + 32 * 12},
      {"aten::avg_pool2d", "[[1,2,8,8],[],[],[],[],[]]", types,
       "[\"\",\"[2, 2]\",\"[2, 2]\",\"[0, 0]\",\"False\",\"True\"]", 5 * 32, 128 * 4 + 32 * 4},
      {"aten::_adaptive_avg_pool2d", "[[1,2,8,8],[]]", "[\"float\",\"\"]", "[\"\",\"[1, 1]\"]", 128 + 2,
       130 * 4},
      {"aten::max_pool2d_with_indices_backward", "[[1,2,4,4],[1,2,8,8],[],[],[],[],[],[1,2,4,4]]",
       "[\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"long\"]", NULL, 32, 32 * 4 + 128 * 4 + 32 * 8},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    check(&list[i]);
  }
  torch_work w = work_of("aten::max_pool2d_with_indices", "[[1,2,8,8],[],[],[],[],[]]", types, NULL);
  assert_int_equal(w.known, TORCH_MISFIT);
}

static void tables_move_what_is_picked(void **state) {
  (void)state;
  static const expectation list[] = {
      /* 6 rows of 8; the gradient of the table of 100 rows is written whole */
      {"aten::embedding_dense_backward", "[[2,3,8],[2,3],[],[],[]]",
       "[\"float\",\"long\",\"Scalar\",\"Scalar\",\"Scalar\"]", "[\"\",\"\",\"100\",\"-1\",\"False\"]", 48,
       48 * 4 + 6 * 8 + 800 * 4},
      {"aten::index_select", "[[100,8],[],[6]]", "[\"float\",\"Scalar\",\"long\"]", "[\"\",\"0\",\"\"]", 0,
       6 * 8 + 2 * 48 * 4},
      {"aten::index_select", "[[8,100],[],[6]]", "[\"float\",\"Scalar\",\"long\"]", "[\"\",\"-1\",\"\"]", 0,
       6 * 8 + 2 * 48 * 4},
      {"aten::gather", "[[50],[],[1000],[]]", "[\"float\",\"Scalar\",\"long\",\"Scalar\"]", NULL, 0,
       8000 + 50 * 4 + 4000}, /* the source is read once */
      {"aten::scatter_add_", "[[50],[],[1000],[1000]]", "[\"float\",\"Scalar\",\"long\",\"float\"]", NULL,
       1000, 8000 + 4000 + 2 * 50 * 4},
      {"aten::_embedding_bag", "[[100,8],[6],[2],[],[],[],[],[],[]]",
       "[\"float\",\"long\",\"long\",\"Scalar\",\"Scalar\",\"Scalar\",\"\",\"Scalar\",\"Scalar\"]", NULL, 48,
       6 * 8 + 2 * 8 + (48 + 16) * 4},
      {"fbgemm::FloatToFP8RowwiseQuantized", "[[10,256],[]]", "[\"float\",\"Scalar\"]", NULL, 2 * 2560,
       2560 * 4 + 10 * 264},
      {"fbgemm::FP8RowwiseQuantizedToFloat", "[[10,264],[]]", "[\"unsigned char\",\"Scalar\"]", NULL, 2560,
       2640 + 2560 * 4},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    check(&list[i]);
  }
}

/** 128 x 128 and 128 elements: their type is the kernel's to say, bytes are elements. */
static void lists_count_elements(void **state) {
  (void)state;
  static const char two[] = "[[[128,128],[128]],[[128,128],[128]],[]]";
  static const char types[] = "[\"TensorList\",\"TensorList\",\"Scalar\"]";
  const double n = 128 * 128 + 128;
  const struct {
    const char *name, *shapes, *types;
    double flops, elements;
  } list[] = {
      {"aten::_foreach_add_", two, types, n, 3 * n},
      {"aten::_foreach_copy_", two, types, 0, 2 * n},
      {"aten::_foreach_zero_", "[[[128,128],[128]]]", "[\"TensorList\"]", 0, n},
      {"aten::_foreach_addcdiv_", "[[[4]],[[4]],[[4]]]", "[\"TensorList\",\"TensorList\",\"TensorList\"]", 12,
       16},
      {"aten::_fused_adam_", "[[[4]],[[4]],[[4]],[[4]],[],[[]],[]]",
       "[\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\","
       "\"Scalar\"]",
       48, 4 * 4 + 1 + 3 * 4},
      {"aten::cat", "[[[4,8],[4,8]],[]]", "[\"TensorList\",\"Scalar\"]", 0, 128},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    torch_work w = work_of(list[i].name, list[i].shapes, list[i].types, NULL);
    assert_int_equal(w.known, TORCH_KNOWN);
    assert_true(w.untyped && w.flops == list[i].flops && w.bytes == list[i].elements);
  }
  torch_work far = work_of("aten::index_select", "[[4,8],[],[6]]", "[\"float\",\"Scalar\",\"long\"]",
                           "[\"\",\"99999999999999999999\",\"\"]");
  assert_int_equal(far.known, TORCH_MISFIT);
  torch_work old = work_of("aten::cat", "[[],[]]", "[\"TensorList\",\"Scalar\"]", NULL);
  assert_int_equal(old.known, TORCH_MISFIT);
}

static void a_kernel_names_the_type_of_its_lists(void **state) {
  (void)state;
  const struct {
    const char *name;
    double width;
    roof_dtype dtype;
  } list[] = {
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<2>, at::native::(anonymous "
       "namespace)::BinaryOpListAlphaFunctor<c10::BFloat16, 2, "
       "2, 0>, std::plus<float>, float>",
       2, ROOF_BF16},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, 64>(float*)",
       4, ROOF_FP32},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::(anonymous "
       "namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1>",
       2, ROOF_FP32},
      {"orphan", 0, ROOF_FP32},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    roof_dtype dtype = ROOF_FP32;
    assert_true(rf_torch_type_in(name_of(list[i].name), &dtype) == list[i].width);
    assert_int_equal(dtype, list[i].dtype);
  }
}

/** Names as traces of the libraries have them. */
static void names_say_the_unit_and_the_format(void **state) {
  (void)state;
  enum { M = ROOF_MATRIX, V = ROOF_VECTOR };
  static const struct {
    const char *name;
    int unit, dtype;
  } list[] = {
      {"ampere_sgemm_128x64_nn", V, -1},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>", V, -1},
      {"_5x_cudnn_ampere_scudnn_128x64_relu_medium_nn_v1", V, -1},
      {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, true, true>", V, -1},
      {"sm80_xmma_fprop_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
       "warpsize1x2x1_g1_"
       "ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
       V, -1},
      {"triton_poi_fused_add_cos_sin_0", V, -1},
      {"void ck::kernel_gemm_dl_v1r3<ck::GridwiseGemmDl_km_kn_mn_v1r3<256, float, float, float>>", V, -1},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>", M, ROOF_TF32},
      {"void "
       "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn>",
       M, ROOF_BF16},
      {"void cutlass::Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_128x2_tn_align8>", M,
       ROOF_FP16},
      {"void cutlass::Kernel<cutlass_70_tensorop_s884gemm_f16_128x128_nn_align8>", M, ROOF_FP16},
      {"void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x3_nn_align1>", M, ROOF_FP64},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", M, ROOF_FP16},
      {"volta_h884gemm_64x64_ldg8_nn", M, ROOF_FP16},
      {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_relu_f2f_stages_64x3_tn", M, ROOF_FP16},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
       "warpsize2x2x1_g1_"
       "tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
       M, ROOF_TF32},
      {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage5_warpsize2x2x1_tensor16x8x16_kernel", M,
       ROOF_FP16},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
       "kernel__5x_"
       "cublas",
       M, ROOF_BF16},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x128_warpgroupsize1x1x1_bias_bf16", M,
       ROOF_FP8},
      {"cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_align8", M,
       ROOF_BF16},
      {"nvjet_hsh_64x32_64x16_2x4_h_bz_coopB_TNT", M, ROOF_FP16},
      {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", M, ROOF_BF16},
      {"void "
       "xmma_new::gemm::kernel<xmma_new::implicit_gemm::fprop::Kernel_traits<xmma_new::Ampere_hmma_tf32_"
       "traits<"
       "unsigned int, float>>>",
       M, ROOF_TF32},
      {"void "
       "cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaMultistage<cutlass::gemm::"
       "GemmShape<(int)128, (int)128, (int)16>, cutlass::arch::Mma<cutlass::gemm::GemmShape<(int)16, (int)8, "
       "(int)8>, "
       "(int)32, cutlass::tfloat32_t>>>>",
       M, ROOF_TF32},
      {"void cutlass::Kernel<Gemm<Mma<GemmShape<16, 8, 8>, 32, cutlass::half_t>>>", M, ROOF_FP16},
      {"void cutlass::Kernel<Gemm<cutlass::arch::Mma<cutlass::gemm::GemmShape<1, 1, 1>, 1, float>>>", V, -1},
      {"Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0", M, ROOF_FP32},
      {"Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x256x64_MI16x16x1_SN", M, ROOF_BF16},
      {"Cijk_Alik_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0", M, ROOF_FP16},
      {"void "
       "ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<ck::tensor_layout::gemm::RowMajor, "
       "float>>",
       M, ROOF_FP32},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>", -1, -1},
      {"void fmha_kernel<1>", -1, -1},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    kernel_says says = rf_kernel_name_says(name_of(list[i].name));
    if (says.unit != list[i].unit || says.dtype != list[i].dtype) {
      fail_msg("%s: unit %d, format %d", list[i].name, says.unit, says.dtype);
    }
  }
}

static void names_say_the_shape_of_the_instruction(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double flops;
  } list[] = {
      {"ampere_fp16_s16816gemm_fp16_128x128", 4096},
      {"turing_h1688gemm_256x128_ldg8_nn", 2048},
      {"volta_h884gemm_64x64_ldg8_nn", 1024},
      {"Mma<GemmShape<16,8,8>>", 2048},
      {"Mma<GemmShape<16, 8, 32>, 32, signed char>", 8192},
      {"cutlass::arch::Mma<cutlass::gemm::GemmShape<(int)16, (int)8, (int)16>, (int)32>", 4096},
      {"cutlass::arch::Mma<cutlass::gemm::GemmShape<(int)16, (int)16, (int)4>, (int)32>", 512},
      {"cutlass::arch::Mma<cutlass::gemm::GemmShape<8, 8, 4>, 32, double>", 512},
      {"cutlass::arch::Mma<cutlass::gemm::GemmShape<1, 1, 1>, 1, float>", NAN},
      {"cutlass::arch::Mma<cutlass::gemm::GemmShape<16, 8", NAN},
      {"saxpy", NAN},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    double flops = rf_kernel_name_instruction(name_of(list[i].name));
    if (isnan(list[i].flops) ? !isnan(flops) : flops != list[i].flops) {
      fail_msg("%s: %g", list[i].name, flops);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise_operators_count_per_element),
      cmocka_unit_test(norms_and_softmax_backward_read_two_and_write_one),
      cmocka_unit_test(pooling_follows_its_windows),
      cmocka_unit_test(tables_move_what_is_picked),
      cmocka_unit_test(lists_count_elements),
      cmocka_unit_test(a_kernel_names_the_type_of_its_lists),
      cmocka_unit_test(names_say_the_unit_and_the_format),
      cmocka_unit_test(names_say_the_shape_of_the_instruction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
