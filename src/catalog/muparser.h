/** muParser's functions, loaded when a formula is first read: few commands read one, and its C++ run-time library costs
 *  each start more than all else that is linked. */
#ifndef CATALOG_MUPARSER_H
#define CATALOG_MUPARSER_H

#include <muParserDLL.h>

#include "roofline/status.h"

typedef struct rf_muparser {
  __typeof__(&mupCreate) create;
  __typeof__(&mupRelease) release;
  __typeof__(&mupDefineFun1) define_function;
  __typeof__(&mupDefineVar) define_variable;
  __typeof__(&mupSetExpr) set;
  __typeof__(&mupEval) value;
  __typeof__(&mupEvalMulti) values;
  __typeof__(&mupError) failed;
  __typeof__(&mupGetErrorPos) position;
  __typeof__(&mupGetErrorMsg) message;
} rf_muparser;

/** They stay loaded.
 *  Errors: NULL, with ROOF_E_UNSUPPORTED in *error, where the library is not installed. */
const rf_muparser *rf_muparser_load(roof_error *error);

#endif
