#define FORMAT "llmcompass"
#define FILE_NAME                                                                                            \
  ((const char *[]){"matmul_A100.csv", "softmax_A100.csv", "layernorm_A100.csv", "gelu_A100.csv"}[size % 4])
#include "import_any.h"
