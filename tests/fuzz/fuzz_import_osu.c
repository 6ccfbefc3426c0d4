#define FORMAT "osu"
#include "import_any.h"
