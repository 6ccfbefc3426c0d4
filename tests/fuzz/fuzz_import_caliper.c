#define FORMAT "caliper"
#include "import_any.h"
