#include "core/work.h"

void roof_work_init(roof_work *work) {
  rf_work_init(work);
}
