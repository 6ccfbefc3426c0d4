/** The Model Context Protocol over standard input and output: JSON-RPC 2.0, a message a line. */
#ifndef CLI_MCP_SERVER_H
#define CLI_MCP_SERVER_H

#include "cli/mcp/confine.h"

/** Serves until standard input ends and all is answered. */
roof_status cli_mcp_serve(const cli_mcp_limits *limits, roof_error *error);

#endif
