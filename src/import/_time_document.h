/** The times of a profile's traces, devices and streams as a member of its document. */
#ifndef IMPORT_TIME_DOCUMENT_H
#define IMPORT_TIME_DOCUMENT_H

#include "documents/json.h"
#include "roofline/timeline.h"

/** Null where the profile has no times of calls. NULL when out of memory. */
json_t *rf_time_json(const roof_profile *profile);

/** Which rank waits for which; null where no time line shows it, NULL when out of memory. */
json_t *rf_waits_json(const roof_profile *profile);

#endif
