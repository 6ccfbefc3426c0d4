/** The commands that are tools: their schemas, made of what the commands say of themselves, and calls as command lines. */
#ifndef CLI_MCP_TOOLS_H
#define CLI_MCP_TOOLS_H

#include <jansson.h>

#include "cli/mcp/confine.h"

/** How an answer is wanted. */
typedef enum cli_mcp_kind {
  CLI_MCP_TEXT,
  CLI_MCP_JSON,
  CLI_MCP_CSV,
  CLI_MCP_SVG,
  CLI_MCP_PNG,
  CLI_MCP_KINDS
} cli_mcp_kind;

/** A tool's call as a command line. */
typedef struct cli_mcp_line {
  json_t *words; /**< texts, the program's name first */
  cli_mcp_kind kind;
  int page; /**< from 1 */
} cli_mcp_line;

/** The result of tools/list. */
json_t *cli_mcp_tools_list(const cli_mcp_limits *limits);

/** ROOF_E_NAME with the nearest one where there is no such tool. */
roof_status cli_mcp_tools_find(const char *name, roof_error *error);

/** The command line of a call. Release `words` in any case.
 *  Errors: what is wrong with an argument, for the model that wrote it. */
roof_status cli_mcp_tools_line(const cli_mcp_limits *limits, const char *name, json_t *arguments,
                               cli_mcp_line *line, roof_error *error);

#endif
