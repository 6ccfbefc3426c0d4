/** The sub-command serve: what its files share. */
#ifndef CLI_SERVE_SERVE_H
#define CLI_SERVE_SERVE_H

#include "cli/cli.h"
#include "roofline/service.h"

/* settings.c */
extern const struct poptOption cli_serve_load_options[];
/** The load from options; lengths that are words have been read already. */
roof_status cli_serve_load(roof_service_study *serve, roof_error *error);
/** Takes prompt= and generate= that are distributions out of `words`; *count becomes what is left. The settings get their
 *  means. */
roof_status cli_serve_lengths(const char **words, int *count, roof_lengths *prompt, roof_lengths *generate,
                              roof_error *error);

/** Takes adapters=, rank= and slots= out of the words. */
roof_status cli_serve_adapters(const char **words, int *count, roof_service_settings *settings,
                               roof_error *error);
/** Limits and lists that were typed. */
void cli_serve_load_done(void);

/* text.c */
void cli_serve_text(roof_text *out, const roof_service_study *serve);
void cli_serve_csv(roof_text *out, const roof_service_study *serve);

/* chart.c */
/** Of one run that filled a timeline. */
roof_status cli_serve_timeline(const cli_args *args, const roof_service_study *serve, roof_error *error);
roof_status cli_serve_chart(const cli_args *args, const roof_service_study *serve, roof_error *error);

#endif
