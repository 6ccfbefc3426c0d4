# Which room may include which. Input: C files of one tree, named relative to its root. Prints one line per violation.
BEGIN {
  may["core"] = "core"
  may["ops"] = "core ops"
  may["models"] = "core ops models"
  may["advise"] = "core ops models advise"
  may["host"] = "core host"
  may["documents"] = "core ops models advise host documents"
  may["catalog"] = "core ops advise host documents catalog"
  may["weights"] = "core ops models advise host documents catalog weights"
  may["prose"] = "core ops models advise host documents catalog weights prose"
  may["graphs"] = "core ops models host documents graphs"
  may["kernels"] = "core ops host kernels"
  may["measure"] = "core ops advise host documents kernels measure"
  may["import"] = "core ops models advise host documents import"
  may["accuracy"] = "core ops models advise host documents catalog weights import draw service accuracy"
  may["ledger"] = "core ops advise host documents catalog ledger"
  may["draw"] = "core ops models advise host documents draw"
  may["plot"] = "core ops models advise host documents catalog weights graphs measure import region draw plot"
  may["loop"] = "core ops advise host documents catalog kernels measure accuracy ledger draw doctor loop"
  may["region"] = "core advise host documents region"
  may["doctor"] = "core host documents measure doctor"
  may["service"] = "core ops models host documents draw service"
  may["predictor"] = "core ops models advise host documents catalog weights predictor"
  may["cluster"] = "core ops models advise host documents catalog kernels measure ledger draw cluster"
  may["web"] = "core ops models advise host documents catalog weights graphs service draw plot web"
  may["cli"] = "core ops models advise host documents catalog weights prose graphs kernels measure import accuracy ledger draw plot loop region doctor service predictor cluster cli"
  may["examples"] = "core ops models advise documents catalog weights prose graphs kernels measure import accuracy ledger draw plot loop region doctor service predictor cluster everything"

  # The room a public header belongs to.
  n = split("status dtype units text machine report work op predict place kernel effects stats measurement energy time version export", core_headers, " ")
  for (i = 1; i <= n; i++) room_of["roofline/" core_headers[i] ".h"] = "core"
  n = split("ops advise documents catalog weights prose graphs measure kernels import accuracy ledger draw plot loop region doctor service predictor cluster", rooms, " ")
  for (i = 1; i <= n; i++) room_of["roofline/" rooms[i] ".h"] = rooms[i]
  room_of["roofline/shape.h"] = "ops"
  room_of["roofline/sweep.h"] = "advise"
  room_of["roofline/points.h"] = "advise"
  room_of["roofline/joules.h"] = "advise"
  room_of["roofline/losses.h"] = "advise"
  room_of["roofline/charts.h"] = "draw"
  room_of["roofline/page.h"] = "draw"
  room_of["roofline/formats.h"] = "advise"
  room_of["roofline/calibrate.h"] = "accuracy"
  room_of["roofline/changes.h"] = "catalog"
  room_of["roofline/nodes.h"] = "cluster"
  room_of["roofline/job.h"] = "region"
  room_of["roofline/sheet.h"] = "catalog"
  room_of["roofline/sealing.h"] = "documents"
  room_of["roofline/anchor.h"] = "ledger"
  room_of["roofline/ladder.h"] = "measure"
  room_of["roofline/runs.h"] = "measure"
  room_of["roofline/claim.h"] = "advise"
  room_of["roofline/whole.h"] = "advise"
  room_of["roofline/model.h"] = "models"
  room_of["roofline/plan.h"] = "models"
  room_of["roofline/load.h"] = "models"
  room_of["roofline/choice.h"] = "models"
  room_of["roofline/hybrid.h"] = "models"
  room_of["roofline/apart.h"] = "models"
  room_of["roofline/failures.h"] = "models"
  room_of["roofline/simulate.h"] = "service"
  room_of["roofline/model_sweep.h"] = "models"
  room_of["roofline/analysis.h"] = "models"
  room_of["roofline/crossing.h"] = "advise"
  room_of["roofline/explain.h"] = "advise"
  room_of["roofline/trust.h"] = "advise"
  room_of["roofline/overlap.h"] = "advise"
  room_of["roofline/drill.h"] = "advise"
  room_of["roofline/profiler.h"] = "import"
  room_of["roofline/timeline.h"] = "import"
  room_of["roofline/program.h"] = "region"
  room_of["roofline/workload.h"] = "models"
  room_of["roofline/fabric.h"] = "cluster"
  room_of["roofline/roofline.h"] = "everything"

  # The room that collects a generated registry.
  room_of["registry/ops.inc"] = "ops"
  room_of["registry/kernels.inc"] = "kernels"
  room_of["registry/formats.inc"] = "import"
  room_of["registry/backends.inc"] = "measure"
  room_of["registry/commands.inc"] = "cli"

  # What core and ops may use: C17 and strings.h.
  n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg " \
            "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar wchar wctype",
            headers, " ")
  for (i = 1; i <= n; i++) standard[headers[i] ".h"] = 1
  touches = "(^|[^A-Za-z0-9_])(printf|vprintf|fprintf|vfprintf|puts|fputs|putc|putchar|fputc|fopen|freopen|fdopen|fclose|" \
            "fread|fwrite|fgets|fgetc|getc|getchar|scanf|fscanf|fflush|perror|open|read|write|close|remove|rename|tmpfile|" \
            "getenv|system|exit|_Exit|quick_exit|abort|atexit|signal|raise|time|clock)[ ]*\\("
  streams = "(^|[^A-Za-z0-9_])(stdin|stdout|stderr)([^A-Za-z0-9_]|$)"
  allocates = "(^|[^A-Za-z0-9_])(malloc|calloc|realloc|aligned_alloc|strdup|strndup|alloca|free)[ ]*\\("
  may_allocate["src/core/text.c"] = may_allocate["src/core/measurement.c"] = 1
  may_allocate["src/core/machine.c"] = may_allocate["src/core/record.c"] = may_allocate["src/ops/shape.c"] = 1
}

function room_of_file(file,    parts) {
  split(file, parts, "/")
  if (parts[1] == "include") return room_of["roofline/" parts[3]]
  if (parts[1] == "examples" || parts[1] == "web") return parts[1]
  return parts[2]
}

function report(why) {
  printf "%s:%d: %s\n", FILENAME, FNR, why
}

function check_include(name, quoted,    target) {
  if (!quoted) {
    if (name == "dlfcn.h" && room != "host") report("<dlfcn.h> in " room ": shared libraries are loaded by host/library.h")
    if (pure && !(name in standard)) report("<" name "> in " room ": core and ops use only C17 headers and strings.h")
    return
  }
  if (index(name, "/") == 0) {
    report("\"" name "\": a header is included as \"room/name.h\" or \"roofline/name.h\"")
    return
  }
  if (name ~ /^(roofline|registry)\//) {
    if (!(name in room_of)) { report("\"" name "\" has no room in includes.awk"); return }
    target = room_of[name]
    # roofline.h itself gathers the rooms and does nothing else.
    if (FILENAME == "include/roofline/roofline.h") return
  } else {
    target = substr(name, 1, index(name, "/") - 1)
    if (room == "examples") { report("\"" name "\": an example uses only include/roofline"); return }
    if (FILENAME ~ /^include\//) { report("\"" name "\": a public header includes only public headers"); return }
  }
  if (target in allowed) return
  if (target == "everything") report("\"" name "\": it is for programs outside; include the headers that are used")
  else report("\"" name "\": `" room "` may not include `" target "`")
}

FNR == 1 {
  state = ""
  room = room_of_file(FILENAME)
  pure = room == "core" || room == "ops"
  for (i in allowed) delete allowed[i]
  if (room in may) {
    n = split(may[room], list, " ")
    for (i = 1; i <= n; i++) allowed[list[i]] = 1
  } else if (room != "everything") {
    report("room `" room "` is not in includes.awk")
    room = "everything"
  }
}

room == "everything" && FILENAME != "include/roofline/roofline.h" { next }

/^[ \t]*#[ \t]*include/ {
  checked++
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
  quoted = substr(name, 1, 1) == "\""
  name = substr(name, 2)
  sub(quoted ? "\".*" : ">.*", "", name)
  check_include(name, quoted)
  next
}

{ line = code($0) }

pure && FILENAME ~ /^src\// {
  if (line ~ touches || line ~ streams) report("`" room "` touches a file, a stream, the clock or the process: " $0)
  if (line ~ allocates && !(FILENAME in may_allocate)) report("`" room "` allocates outside text.c, measurement.c, machine.c, record.c and shape.c: " $0)
}

END { printf "%d includes\n", checked >"/dev/stderr" }
