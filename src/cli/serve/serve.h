/** The sub-command serve: what its files share. */
#ifndef CLI_SERVE_SERVE_H
#define CLI_SERVE_SERVE_H

#include "cli/cli.h"
#include "roofline/service.h"

/** What is asked, and what was found at each rate. */
typedef struct cli_serve {
  const roof_model_target *target;
  roof_service *service;
  roof_service_settings settings; /**< the rate is that of the run */
  roof_requests trace;
  double *rates; /**< asked about */
  size_t count;
  roof_service_answer *answers; /**< at each */
  double saturation;            /**< requests/s; NaN where a constant concurrency was asked */
} cli_serve;

/* settings.c */
extern const struct poptOption cli_serve_load_options[];
/** The load from options; lengths that are words have been read already. */
roof_status cli_serve_load(cli_serve *serve, roof_error *error);
/** Takes prompt= and generate= that are distributions out of `words`; *count becomes what is left. The settings get their
 *  means. */
roof_status cli_serve_lengths(const char **words, int *count, roof_lengths *prompt, roof_lengths *generate,
                              roof_error *error);
/** Limits and lists that were typed. */
void cli_serve_load_done(void);

/* text.c */
/** Requests per second of a run; NaN for a constant concurrency, infinite where all come at once. */
double cli_serve_rate(const cli_serve *serve, size_t run);
void cli_serve_text(roof_text *out, const cli_serve *serve);
void cli_serve_csv(roof_text *out, const cli_serve *serve);

/* json.c */
json_t *cli_serve_json(const cli_serve *serve);

/* chart.c */
roof_status cli_serve_chart(const cli_args *args, const cli_serve *serve, roof_error *error);

#endif
