/** Lines in, lines out: over standard input and output, or over a Unix socket with several clients. */
#ifndef CLI_PREDICTOR_SERVER_H
#define CLI_PREDICTOR_SERVER_H

#include "roofline/predictor.h"

/** Answers standard input to its end, or to Ctrl-C. */
roof_status cli_serve_input(roof_predictor *predictor, roof_error *error);

/** Answers the clients of a socket, which it makes for this user alone and removes, until Ctrl-C. `ready` says that clients can connect. */
roof_status cli_serve_socket(roof_predictor *predictor, const char *path, void (*ready)(const char *path),
                             roof_error *error);

#endif
