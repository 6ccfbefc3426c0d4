#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/text.h"
#include "roofline/units.h"

static const struct {
  const char *name;
  char unit;
} clues[ROOF_CLUE_COUNT] = {
#define CLUE(symbol, name, unit, text) [symbol] = {name, unit},
    ROOF_CLUE_MAP(CLUE)
#undef CLUE
};

enum { CPU = 1, GPU = 2, ANY = CPU | GPU };
enum {
  COMPUTE = 1 << ROOF_COMPUTE_BOUND,
  MEMORY = 1 << ROOF_MEMORY_BOUND,
  OVERHEAD = 1 << ROOF_OVERHEAD_BOUND,
  NETWORK = 1 << ROOF_NETWORK_BOUND,
  MATRIX = 1 << ROOF_REGIME_COUNT, /**< compute-bound on the matrix unit */
  BUSY = COMPUTE | MEMORY,
  ALL = BUSY | OVERHEAD | NETWORK | 1 << ROOF_CAPACITY_BOUND
};

/** One reason for a gap. The clue counts past `threshold` and is beyond doubt at `full` (lower than the
 * threshold: less is worse). `weight` ranks reasons of equal evidence: what costs more, or is more common. */
typedef struct rule {
  const char *name;
  int devices;
  int regimes;
  roof_clue clue;
  double threshold;
  double full;
  double weight;
  const char *sentence; /**< {} is the clue's value */
  const char *measurement;
  const char *action;
  const char *source;
} rule;

#define STARVED "Nsight Compute practice: sm__cycles_active under 50 % of elapsed is a starved device"
#define CONVENTION "a convention of this tool"
#define CACHES "Hennessy and Patterson, Computer Architecture, ch. 2"

static const rule rules[] = {
    {"launch overhead", ANY, ALL, ROOF_CLUE_LAUNCH, 0.10, 1, 1.0, "{} of the time is the cost of launching",
     "the same work in one launch of twice the size",
     "CUDA graphs, fusion, a larger batch or a persistent kernel",
     "a tenth of the time is what fusing two launches can win back; " CONVENTION},
    {"launch overhead", GPU, ALL, ROOF_CLUE_ACTIVE, 0.50, 0.05, 1.0,
     "the device had work in only {} of the cycles", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
     "CUDA graphs, fusion, a larger batch or a persistent kernel", STARVED},
    {"host overhead", ANY, ALL, ROOF_CLUE_IDLE, 0.10, 0.9, 1.0, "no kernel runs for {} of the elapsed time",
     "the sum of the kernels' times compared with the elapsed time",
     "CUDA graphs, fewer and larger steps, no host sync", "a tenth of the elapsed time; " CONVENTION},
    {"clock throttling", ANY, ALL, ROOF_CLUE_CLOCK, 0.97, 0.5, 0.9, "the clock ran at {} of its nominal rate",
     "the clock, sampled during the kernel", "lock the clocks, watch power and temperature caps",
     "boost clocks wander by 1 to 3 % unthrottled; " CONVENTION},
    {"other work on the machine", ANY, ALL, ROOF_CLUE_STEAL, 0.02, 0.5, 0.9,
     "others took {} of the processor's time", "steal time and load around the measurement",
     "measure on a quiet machine", "2 % is beyond the spread of a quiet guest; " CONVENTION},
    {"no tensor cores", GPU, MATRIX, ROOF_CLUE_MATRIX, 0.05, 0, 1.0,
     "the matrix unit was active in {} of the cycles",
     "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
     "a kernel that uses the matrix unit: dimensions and pointers aligned to 16 bytes",
     "NVIDIA, Matrix Multiplication Background User's Guide: tensor cores idle when alignment fails"},
    {"no tensor cores", ANY, COMPUTE, ROOF_CLUE_VECTOR, 0.50, 1, 0.7,
     "the rate is {} of the peak of the vector units alone",
     "the instruction mix: any matrix instruction at all?",
     "a kernel that uses the matrix unit: dimensions and pointers aligned to 16 bytes",
     "the matrix peak is several times the vector peak, so a rate under the latter fits either; " CONVENTION},
    {"wrong dtype path", ANY, COMPUTE, ROOF_CLUE_WIDER, 0.65, 0.90, 0.7,
     "the rate is {} of the peak of the next wider format",
     "the kernel's name or its instructions: which format?", "check casts and the library's compute type",
     "65 % of a peak is where kernels of that format land (docs/verdicts.md)"},
    {"wave quantization", GPU, BUSY, ROOF_CLUE_WAVE, 0.10, 0.5, 0.8, "{} of the last wave is idle",
     "the same kernel at a whole number of waves", "another tile, split-K or stream-K, a persistent kernel",
     "NVIDIA, Matrix Multiplication Background User's Guide, wave quantization"},
    {"tile quantization", ANY, COMPUTE, ROOF_CLUE_TILE, 0.05, 0.5, 0.8,
     "{} of the computed elements are padding", "the same kernel at a multiple of the tile",
     "pad the shape to the tile, or choose a smaller tile",
     "NVIDIA, Matrix Multiplication Background User's Guide, tile quantization"},
    {"occupancy", GPU, BUSY, ROOF_CLUE_OCCUPANCY, 0.50, 0.10, 0.6, "only {} of the warps are resident",
     "sm__warps_active.avg.pct_of_peak_sustained_active",
     "fewer registers or less shared memory per block, or more independent work per thread",
     "Volkov, Better Performance at Lower Occupancy (GTC 2010): under half, latency must be hidden by ILP"},
    {"register pressure", ANY, BUSY, ROOF_CLUE_SPILL, 0.02, 0.3, 0.7,
     "{} of the traffic is spilled registers", "local memory loads and stores",
     "smaller tiles per thread, launch bounds", CONVENTION},
    {"bank conflicts", GPU, BUSY, ROOF_CLUE_BANK, 0.05, 0.75, 0.7,
     "{} of the shared memory cycles are bank conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "pad or swizzle the shared tile",
     "a conflict-free kernel counts none; 5 % leaves room for the counter's own; " CONVENTION},
    {"uncoalesced access", ANY, MEMORY, ROOF_CLUE_SECTOR, 0.80, 0.125, 0.9,
     "only {} of the fetched bytes are used", "l1tex sectors per request, or bytes fetched over bytes used",
     "make neighbouring threads touch neighbouring addresses, or transpose through shared memory",
     "4 of 32 bytes of a sector (CUDA C++ Best Practices Guide, 10.2.1) is the worst case of fp32"},
    {"L2 reuse", ANY, BUSY, ROOF_CLUE_TRAFFIC, 1.10, 3, 0.8, "{} the compulsory bytes cross the memory bus",
     "dram__bytes.sum against the operands' sizes", "block for the cache, rasterise tiles in groups",
     "a tenth more than compulsory; " CONVENTION},
    {"divergence", GPU, BUSY, ROOF_CLUE_LANES, 0.90, 0.25, 0.8,
     "{} of the lanes are active in an instruction", "smsp__thread_inst_executed_per_inst_executed.ratio",
     "sort or compact the work, make branches uniform", "1 - 1/10 of the lanes; " CONVENTION},
    {"idle link", ANY, NETWORK, ROOF_CLUE_LINK, 0.80, 0.2, 0.8, "the link delivers only {} of its rate",
     "nccl-tests or osu_bw at this size and at 1 GB: a small message, or a slow path?",
     "larger messages, more channels; the ranks on the direct link (nvidia-smi topo -m)",
     "nccl-tests, PERFORMANCE.md: large messages reach the link's rate; a fifth less is " CONVENTION},
    {"paging", ANY, MEMORY | 1 << ROOF_CAPACITY_BOUND, ROOF_CLUE_PAGED, 0.05, 0.5, 0.5,
     "{} of the bytes come from beyond the memory", "page faults, or bytes moved by unified memory",
     "a smaller working set, prefetching, more devices",
     "a link is 20 times slower than the memory, so 5 % of the bytes double the time; " CONVENTION},
    {"overlap failure", ANY, ALL, ROOF_CLUE_EXPOSED, 0.10, 0.5, 0.6,
     "{} of the time is what transfers and arithmetic would hide from each other",
     "the kernel with the loads removed, then with the arithmetic removed",
     "double buffering, asynchronous copies, more work in flight",
     "the measured time stands between the bounds max and sum; " CONVENTION},
    {"write-allocate", CPU, MEMORY, ROOF_CLUE_WRITE_ALLOCATE, 0.15, 0.5, 0.8,
     "{} of the bus time reads lines only to overwrite them", "the same kernel with non-temporal stores",
     "non-temporal stores", CACHES "; 15 % is beyond the spread of runs"},
    {"NUMA", CPU, MEMORY, ROOF_CLUE_REMOTE, 0.10, 0.75, 0.8, "{} of the accesses go to another node",
     "the same run bound to one node (numactl)", "first-touch the data with the threads that use it",
     "a tenth of the accesses; " CONVENTION},
    {"huge pages", CPU, MEMORY, ROOF_CLUE_PAGE_WALK, 0.05, 0.4, 0.6, "{} of the cycles walk page tables",
     "the same run with madvise(MADV_HUGEPAGE)", "transparent or explicit huge pages",
     "huge pages bring 15 to 20 % on triad where walks are visible; " CONVENTION},
    {"SMT", CPU, BUSY, ROOF_CLUE_SMT, 1.5, 2, 0.5, "{} busy threads share one core",
     "the same run with one thread per core", "one thread per core",
     "two threads share one core's pipes and caches"},
};

enum { RULES = sizeof rules / sizeof rules[0] };

const char *roof_clue_name(roof_clue clue) {
  return (unsigned)clue < ROOF_CLUE_COUNT ? clues[clue].name : "?";
}

roof_status roof_clue_parse(const char *text, roof_clue *clue, roof_error *error) {
  const char *names[ROOF_CLUE_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    names[i] = clues[i].name;
    if (strcmp(text, names[i]) == 0) {
      *clue = (roof_clue)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "counter", text, names, NULL);
}

roof_status roof_clue_check(roof_clue clue, double value, roof_error *error) {
  static const double most = 2; /* a clock may be over its nominal rate; no share is twice its peak */
  if (!isfinite(value) || value < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "counter %s: %g is no share", clues[clue].name, value);
  }
  return clues[clue].unit == 's' && value > most
             ? roof_error_set(error, ROOF_E_ARGUMENT, "counter %s: %g is no share; write %g as %g or %g%%",
                              clues[clue].name, value, value, value / 100, value)
             : ROOF_OK;
}

roof_status roof_clue_read(const char *text, roof_clue *clue, double *value, roof_error *error) {
  char name[64], number[64];
  const char *equals = strchr(text, '=');
  if (equals == NULL || strlen(text) >= sizeof name) {
    return roof_error_set(error, ROOF_E_PARSE, "counter `%.40s`: not NAME=VALUE", text);
  }
  size_t length = strlen(equals + 1);
  bool percent = length > 0 && equals[length] == '%';
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  snprintf(number, sizeof number, "%.*s", (int)(length - percent), equals + 1);
  roof_clue found;
  double read;
  roof_status status = roof_clue_parse(name, &found, error);
  if (status == ROOF_OK) {
    status = roof_quantity_parse(number, &read, error);
  }
  if (status == ROOF_OK) {
    read = percent ? read / 100 : read;
    status = roof_clue_check(found, read, error);
  }
  if (status == ROOF_OK) {
    *clue = found;
    *value = read;
  }
  return status;
}

/** Fills an unknown clue; NaN stays unknown, what rounding or another figure leaves outside is cut off. */
static void derive(roof_evidence *e, roof_clue clue, double value) {
  if (isnan(e->clue[clue])) {
    e->clue[clue] = value < 0 ? 0 : value;
  }
}

/** Reading each line before it is overwritten adds the written bytes once more to the bus. The clue is 0
 * where the gap is too small to hold that. */
static double write_allocate(const roof_prediction *p, double fraction) {
  double share = (p->work.write_bytes - p->work.update_bytes) / p->bytes;
  return fraction * (1 + share) <= 1 ? share / (1 + share) : 0;
}

static double wider_peak(const roof_evidence *e) {
  const roof_peak *peak = e->prediction->peak;
  double bytes = roof_dtype_bytes(peak->dtype), nearest = INFINITY;
  double rate = NAN;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    double wider = roof_dtype_bytes((roof_dtype)d);
    const roof_peak *other = roof_machine_peak(e->machine, (roof_dtype)d, peak->unit, false, ROOF_DATASHEET);
    if (other != NULL && wider > bytes && wider < nearest &&
        other->flops_per_second < peak->flops_per_second) {
      nearest = wider;
      rate = other->flops_per_second;
    }
  }
  return rate;
}

/** The rate against what other paths of the machine can do; above such a path it is not the one taken. */
static void derive_paths(roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double rate = p->work.flops / e->measured_seconds;
  const roof_peak *vector =
      p->peak->unit == ROOF_MATRIX
          ? roof_machine_peak(e->machine, p->peak->dtype, ROOF_VECTOR, false, ROOF_DATASHEET)
          : NULL;
  double vector_rate = vector != NULL ? rate / vector->flops_per_second : 0;
  double wider_rate = rate / wider_peak(e);
  derive(e, ROOF_CLUE_VECTOR, vector_rate <= 1 ? vector_rate : 0);
  derive(e, ROOF_CLUE_WIDER, wider_rate <= 1 ? wider_rate : 0);
}

void roof_evidence_derive(roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double seconds = e->measured_seconds;
  double fraction = p->lower_seconds / seconds;
  derive(e, ROOF_CLUE_FRACTION, fraction);
  derive(e, ROOF_CLUE_LAUNCH, p->overhead_seconds / seconds);
  derive(e, ROOF_CLUE_EXPOSED, (fmin(seconds, p->upper_seconds) - p->lower_seconds) / seconds);
  if (p->bytes > 0) {
    derive(e, ROOF_CLUE_WRITE_ALLOCATE, write_allocate(p, fraction));
    derive(e, ROOF_CLUE_TRAFFIC, e->counted_bytes / p->bytes);
  }
  if (e->machine != NULL && p->peak != NULL && p->work.flops > 0) {
    derive_paths(e);
  }
  derive(e, ROOF_CLUE_IDLE, 1 - seconds / e->wall_seconds);
  derive(e, ROOF_CLUE_WAVE, 1 - e->waves / ceil(e->waves));
}

roof_evidence roof_evidence_of(const roof_prediction *prediction, const roof_machine *machine,
                               double measured_seconds) {
  roof_evidence e = {.prediction = prediction,
                     .machine = machine,
                     .measured_seconds = measured_seconds,
                     .wall_seconds = NAN,
                     .counted_bytes = NAN,
                     .waves = NAN};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    e.clue[i] = NAN;
  }
  roof_evidence_derive(&e);
  return e;
}

static int device_of(const roof_machine *machine) {
  if (machine == NULL || machine->device_class[0] == '\0') {
    return ANY;
  }
  return strcmp(machine->device_class, "cpu") == 0 ? CPU : GPU;
}

static int regimes_of(const roof_prediction *p) {
  bool matrix = p->regime == ROOF_COMPUTE_BOUND && p->peak != NULL && p->peak->unit == ROOF_MATRIX;
  return 1 << p->regime | (matrix ? MATRIX : 0);
}

/** How far past its threshold the value is: 0 at it, 1 at `full`, negative before it. */
static double strength(const rule *r, double value) {
  return (value - r->threshold) / (r->full - r->threshold);
}

static void format_value(char *buffer, size_t size, roof_clue clue, double value) {
  static const struct {
    char unit;
    double scale;
    const char *suffix;
  } forms[] = {{'s', 100, " %"}, {'x', 1, "x"}, {'n', 1, ""}};
  size_t i = 0;
  while (forms[i].unit != clues[clue].unit) {
    i++;
  }
  rf_format(buffer, size, "%.3g%s", value * forms[i].scale, forms[i].suffix);
}

static void write_sentence(const rule *r, double value, char *buffer, size_t size) {
  const char *mark = strstr(r->sentence, "{}");
  char number[32], limit[32];
  if (isnan(value)) {
    snprintf(buffer, size, "not ruled out: %s is not known", clues[r->clue].name);
    return;
  }
  format_value(number, sizeof number, r->clue, value);
  format_value(limit, sizeof limit, r->clue, r->threshold);
  snprintf(buffer, size, "%.*s%s%s (%s %s)", (int)(mark - r->sentence), r->sentence, number, mark + 2,
           r->full > r->threshold ? "over" : "under", limit);
}

/** A figure that follows from the time and the ceilings alone: other causes leave the same one, so it shows
 * none. */
static bool is_guess(roof_clue clue) {
  return clue == ROOF_CLUE_VECTOR || clue == ROOF_CLUE_WIDER || clue == ROOF_CLUE_EXPOSED ||
         clue == ROOF_CLUE_WRITE_ALLOCATE;
}

/** Shown causes come first, then guesses, then causes without a figure. */
static double weight_of(const rule *r, double value, double past) {
  if (isnan(value)) {
    return (r->regimes == ALL ? 0.05 : 0.1) * r->weight;
  }
  return is_guess(r->clue) ? 0.1 + 0.04 * r->weight * fmin(past, 1) : r->weight * (0.3 + 0.7 * fmin(past, 1));
}

/** True when the rule applies; *out then has the cause. */
static bool apply(const rule *r, const roof_evidence *e, roof_cause *out) {
  double value = e->clue[r->clue];
  double past = isnan(value) ? 0 : strength(r, value);
  bool fits = (r->devices & device_of(e->machine)) != 0 && (r->regimes & regimes_of(e->prediction)) != 0;
  if (!fits || (!isnan(value) && past <= 0)) {
    return false;
  }
  *out = (roof_cause){.name = r->name,
                      .certainty = isnan(value) || is_guess(r->clue) ? ROOF_POSSIBLE : ROOF_SHOWN,
                      .clue = r->clue,
                      .value = value,
                      .threshold = r->threshold,
                      .weight = weight_of(r, value, past),
                      .measurement = r->measurement,
                      .action = r->action,
                      .source = r->source};
  write_sentence(r, value, out->sentence, sizeof out->sentence);
  return true;
}

/** Puts a cause in its place among `count` ranked ones; the better evidence stands for a name given twice. */
static size_t insert(roof_cause *ranked, size_t count, const roof_cause *cause) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(ranked[i].name, cause->name) == 0) {
      if (ranked[i].weight >= cause->weight) {
        return count;
      }
      memmove(&ranked[i], &ranked[i + 1], (count - i - 1) * sizeof *ranked);
      count--;
      break;
    }
  }
  size_t place = count;
  while (place > 0 && ranked[place - 1].weight < cause->weight) {
    ranked[place] = ranked[place - 1];
    place--;
  }
  ranked[place] = *cause;
  return count + 1;
}

size_t roof_causes_rank(const roof_evidence *evidence, roof_cause *out, size_t capacity) {
  roof_cause ranked[RULES], cause;
  size_t count = 0;
  for (size_t i = 0; i < RULES; i++) {
    if (apply(&rules[i], evidence, &cause)) {
      count = insert(ranked, count, &cause);
    }
  }
  size_t kept = count < capacity ? count : capacity;
  if (kept > 0) {
    memcpy(out, ranked, kept * sizeof *out);
  }
  return count;
}

/** What the binding resource delivered: "HBM delivers 2.4 TB/s". */
static void write_reached(const roof_evidence *e, char *buffer, size_t size) {
  const roof_prediction *p = e->prediction;
  char binding[ROOF_NAME_MAX], rate[48];
  double bytes = p->bytes;
  for (int i = 0; i < p->level_count; i++) {
    bytes = p->levels[i].level == p->binding ? p->levels[i].bytes : bytes;
  }
  const struct {
    double amount;
    const char *unit;
    const char *verb;
  } of[ROOF_REGIME_COUNT] = {
      [ROOF_COMPUTE_BOUND] = {p->work.flops, "FLOP/s", "computes"},
      [ROOF_MEMORY_BOUND] = {bytes, "B/s", "delivers"},
      [ROOF_OVERHEAD_BOUND] = {p->work.launches, "/s", "starts"},
      [ROOF_NETWORK_BOUND] = {p->work.link_bytes, "B/s", "delivers"},
      [ROOF_CAPACITY_BOUND] = {bytes, "B/s", "delivers"},
  };
  roof_prediction_binding(p, binding, sizeof binding);
  if (!(of[p->regime].amount > 0)) {
    snprintf(buffer, size, "%s binds", binding);
    return;
  }
  snprintf(buffer, size, "%s %s %s", binding, of[p->regime].verb,
           roof_quantity_format(rate, sizeof rate, of[p->regime].amount / e->measured_seconds,
                                of[p->regime].unit));
}

char *roof_causes_sentence(const roof_evidence *evidence, const roof_cause *causes, size_t count,
                           char *buffer, size_t size) {
  char reached[160];
  /* Time in which no kernel runs is no part of what the kernel itself misses. */
  while (count > 0 && causes[0].clue == ROOF_CLUE_IDLE) {
    causes++;
    count--;
  }
  double fraction = evidence->clue[ROOF_CLUE_FRACTION];
  write_reached(evidence, reached, sizeof reached);
  int length = rf_format(buffer, size, "%s, %.1f %% of its ceiling; ", reached, 100 * fraction);
  size_t used = length < 0 ? 0 : (size_t)length < size ? (size_t)length : size;
  double missing = 100 * (1 - fraction);
  if (fraction > 1 + ROOF_PLACE_ROUNDING) {
    snprintf(buffer + used, size - used,
             "it is above its ceiling, so the ceiling, the work or the time is wrong");
  } else if (count == 0) {
    rf_format(buffer + used, size - used, "the counters explain none of the missing %.1f %%",
              fmax(0, missing));
  } else if (causes[0].certainty == ROOF_SHOWN) {
    rf_format(buffer + used, size - used, "missing %.1f %%: %s: %s", fmax(0, missing), causes[0].name,
              causes[0].sentence);
  } else {
    rf_format(buffer + used, size - used,
              "no counter shows why %.1f %% are missing; measure %s first (possible: %s)", fmax(0, missing),
              causes[0].measurement, causes[0].name);
  }
  return buffer;
}

/** What a kernel waits on. Where several are past their thresholds the furthest past is named; a starved
 * device comes before all. */
static const struct {
  const char *resource;
  roof_clue clue;
  double threshold;
  double full;
  double first; /**< added to the strength */
} resources[] = {
    {"host launch", ROOF_CLUE_ACTIVE, 0.50, 0, 10}, /* STARVED */
    {"compute", ROOF_CLUE_COMPUTE, 0.60, 1, 0},
    {"compute", ROOF_CLUE_MATRIX, 0.60, 1, 0},
    {"memory", ROOF_CLUE_MEMORY, 0.60, 1, 0},
    {"shared memory", ROOF_CLUE_SHARED, 0.60, 1, 0},
    {"registers", ROOF_CLUE_SPILL, 0.10, 1, 0},
    {"scheduler", ROOF_CLUE_STALLED, 0.60, 1, -1}, /* warps stall on any of the above: the last to blame */
};

const char *roof_evidence_waiting(const roof_evidence *evidence) {
  const char *resource = NULL;
  double worst = -INFINITY;
  for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
    double value = evidence->clue[resources[i].clue];
    double past = (value - resources[i].threshold) / (resources[i].full - resources[i].threshold);
    if (past > 0 && past + resources[i].first > worst) {
      worst = past + resources[i].first;
      resource = resources[i].resource;
    }
  }
  return resource;
}
