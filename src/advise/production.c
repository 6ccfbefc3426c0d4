/* What well-known kernels were published to reach, and what the roofline allows them. */
#include <math.h>

#include "advise/topics.h"
#include "roofline/ops.h"

#define CUBE "m=8192 n=8192 k=8192"
#define DECODE "m=1 n=28672 k=8192"
#define SGEMM "m=4092 n=4092 k=4092"
#define ATTENTION "batch=1 heads=16 q_len=4096 kv_len=4096 head_dim=128"
#define TAUGHT "taught, no source given"
#define LADDER "siboehm/SGEMM_CUDA@06d2cf54 README (RTX A6000, m=n=k=4092): share of cuBLAS"

static const roof_production kernels[] = {
    {"cuBLAS", "gemm", CUBE, ROOF_FP16, ROOF_FP16, 0, 0.78, "the peak", TAUGHT},
    {"CUTLASS", "gemm", CUBE, ROOF_FP16, ROOF_FP16, 0, 0.84, "the peak", TAUGHT},
    {"Triton", "gemm", CUBE, ROOF_FP16, ROOF_FP16, 0, 0.71, "the peak", TAUGHT},
    {"Marlin, 4-bit weights", "gemm", DECODE, ROOF_FP16, ROOF_INT4, 128, 0.70, "the bandwidth", TAUGHT},
    {"FlashAttention-3", "attention", ATTENTION, ROOF_FP16, ROOF_FP16, 0, 740 / 989.4, "the peak",
     "Shah et al. 2024, arXiv 2407.08608: 740 TFLOP/s"},
    {"FlashAttention-2", "attention", ATTENTION, ROOF_FP16, ROOF_FP16, 0, 0.35, "the peak",
     "Shah et al. 2024: 35 % on an H100"},
    {"attention, not fused", "attention", ATTENTION " algorithm=standard", ROOF_FP16, ROOF_FP16, 0, 0.22,
     "the bandwidth", TAUGHT},
    {"SGEMM 1, naive", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.013, "a library", LADDER},
    {"SGEMM 2, coalesced", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.085, "a library", LADDER},
    {"SGEMM 3, shared memory", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.128, "a library", LADDER},
    {"SGEMM 4, 1D block tiles", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.365, "a library", LADDER},
    {"SGEMM 5, 2D block tiles", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.687, "a library", LADDER},
    {"SGEMM 6, vector loads", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.784, "a library", LADDER},
    {"SGEMM 9, autotuned", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.848, "a library", LADDER},
    {"SGEMM 10, warp tiles", "gemm", SGEMM, ROOF_FP32, ROOF_FP32, 0, 0.937, "a library", LADDER},
};

const roof_production *roof_production_at(int index) {
  return index >= 0 && index < (int)(sizeof kernels / sizeof kernels[0]) ? &kernels[index] : NULL;
}

/** The kernel's work on the lesson's machine. */
static roof_status predict(const roof_lesson *lesson, const roof_production *k, roof_prediction *p) {
  roof_types types = roof_types_of(k->dtype);
  const roof_op *op = NULL;
  roof_target target;
  double values[ROOF_PARAM_MAX];
  types.weights = k->weights;
  types.group = k->group;
  roof_status status =
      roof_target_init(&target, lesson->target->machine, &types, &lesson->target->options, NULL);
  status = status == ROOF_OK ? roof_op_find(k->op, &op, NULL) : status;
  status = status == ROOF_OK ? roof_shape_values(op, k->shape, values, NULL) : status;
  if (status == ROOF_OK) {
    roof_predict(&target, op, values, p);
  }
  return status;
}

void rf_advise_work_production(roof_text *out, const roof_lesson *lesson) {
  roof_text_add(out,
                "  FLOP/B and `here` are of the operation, each byte once: a naive kernel reads more.\n");
  roof_text_addf(out, "  %-23s %5s  %6s  %-8s  %s\n", "kernel", "dtype", "FLOP/B", "here", "published");
  for (int i = 0; roof_production_at(i) != NULL; i++) {
    const roof_production *k = roof_production_at(i);
    roof_prediction p;
    if (predict(lesson, k, &p) == ROOF_OK) {
      roof_text_addf(out, "  %-23s %5s  %6.4g  %-8s  %.1f %% of %s; %s\n", k->kernel,
                     roof_dtype_name(k->dtype), p.intensity, roof_regime_name(p.regime), 100 * k->share,
                     k->of, k->source);
    }
  }
  roof_text_add(out, "\n  What is said to reach 90 % of an H100's tensor cores at an intensity of 64\n"
                     "  cannot: 64 x 3.35 TB/s is 214 TFLOP/s, 21.7 % of the peak.\n"
                     "  `roofline claim` judges a number of yours.\n");
}
