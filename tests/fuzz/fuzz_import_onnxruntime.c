#define FORMAT "onnxruntime"
#include "import_any.h"
