/* Any bytes as the document of a job's rank: refused with a reason and a place, or added up and written. */
#include <stdint.h>
#include <stdlib.h>

#include "roofline/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_job *job = NULL;
  roof_text text = {0};
  roof_error error = {0};
  require(roof_job_new("fuzz", 4, &job, NULL) == ROOF_OK);
  if (roof_job_add(job, (const char *)data, size, "fuzz", &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0');
  } else {
    require(job->missing == 3 && roof_job_add(job, (const char *)data, size, "fuzz", &error) == ROOF_E_INPUT);
    require(roof_job_settle(job, NULL, 0, &error) == ROOF_OK);
    roof_job_describe(&text, job);
    roof_job_remarks_describe(&text, job);
    require(!text.failed && text.length > 0);
  }
  roof_text_done(&text);
  roof_job_free(job);
  return 0;
}
