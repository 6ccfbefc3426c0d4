#define FORMAT "nvbandwidth"
#include "import_any.h"
