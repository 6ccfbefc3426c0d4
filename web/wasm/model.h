/** Answers about whole models. */
#ifndef WEB_MODEL_H
#define WEB_MODEL_H

#include "roofline/model.h"
#include "web/wasm/asked.h"

/** What `roofline model` prints for these words with --json, or draws with --to. */
roof_status web_model(const web_asked *asked, roof_text *out, roof_error *error);

/** What `roofline advise MODEL` prints with --json. */
roof_status web_model_advise(const web_asked *asked, roof_text *out, roof_error *error);

/** How a model is stored and launched, as options say; its other settings are the defaults. */
roof_status web_model_settings(const web_asked *asked, const roof_model *model, bool choices,
                               roof_model_settings *settings, roof_error *error);

#endif
