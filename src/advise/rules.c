#include "advise/rules.h"

#include <string.h>

enum {
  CPU = RF_ON_CPU,
  GPU = RF_ON_GPU,
  OTHER = RF_ON_OTHER,
  DEVICE = GPU | OTHER, /**< what a host launches work on */
  ANY = RF_ON_ANY
};
enum {
  COMPUTE = 1 << ROOF_COMPUTE_BOUND,
  MEMORY = 1 << ROOF_MEMORY_BOUND,
  NETWORK = 1 << ROOF_NETWORK_BOUND,
  CAPACITY = 1 << ROOF_CAPACITY_BOUND,
  MATRIX = RF_IN_MATRIX,
  BUSY = COMPUTE | MEMORY,
  ALL = RF_IN_ALL
};

#define STARVED "Nsight Compute practice: sm__cycles_active under 50 % of elapsed is a starved device"
#define CONVENTION "a convention of this tool"
#define CACHES "Hennessy and Patterson, Computer Architecture, ch. 2"
#define GUIDE "NVIDIA, Matrix Multiplication Background User's Guide, "
#define FEWER "launches in graphs, fusion, a larger batch or a persistent kernel"
#define FEWER_ON_CPU "fewer and larger parallel regions, fusion, one pool of threads that stays"
#define ALIGNED "a kernel that uses the matrix unit: dimensions and pointers aligned to 16 bytes"
#define LAUNCH_COST "a tenth of the time is what fusing two launches can win back; " CONVENTION
#define TWICE "the measured time is more than twice the sum without overlap; " CONVENTION

const rf_rule rf_rules[] = {
    {"launch overhead", DEVICE, ALL, ROOF_CLUE_LAUNCH, 0.10, 1, 1.0,
     "{} of the time is the cost of launching", "the same work in one launch of twice the size", FEWER,
     LAUNCH_COST, NULL},
    {"launch overhead", CPU, ALL, ROOF_CLUE_LAUNCH, 0.10, 1, 1.0,
     "{} of the time is the cost of starting the threads",
     "the same work on one thread, and at twice the size", FEWER_ON_CPU, LAUNCH_COST, NULL},
    {"launch overhead", GPU, ALL, ROOF_CLUE_ACTIVE, RF_STARVED_ACTIVE, 0.05, 1.0,
     "the device had work in only {} of the cycles",
     "the share of the elapsed cycles in which the device has work", FEWER, STARVED,
     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"host overhead", DEVICE, ALL, ROOF_CLUE_IDLE, RF_STARVED_IDLE, 0.9, 1.0,
     "no kernel runs for {} of the elapsed time",
     "the sum of the kernels' times compared with the elapsed time",
     "launches in graphs, fewer and larger steps, no host sync", "a tenth of the elapsed time; " CONVENTION,
     NULL},
    {"host overhead", CPU, ALL, ROOF_CLUE_IDLE, RF_STARVED_IDLE, 0.9, 1.0,
     "no kernel runs for {} of the elapsed time",
     "the sum of the kernels' times compared with the elapsed time",
     "fewer and larger steps, allocation and input outside the loop",
     "a tenth of the elapsed time; " CONVENTION, NULL},
    {"host overhead", DEVICE, ALL, ROOF_CLUE_BEYOND, 0.50, 1, 1.0,
     "{} of the time is more than arithmetic, transfers and launches take one after another",
     "the sum of the kernels' times compared with the elapsed time",
     "launches in graphs, fewer and larger steps, no host sync", TWICE, NULL},
    {"host overhead", CPU, ALL, ROOF_CLUE_BEYOND, 0.50, 1, 1.0,
     "{} of the time is more than arithmetic and transfers take one after another",
     "the time of the loop alone, after a first run that touches the data",
     "fewer and larger steps, allocation and input outside the loop", TWICE, NULL},
    {"clock throttling", ANY, ALL, ROOF_CLUE_CLOCK, 0.97, 0.5, 0.9, "the clock ran at {} of its nominal rate",
     "the clock, sampled during the kernel", "lock the clocks, watch power and temperature caps",
     "boost clocks wander by 1 to 3 % unthrottled; " CONVENTION, NULL},
    {"other work on the machine", ANY, ALL, ROOF_CLUE_STEAL, 0.02, 0.5, 0.9,
     "others took {} of the processor's time", "steal time and load around the measurement",
     "measure on a quiet machine", "2 % is beyond the spread of a quiet guest; " CONVENTION, NULL},
    {"no tensor cores", GPU, MATRIX, ROOF_CLUE_MATRIX, 0.05, 0, 1.0,
     "the matrix unit was active in {} of the cycles",
     "the share of the cycles in which the matrix unit is active", ALIGNED,
     GUIDE "tensor cores idle when alignment fails",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active (data-centre Blackwell: "
     "sm__pipe_tc_...)"},
    {"no tensor cores", GPU, MATRIX, ROOF_CLUE_VECTOR, 0.50, 1, 0.7,
     "the rate is {} of the peak of the vector units alone",
     "the instruction mix: any matrix instruction at all?", ALIGNED,
     "the matrix peak is several times the vector peak, so a rate under the latter fits either; " CONVENTION,
     NULL},
    {"idle matrix unit", CPU | OTHER, MATRIX, ROOF_CLUE_VECTOR, 0.50, 1, 0.7,
     "the rate is {} of the peak of the vector units alone",
     "the instruction mix: any matrix instruction at all?",
     "a library that uses the matrix unit (AMX, SME, systolic arrays)",
     "the matrix peak is several times the vector peak, so a rate under the latter fits either; " CONVENTION,
     NULL},
    {"wrong dtype path", ANY, COMPUTE, ROOF_CLUE_WIDER, 0.65, 0.90, 0.7,
     "the rate is {} of the peak of the next wider format",
     "the kernel's name or its instructions: which format?", "check casts and the library's compute type",
     "65 % of a peak is where kernels of that format land (docs/verdicts.md)", NULL},
    {"wave quantization", GPU, BUSY, ROOF_CLUE_WAVE, 0.10, 0.5, 0.8, "{} of the last wave is idle",
     "the same kernel at a whole number of waves", "another tile, split-K or stream-K, a persistent kernel",
     GUIDE "wave quantization", NULL},
    {"tile quantization", ANY, COMPUTE, ROOF_CLUE_TILE, 0.05, 0.5, 0.8,
     "{} of the computed elements are padding", "the same kernel at a multiple of the tile",
     "pad the shape to the tile, or choose a smaller tile", GUIDE "tile quantization", NULL},
    /* Of memory-bound kernels alone: products on the matrix unit are fast at 10 to 25 %. */
    {"occupancy", GPU, MEMORY, ROOF_CLUE_OCCUPANCY, 0.50, 0.10, 0.6, "only {} of the warps are resident",
     "resident warps over the most there can be",
     "more loads in flight: more independent work per thread, or fewer registers per thread",
     "Volkov, Better Performance at Lower Occupancy (GTC 2010): few warps need independent work in each to "
     "hide latency; half is " CONVENTION,
     "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"register pressure", GPU, BUSY, ROOF_CLUE_SPILL, 0.02, 0.3, 0.7,
     "{} of the traffic is spilled registers", "local memory loads and stores",
     "smaller tiles per thread, launch bounds", CONVENTION, NULL},
    {"register pressure", CPU, BUSY, ROOF_CLUE_SPILL, 0.02, 0.3, 0.7,
     "{} of the traffic is spilled registers",
     "loads and stores of the stack in the inner loop's instructions", "a smaller block in registers",
     CONVENTION, NULL},
    {"bank conflicts", GPU, BUSY, ROOF_CLUE_BANK, 0.05, 0.75, 0.7,
     "{} of the shared memory cycles are bank conflicts", "bank conflicts of shared memory",
     "pad or swizzle the shared tile",
     "a conflict-free kernel counts none; 5 % leaves room for the counter's own; " CONVENTION,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"uncoalesced access", GPU, MEMORY, ROOF_CLUE_SECTOR, 0.80, 0.125, 0.9,
     "only {} of the fetched bytes are used", "bytes fetched over bytes used",
     "make neighbouring threads touch neighbouring addresses, or transpose through shared memory",
     "4 of 32 bytes of a sector (CUDA C++ Best Practices Guide, 10.2.1) is the worst case of fp32",
     "l1tex sectors per request, or bytes fetched over bytes used"},
    {"strided access", CPU | OTHER, MEMORY, ROOF_CLUE_SECTOR, 0.80, 0.125, 0.9,
     "only {} of the fetched bytes are used", "bytes read from memory over bytes used",
     "walk the data in the order in which they lie; split structures into arrays",
     CACHES "; a line is 64 bytes", NULL},
    {"L2 reuse", GPU, BUSY, ROOF_CLUE_TRAFFIC, 1.10, 3, 0.8, "{} the compulsory bytes cross the memory bus",
     "bytes of the memory against the operands' sizes", "block for the cache, rasterise tiles in groups",
     "a tenth more than compulsory; " CONVENTION, "dram__bytes.sum against the operands' sizes"},
    {"cache reuse", CPU | OTHER, BUSY, ROOF_CLUE_TRAFFIC, 1.10, 3, 0.8,
     "{} the compulsory bytes cross the memory bus",
     "bytes of the memory controllers against the operands' sizes", "block the loops for the cache",
     "a tenth more than compulsory; " CONVENTION, NULL},
    {"divergence", GPU, BUSY, ROOF_CLUE_LANES, 0.90, 0.25, 0.8,
     "{} of the lanes are active in an instruction", "threads active in an instruction",
     "sort or compact the work, make branches uniform", "1 - 1/10 of the lanes; " CONVENTION,
     "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"idle link", ANY, NETWORK, ROOF_CLUE_LINK, 0.80, 0.2, 0.8, "the link delivers only {} of its rate",
     "the link's rate at this size and at 1 GB: a small message, or a slow path?",
     "larger messages, more channels; the ranks on the direct link",
     "nccl-tests, PERFORMANCE.md: large messages reach the link's rate; a fifth less is " CONVENTION,
     "nccl-tests at this size and at 1 GB: a small message, or a slow path (nvidia-smi topo -m)?"},
    {"paging", DEVICE, MEMORY | CAPACITY, ROOF_CLUE_PAGED, 0.05, 0.5, 0.5,
     "{} of the bytes come from beyond the memory", "page faults, or bytes moved by unified memory",
     "a smaller working set, prefetching, more devices",
     "a link is 20 times slower than the memory, so 5 % of the bytes double the time; " CONVENTION, NULL},
    {"paging", CPU, MEMORY | CAPACITY, ROOF_CLUE_PAGED, 0.05, 0.5, 0.5,
     "{} of the bytes come from beyond the memory", "major page faults and swap during the run",
     "a smaller working set, more memory, more nodes",
     "a disk is far more than 20 times slower than the memory, so 5 % of the bytes double the "
     "time; " CONVENTION,
     NULL},
    {"overlap failure", GPU, ALL, ROOF_CLUE_EXPOSED, 0.10, 0.5, 0.6,
     "{} of the time is what transfers and arithmetic would hide from each other",
     "the kernel with the loads removed, then with the arithmetic removed",
     "double buffering, asynchronous copies, more work in flight",
     "the measured time stands between the bounds max and sum; " CONVENTION, NULL},
    {"overlap failure", CPU | OTHER, ALL, ROOF_CLUE_EXPOSED, 0.10, 0.5, 0.6,
     "{} of the time is what transfers and arithmetic would hide from each other",
     "the kernel with the loads removed, then with the arithmetic removed",
     "prefetching, unrolling, more independent loads in flight",
     "the measured time stands between the bounds max and sum; " CONVENTION, NULL},
    {"write-allocate", CPU, MEMORY, ROOF_CLUE_WRITE_ALLOCATE, 0.15, 0.5, 0.8,
     "{} of the bus time reads lines only to overwrite them", "the same kernel with non-temporal stores",
     "non-temporal stores", CACHES "; 15 % is beyond the spread of runs", NULL},
    {"NUMA", CPU, MEMORY, ROOF_CLUE_REMOTE, 0.10, 0.75, 0.8, "{} of the accesses go to another node",
     "the same run bound to one node (numactl)", "first-touch the data with the threads that use it",
     "a tenth of the accesses; " CONVENTION, NULL},
    {"huge pages", CPU, MEMORY, ROOF_CLUE_PAGE_WALK, 0.05, 0.4, 0.6, "{} of the cycles walk page tables",
     "the same run with madvise(MADV_HUGEPAGE)", "transparent or explicit huge pages",
     "huge pages bring 15 to 20 % on triad where walks are visible; " CONVENTION, NULL},
    {"SMT", CPU, BUSY, ROOF_CLUE_SMT, 1.5, 2, 0.5, "{} busy threads share one core",
     "the same run with one thread per core", "one thread per core; for a guest, whole cores of its host",
     "two threads share one core's pipes and caches", NULL},
};

const size_t rf_rule_count = sizeof rf_rules / sizeof rf_rules[0];

_Static_assert(sizeof rf_rules / sizeof rf_rules[0] <= RF_RULES_MAX, "room for every rule");

int rf_device_of(const roof_machine *machine) {
  if (machine == NULL || machine->device_class[0] == '\0') {
    return ANY;
  }
  return strcmp(machine->device_class, "cpu") == 0   ? CPU
         : strcmp(machine->device_class, "gpu") == 0 ? GPU
                                                     : OTHER;
}
