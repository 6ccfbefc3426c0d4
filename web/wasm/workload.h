/** Answers about graphs, operation by operation. */
#ifndef WEB_WORKLOAD_H
#define WEB_WORKLOAD_H

#include "web/wasm/asked.h"

/** What `roofline model FILE.onnx` prints for these words with --json. */
roof_status web_workload(const web_asked *asked, roof_text *out, roof_error *error);

#endif
