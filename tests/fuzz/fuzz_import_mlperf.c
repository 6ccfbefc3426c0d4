#define FORMAT "mlperf"
#include "import_any.h"
