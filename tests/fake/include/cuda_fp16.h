#include "../words.h"
