/* Replays the numbers recomputed from the teaching material (tests/data/worked.json): every entry that the
 * library can answer is predicted from the entry's inputs; the others are listed with the reason. */
#include "test.h"

#include <ctype.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "catalog/formula.h"
#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/plan.h"
#include "roofline/units.h"
#include "roofline/weights.h"

enum { INPUT_MAX = 32, TOKEN_MAX = 24, TEXT_MAX = 256, ANSWERED_MIN = 313 };

/* What is asked of a prediction or of a machine. */
typedef enum quantity {
  FLOPS,
  BYTES,
  WRITTEN,
  WEIGHTS, /* bytes of `count` weights */
  LINK_BYTES,
  WORKING_SET,
  INTENSITY,       /* of compulsory bytes */
  INTENSITY_TILED, /* of what really moves with the tile */
  RIDGE,
  INTENSITY_OVER_RIDGE,
  RIDGE_OVER_INTENSITY,
  TILED_RIDGE_OVER_INTENSITY,
  ATTAINABLE,
  ATTAINABLE_SHARE, /* of the peak */
  ACHIEVED,         /* FLOP/s at the expected efficiency */
  BYTE_RATE,        /* bytes/s at the expected efficiency */
  RATE,             /* calls/s at the expected efficiency */
  COMPUTE,
  MEMORY,
  LOWER,
  UPPER,
  EXPECTED,
  EXPECTED_LOW,
  EXPECTED_HIGH,
  ENERGY,
  FLOPS_PER_JOULE,
  ESCAPE_BYTES,
  MEASURED_SHARE, /* best time by the datasheet / best time by measured figures */
  MEASURED_GAP,   /* 1 - that */
  CROSSING,       /* of the parameter `cross` */
  LEVEL_BYTES,    /* of the level `level`: one instance */
  LEVEL_TOTAL,
  LEVEL_RATE,
  LARGEST_TILE, /* multiple of 32 that the innermost level holds */
  BY_MODEL,     /* a function over a whole model or cluster, by the entry's id */
  REGIME,       /* a label, as are those below */
  BINDING,
  LINT /* the linter recomputes it */
} quantity;

/** `spec` is "OP parameter=EXPRESSION ... @ setting=EXPRESSION ..." over the entry's inputs. With `other`,
 * the answer is the ratio of both, plus `offset`. */
typedef struct row {
  const char *id; /* may hold * */
  quantity what;
  const char *spec;
  quantity other_what;
  const char *other;
  double offset;
} row;

#define GEMM "gemm m=M n=N k=K"
#define CUBE "gemm m=N n=N k=N"
#define LINEAR "linear batch=batch in=in_features out=out_features"
#define CONV                                                                                                 \
  "conv2d batch=batch in_channels=cin out_channels=cout height=h width=w kernel=kernel stride=stride"
#define ATTENTION "attention batch=B heads=H q_len=S kv_len=S head_dim=D"
#define ROW_LIMIT "gemv m=1e9 n=1e9"
#define NAIVE "gemm m=1e9 n=1e9 k=1e9 @ tile=1"
#define BIG "gemm m=1e5 n=1e5 k=1e5"
#define STREAM "copy n=1e9"
#define AT_RIDGE " @ cutoff=0 peak=ridge*1e9 bandwidth=1e9"
#define AT_153 " @ cutoff=0 peak=153e9 bandwidth=1e9"
#define POINT "user flops=ai*1e9 bytes=1e9"
/* 15 FLOP per element of the MLP and two arrays in and out, as that source counts them. */
#define BLOCK_ACTIVATIONS                                                                                    \
  "user flops=15*batch*seq*hidden*ffn_mult bytes=4*batch*seq*hidden*ffn_mult*dtype_bytes"
/* A prompt at the peak, then weights alone for each token: one after the other. */
#define GENERATION "user flops=2*params*prompt bytes=gen*params*bytes"

#define ASK(entry_id, quantity_asked, text)                                                                  \
  { .id = entry_id, .what = quantity_asked, .spec = text }
#define RATIO(entry_id, quantity_asked, text, divisor)                                                       \
  { .id = entry_id, .what = quantity_asked, .spec = text, .other_what = quantity_asked, .other = divisor }
/** Ratio - 1. */
#define GAIN(entry_id, quantity_asked, text, divisor)                                                        \
  {                                                                                                          \
    .id = entry_id, .what = quantity_asked, .spec = text, .other_what = quantity_asked, .other = divisor,    \
    .offset = -1                                                                                             \
  }
/** Two quantities of one prediction. */
#define SHARE(entry_id, part, whole, text)                                                                   \
  { .id = entry_id, .what = part, .spec = text, .other_what = whole, .other = text }
#define MODEL(entry_id)                                                                                      \
  { .id = entry_id, .what = BY_MODEL, .spec = "model" }
/** FLOPs of one operation for each byte that another sends. */
#define PER_LINK_BYTE(entry_id, text, divisor)                                                               \
  { .id = entry_id, .what = FLOPS, .spec = text, .other_what = LINK_BYTES, .other = divisor }

static const row rows[] = {
    ASK("000.ridge_fp16", RIDGE, BIG),
    ASK("000.ridge_fp8", RIDGE, BIG " @ dtype=fp8 peak=fp8_dense_tflops*1e12"),
    ASK("000.s1.term_MN", WRITTEN, GEMM " @ output=int8"),
    ASK("000.s?.flops", FLOPS, GEMM),
    MODEL("000.s3.per_layer"),
    ASK("000.s3.bytes", WEIGHTS, "count K*N"),
    ASK("000.s?.bytes", BYTES, GEMM),
    ASK("000.s?.ai", INTENSITY, GEMM),
    ASK("000.s?.ai_over_ridge", INTENSITY_OVER_RIDGE, GEMM),
    ASK("000.s?.bound*", REGIME, GEMM),
    ASK("000.s1.time_800", COMPUTE, GEMM " @ peak=800e12"),
    ASK("000.s1.eta_range_lo", EXPECTED_LOW, GEMM),
    ASK("000.s1.eta_range_hi", EXPECTED_HIGH, GEMM),
    ASK("000.s?.pred_us*", EXPECTED, GEMM),
    ASK("000.s2.time_055", EXPECTED, GEMM " @ efficiency=0.55"),
    ASK("000.s3.time_70", EXPECTED, "user flops=2*M*N*K read=K*N*w @ efficiency=0.70"),
    ASK("000.s3.tok_s", RATE, "user flops=2*M*N*K read=K*N*w @ efficiency=0.70"),
    ASK("000.s3.int4_ai", INTENSITY, GEMM " @ weights=int4"),
    ASK("000.prod.marlin_ai", INTENSITY, GEMM " @ weights=int4 group=128"),
    ASK("000.gemv_gap", RIDGE_OVER_INTENSITY, GEMM),
    ASK("000.intro.ai_b32", INTENSITY, GEMM),
    ASK("000.oh.bytes_8us", ESCAPE_BYTES, BIG " @ cutoff=t_us*1e-6 efficiency=eff"),
    ASK("000.oh.verify32", EXPECTED, GEMM " @ efficiency=eff"),
    ASK("000.predict.regime_*", EXPECTED, GEMM " @ efficiency=eff"),
    ASK("000.predict.label?", REGIME, GEMM " @ efficiency=eff"),
    ASK("000.ai.gemm_rule_*", INTENSITY, GEMM),
    ASK("000.ai.gemv", INTENSITY, ROW_LIMIT),
    ASK("000.ai.unary", INTENSITY, "relu n=1e6"),
    ASK("000.ai.binary", INTENSITY, "residual n=1e6"),
    ASK("000.ai.flash", INTENSITY, "attention batch=1 heads=1 q_len=S kv_len=S head_dim=D"),
    ASK("000.ai.flash_bound", REGIME, POINT AT_RIDGE),
    ASK("000.prod.fa3", ATTAINABLE_SHARE, POINT),
    ASK("000.prod.cublas_tflops", ACHIEVED, BIG " @ peak=peak*1e12 bandwidth=1e13 efficiency=pct"),
    ASK("000.prod.naive_attn", BYTE_RATE, STREAM " @ bandwidth=hbm*1e12 efficiency=pct"),
    ASK("000.band_tc_*", ACHIEVED, BIG " @ peak=989e12 bandwidth=1e13 efficiency=pct"),
    ASK("000.band_bw_hi", BYTE_RATE, STREAM " @ bandwidth=3.35e12 efficiency=pct"),
    ASK("000.hbm_formula", LINT, "level @ bus_bits=bits transfers=mhz*1e6*rate"),
    ASK("000.fp16_formula", LINT, "peak @ units=sm per_cycle=tcs*fma*2 clock=ghz*1e9"),

    MODEL("001.ib_xdr"),
    ASK("001.reg_sm", LEVEL_BYTES, "registers @ machine=nvidia-h100-sxm"),
    ASK("001.decode_ai", INTENSITY, ROW_LIMIT),
    ASK("001.decode_gap", RIDGE_OVER_INTENSITY, ROW_LIMIT),
    ASK("001.prefill_ai", INTENSITY, GEMM),
    GAIN("001.h200_bw_gain", MEMORY, STREAM " @ bandwidth=h100*1e12", STREAM " @ bandwidth=h200*1e12"),
    RATIO("001.fp4_over_fp8_ai", INTENSITY, ROW_LIMIT " @ dtype=fp4", ROW_LIMIT " @ dtype=fp8"),
    ASK("001.ridge.*", RIDGE, BIG),
    RATIO("001.jetson_below_hopper", RIDGE, BIG " @ machine=nvidia-jetson-orin-nano-super-8gb",
          BIG " @ machine=nvidia-h100-sxm"),
    ASK("001.skinny_ai", INTENSITY, GEMM),
    ASK("001.lab.*_ai", INTENSITY, GEMM),
    ASK("001.lab.gateup64_ceiling_h100", ATTAINABLE, GEMM),
    ASK("001.lab.gateup64_ceiling_h200", ATTAINABLE, GEMM " @ bandwidth=bw*1e12"),
    ASK("001.lab.int4_ridge_h100", RIDGE, BIG " @ weights=int4"),
    RATIO("001.q3.change_at_ceiling", ATTAINABLE, "gemm m=128e3 n=1e5 k=1e5", "gemm m=64e3 n=1e5 k=1e5"),
    ASK("001.q3.ai64", INTENSITY, GEMM),
    RATIO("001.q3.real_change", ATTAINABLE, "gemm m=M_1 n=N k=K", "gemm m=M_0 n=N k=K"),
    ASK("001.q4.m_inf", CROSSING, "linear in=1e12 out=1e12 @ cross=batch dtype=fp4"),
    ASK("001.q4.cube", CROSSING, "cube @ cross=m dtype=fp4"),
    ASK("001.q5.ai", INTENSITY, ROW_LIMIT),
    ASK("001.q5.attainable", ATTAINABLE, POINT " @ bandwidth=bw"),
    ASK("001.lever.h200_decode_70b", RATE,
        "user flops=2*params bytes=params*bytes @ bandwidth=bw efficiency=1"),

    ASK("002.add.flops", FLOPS, "add n=n"),
    ASK("002.add.ai", INTENSITY, "add n=n"),
    ASK("002.add.gap", RIDGE_OVER_INTENSITY, "add n=1e6"),
    ASK("002.gemm.rule", INTENSITY, CUBE),
    ASK("002.gemm.crossN", CROSSING, "cube @ cross=m"),
    ASK("002.naive.ai_*", INTENSITY_TILED, NAIVE),
    ASK("002.naive.gap_fp32", TILED_RIDGE_OVER_INTENSITY,
        NAIVE " dtype=fp32 peak=fp32_tflops*1e12 bandwidth=bw*1e12"),
    ASK("002.naive.pct_peak", ATTAINABLE_SHARE, NAIVE " dtype=fp32 peak=peak*1e12 bandwidth=3.35e12"),
    ASK("002.naive.13pct_fp32", ACHIEVED, BIG " @ peak=cublas_tflops*1e12 bandwidth=1e13 efficiency=pct"),
    ASK("002.naive.a6000", ATTAINABLE, NAIVE " dtype=fp32 bandwidth=bw_gbs*1e9 peak=38.7e12"),
    ASK("002.ladder.*", MEASURED_SHARE,
        BIG " @ peak=cublas_gflops*1e9 measured_peak=gflops*1e9 bandwidth=1e13"),

    ASK("003.dot.ai", INTENSITY, "dot n=1e12"),
    ASK("003.gemm1k.ai", INTENSITY, CUBE),
    ASK("003.ridge_fp32_b", RIDGE, BIG),
    ASK("003.peak.a100_fp32", LINT, "peak @ units=sm per_cycle=cores*flops_per_cycle clock=ghz*1e9"),
    ASK("003.peak.h100_fp64_code", LINT, "peak @ units=sm per_cycle=cores*2 clock=ghz*1e9"),
    ASK("003.tab.h100_*", LINT, "peak @ units=sm per_cycle=tcs*fma_per_clk*2*mult clock=ghz*1e9"),
    RATIO("003.tab.fp64_ratio", COMPUTE, BIG " @ dtype=fp32 peak=fp32*1e12",
          BIG " @ dtype=fp64 peak=fp64*1e12"),
    RATIO("003.tab.int8_ratio", COMPUTE, BIG " @ dtype=fp32 peak=fp32*1e12",
          BIG " @ dtype=int8 peak=int8*1e12"),
    RATIO("003.tab.int4_ratio", COMPUTE, BIG " @ dtype=fp32 peak=fp32*1e12",
          BIG " @ dtype=int4 peak=int4*1e12"),
    RATIO("003.prec.int4_gain", COMPUTE, BIG " @ dtype=fp32 peak=fp32*1e12",
          BIG " @ dtype=int4 peak=int4*1e12"),
    RATIO("003.tab.tc_vs_fp64", COMPUTE, BIG " @ dtype=fp64 peak=fp64*1e12",
          BIG " @ dtype=fp16 peak=fp16*1e12"),
    ASK("003.mem.reg_total", LEVEL_TOTAL, "registers @ machine=nvidia-a100-sxm-80gb"),
    ASK("003.mem.l1_total", LEVEL_TOTAL, "L1 @ machine=nvidia-a100-sxm-80gb"),
    ASK("003.mem.l1_bw", LEVEL_RATE, "L1 @ machine=nvidia-a100-sxm-80gb"),
    ASK("003.ridge.fp16_152", RIDGE, BIG " @ peak=peak*1e12 bandwidth=bw*1e9"),
    ASK("003.ridge.*", RIDGE, BIG),
    ASK("003.saxpy.flops", FLOPS, "axpy n=n"),
    ASK("003.saxpy.perf", ATTAINABLE, "axpy n=n"),
    ASK("003.saxpy.status", REGIME, "axpy n=n"),
    ASK("003.gemm4096.ai", INTENSITY, GEMM),
    ASK("003.gemm128.status", REGIME, "gemm m=128 n=128 k=128" AT_RIDGE " dtype=fp32"),
    ASK("003.sum.softmax", INTENSITY, "softmax rows=1e3 cols=1e3 @ dtype=fp32"),
    ASK("003.sum.layernorm", INTENSITY, "layernorm rows=1e3 cols=1e3 @ dtype=fp32"),
    ASK("003.sum.gemm*", INTENSITY, CUBE),
    ASK("003.stream.copy_bytes", BYTES, "copy n=1 @ dtype=fp64"),
    ASK("003.stream.copy_ai", INTENSITY, "copy n=1e6 @ dtype=fp64"),
    ASK("003.stream.add_ai", INTENSITY, "add n=1e6 @ dtype=fp64"),
    ASK("003.stream.eff_lo", MEASURED_SHARE, STREAM " @ bandwidth=peak*1e9 measured_bandwidth=measured*1e9"),
    ASK("003.stream.*_pct", MEASURED_SHARE, STREAM " @ bandwidth=peak*1e9 measured_bandwidth=measured*1e9"),
    ASK("003.gap.bw_a100", MEASURED_GAP, STREAM " @ bandwidth=peak*1e9 measured_bandwidth=measured*1e9"),
    ASK("003.gemmb.*", MEASURED_SHARE, BIG " @ peak=peak*1e12 measured_peak=measured*1e12 bandwidth=1e13"),
    ASK("003.gemmfig.*", MEASURED_SHARE, BIG " @ peak=peak*1e12 measured_peak=tflops*1e12 bandwidth=1e13"),
    ASK("003.casc.bw_*", MEASURED_SHARE, STREAM " @ bandwidth=peak*1e9 measured_bandwidth=v*1e9"),
    ASK("003.casc.fl_*", MEASURED_SHARE, BIG " @ peak=peak*1e12 measured_peak=v*1e12 bandwidth=1e13"),
    ASK("003.real.eff_l1", MEASURED_SHARE, STREAM " @ bandwidth=t*1e9 measured_bandwidth=a*1e9"),
    ASK("003.real.eff_tf32", MEASURED_SHARE, BIG " @ peak=t*1e12 measured_peak=a*1e12 bandwidth=1e13"),
    ASK("003.real.h100_fp16", MEASURED_SHARE,
        BIG " @ peak=peak*1e12 measured_peak=tflops*1e12 bandwidth=1e13"),
    ASK("003.real.*", RIDGE, BIG " @ peak=tflops*1e12 bandwidth=bw*1e9"),
    ASK("003.hrm.sum_example", ATTAINABLE,
        "axpy n=1e9 @ dtype=fp32 l1=bw_0*1e9 l2=bw_1*1e9 bandwidth=bw_2*1e9 peak=peak*1e9"),
    ASK("003.tile.*.level", BINDING,
        "gemm m=sqrt(ws/12) n=sqrt(ws/12) k=sqrt(ws/12) @ dtype=fp32 warm=1 l1=4e13 l1_bytes=l1 l2=2e13 "
        "l2_bytes=l2"),
    ASK("003.tile.*.ws", WORKING_SET, "gemm m=tile n=tile k=tile"),
    ASK("003.tile.smem_fit", LARGEST_TILE, "cube @ warm=1 l1=4e13 l1_bytes=smem_kib*1024"),
    ASK("003.tiling.naive_ws", WORKING_SET, CUBE),
    ASK("003.tiling.tiled_ws", WORKING_SET, "gemm m=tile n=tile k=tile @ dtype=fp32"),
    ASK("003.tiling.naive_ai", INTENSITY_TILED, CUBE " @ tile=1"),
    ASK("003.tiling.naive_status", REGIME, NAIVE " dtype=fp32 peak=ridge*1e9 bandwidth=1e9"),
    ASK("003.tiling.naive_perf", ATTAINABLE_SHARE, NAIVE " dtype=fp32 peak=peak*1e9 bandwidth=bw*1e9"),
    ASK("003.oi.ai", INTENSITY, GEMM),
    ASK("003.oi.hbm", INTENSITY, GEMM),
    ASK("003.prof.method_ai", INTENSITY, GEMM " @ dtype=fp32"),
    ASK("003.blas1.scopy", INTENSITY, "copy n=1e6 @ dtype=fp32"),
    ASK("003.blas1.sscal", INTENSITY, "scal n=1e6 @ dtype=fp32"),
    ASK("003.blas1.util_lo", INTENSITY_OVER_RIDGE, "scal n=1e9 @ dtype=fp32"),
    ASK("003.blas1.util_hi", INTENSITY_OVER_RIDGE, "nrm2 n=1e9 @ dtype=fp32"),
    ASK("003.blas2.ssymv", INTENSITY, "symv n=1e9 @ dtype=fp32"),
    ASK("003.blas2.sger", INTENSITY, "ger m=1e9 n=1e9 @ dtype=fp32"),
    ASK("003.gemv.*", INTENSITY, "gemv m=m n=n"),
    ASK("003.blas3.ssymm", INTENSITY, "symm m=1e9 n=1e9 @ per=1e9"),
    ASK("003.blas3.ssyrk", INTENSITY, "syrk n=1e9 k=1e9 @ per=1e9"),
    ASK("003.blas3.strmm", INTENSITY, "trmm m=1e9 n=1e9 @ per=1e9"),
    ASK("003.blas3.crossN", CROSSING, "cube @ cross=m dtype=fp32"),
    ASK("003.blas3.fig*", INTENSITY, CUBE),
    ASK("003.linear.*.status", REGIME, POINT AT_RIDGE),
    ASK("003.linear.*", INTENSITY, LINEAR),
    RATIO("003.conv.im2col_expand", WRITTEN,
          "conv2d batch=1 in_channels=1e9 out_channels=1 height=56 width=56 kernel=kernel algorithm=1",
          "copy n=1e9*56*56"),
    ASK("003.conv.*.status", REGIME, CONV AT_153),
    ASK("003.conv.*", INTENSITY, CONV),
    ASK("003.attn.*.std", INTENSITY, ATTENTION " algorithm=1 passes=score_passes"),
    ASK("003.attn.*.flash", INTENSITY, ATTENTION),
    RATIO("003.attn.*.ratio", INTENSITY, "attention batch=1 heads=1 q_len=S kv_len=S head_dim=D",
          "attention batch=1 heads=1 q_len=S kv_len=S head_dim=D algorithm=1"),
    ASK("003.attn.*.std4", INTENSITY,
        "attention batch=1 heads=1 q_len=S kv_len=S head_dim=D algorithm=1 passes=score_passes"),
    ASK("003.attn.softmax_ai", INTENSITY, "softmax rows=1e3 cols=1e3"),
    ASK("003.attn.qk_bound", REGIME, POINT AT_RIDGE),
    ASK("003.norm.layernorm", INTENSITY, "layernorm rows=1e3 cols=1e3"),
    ASK("003.norm.batchnorm", INTENSITY, "batchnorm rows=1e3 cols=1e3"),
    ASK("003.act.relu", INTENSITY, "relu n=1e6"),
    ASK("003.act.dropout", INTENSITY, "dropout n=1e6"),
    ASK("003.act.add", INTENSITY, "add n=1e6"),
    ASK("003.batch.wMB", WEIGHTS, "count in_features*out_features"),
    ASK("003.batch.*.flops", FLOPS, LINEAR),
    ASK("003.batch.*.bytes", BYTES, LINEAR),
    ASK("003.batch.*.ai", INTENSITY, LINEAR),
    ASK("003.batch.*.status", REGIME, LINEAR AT_153),
    ASK("003.batch.key_formula", INTENSITY, LINEAR),
    ASK("003.batch.4096", INTENSITY, LINEAR),
    ASK("003.crit.never_from", CROSSING, "square batch=1e14 @ cross=in"),
    ASK("003.crit.*", CROSSING, "linear in=in_features out=out_features @ cross=batch"),
    ASK("003.prec.*.ai", INTENSITY, LINEAR),
    ASK("003.prec.*.perf", ATTAINABLE, LINEAR),
    ASK("003.prec.*.ridge", RIDGE, LINEAR),
    ASK("003.prec.*.bound", REGIME, LINEAR " @ cutoff=0"),
    ASK("003.prec.*.ai_over_ridge", INTENSITY_OVER_RIDGE, LINEAR),
    RATIO("003.en.ratio60", ENERGY, "user flops=0 bytes=1e9 @ joules_byte=E_byte joules_flop=E_flop",
          "user flops=1e9 bytes=0 @ joules_byte=E_byte joules_flop=E_flop"),
    ASK("003.en.gemm_flops", FLOPS, CUBE),
    ASK("003.en.gemm_bytes", BYTES, CUBE),
    ASK("003.en.gemm_eff", FLOPS_PER_JOULE,
        "user flops=flops bytes=bytes @ joules_byte=E_byte joules_flop=E_flop"),
    ASK("003.en.sm_flops", FLOPS, "softmax rows=S cols=S"),
    ASK("003.en.sm_bytes", BYTES, "softmax rows=S cols=S"),
    ASK("003.en.limit", FLOPS_PER_JOULE, "user flops=1e9 bytes=0 @ joules_byte=0 joules_flop=E_flop"),
    ASK("003.comm.ridge_*", RIDGE, BIG " @ peak=peak bandwidth=bw"),
    PER_LINK_BYTE("003.comm.ci", "linear batch=3*B_tokens/N in=1e5 out=1e4",
                  "allreduce size=1e5*1e4*bytes ranks=N"),
    PER_LINK_BYTE("003.comm.scaling", "linear batch=2*B/N in=1e5 out=P/1e5",
                  "allreduce size=param_bytes ranks=N"),
    ASK("003.opt.ridge", RIDGE, BIG " @ peak=peak*1e9 bandwidth=bw*1e9"),
    ASK("003.opt.roof", ATTAINABLE, POINT " @ peak=312e12 bandwidth=bw*1e9"),
    ASK("003.opt.eff", MEASURED_SHARE, BIG " @ peak=roof*1e9 measured_peak=perf*1e9 bandwidth=1e13"),
    ASK("003.rn.b1u", MEASURED_SHARE, BIG " @ peak=peak*1e12 measured_peak=tflops*1e12 bandwidth=1e13"),
    ASK("003.rn.b1_ideal", MEMORY, "user flops=0 bytes=params*bytes @ bandwidth=bw"),
    ASK("003.blk.qkv.ai", INTENSITY, "linear batch=batch*seq in=hidden out=3*hidden"),
    ASK("003.blk.attn.gflop", FLOPS, "gemm m=seq n=seq k=hidden/heads batch=2*batch*heads"),
    ASK("003.blk.attn.gb", BYTES,
        "attention batch=batch heads=heads q_len=seq kv_len=seq head_dim=hidden/heads"),
    ASK("003.blk.attn.bound", REGIME,
        "attention batch=batch heads=heads q_len=seq kv_len=seq head_dim=hidden/heads" AT_153),
    ASK("003.blk.out.gflop", FLOPS, "linear batch=batch*seq in=hidden out=hidden"),
    ASK("003.blk.out.gb", BYTES, "linear batch=batch*seq in=hidden out=hidden"),
    ASK("003.blk.out.ai", INTENSITY, "linear batch=batch*seq in=hidden out=hidden"),
    ASK("003.blk.ln.gflop", FLOPS, "layernorm rows=2*batch*seq cols=hidden"),
    ASK("003.blk.ln.ai", INTENSITY, "layernorm rows=2*batch*seq cols=hidden"),
    ASK("003.blk.ln.bound", REGIME, "layernorm rows=2*batch*seq cols=hidden" AT_153),
    ASK("003.blk.ffn.gb", BYTES,
        "user flops=1 bytes=2*(batch*seq*hidden*(2+ffn_mult)+2*hidden*ffn_mult*hidden)"),
    ASK("003.blk.ffn.unfused_gb", BYTES, "linear batch=batch*seq in=hidden out=ffn_mult*hidden @ per=0.5"),
    ASK("003.blk.ffn.unfused_ai", INTENSITY, "linear batch=batch*seq in=hidden out=ffn_mult*hidden"),
    ASK("003.blk.act.gflop", FLOPS, BLOCK_ACTIVATIONS),
    ASK("003.blk.act.gb", BYTES, BLOCK_ACTIVATIONS),
    MODEL("003.blk.train3x"),
    ASK("003.llm.wgb", WEIGHTS, "count params"),
    ASK("003.llm.total", UPPER, GENERATION),
    SHARE("003.llm.share", MEMORY, UPPER, GENERATION),
    ASK("003.llm.prefill_bound", REGIME,
        "linear batch=prompt in=floor(sqrt(params)) out=floor(sqrt(params))"),
    ASK("003.llm.decode_ai", INTENSITY, ROW_LIMIT),
    ASK("003.fw.ridge_lo", RIDGE, BIG " @ peak=fp32*1e12 bandwidth=bw*1e12"),
    ASK("003.fw.ridge_hi", RIDGE, BIG " @ peak=fp16*1e12 bandwidth=bw*1e12"),
    ASK("003.fig.decode_hi", INTENSITY, ROW_LIMIT " @ dtype=fp8"),

    ASK("004.one_flop", INTENSITY, "reduce n=1e12"),
    ASK("004.dot", INTENSITY, "dot n=1e12"),
    ASK("004.v5e_ridge", RIDGE, BIG " @ peak=peak bandwidth=bw"),
    ASK("004.h100_ridge", RIDGE, BIG " @ peak=peak bandwidth=bw"),
    ASK("004.plot.crit_*", CROSSING, "linear in=D out=F @ cross=batch"),
    ASK("004.q.w8_ai", INTENSITY, "linear batch=1 in=1e9 out=1e9 @ weights=int8"),
    ASK("004.q.w8_crit_*", CROSSING, "linear in=1e12 out=1e12 @ cross=batch weights=int8"),
    ASK("004.q.native_crit", CROSSING, "linear in=1e12 out=1e12 @ cross=batch dtype=fp8"),
    ASK("004.q1.tmath", COMPUTE, GEMM),
    ASK("004.q2.lower", LOWER, GEMM),
    ASK("004.q4.dot_attain", ATTAINABLE, "dot n=1e12 @ peak=989e12 bandwidth=bw"),
    ASK("004.q7.fp8_ridge", RIDGE, BIG " @ dtype=fp8 peak=peak*1e12 bandwidth=bw*1e12"),
    ASK("004.q10.b*", INTENSITY, "linear batch=B in=D out=F"),
    MODEL("004.global_tokens"),
    MODEL("004.local_tokens"),
    MODEL("004.net.tp_crit_D"),
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/** Entries that no part of the library answers yet. */
static const struct {
  const char *id, *why;
} unanswered[] = {
    {"001.smem_bw", "an effective clock of the seed's own; the catalogue has another"},
    {"001.q1.*", "a mix of shares: `advise --mix` answers it, tests/questions.md"},
    {"002.madds_per_byte", "counts multiply-adds; the library counts FLOP"},
    {"002.teach.minutes", "minutes of a lesson"},
    {"003.tab.a100_fp16_cuda", "derives one format's peak from another's"},
    {"003.tab.a100_fp64tc", "derives one format's peak from another's"},
    {"003.tc.*", "derives one format's peak from another's"},
    {"003.mem.reg_bw", "operands per lane and cycle: not a ceiling the library keeps"},
    {"003.mem.l2_bw", "bytes per cycle of an L2: no datasheet figure"},
    {"003.stream.torch_max", "two kernels in sequence: needs a model"},
    {"003.gemmb.c*", "two quotes of one measurement"},
    {"003.tile.*.bw", "repeats a figure of the seed's own table, which the entry does not hold"},
    {"003.oi.l1*", "a tile model that moves C again at every step of k"},
    {"003.oi.lt", "a statement"},
    {"003.prec.pushes_right", "a statement"},
    {"003.en.gemm_bound", "which energy term is larger: not a regime of the library"},
    {"003.real.h100_tf32", "the entry's inputs are rounded more than its answer"},
    {"003.rn.b64u", "the entry's inputs are rounded more than its answer"},
    {"003.rn.b1", "a measured rate: no prediction in it"},
    {"003.rn.b64", "a measured rate: no prediction in it"},
    {"003.blk.total.ai", "a sum of operations each counted in its source's own way"},
    {"004.dot_n1000", "counts 2n - 1 FLOP for a dot product; the library counts 2n"},
};
enum { UNANSWERED_COUNT = sizeof unanswered / sizeof unanswered[0] };

/* One entry: its numbers by name, objects flattened, arrays as name_0, name_1. */
typedef struct entry {
  const char *id;
  const char *unit;
  json_t *correct;
  json_t *inputs;
  const char *names[INPUT_MAX + 1];
  char indexed[INPUT_MAX][24];
  double values[INPUT_MAX];
  int count;
} entry;

static void add_input(entry *e, const char *name, double value) {
  assert_true(e->count < INPUT_MAX);
  e->names[e->count] = name;
  e->values[e->count++] = value;
}

static void add_inputs(entry *e, json_t *object) {
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    for (size_t i = 0; i < json_array_size(value); i++) {
      snprintf(e->indexed[e->count], sizeof e->indexed[0], "%s_%zu", name, i);
      add_input(e, e->indexed[e->count], json_number_value(json_array_get(value, i)));
    }
    if (json_is_number(value)) {
      add_input(e, name, json_number_value(value));
    } else if (json_is_object(value)) {
      add_inputs(e, value);
    }
  }
}

static bool has_input(const entry *e, const char *name, double *value) {
  for (int i = 0; i < e->count; i++) {
    if (strcmp(e->names[i], name) == 0) {
      *value = e->values[i];
      return true;
    }
  }
  return false;
}

static double evaluate(entry *e, const char *text) {
  formula f = {0};
  size_t offset;
  roof_error error = {0};
  if (rf_formula_init(&f, text, e->names, e->values, &offset, &error) != ROOF_OK) {
    fail_msg("%s: %s", e->id, error.message);
  }
  double value = rf_formula_value(&f);
  rf_formula_done(&f);
  return value;
}

/** A row's words: the operation, its parameters, and the settings after `@`. */
typedef struct spec {
  char text[TEXT_MAX];
  char *op;
  char *parameters[TOKEN_MAX];
  int parameter_count;
  char *settings[TOKEN_MAX];
  int setting_count;
} spec;

static void parse_spec(spec *s, const char *text) {
  assert_true(strlen(text) < sizeof s->text);
  strcpy(s->text, text);
  s->op = strtok(s->text, " ");
  s->parameter_count = s->setting_count = 0;
  bool settings = false;
  for (char *word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {
    if (strcmp(word, "@") == 0) {
      settings = true;
    } else if (settings) {
      s->settings[s->setting_count++] = word;
    } else {
      s->parameters[s->parameter_count++] = word;
    }
  }
}

/** The text of the setting `name`, or NULL. */
static const char *setting(const spec *s, const char *name) {
  size_t length = strlen(name);
  for (int i = 0; i < s->setting_count; i++) {
    if (strncmp(s->settings[i], name, length) == 0 && s->settings[i][length] == '=') {
      return s->settings[i] + length + 1;
    }
  }
  return NULL;
}

static double setting_value(entry *e, const spec *s, const char *name, double fallback) {
  const char *text = setting(s, name);
  return text != NULL ? evaluate(e, text) : fallback;
}

/* The machine of an entry: its settings, else the inputs that name a peak or a bandwidth. */

static const struct {
  const char *input;
  double peak, bandwidth;
} figures[] = {
    {"fp16_dense_tflops", 1e12, 0}, {"peak_tflops", 1e12, 0}, {"peak_gflops", 1e9, 0}, {"ridge", 1e12, 0},
    {"hbm_tbps", 0, 1e12},          {"bw_tbps", 0, 1e12},     {"bw_gbs", 0, 1e9},
};

static void find_figures(const entry *e, double *peak, double *bandwidth) {
  double value;
  *peak = 989e12;
  *bandwidth = has_input(e, "ridge", &value) ? 1e12 : 3.35e12;
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    if (has_input(e, figures[i].input, &value)) {
      *(figures[i].peak > 0 ? peak : bandwidth) = value * (figures[i].peak + figures[i].bandwidth);
    }
  }
}

static void add_level(roof_machine *machine, roof_level_kind kind, const char *name, double bytes,
                      double bytes_per_second, roof_provenance provenance) {
  if (isnan(bytes_per_second)) {
    return;
  }
  roof_level *level = roof_machine_add_level(machine);
  level->level = kind;
  level->bytes = bytes;
  level->bytes_per_second = bytes_per_second;
  level->kind = provenance;
  strcpy(level->name, name);
}

static void add_peaks(roof_machine *machine, roof_dtype dtype, double flops_per_second,
                      roof_provenance kind) {
  for (int unit = 0; unit < ROOF_UNIT_COUNT && !isnan(flops_per_second); unit++) {
    roof_peak *peak = roof_machine_add_peak(machine);
    peak->dtype = dtype;
    peak->unit = (roof_unit)unit;
    peak->flops_per_second = flops_per_second;
    peak->kind = kind;
  }
}

static void make_machine(entry *e, const spec *s, roof_dtype dtype, roof_machine **slot) {
  if (setting(s, "machine") != NULL) {
    roof_error error = {0};
    if (roof_catalog_load(setting(s, "machine"), slot, &error) != ROOF_OK) {
      fail_msg("%s: %s", e->id, error.message);
    }
    return;
  }
  double peak, bandwidth;
  find_figures(e, &peak, &bandwidth);
  roof_machine *machine = empty_machine(slot);
  add_peaks(machine, dtype, setting_value(e, s, "peak", peak), ROOF_DATASHEET);
  add_peaks(machine, dtype, setting_value(e, s, "measured_peak", NAN), ROOF_MEASURED);
  add_level(machine, ROOF_L1, "L1", setting_value(e, s, "l1_bytes", NAN), setting_value(e, s, "l1", NAN),
            ROOF_DATASHEET);
  add_level(machine, ROOF_L2, "L2", setting_value(e, s, "l2_bytes", NAN), setting_value(e, s, "l2", NAN),
            ROOF_DATASHEET);
  add_level(machine, ROOF_MEMORY, "HBM", NAN, setting_value(e, s, "bandwidth", bandwidth), ROOF_DATASHEET);
  add_level(machine, ROOF_MEMORY, "HBM", NAN, setting_value(e, s, "measured_bandwidth", NAN), ROOF_MEASURED);
  machine->energy.joules_per_flop = setting_value(e, s, "joules_flop", NAN);
  machine->energy.joules_per_byte = setting_value(e, s, "joules_byte", NAN);
}

/* Formats: a setting, the input `dtype`, or the format of as many bytes as the inputs say. */

static roof_dtype parse_dtype(const entry *e, const char *name) {
  roof_dtype dtype = ROOF_FP16;
  roof_error error = {0};
  if (roof_dtype_parse(name, &dtype, &error) != ROOF_OK) {
    fail_msg("%s: %s", e->id, error.message);
  }
  return dtype;
}

static roof_types make_types(entry *e, const spec *s) {
  static const char *const sizes[] = {"dtype_bytes", "bytes_per_param"};
  static const roof_dtype of_size[] = {ROOF_FP64, ROOF_FP32, ROOF_FP16, ROOF_FP8, ROOF_FP4};
  const char *dtype = setting(s, "dtype");
  dtype = dtype != NULL ? dtype : json_string_value(json_object_get(e->inputs, "dtype"));
  roof_types types = roof_types_of(dtype != NULL ? parse_dtype(e, dtype) : ROOF_FP16);
  for (size_t i = 0; i < 2 && dtype == NULL; i++) {
    double bytes;
    for (size_t d = 0; has_input(e, sizes[i], &bytes) && d < sizeof of_size / sizeof of_size[0]; d++) {
      types = roof_dtype_bytes(of_size[d]) == bytes ? roof_types_of(of_size[d]) : types;
    }
  }
  types.weights = setting(s, "weights") != NULL ? parse_dtype(e, setting(s, "weights")) : types.weights;
  types.output = setting(s, "output") != NULL ? parse_dtype(e, setting(s, "output")) : types.output;
  types.group = setting_value(e, s, "group", 0);
  return types;
}

/* Operations: built-in, built-in with sides tied together, or `user` with formulas over the inputs. */

/** Copies what is built in; `params`: room for the parameters of what is tied. */
static void find_op(const char *name, roof_op *op, roof_param *params) {
  static const struct {
    const char *name, *of, *side, *tied[2];
  } tied[] = {{"cube", "gemm", "m", {"n", "k"}}, {"square", "linear", "in", {"out", "out"}}};
  const roof_op *found = NULL;
  for (size_t i = 0; i < sizeof tied / sizeof tied[0]; i++) {
    if (strcmp(name, tied[i].name) == 0) {
      find_op(tied[i].of, op, params);
      memcpy(params, op->params, ((size_t)roof_op_param_count(op) + 1) * sizeof *params);
      op->params = params;
      for (int t = 0; t < 2; t++) {
        params[roof_op_param_index(op, tied[i].tied[t])].same_as = tied[i].side;
      }
      return;
    }
  }
  roof_error error = {0};
  if (roof_op_find(name, &found, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  *op = *found;
}

static void make_user_op(const entry *e, const spec *s, roof_userops *ops) {
  roof_text text = {0};
  roof_text_add(&text, "op worked\n");
  for (int i = 0; i < e->count; i++) {
    roof_text_addf(&text, "param %s = %.17g\n", e->names[i], e->values[i]);
  }
  for (int i = 0; i < s->parameter_count; i++) {
    roof_text_addf(&text, "%s\n", s->parameters[i]);
  }
  roof_error error = {0};
  if (roof_userops_read(text.data, text.length, e->id, ops, &error) != ROOF_OK) {
    fail_msg("%s:%d: %s", e->id, error.line, error.message);
  }
  roof_text_done(&text);
}

static void make_values(entry *e, const spec *s, const roof_op *op, double *values) {
  roof_op_defaults(op, values);
  for (int i = 0; i < s->parameter_count; i++) {
    char *equals = strchr(s->parameters[i], '=');
    *equals = '\0';
    int index = roof_op_param_index(op, s->parameters[i]);
    if (index < 0) {
      fail_msg("%s: %s has no parameter %s", e->id, op->name, s->parameters[i]);
    }
    values[index] = evaluate(e, equals + 1);
    *equals = '=';
  }
}

/** Everything needed to predict. */
typedef struct setup {
  roof_machine *machine;
  roof_types types;
  roof_options options;
  roof_target target;
  roof_op op;
  roof_param params[ROOF_PARAM_MAX + 1];
  roof_userops userops;
  double values[ROOF_PARAM_MAX];
  double per;
} setup;

static void make_options(entry *e, const spec *s, roof_options *options) {
  *options = roof_options_default();
  options->efficiency = setting_value(e, s, "efficiency", options->efficiency);
  options->efficiency_low = fmin(options->efficiency, options->efficiency_low);
  options->efficiency_high = fmax(options->efficiency, options->efficiency_high);
  options->overhead_cutoff = setting_value(e, s, "cutoff", NAN);
  options->tile = setting_value(e, s, "tile", 0);
  options->warm = setting_value(e, s, "warm", 0) != 0;
}

static void set_up(entry *e, const spec *s, setup *u) {
  u->types = make_types(e, s);
  make_machine(e, s, u->types.compute, &u->machine);
  make_options(e, s, &u->options);
  assert_int_equal(roof_target_init(&u->target, u->machine, &u->types, &u->options, NULL), ROOF_OK);
  u->userops = (roof_userops){0};
  u->per = setting_value(e, s, "per", 1);
  if (strcmp(s->op, "user") == 0) {
    make_user_op(e, s, &u->userops);
    u->op = u->userops.ops[0];
    roof_op_defaults(&u->op, u->values);
  } else {
    find_op(s->op, &u->op, u->params);
    make_values(e, s, &u->op, u->values);
  }
}

static roof_prediction predict(entry *e, const setup *u) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_error error = {0};
  memcpy(values, u->values, sizeof values);
  if (roof_op_complete(&u->op, values, &error) != ROOF_OK) {
    fail_msg("%s: %s", e->id, error.message);
  }
  roof_predict(&u->target, &u->op, values, &p);
  return p;
}

/** Best time by the datasheet over best time by measured figures. */
static double measured_share(entry *e, setup *u) {
  double by_datasheet = predict(e, u).lower_seconds;
  u->options.achieved = true;
  assert_int_equal(roof_target_init(&u->target, u->machine, &u->types, &u->options, NULL), ROOF_OK);
  return by_datasheet / predict(e, u).lower_seconds;
}

static double largest_tile(entry *e, setup *u) {
  for (double tile = 32; tile < 4096; tile += 32) {
    u->values[0] = tile;
    if (predict(e, u).binding->level != ROOF_L1) {
      return tile - 32;
    }
  }
  return NAN;
}

static double escape_bytes(const setup *u) {
  double bytes, flops;
  roof_predict_escape(&u->target, ROOF_MATRIX, &bytes, &flops);
  return bytes;
}

static double of_prediction(const roof_prediction *p, quantity what) {
  const roof_level_time *outer = &p->levels[p->level_count - 1];
  const double table[] = {
      [FLOPS] = p->work.flops,
      [BYTES] = p->bytes,
      [WRITTEN] = p->work.write_bytes,
      [LINK_BYTES] = p->work.link_bytes,
      [WORKING_SET] = p->work.working_set,
      [INTENSITY] = p->intensity,
      [INTENSITY_TILED] = outer->intensity,
      [RIDGE] = p->ridge,
      [INTENSITY_OVER_RIDGE] = p->intensity / p->ridge,
      [RIDGE_OVER_INTENSITY] = p->ridge / p->intensity,
      [TILED_RIDGE_OVER_INTENSITY] = outer->ridge / outer->intensity,
      [ATTAINABLE] = p->attainable,
      [ATTAINABLE_SHARE] = p->attainable / p->peak->flops_per_second,
      [ACHIEVED] = p->work.flops / p->expected_seconds,
      [BYTE_RATE] = p->bytes / p->expected_seconds,
      [RATE] = 1 / p->expected_seconds,
      [COMPUTE] = p->compute_seconds,
      [MEMORY] = p->memory_seconds,
      [LOWER] = p->lower_seconds,
      [UPPER] = p->upper_seconds,
      [EXPECTED] = p->expected_seconds,
      [EXPECTED_LOW] = p->expected_low_seconds,
      [EXPECTED_HIGH] = p->expected_high_seconds,
      [ENERGY] = p->energy_joules,
      [FLOPS_PER_JOULE] = p->work.flops / p->energy_joules,
  };
  assert_true((size_t)what < sizeof table / sizeof table[0]);
  return table[what];
}

static double of_level(entry *e, const spec *s, quantity what) {
  owned roof_machine *machine = NULL;
  roof_level_kind kind;
  make_machine(e, s, ROOF_FP16, &machine);
  assert_int_equal(roof_level_kind_parse(s->op, &kind, NULL), ROOF_OK);
  const roof_level *level = roof_machine_level(machine, kind, ROOF_DATASHEET);
  return what == LEVEL_RATE ? roof_level_bandwidth(level, 0, 0)
                            : level->bytes * (what == LEVEL_TOTAL ? level->instances : 1);
}

/* Whole models and clusters. */

static roof_model_target *model_target(const char *name, roof_model_settings *s) {
  static roof_model model;
  static roof_machine *machine = NULL;
  static roof_model_target target;
  roof_error error = {0};
  if ((machine == NULL && roof_catalog_load("h100", &machine, &error) != ROOF_OK) ||
      roof_model_load(name, &model, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_settings given = s != NULL ? *s : roof_model_settings_default(&model);
  given.precision = model.precision;
  if (s == NULL) {
    given.fusion = 0;
  }
  if (roof_model_target_init(&target, &model, machine, &given, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return &target;
}

static roof_model_settings training(double sequences, double length) {
  roof_model none;
  roof_model_init(&none);
  roof_model_settings s = roof_model_settings_default(&none);
  s.train = true;
  s.batch = sequences;
  s.prompt = length;
  return s;
}

/** Products of the MLP per layer, one after the other. */
static double mlp_products(entry *e) {
  (void)e;
  static roof_model_phase p;
  const roof_model_target *t = model_target("llama-2-70b", NULL);
  double count = 0;
  roof_model_phase_of(t, ROOF_PHASE_DECODE, 1, 1, &p);
  for (int i = 0; i < p.count; i++) {
    count += p.operations[i].part == ROOF_PART_MLP ? p.operations[i].count : 0;
  }
  return count / t->model->layer_count;
}

/** FLOPs of the products of a training step / of a forward pass over the same tokens. */
static double training_share(entry *e) {
  (void)e;
  static roof_model_phase p;
  roof_model_settings s = training(4, 256);
  double flops[2] = {0};
  for (int train = 0; train < 2; train++) {
    s.train = train;
    roof_model_phase_of(model_target("gpt2", &s), train ? ROOF_PHASE_TRAIN : ROOF_PHASE_PREFILL, 0, 0, &p);
    for (int i = 0; i < p.count; i++) {
      const roof_model_operation *o = &p.operations[i];
      bool product = o->part == ROOF_PART_MLP || o->part == ROOF_PART_MIXER;
      flops[train] += product ? o->count * o->flops : 0;
    }
  }
  return flops[1] / flops[0];
}

/** Tokens of a step: of all devices, or of one where sequences and replicas divide them. */
static double step_tokens(entry *e) {
  static roof_model_phase p;
  double sequences = 0, length = 0, chips = 1;
  assert_true(has_input(e, "seqs", &sequences) && has_input(e, "len", &length));
  has_input(e, "chips", &chips);
  roof_model_settings s = training(sequences, length);
  s.dp = fmin(sequences, chips);
  s.cp = chips / s.dp;
  roof_model_phase_of(model_target("llama-3.1-8b", &s), ROOF_PHASE_TRAIN, 0, 0, &p);
  return p.tokens;
}

static double split_width(entry *e) {
  double peak = NAN, rate = NAN;
  assert_true(has_input(e, "peak", &peak) && has_input(e, "ici", &rate));
  return roof_cluster_split_width(&(roof_link){.bytes_per_second = rate}, peak, 2);
}

static double network_rate(entry *e) {
  (void)e;
  const roof_link *link = NULL;
  assert_int_equal(roof_network_find("xdr", NULL, &link, NULL), ROOF_OK);
  return link->bytes_per_second;
}

static double by_model(entry *e) {
  static const struct {
    const char *id;
    double (*answer)(entry *);
  } answers[] = {{"000.s3.per_layer", mlp_products}, {"003.blk.train3x", training_share},
                 {"004.global_tokens", step_tokens}, {"004.local_tokens", step_tokens},
                 {"004.net.tp_crit_D", split_width}, {"001.ib_xdr", network_rate}};
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    if (strcmp(answers[i].id, e->id) == 0) {
      return answers[i].answer(e);
    }
  }
  fail_msg("%s: no model answers it", e->id);
  return NAN;
}

/** The answer in base units; a label goes to `label`. */
static double ask(entry *e, quantity what, const char *text, char *label, size_t size) {
  static setup u;
  spec s;
  parse_spec(&s, text);
  if (what >= LEVEL_BYTES && what <= LEVEL_RATE) {
    return of_level(e, &s, what);
  }
  if (what == WEIGHTS) {
    roof_types types = make_types(e, &s);
    return roof_types_weight_bytes(&types, evaluate(e, s.parameters[0]));
  }
  if (what == BY_MODEL) {
    return by_model(e);
  }
  set_up(e, &s, &u);
  double answer = NAN;
  if (what == CROSSING) {
    int param = roof_op_param_index(&u.op, setting(&s, "cross"));
    answer = roof_predict_crossing(&u.target, &u.op, u.values, param);
  } else if (what == MEASURED_SHARE) {
    answer = measured_share(e, &u);
  } else if (what == MEASURED_GAP) {
    answer = 1 - measured_share(e, &u);
  } else if (what == LARGEST_TILE) {
    answer = largest_tile(e, &u);
  } else if (what == ESCAPE_BYTES) {
    answer = escape_bytes(&u);
  } else {
    roof_prediction p = predict(e, &u);
    if (what == REGIME || what == BINDING) {
      snprintf(label, size, "%s", what == REGIME ? roof_regime_name(p.regime) : p.binding->name);
    } else {
      answer = of_prediction(&p, what) / u.per;
    }
  }
  roof_userops_done(&u.userops);
  roof_machine_free(u.machine);
  u.machine = NULL;
  return answer;
}

/** Base units to the entry's. */
static double in_unit(const char *unit) {
  static const struct {
    const char *name;
    double scale;
  } units[] = {{"us", 1e6},     {"ms", 1e3},      {"TFLOP/s", 1e-12}, {"GFLOP/s", 1e-9},
               {"GFLOP", 1e-9}, {"TB/s", 1e-12},  {"GB/s", 1e-9},     {"GB", 1e-9},
               {"MB", 1e-6},    {"KiB", 0x1p-10}, {"MiB", 0x1p-20},   {"GFLOPS/W", 1e-9}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(unit, units[i].name) == 0) {
      return units[i].scale;
    }
  }
  return 1;
}

/** True when `value` rounds to `printed`, which has six significant digits. */
static bool rounds_to(double value, double printed) {
  double digit = printed != 0 ? pow(10, floor(log10(fabs(printed))) - 5) : 0;
  return fabs(value - printed) <= 0.5001 * digit;
}

/** The linter recomputes a figure 5 % off to the printed one, and has nothing to say about the printed one.
 */
static bool lint_agrees(entry *e, const row *r) {
  double printed = json_number_value(e->correct) / in_unit(e->unit);
  bool said[2] = {false, false};
  spec s;
  parse_spec(&s, r->spec);
  bool peak = strcmp(s.op, "peak") == 0;
  for (int off = 0; off < 2; off++) {
    owned roof_machine *machine = NULL;
    roof_finding findings[16];
    char expected[64], value[32];
    empty_machine(&machine);
    machine->unit_count = setting_value(e, &s, "units", NAN);
    machine->clock_hz = setting_value(e, &s, "clock", NAN);
    add_peaks(machine, ROOF_FP16, peak ? printed * (1 + 0.05 * off) : NAN, ROOF_DATASHEET);
    machine->peaks[0].flops_per_cycle = setting_value(e, &s, "per_cycle", NAN);
    add_level(machine, ROOF_MEMORY, "HBM", NAN, peak ? NAN : printed * (1 + 0.05 * off), ROOF_DATASHEET);
    machine->levels[0].bus_bits = setting_value(e, &s, "bus_bits", NAN);
    machine->levels[0].transfers_per_second = setting_value(e, &s, "transfers", NAN);
    snprintf(expected, sizeof expected, " = %s",
             roof_quantity_format(value, sizeof value, printed, peak ? "FLOP/s" : "B/s"));
    size_t count = roof_machine_lint(machine, findings, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
      said[off] |= strstr(findings[i].message, expected) != NULL;
    }
  }
  return !said[0] && said[1];
}

static bool label_agrees(const entry *e, const char *label) {
  const char *printed = json_string_value(e->correct);
  return strcmp(printed, label) == 0 || (strcmp(printed, "HBM") == 0 && strcmp(label, "memory") == 0);
}

/** Compares the library's answer with the entry's; prints where they differ. */
static bool replay(entry *e, const row *r) {
  char label[64] = "";
  if (r->what == LINT) {
    bool agrees = lint_agrees(e, r);
    if (!agrees) {
      print_message("%s: the linter does not recompute it\n", e->id);
    }
    return agrees;
  }
  double answer = ask(e, r->what, r->spec, label, sizeof label);
  if (r->other != NULL) {
    answer = answer / ask(e, r->other_what, r->other, label, sizeof label) + r->offset;
    snprintf(label, sizeof label, "%s", answer < 1 ? "below" : "above");
  }
  bool text = json_is_string(e->correct);
  bool agrees =
      text ? label_agrees(e, label) : rounds_to(answer * in_unit(e->unit), json_number_value(e->correct));
  if (!agrees && text) {
    print_message("%s: `%s`, checked `%s`\n", e->id, label, json_string_value(e->correct));
  } else if (!agrees) {
    print_message("%s: %.9g, checked %.9g %s\n", e->id, answer * in_unit(e->unit),
                  json_number_value(e->correct), e->unit);
  }
  return agrees;
}

static json_t *worked;

static int find_unanswered(const char *id) {
  for (int i = 0; i < UNANSWERED_COUNT; i++) {
    if (fnmatch(unanswered[i].id, id, 0) == 0) {
      return i;
    }
  }
  return -1;
}

static int find_row(const char *id) {
  for (int i = 0; i < ROW_COUNT; i++) {
    if (fnmatch(rows[i].id, id, 0) == 0) {
      return i;
    }
  }
  return -1;
}

static void every_entry_is_answered_or_listed(void **state) {
  (void)state;
  int answered = 0, listed = 0, wrong = 0;
  bool used[ROW_COUNT] = {false}, why_used[UNANSWERED_COUNT] = {false};
  for (size_t i = 0; i < json_array_size(worked); i++) {
    json_t *object = json_array_get(worked, i);
    entry e = {.id = json_string_value(json_object_get(object, "id")),
               .unit = json_string_value(json_object_get(object, "unit")),
               .correct = json_object_get(object, "correct_value"),
               .inputs = json_object_get(object, "inputs")};
    add_inputs(&e, e.inputs);
    int why = find_unanswered(e.id), found = find_row(e.id);
    if (why >= 0) {
      print_message("not answered: %s: %s\n", e.id, unanswered[why].why);
      why_used[why] = true;
      listed++;
    } else if (found < 0) {
      print_message("%s: neither answered nor listed\n", e.id);
      wrong++;
    } else {
      used[found] = true;
      wrong += !replay(&e, &rows[found]);
      answered++;
    }
  }
  for (int i = 0; i < ROW_COUNT; i++) {
    if (!used[i]) {
      print_message("row %s: no such entry\n", rows[i].id);
      wrong++;
    }
  }
  for (int i = 0; i < UNANSWERED_COUNT; i++) {
    if (!why_used[i]) {
      print_message("list %s: no such entry\n", unanswered[i].id);
      wrong++;
    }
  }
  print_message("%d answered, %d listed, %d wrong\n", answered, listed, wrong);
  assert_int_equal(wrong, 0);
  assert_true(answered >= ANSWERED_MIN);
}

int main(void) {
  char path[512];
  const char *source = getenv("ROOFLINE_SOURCE");
  snprintf(path, sizeof path, "%s/tests/data/worked.json", source != NULL ? source : ".");
  worked = json_load_file(path, 0, NULL);
  if (worked == NULL) {
    printf("%s cannot be read\n", path);
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_is_answered_or_listed)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  json_decref(worked);
  return failed;
}
