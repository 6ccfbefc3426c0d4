#define FORMAT "trtexec"
#include "import_any.h"
