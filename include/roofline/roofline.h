/** Everything: one include for programs that use libroofline; `pkg-config --cflags --libs roofline`.
 *
 *  Libraries: `roofline` has all. `roofline_core` has what predicts (dtype, machine, work, op, ops, shape,
 *  predict, place, energy, stats, status, text, time, units) and needs libc and libm; `roofline_region` has
 *  region.h and needs libc.
 *
 *  Errors: what can fail returns a roof_status and takes a roof_error last, which may be NULL. On failure it
 *  fills the error and leaves its outputs as they were, but where its comment says otherwise. One roof_error
 *  serves many calls: it need not be cleared, and success does not touch it. Other pointers may be NULL only
 *  where their comment allows it.
 *
 *  Unknown: a number that is not known is NaN, travels through the arithmetic and is never 0. `Errors: NaN`
 *  says when. Quantities are doubles in seconds, bytes, FLOP, joules, Hz, watts.
 *
 *  Ownership and lifetime: `_new`, `_load` and `_copy` give what the caller releases with `_free`; `_init`
 *  fills the caller's storage, which `_done` releases where there is one. roof_target, roof_ceilings,
 *  roof_prediction, roof_placed and roof_model_target point into the machine (and model) they were made of:
 *  it must outlive them, and not change. `Ownership: static` lives as long as the program. Some structures
 *  are large (roof_model, roof_scene, roof_curves): allocate them; the library itself needs less than 64 KiB
 *  of stack.
 *
 *  Threads: every function may be called from several threads at once on different data, and on the same data
 *  where all take it as const. What is loaded once (drivers, libraries, the topology) is guarded. Measuring
 *  (measure.h, runs.h) starts threads, binds them to cores, and is meant to be done by one thread at a time.
 *  roof_catalog_* and roof_model_load read the environment. A ledger may be written by several processes.
 *
 *  The process: the library prints nothing, never exits, sets no signal handler and no locale, and reads and
 *  writes numbers with a point whatever the locale.
 *
 *  Stable: until 1.0 a minor version may change anything, a patch version nothing that compiles or links;
 *  structures are part of the ABI, which the SONAME counts. JSON documents change with their `schema` only.
 *  roofline/version.h gives the version at compile time and at run time.
 *
 *  Example:
 *    printf("%s, compiled with %s\n", roof_version(), ROOF_VERSION_TEXT);
 *
 *  Programs: examples/sweep.c, place.c, ledger.c, model.c, chart.c. */
#ifndef ROOFLINE_ROOFLINE_H
#define ROOFLINE_ROOFLINE_H

#include "roofline/accuracy.h"
#include "roofline/advise.h"
#include "roofline/analysis.h"
#include "roofline/anchor.h"
#include "roofline/apart.h"
#include "roofline/calibrate.h"
#include "roofline/catalog.h"
#include "roofline/changes.h"
#include "roofline/charts.h"
#include "roofline/choice.h"
#include "roofline/claim.h"
#include "roofline/crossing.h"
#include "roofline/doctor.h"
#include "roofline/documents.h"
#include "roofline/draw.h"
#include "roofline/drill.h"
#include "roofline/dtype.h"
#include "roofline/effects.h"
#include "roofline/energy.h"
#include "roofline/explain.h"
#include "roofline/fabric.h"
#include "roofline/failures.h"
#include "roofline/formats.h"
#include "roofline/graphs.h"
#include "roofline/hybrid.h"
#include "roofline/import.h"
#include "roofline/job.h"
#include "roofline/joules.h"
#include "roofline/kernel.h"
#include "roofline/kernels.h"
#include "roofline/ladder.h"
#include "roofline/ledger.h"
#include "roofline/load.h"
#include "roofline/loop.h"
#include "roofline/losses.h"
#include "roofline/machine.h"
#include "roofline/measure.h"
#include "roofline/measurement.h"
#include "roofline/model.h"
#include "roofline/model_sweep.h"
#include "roofline/nodes.h"
#include "roofline/op.h"
#include "roofline/ops.h"
#include "roofline/overlap.h"
#include "roofline/page.h"
#include "roofline/place.h"
#include "roofline/plan.h"
#include "roofline/plot.h"
#include "roofline/points.h"
#include "roofline/predict.h"
#include "roofline/predictor.h"
#include "roofline/profiler.h"
#include "roofline/program.h"
#include "roofline/prose.h"
#include "roofline/region.h"
#include "roofline/report.h"
#include "roofline/runs.h"
#include "roofline/sealing.h"
#include "roofline/service.h"
#include "roofline/shape.h"
#include "roofline/sheet.h"
#include "roofline/simulate.h"
#include "roofline/stats.h"
#include "roofline/status.h"
#include "roofline/sweep.h"
#include "roofline/text.h"
#include "roofline/time.h"
#include "roofline/timeline.h"
#include "roofline/trust.h"
#include "roofline/units.h"
#include "roofline/version.h"
#include "roofline/weights.h"
#include "roofline/whole.h"
#include "roofline/work.h"
#include "roofline/workload.h"

#endif
