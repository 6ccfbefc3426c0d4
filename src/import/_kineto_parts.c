/* What a kernel is part of: the operator, module, range or step that launched it, its device, its stream. */
#include <string.h>

#include "import/_kineto.h"

static const char module_mark[] = "nn.Module: ", step_mark[] = "ProfilerStep";

static bool begins(rf_span name, const char *with) {
  return name.size >= strlen(with) && memcmp(name.at, with, strlen(with)) == 0;
}

bool rf_kineto_marks(kineto *t, rf_span name, bool annotation) {
  roof_by by = annotation                  ? (begins(name, step_mark) ? ROOF_BY_STEP : ROOF_BY_NVTX)
               : begins(name, module_mark) ? ROOF_BY_MODULE
                                           : ROOF_BY_KERNEL;
  t->profile->dimensions |= by != ROOF_BY_KERNEL ? 1u << by : 0;
  return by != ROOF_BY_KERNEL && by == t->profile->by;
}

void rf_kineto_nest_marks(kineto *t) {
  t->profile->dimensions |= 1u << ROOF_BY_DEVICE | 1u << ROOF_BY_STREAM;
  t->profile->dimensions |= t->ops.count > 0 ? 1u << ROOF_BY_OP : 0;
  rf_marks_nest(t->marks.list, t->marks.count);
}

static const import_mark *mark_around(const kineto *t, uint32_t thread, int64_t time) {
  return rf_marks_around(t->marks.list, t->marks.count, thread, time);
}

static const char *name_of(const kineto *t, uint32_t number, char text[KINETO_NAME]) {
  size_t size;
  const char *raw = rf_intern_get(&t->names, number, &size);
  rf_scan_text((rf_span){raw, size, true}, text, KINETO_NAME);
  return strncmp(text, module_mark, sizeof module_mark - 1) == 0 ? text + sizeof module_mark - 1 : text;
}

/** The operator that accounts for its work, else the innermost one that launched it. */
static const char *operator_of(const kineto *t, const kineto_kernel *k, char text[KINETO_NAME]) {
  const kineto_launch *launch = rf_kineto_launch_of(t, k->correlation);
  uint32_t op = k->op != KINETO_NONE ? k->op : launch != NULL ? launch->op : KINETO_NONE;
  return op != KINETO_NONE ? name_of(t, t->calls.list[t->ops.list[op].shape].name, text)
                           : "outside any operator";
}

/** The innermost mark around its launch on the thread that launched it, else around itself on its stream. */
static const char *marked(const kineto *t, const kineto_kernel *k, const char *otherwise,
                          char text[KINETO_NAME]) {
  const kineto_launch *launch = rf_kineto_launch_of(t, k->correlation);
  bool step = t->profile->by == ROOF_BY_STEP; /* of all threads */
  const import_mark *mark = launch != NULL ? mark_around(t, step ? 0 : launch->thread, launch->start) : NULL;
  if (mark == NULL && (launch == NULL || !step)) {
    mark = mark_around(t, step ? 0 : k->stream, k->start);
  }
  return mark != NULL ? name_of(t, mark->name, text) : otherwise;
}

const char *rf_kineto_stream(const kineto *t, uint32_t thread, char text[KINETO_STREAM]) {
  static const char word[] = "stream ";
  size_t size;
  const char *raw = rf_intern_get(&t->threads, thread, &size);
  const char *slash = memchr(raw, '/', size);
  size_t before = slash != NULL ? (size_t)(slash - raw) + 1 : size;
  rf_scan_text((rf_span){raw + before, size - before, true}, text, KINETO_STREAM);
  return text + (strncmp(text, word, sizeof word - 1) == 0 ? sizeof word - 1 : 0);
}

static const char *stream_of(const kineto *t, const kineto_kernel *k, char text[KINETO_NAME]) {
  char name[KINETO_STREAM];
  snprintf(text, KINETO_NAME, "device %d, stream %s", k->device, rf_kineto_stream(t, k->stream, name));
  return text;
}

static const char *part_in(const kineto *t, const kineto_kernel *k, char text[KINETO_NAME]) {
  switch (t->profile->by) {
  case ROOF_BY_OP:
    return operator_of(t, k, text);
  case ROOF_BY_MODULE:
    return marked(t, k, "outside any module", text);
  case ROOF_BY_NVTX:
    return marked(t, k, "outside any range", text);
  case ROOF_BY_STEP:
    return marked(t, k, "outside any step", text);
  case ROOF_BY_DEVICE:
    snprintf(text, KINETO_NAME, "device %d", k->device);
    return text;
  case ROOF_BY_STREAM:
    return stream_of(t, k, text);
  default:
    return NULL;
  }
}

const char *rf_kineto_part(kineto *t, const kineto_kernel *k) {
  char text[KINETO_NAME];
  const char *part = part_in(t, k, text);
  return part != NULL ? roof_profile_text(t->profile, part) : NULL;
}
