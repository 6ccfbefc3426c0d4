#define FORMAT "nvbench"
#include "import_any.h"
