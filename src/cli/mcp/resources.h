/** What can be read: machines of the catalogue, and the pages of the book where they are installed. */
#ifndef CLI_MCP_RESOURCES_H
#define CLI_MCP_RESOURCES_H

#include <jansson.h>

#include "roofline/status.h"

/** The result of resources/list from `cursor` on (NULL: the first page). ROOF_E_ARGUMENT: not a cursor. */
roof_status cli_mcp_resources_list(const char *cursor, json_t **result, roof_error *error);

/** The result of resources/templates/list. */
json_t *cli_mcp_resources_templates(void);

/** The result of resources/read. ROOF_E_NAME: there is none. */
roof_status cli_mcp_resources_read(const char *uri, json_t **result, roof_error *error);

#endif
