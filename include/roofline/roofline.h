/** Everything: one include for programs that use libroofline. */
#ifndef ROOFLINE_ROOFLINE_H
#define ROOFLINE_ROOFLINE_H

#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/draw.h"
#include "roofline/dtype.h"
#include "roofline/energy.h"
#include "roofline/graphs.h"
#include "roofline/import.h"
#include "roofline/kernels.h"
#include "roofline/ledger.h"
#include "roofline/machine.h"
#include "roofline/measure.h"
#include "roofline/measurement.h"
#include "roofline/model.h"
#include "roofline/op.h"
#include "roofline/ops.h"
#include "roofline/plan.h"
#include "roofline/predict.h"
#include "roofline/region.h"
#include "roofline/shape.h"
#include "roofline/stats.h"
#include "roofline/status.h"
#include "roofline/text.h"
#include "roofline/time.h"
#include "roofline/units.h"
#include "roofline/weights.h"
#include "roofline/work.h"
#include "roofline/workload.h"

#endif
