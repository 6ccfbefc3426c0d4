/** What the page keeps: files that it was given (a config.json that was dropped, the machine `host`), machines that were read. */
#ifndef WEB_HOST_H
#define WEB_HOST_H

#include <stdbool.h>
#include <stddef.h>

/** Keeps a copy of a file, or of its beginning where it is `whole` bytes long, under its name without folders, in the place of one of that
 *  name; false when out of memory. */
bool web_file_keep(const char *name, const char *data, size_t length, double whole);

/** Forgets the machines that were read, one of which may be of a file that was given anew. */
void web_machines_forget(void);

#endif
