/** Answers about a model as a service under load. */
#ifndef WEB_SERVE_H
#define WEB_SERVE_H

#include "web/wasm/asked.h"

/** What `roofline serve` prints for these words with --json, or draws with --to. */
roof_status web_serve(const web_asked *asked, roof_text *out, roof_error *error);

#endif
