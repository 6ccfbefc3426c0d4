/** What is asked of the explorer: a command line of `roofline`, word by word. */
#ifndef WEB_ASKED_H
#define WEB_ASKED_H

#include <jansson.h>

#include "roofline/draw.h"
#include "roofline/formats.h"
#include "roofline/text.h"

/** Texts in the order typed, a NULL after the last. */
typedef struct web_list {
  const char *texts[32];
  int count;
} web_list;

/** A command line. Texts lie in `line`. */
typedef struct web_asked {
  json_t *line;
  const char *command;
  web_list words;
  web_list machines, dtypes, peaks;
  roof_formats formats;
  roof_options_text options;
  const char *bandwidth, *precision, *mode, *fuse, *recompute, *network, *seed, *to, *width;
  const char *rate, *ttft, *tpot, *percentile, *devices, *price, *concurrency, *requests;
  int json, train, arrows, lenient;
  roof_text figures; /**< of a machine that --peak and --bandwidth name */
} web_asked;

/** Reads a JSON list of words. Release with web_asked_done, also on failure.
 *  Errors: ROOF_E_PARSE for other JSON, ROOF_E_NAME for an option that the command has not here, ROOF_E_ARGUMENT for one
 *  value too many or too few. */
roof_status web_asked_read(web_asked *asked, const char *text, size_t length, roof_error *error);
void web_asked_done(web_asked *asked);

/** Settings as words: those behind the name, and what options say. They point into what is asked. */
typedef struct web_words {
  const char *list[33];
  int count;
  char price[64];
} web_words;

/** `price`: of a device and hour, or NULL. */
void web_words_of(const web_asked *asked, const char *price, web_words *words);

/** How wide a drawing is to be. */
int web_width(const web_asked *asked);

/** Draws the curves that `fill` makes of an answer. */
roof_status web_draw_curves(const web_asked *asked,
                            roof_status (*fill)(const void *of, roof_curves *chart, roof_error *error),
                            const void *of, roof_text *out, roof_error *error);

/** Writes the answers about each machine: one as it is, several as a list. */
roof_status web_write_each(json_t *all, roof_text *out, roof_error *error);

#endif
