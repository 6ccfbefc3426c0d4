/* Numbers that widespread teaching material has wrong, with the right ones: docs/numbers.md has more on the
 * most frequent, the unit tests compute every one that names an operation or a machine. */
#include <math.h>
#include <string.h>

#include "advise/topics.h"
#include "core/number.h"
#include "roofline/units.h"

enum { SHORT = 48 };

#define TEXT ROOF_ERRATUM_TEXT, NULL, NULL, NULL, ROOF_FP16, ROOF_FP16
#define INTENSITY(op, shape, dtype) ROOF_ERRATUM_INTENSITY, op, shape, "a100", ROOF_##dtype, ROOF_##dtype
#define PEAK(machine, dtype) ROOF_ERRATUM_PEAK, NULL, NULL, machine, ROOF_##dtype, ROOF_##dtype
#define RIDGE(machine, dtype) ROOF_ERRATUM_RIDGE, NULL, NULL, machine, ROOF_##dtype, ROOF_##dtype
#define SECONDS(op, shape, machine, weights)                                                                 \
  ROOF_ERRATUM_SECONDS, op, shape, machine, ROOF_FP16, ROOF_##weights

static const roof_erratum errata[] = {
    {"dense fp16 peak of an H100", "1979 TFLOP/s", 989.4e12, "FLOP/s", "1979 needs 2:4 sparsity",
     PEAK("h100", FP16)},
    {"dense tf32 peak of an H100", "989 TFLOP/s", 494.7e12, "FLOP/s", "989 needs 2:4 sparsity",
     PEAK("h100", TF32)},
    {"dense int8 peak of an H100", "3958 TOP/s", 1979e12, "FLOP/s", "3958 needs 2:4 sparsity",
     PEAK("h100", INT8)},
    {"multiply-adds of an H100 in fp16", "989 trillion per second", 494.7e12, "FMA/s",
     "a multiply-add is two FLOPs", TEXT},
    {"fp16 ridge of an H100 PCIe", "295 FLOP/B, as of the SXM board", 378, "FLOP/B",
     "its HBM2e delivers 40 % less, its peak is 24 % lower", RIDGE("h100-pcie", FP16)},
    {"fp16 ridge of an A100", "104 FLOP/B", 153.0, "FLOP/B", "312 TFLOP/s / 2.039 TB/s", RIDGE("a100", FP16)},
    {"INT4 roof of an H100", "3958 TOP/s", NAN, "",
     "Hopper's tensor cores have no INT4: it stores weights only", TEXT},
    {"intensity of a GEMM of 128 x 128 x 128 in fp32", "42.67 FLOP/B", 64.0 / 3, "FLOP/B",
     "N/3 is of 2 bytes a number, N/6 of 4", INTENSITY("gemm", "m=128 n=128 k=128", FP32)},
    {"intensity of a GEMM of 4096 x 4096 x 4096 in fp32", "1365 FLOP/B", 2048.0 / 3, "FLOP/B",
     "N/3 is of 2 bytes a number, N/6 of 4", INTENSITY("gemm", "m=4096 n=4096 k=4096", FP32)},
    {"intensity of a GEMM of 8192 x 8192 x 8192 in fp16", "4096 FLOP/B", 8192.0 / 3, "FLOP/B",
     "N/2 is off by 1.5: 2 N^3 FLOP over 3 N^2 x 2 bytes", INTENSITY("gemm", "m=8192 n=8192 k=8192", FP16)},
    {"intensity of a GEMM of 8192 x 28672 x 8192 in fp16", "2725 FLOP/B", 3584, "FLOP/B",
     "the sum of its bytes is 2^30, not 1.41e9", INTENSITY("gemm", "m=8192 n=28672 k=8192", FP16)},
    {"tokens from which 8192 x 28672 in fp16 is compute-bound on an H100", "32 tokens", 309.699, "tokens",
     "at 32 the intensity is 31.8, a ninth of the ridge", ROOF_ERRATUM_CROSSING, "gemm", "m=1 n=28672 k=8192",
     "h100", ROOF_FP16, ROOF_FP16},
    {"side from which a cube in fp16 passes the ridge of an H100", "256", 886, "elements",
     "N/3 = 295.3; a cube of 256 has 85 FLOP/B", TEXT},
    {"how far a decode GEMV is from the ridge of an H100", "ten thousand times", 295.3, "x",
     "1 FLOP/B against 295.3", TEXT},
    {"intensity of a naive GEMM of 4096 in fp32", "1365 FLOP/B, compute-bound", 0.25, "FLOP/B",
     "without reuse a row and a column are read for every result; in 2 bytes 0.5", TEXT},
    {"elements moved by a GEMM of N = 4096 in tiles of t = 128", "N^2/t = 131072", 1.09052e9, "elements",
     "2 N^3 / t and the result; N^2/t is less than one matrix", TEXT},
    {"intensity with INT4 weights at batch 1, 8192 x 28672", "1 FLOP/B", 3.99749, "FLOP/B",
     "the FLOPs stay, the bytes fall to a quarter", ROOF_ERRATUM_INTENSITY, "gemm", "m=1 n=28672 k=8192",
     "h100", ROOF_FP16, ROOF_INT4},
    {"time of that product on an H100 with INT4 weights, at best", "200 us", 35.08e-6, "s",
     "200 us is of fp16 weights; a quarter of the bytes",
     SECONDS("gemm", "m=1 n=28672 k=8192", "h100", INT4)},
    {"time of 32 tokens through 8192 x 28672 in fp16 on an H100, at best", "under 8 us, overhead", 140.93e-6,
     "s", "all weights are read still: memory-bound", SECONDS("gemm", "m=32 n=28672 k=8192", "h100", FP16)},
    {"what lower precision does", "more kernels are compute-bound", NAN, "",
     "the ridge moves right with the intensity: the same, or fewer; weights alone lower the critical batch",
     TEXT},
    {"intensity of flash attention, S = 2048, d = 128, fp16", "50 to 100 FLOP/B", 1034, "FLOP/B",
     "Q, K, V, O once: (4d + 5) S / (8d); 64 is a tile of queries that never hits L2",
     INTENSITY("attention", "batch=1 heads=1 q_len=2048 kv_len=2048 head_dim=128", FP16)},
    {"intensity of standard attention, S = 2048, d = 128, fp16", "2 to 5 FLOP/B", 114.889, "FLOP/B",
     "two passes over the scores; it tends to (4d + 5) / 4 = 129 and does not fall",
     INTENSITY("attention", "batch=1 heads=1 q_len=2048 kv_len=2048 head_dim=128 algorithm=standard", FP16)},
    {"share of the fp16 peak that FlashAttention-3 reaches on an H100", "90 %", 0.748, "",
     "740 TFLOP/s as published; at intensity 64 the roof would be 21.7 %", TEXT},
    {"intensity of a 3 x 3 convolution 64 to 64, 56 x 56, batch 1, fp16", "28.5 FLOP/B", 263.776, "FLOP/B",
     "28.5 is of im2col, which moves nine inputs",
     INTENSITY("conv2d", "batch=1 in_channels=64 out_channels=64 height=56 width=56 kernel=3", FP16)},
    {"intensity of a linear layer 4096 to 4096 at batch 256, fp16", "170.7 or 249.2 FLOP/B", 227.556,
     "FLOP/B", "16384 bytes are moved for every row",
     INTENSITY("linear", "batch=256 in=4096 out=4096", FP16)},
    {"limit of the intensity of 4096 to 4096 as the batch grows, fp16", "the batch", 2048, "FLOP/B",
     "in x out / (in + out); it is about the batch only while that is small", TEXT},
    {"critical batch of 256 to 256 at a ridge of 152", "1", NAN, "", "never: the intensity saturates at 128",
     TEXT},
    {"intensity of GER in fp32", "0.5 FLOP/B", 0.25, "FLOP/B", "A is read and written",
     INTENSITY("ger", "m=8192 n=8192", FP32)},
    {"intensity of SYMM of 4096 in fp32", "n/3", 4096.0 / 5, "FLOP/B",
     "half of A: 2 n^3 over 4 x 2.5 n^2 bytes", INTENSITY("symm", "m=4096 n=4096", FP32)},
    {"intensity of an elementwise operation on one input, fp16", "0.5 FLOP/B", 0.25, "FLOP/B",
     "2 bytes read and 2 written", INTENSITY("relu", "n=1000000", FP16)},
    {"intensity of an elementwise operation on two inputs, fp16", "0.33 FLOP/B", 1.0 / 6, "FLOP/B",
     "4 bytes read and 2 written", INTENSITY("add", "n=1000000", FP16)},
    {"intensity of a layer norm in fp16", "1 FLOP/B", 2, "FLOP/B", "8 FLOP over 4 bytes; 8 bytes are of fp32",
     INTENSITY("layernorm", "rows=4096 cols=4096", FP16)},
    {"intensity of an RMS norm in fp16", "0.625 FLOP/B", 1.25, "FLOP/B",
     "5 FLOP over 4 bytes; 8 bytes are of fp32", INTENSITY("rmsnorm", "rows=4096 cols=4096", FP16)},
    {"bound over several memory levels", "the sum of bandwidth x intensity", NAN, "",
     "the least of them: levels are in series", TEXT},
    {"largest fp32 tile of which three fit a block of an A100", "128, \"fits exactly\"", 117, "elements",
     "three of 128 x 128 take 192 KiB, a block has 163 KiB; 96 as a multiple of 32", TEXT},
    {"multiply-adds of a 16 x 16 x 16 MMA", "256", 4096, "FMA", "16^3; 256 per clock is 8 x 4 x 8", TEXT},
    {"register bandwidth of an A100", "20 TB/s", 156e12, "B/s",
     "a lane reads three and writes one number of 4 bytes per cycle", TEXT},
    {"bytes per element of `b + scalar * c` in eager PyTorch, fp64", "24 B", 40, "B",
     "two kernels and a temporary: five arrays", TEXT},
    {"bandwidth that HBM2e and HBM3 lose to ECC", "6 to 7 %", 0, "", "their ECC bits have wires of their own",
     TEXT},
    {"ResNet-50 at batch 1 in 8 ms on an A100", "memory-bound", 25e-6, "s",
     "that is the memory time: 8 ms is overhead", TEXT},
    {"cuda_memory_usage as the bytes of an operation", "FLOP / cuda_memory_usage", NAN, "",
     "it is what the allocator gave, not what moved: 130 times too high", TEXT},
};

const roof_erratum *roof_erratum_at(int index) {
  return index >= 0 && index < (int)(sizeof errata / sizeof errata[0]) ? &errata[index] : NULL;
}

/** The command that prints the right number; a time is of data in memory. */
static void add_command(roof_text *out, const roof_erratum *e) {
  if (e->op != NULL) {
    bool crossing = e->figure == ROOF_ERRATUM_CROSSING;
    roof_text_addf(out, "    roofline %s %s %s --machine %s --dtype %s",
                   crossing ? "explain critical-batch" : "predict", e->op, e->shape, e->machine,
                   roof_dtype_name(e->dtype));
    if (e->weights != e->dtype) {
      roof_text_addf(out, " --weights %s", roof_dtype_name(e->weights));
    }
    roof_text_add(out, e->figure == ROOF_ERRATUM_SECONDS ? " --cold\n" : "\n");
  } else if (e->figure != ROOF_ERRATUM_TEXT) {
    roof_text_addf(out, "    roofline explain %s --machine %s --dtype %s\n",
                   e->figure == ROOF_ERRATUM_PEAK ? "peak" : "ridge", e->machine, roof_dtype_name(e->dtype));
  }
}

/** SI prefixes for rates and times alone: an intensity of 2731 FLOP/B is easier to read as it stands. */
static const char *right_number(const roof_erratum *e, char buffer[SHORT]) {
  bool scaled = strcmp(e->unit, "FLOP/s") == 0 || strcmp(e->unit, "B/s") == 0 || strcmp(e->unit, "s") == 0 ||
                strcmp(e->unit, "FMA/s") == 0;
  if (scaled) {
    return roof_quantity_format(buffer, SHORT, e->right, e->unit);
  }
  bool crossing = e->figure == ROOF_ERRATUM_CROSSING; /* as the command has it */
  rf_format(buffer, SHORT,
            e->right >= 1e4 ? "%.0f%s%s"
            : crossing      ? "%.6g%s%s"
                            : "%.4g%s%s",
            e->right, e->unit[0] != '\0' ? " " : "", e->unit);
  return buffer;
}

void rf_advise_work_errata(roof_text *out, const roof_lesson *lesson) {
  (void)lesson;
  for (int i = 0; roof_erratum_at(i) != NULL; i++) {
    const roof_erratum *e = roof_erratum_at(i);
    char right[SHORT];
    roof_text_addf(out, "  %s\n    not %s", e->about, e->quoted);
    if (!isnan(e->right)) {
      roof_text_addf(out, " but %s", right_number(e, right));
    }
    roof_text_addf(out, ": %s\n", e->why);
    add_command(out, e);
  }
}
