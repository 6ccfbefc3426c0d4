# What bench/gpu.sh makes of a result: its goals, the sensors of a part, the table.

def share: if . == null then "" else "\(. * 1000 | round / 10) %" end;

# Three or four digits with an SI prefix.
def quantity($unit):
  if . == null then "" elif . == 0 then "0 \($unit)" else
    . as $value
    | first(([1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [0, "n"]) | select($value >= .[0])) as $p
    | ($value / (if $p[0] == 0 then 1e-9 else $p[0] end)) as $v
    | "\(if $v < 10 then $v * 100 | round / 100 elif $v < 100 then $v * 10 | round / 10 else $v | round end) \($p[1])\($unit)"
  end;

def ratio($of): if . == null or ($of // 0) == 0 then null else . / $of end;
def flops_per_second: ([.flops[]?] | add) / .seconds;
def bytes_per_second: ([.bytes[]?] | add) / .seconds;
def memory: [.machine.levels[]? | select(.level == "memory" and .read_bytes_per_second != null)] | last;

# Figures of the datasheet, read there or in a table that quotes it.
def sheet_figure: .kind | IN("datasheet", "secondary");
def sheet_peak($dtype; $unit):
  first(.datasheet.peaks[]? | select(.dtype == $dtype and .unit == $unit and sheet_figure and .supported != false and (.sparse | not)) | .flops_per_second) // null;
def sheet_level($level):
  first(.datasheet.levels[]? | select(.level == $level and sheet_figure) | .bytes_per_second // empty) // null;

# The most that was found published of attention in bf16, forward, not causal, 8192 keys, head_dim 128, by datasheet. An H200 SXM is an H100
# SXM with other memory, which attention does not wait for.
def published:
  {"nvidia-h100-sxm": 757e12, "nvidia-h200-sxm": 757e12};

# The goals, each with what was reached.
def goal($what; $reached; $wanted): {what: $what, reached: $reached, wanted: $wanted, met: (if $reached == null then null else $reached >= $wanted end)};
def of_library: .baseline.fraction? | if . then " (\(share))" else "" end;
# What the library that it is compared with does not do.
def against: if .kernel == "gemm-fp8-scaled" then ", against one scale per matrix" else "" end;
def sustained: .sustained | select(. != null) | "* after three seconds of work: `\(.name)` \(flops_per_second | quantity("FLOP/s"))\(of_library)";
def variants: .variants[]? | "* `\(.name)` at \(.shape) by \(.variant): \(flops_per_second | quantity("FLOP/s"))\(of_library)";
# The highest of those that do as well.
def best_rung($name): [.ladders[$name][]?] | max_by(.baseline.fraction // 0);
def best_gemm($dtype; $size):
  [(.variants[]? | select(.dtype == $dtype and .shape == "m=\($size) n=\($size) k=\($size)") | .kernel += " \(.variant)"),
   best_rung("\($dtype), m = n = k = \($size)")] | max_by(.baseline.fraction? // 0);
def of_copy($kernel; $dtype):
  memory.copy_bytes_per_second? as $copy
  | [.kernels[] | select(.kernel == $kernel and .dtype == $dtype) | bytes_per_second | ratio($copy) // empty] | max;
def goals:
  . as $r
  | [(["bf16", "8192", "cuBLASLt", 1], ["bf16", "4096", "cuBLASLt", 1], ["fp32", "4096", "cuBLAS", 1.05], ["fp8", "8192", "cuBLASLt", 1]
      | . as [$dtype, $size, $library, $wanted] | ($r | best_gemm($dtype; $size)) as $best
      | goal("\($dtype) gemm at \($size)\(if $best then ", \($best.kernel)" else "" end), of \($library)"; $best.baseline.fraction?; $wanted)),
     (([$r.kernels[] | select(.dtype == "bf16" and (.kernel | startswith("attention-flash")))] | max_by(flops_per_second)) as $best
     | published[$r.datasheet.name? // ""] as $most
     | goal("attention in bf16, 8192 keys\(if $best then ", \($best.kernel) at \($best | flops_per_second | quantity("FLOP/s"))" else "" end)"
         + if $most then ", of FlashAttention 3 (\($most / 1e12) TFLOP/s on an H100 SXM)" else "" end;
         $best | if . then flops_per_second | ratio($most) else null end; 0.95) + if $most then {} else {lacks: "no published figure"} end),
     goal("memory read, of the datasheet"; ($r | memory | .read_bytes_per_second?) | ratio($r | sheet_level("memory")); 0.93),
     goal("memory copy, of the datasheet"; ($r | memory | .copy_bytes_per_second?) | ratio($r | sheet_level("memory")); 0.9),
     (["fused softmax", "device-softmax", "fp32"], ["fused rmsnorm", "device-rmsnorm", "fp32"], ["decode attention", "attention-decode", "bf16"]
      | . as [$what, $kernel, $dtype] | goal("\($what) in \($dtype), of the measured copy"; $r | of_copy($kernel; $dtype); 0.9))];

# An error of the driver's that does not say that this device cannot do it.
def misused: test("CUDA_ERROR_") and (test("CUDA_ERROR_(OUT_OF_MEMORY|NO_BINARY_FOR_GPU|UNSUPPORTED_PTX_VERSION|NOT_SUPPORTED)") | not);

# What is wrong, a line each: it decides how the script ends.
def wrong:
  [(.smoke[]? | select(.state != "right" and ((.state | startswith("not run") | not) or (.state | misused))) | "\(.kernel) \(.shape): \(.state)"),
   (.skipped[]? | select(.why | misused) | "\(.what): \(.why)"), (.failed[]? | "\(.what): \(.why)"), (.sanitizer[]? | select(.state == "errors" and .decides) | "\(.tool) of \(.what): errors")];

# Lines of nvidia-smi's sensors during a part.
def sensors:
  [split("\n")[] | split(", ") | select(length == 6)] as $rows
  | def column($i): [$rows[] | .[$i] | tonumber?];
  if $rows == [] then null else
    {samples: ($rows | length), sm_mhz: [(column(1) | min), (column(1) | max)], memory_mhz: (column(2) | max), watts: (column(3) | max),
     celsius: (column(4) | max), reasons: ([$rows[][5]] | unique)}
  end;

# Kernels that were timed before a small shape, a variant or a format of theirs went wrong.
def doubtful:
  [.ladders[][]?.kernel, (.kernels[]? | .kernel, "\(.kernel) \(.dtype)"), (.variants[]? | "\(.kernel) \(.variant)")] as $timed
  | .smoke | map(select(.broken and (.kernel | IN($timed[])))) | unique_by(.kernel)[]
  | "* DOUBTFUL: the figures of \(.kernel): not right at \(.shape)";

def goal_lines:
  "| goal | reached | wanted | |", "|---|---:|---:|---|",
  (.goals[] | "| goal: \(.what) | \(.reached | share) | \(.wanted | share) | \(if .met == null then .lacks // "not measured" elif .met then "met" else "missed" end) |");

def counted($state): map(select(.state == $state)) | length;
def summary:
  (wrong[] | "* WRONG: \(.)"), doubtful,
  "* \(.device.name), driver \(.device.driver), ECC \(.device.ecc), limits (MHz, MHz, W) \(.device.limits)",
  "* datasheet: \(.datasheet.name? // "the catalogue has none of this device")",
  "* \(.date), \(.roofline) \(.commit)\(if .quick then ", quick" else "" end)",
  "* SM MHz, memory MHz, W, degrees Celsius: before \(.sensors.before // ""), after \(.sensors.after // "")",
  (.parts | to_entries[] | "* \(.key): \(.value.state)\(if .value.seconds then ", \(.value.seconds) s" else "" end)"
    + (.value.sensors | if . == null then "" else "; SM \(.sm_mhz[0]) to \(.sm_mhz[1]) MHz, up to \(.watts) W, \(.celsius) degrees" end)),
  "* small and ragged shapes of the kernels that only CUDA has: \(.smoke | counted("right")) of \(.smoke | length) right",
  "* runs of kernels that agree with their references: \((.kernels | length) + ([.ladders[][]] | length))",
  (.sanitizer | group_by(.tool)[] | "* \(.[0].tool): \(counted("clean")) of \(length) kernels clean"),
  (.sanitizer[] | select(.state != "clean" and ((.state == "errors" and .decides) | not)) | "* \(.tool) of \(.what): \(.state)\(if .decides then "" else " (reported only)" end)"),
  (.profiles[] | "* ncu's report of \(.kernel): \(.file)");

# What was expected before it was measured, and what came of it.
def sealed:
  . as $r | .sealed[]?
  | (.of as $of | [$r.ladders[$of][]?.seconds, ($r.kernels[] | select("\(.kernel) \(.dtype)" == $of) | .seconds)] | min) as $seconds
  | "* sealed for \(.machine): \(.label): \(.seconds | quantity("s")), " + if $seconds then "measured \($seconds | quantity("s"))" else "not measured" end;

def header: goal_lines, "", summary, sealed;

# A page: what was asked for, what is wrong, the last rungs, what a result lacks.
def report:
  header, "",
  (.ladders | to_entries[] | "* gemm \(.key): " + ([.value[] | "\(.rung) \(.kernel) \(flops_per_second | quantity("FLOP/s"))" + of_library + against] | reverse | join(", "))), sustained, variants,
  (memory | select(. != null) | "* memory: read \(.read_bytes_per_second | quantity("B/s")), copy \(.copy_bytes_per_second | quantity("B/s"))"),
  (.skipped | if length > 0 then "* not run: \(length), the first: \(.[0].what): \(.[0].why)" else empty end);

def peaks:
  . as $r | .machine.peaks[]? | . as $p | ($r | sheet_peak($p.dtype; $p.unit)) as $sheet
  | ([$r.machine.peaks[] | select(.dtype == $p.dtype) | .flops_per_second] | max) as $fastest
  | (first($r.machine.libraries[]? | select(.dtype == $p.dtype and .flops_per_second != null and $p.flops_per_second == $fastest)) // null) as $library
  | "| \(.dtype) \(.unit), \(.isa) | \(.flops_per_second | quantity("FLOP/s")) | \($sheet | quantity("FLOP/s")) | \(.flops_per_second | ratio($sheet) | share) | \($library.flops_per_second | quantity("FLOP/s")) | \($library.best_flops_per_second | quantity("FLOP/s")) | \($library.flops_per_second | ratio($p.flops_per_second) | share) |";

def levels:
  . as $r | .machine.levels[]? | . as $level | ($r | sheet_level($level.level)) as $sheet
  | ({read: .read_bytes_per_second, write: .write_bytes_per_second, copy: .copy_bytes_per_second, triad: .triad_bytes_per_second}
     | to_entries[] | select(.value != null)
     | "| \($level.name) \(.key) | \(.value | quantity("B/s")) | \($sheet | quantity("B/s")) | \(.value | ratio($sheet) | share) | | | |");

def ceilings:
  select(.machine != null)
  | "", "| ceiling | measured | datasheet | of it | cuBLASLt | best of its algorithms | cuBLASLt of measured |", "|---|---:|---:|---:|---:|---:|---:|", peaks, levels,
    "", "| link, latency, launch | rate | time |", "|---|---:|---:|",
    (.machine.links[]? | "| \(.name) | \(.both_ways_bytes_per_second // .bytes_per_second | quantity("B/s")) | \(.latency_seconds | quantity("s")) |"),
    (.machine.levels[]? | select(.latency_seconds != null) | "| latency of \(.name) | | \(.latency_seconds | quantity("s")) |"),
    (.machine.costs[]? | "| \(.name) | | \(.seconds | quantity("s")) |"),
    "", (.machine.notes[]? | "* \(.)");

def ladders:
  (.ladders | to_entries[] | "", "| gemm \(.key) | time | rate | of the library, in turns |", "|---|---:|---:|---:|",
    (.value[] | "| \(.rung) `\(.kernel)`\(against) | \(.seconds | quantity("s")) | \(flops_per_second | quantity("FLOP/s")) | \(.baseline.fraction? | share) |"),
    (.value | last | select(.baseline != null) | . as $r | "| `\(.baseline.name | split(" ")[0])` | \(.baseline.seconds | quantity("s")) | \({flops, seconds: $r.baseline.seconds} | flops_per_second | quantity("FLOP/s")) | |")),
  (select(.sustained != null) | "", sustained), (select((.variants // []) != []) | "", variants);

def kernels:
  select(.kernels != []) | (memory.copy_bytes_per_second?) as $copy
  | "", "| kernel | time | rate | memory | of the measured copy |", "|---|---:|---:|---:|---:|",
    (.kernels[] | "| `\(.name)` | \(.seconds | quantity("s")) | \(flops_per_second | quantity("FLOP/s")) | \(bytes_per_second | quantity("B/s")) | \(bytes_per_second | ratio($copy) | share) |");

def counters:
  select(.counters != [])
  | "", "| counted by ncu | FLOPs of the formula | bytes of the formula | arithmetic intensity | operational |", "|---|---:|---:|---:|---:|",
    (.counters[] | ([.flops[]?] | add) as $flops | ([.bytes[]?] | add) as $bytes
      | "| `\(.name)` | \(.counters.flops | ratio($flops) | share) | \(.counters.bytes.memory | ratio($bytes) | share) | \($flops | ratio($bytes) // 0 | . * 100 | round / 100) | \(.counters.operational_intensity // 0 | . * 100 | round / 100) |");

def table:
  header, ceilings, ladders, kernels, counters,
  (select(.skipped != []) | "", (.skipped[] | "* not run: \(.what): \(.why)"));
