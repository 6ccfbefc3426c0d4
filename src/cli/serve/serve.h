/** The sub-command serve: what its files share. */
#ifndef CLI_SERVE_SERVE_H
#define CLI_SERVE_SERVE_H

#include "cli/cli.h"
#include "roofline/service.h"

/* settings.c */
extern const struct poptOption cli_serve_load_options[];
/** The load that was typed. */
void cli_serve_load(roof_service_text *text);
/** Frees what was typed. */
void cli_serve_load_done(void);

/* text.c */
void cli_serve_text(roof_text *out, const roof_service_study *serve);
void cli_serve_csv(roof_text *out, const roof_service_study *serve);

#endif
