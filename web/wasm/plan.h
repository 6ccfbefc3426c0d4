/** Answers about plans for a load. */
#ifndef WEB_PLAN_H
#define WEB_PLAN_H

#include "web/wasm/asked.h"

/** What `roofline plan` prints for these words with --json, or draws with --to. ROOF_E_GATE, with the answer: none meets the limits. */
roof_status web_plan(const web_asked *asked, roof_text *out, roof_error *error);

#endif
