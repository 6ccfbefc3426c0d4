/* `write BYTES FILE`: a trace as PyTorch's profiler writes it, of a training step repeated: every kernel with
 * its launch, its flow, three operators with shapes and a Python frame around it.
 * `names COUNT FILE`: a trace of that many kernels, each of its own name.
 * `read FILE`: how fast and in how much memory it is imported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "roofline/import.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss * 1024;
}

/** One of the operators of the step. */
static const struct {
  const char *around, *op, *shapes, *types, *strides, *values, *kernel;
} steps[] = {
    {"aten::linear", "aten::addmm", "[[4096], [2048, 4096], [4096, 4096], [], []]",
     "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"]",
     "[[1], [4096, 1], [1, 4096], [], []]", "[\"\", \"\", \"\", \"1\", \"1\"]",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
     "kernel__5x_cublas"},
    {"aten::silu", "aten::silu", "[[2048, 4096]]", "[\"c10::BFloat16\"]", "[[4096, 1]]", "[\"\"]",
     "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::silu_kernel("
     "at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#6}::operator()() const::{lambda("
     "c10::BFloat16)#1}, at::detail::Array<char*, 2> >(int, at::native::(anonymous namespace)::silu_kernel("
     "at::TensorIteratorBase&)::{lambda()#1}, at::detail::Array<char*, 2>)"},
    {"aten::layer_norm", "aten::native_layer_norm", "[[2048, 4096], [], [4096], [4096], []]",
     "[\"c10::BFloat16\", \"\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]",
     "[[4096, 1], [], [1], [1], []]", "[\"\", \"[4096]\", \"\", \"\", \"1.0000000000000001e-05\"]",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
     "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)"},
};

enum { STEPS = sizeof steps / sizeof steps[0] };

static long long operators(FILE *f, int s, long long nth, long long ns) {
  for (int inner = 0; inner < 2; inner++) {
    fprintf(
        f,
        "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 4037, \"tid\": 4037,\n"
        "    \"ts\": %lld.%03lld, \"dur\": %d.500,\n    \"args\": {\n      \"External id\": %lld,\"Record "
        "function id\": 0, \"Concrete Inputs\": %s, \"Input type\": %s, \"Input Strides\": %s, \"Input "
        "Dims\": %s, \"Ev Idx\": %lld\n    }\n  },\n",
        inner ? steps[s].op : steps[s].around, ns / 1000, ns % 1000, inner ? 18 : 30, nth * 4 + inner,
        steps[s].values, steps[s].types, steps[s].strides, steps[s].shapes, nth * 4 + inner);
    ns += 2150;
  }
  return ns;
}

static void activity(FILE *f, int s, long long nth, long long ns) {
  fprintf(f,
          "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4037, "
          "\"tid\": 4037,\n    \"ts\": %lld.%03lld, \"dur\": 6.250,\n    \"args\": {\n      \"External id\": "
          "%lld, \"cbid\": 211, \"correlation\": %lld\n    }\n  },\n",
          ns / 1000, ns % 1000, nth * 4 + 1, nth);
  fprintf(f,
          "  {\n    \"ph\": \"s\", \"id\": %lld, \"pid\": 4037, \"tid\": 4037, \"ts\": %lld.%03lld,\n    "
          "\"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n",
          nth, ns / 1000, ns % 1000);
  ns += 9300;
  fprintf(
      f,
      "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7,\n    "
      "\"ts\": %lld.%03lld, \"dur\": %d.%03lld,\n    \"args\": {\n      \"External id\": %lld,\n      "
      "\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": %lld,\n      "
      "\"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks per SM\": 124.121212,\n "
      "     \"warps per SM\": 496.484848,\n      \"grid\": [16384, 1, 1],\n      \"block\": [128, 1, "
      "1],\n      \"est. achieved occupancy %%\": 95\n    }\n  },\n",
      steps[s].kernel, ns / 1000, ns % 1000, s == 0 ? 30 : 11, nth % 1000, nth * 4 + 1, nth);
  fprintf(
      f,
      "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"torch/nn/modules/module.py(1747): "
      "_call_impl\", \"pid\": 4037, \"tid\": 4037,\n    \"ts\": %lld.%03lld, \"dur\": 40.500,\n    "
      "\"args\": {\n      \"Python parent id\": %lld, \"Python id\": %lld, \"Ev Idx\": %lld\n    }\n  },\n",
      ns / 1000, ns % 1000, nth, nth + 1, nth * 4 + 2);
}

static int write_trace(double bytes, const char *path) {
  FILE *f = fopen(path, "w");
  if (f == NULL) {
    perror(path);
    return 3;
  }
  fprintf(f,
          "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA "
          "H100 80GB HBM3\", \"totalGlobalMem\": 85017493504,\n      \"numSms\": 132\n    }\n  ],\n  "
          "\"record_shapes\": 1,\n  \"traceEvents\": [\n");
  long long ns = 2413669096100149, nth = 1;
  for (; (double)ftello(f) < bytes; nth++, ns += 52000) {
    int s = (int)(nth % STEPS);
    activity(f, s, nth, operators(f, s, nth, ns));
  }
  fprintf(
      f,
      "  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"\", \"tid\": \"\", "
      "\"ts\": %lld.000\n  }\n  ],\n  \"traceName\": \"trace.json\",\n  \"displayTimeUnit\": \"ms\",\n  "
      "\"baseTimeNanoseconds\": 1727743122000000000\n}\n",
      ns / 1000);
  printf("kernels %lld\n", nth - 1);
  return fclose(f) == 0 ? 0 : 3;
}

static int write_names(long long count, const char *path) {
  FILE *f = fopen(path, "w");
  if (f == NULL) {
    perror(path);
    return 3;
  }
  fprintf(f,
          "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\"}], "
          "\"traceEvents\": [\n");
  for (long long nth = 1; nth <= count; nth++) {
    fprintf(
        f,
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void ns::kernel_%lld<float, %lld>(float const*, "
        "int)\", "
        "\"pid\": 0, \"tid\": 7, \"ts\": %lld.000, \"dur\": 5.500, \"args\": {\"device\": 0, \"stream\": 7, "
        "\"correlation\": %lld}}%s\n",
        nth, nth % 7, 1000000 + nth * 10, nth, nth < count ? "," : "");
  }
  fprintf(f, "]}\n");
  printf("kernels %lld\n", count);
  return fclose(f) == 0 ? 0 : 3;
}

static int read_trace(const char *path) {
  roof_profile profile;
  roof_error error = {.code = ROOF_OK};
  struct stat info = {.st_size = 0};
  uint64_t calls = 0;
  double flops = 0, before, start;
  if (stat(path, &info) != 0 || roof_profile_init(&profile, &error) != ROOF_OK) {
    fprintf(stderr, "import: %s\n", path);
    return 3;
  }
  before = peak_bytes();
  start = now();
  roof_status status = roof_import(path, NULL, &profile, &error);
  double seconds = now() - start;
  for (size_t i = 0; i < profile.count; i++) {
    double more = roof_record_flops(&profile.records[i], NULL, NULL);
    flops += more > 0 ? more : 0;
    calls += profile.records[i].calls;
  }
  roof_profile_done(&profile);
  if (status != ROOF_OK) {
    fprintf(stderr, "import: %s\n", error.message);
    return 3;
  }
  printf("seconds %.6f\nbytes %.0f\nmegabytes_per_second %.1f\nmemory_bytes %.0f\nkernels "
         "%llu\nbytes_per_kernel "
         "%.1f\nflops %.0f\n",
         seconds, (double)info.st_size, (double)info.st_size / seconds * 1e-6, peak_bytes() - before,
         (unsigned long long)calls, (peak_bytes() - before) / (double)calls, flops);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "write") == 0) {
    return write_trace(strtod(argv[2], NULL), argv[3]);
  }
  if (argc == 4 && strcmp(argv[1], "names") == 0) {
    return write_names(strtoll(argv[2], NULL, 10), argv[3]);
  }
  if (argc == 3 && strcmp(argv[1], "read") == 0) {
    return read_trace(argv[2]);
  }
  fprintf(stderr, "usage: bench-import write BYTES FILE | names COUNT FILE | read FILE\n");
  return 2;
}
