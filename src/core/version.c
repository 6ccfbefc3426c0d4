#include "roofline/version.h"

const char *roof_version(void) {
  return ROOF_VERSION_TEXT;
}

int roof_version_number(void) {
  return ROOF_VERSION;
}
