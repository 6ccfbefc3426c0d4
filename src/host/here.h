/** What a report says of where it was made. */
#ifndef HOST_HERE_H
#define HOST_HERE_H

#include "roofline/text.h"

/** Appends this process's command line as a shell takes it, the program without its folder; nothing where it is not
 *  known. */
void rf_here_command(roof_text *out);

/** Appends in lines what wrote a report, when, and on what: the version, the moment and `commit` of the working folder (""
 *  none); the name of this computer, its system and its processor. */
void rf_here_describe(roof_text *out, const char *commit);

#endif
