#define FORMAT "kineto"
#include "import_any.h"
