#define FORMAT "nccl-tests"
#include "import_any.h"
