/* Programs, compiled when they are needed: hip.prelude and the text, cxx.prelude as a header of theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/hip/hip.h"

enum { OPTIONS = 3 };

/** A failure of the compiler itself; what a text does wrong is in its log. */
static roof_status check(const hip_api *api, int code, const char *name, roof_error *error) {
  return code == 0 ? ROOF_OK
                   : roof_error_set(error, ROOF_E_UNSUPPORTED, "hip: program %s: %s", name,
                                    api->compiler_text(code));
}

static roof_status refuse(const hip_api *api, hip_program program, const char *name, roof_error *error) {
  size_t bytes = 0;
  api->log_size(program, &bytes);
  char *log = calloc(bytes + 1, 1);
  if (log == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hip: out of memory");
  }
  if (bytes > 0) {
    api->log(program, log);
  }
  roof_status status = rf_device_build_error("hip", name, log, error);
  free(log);
  return status;
}

/** "--offload-arch=gfx90a:sramecc+:xnack-", "-DTYPE_FP16", and how products of bytes are multiplied. */
static roof_status compile(const hip_open *o, hip_program program, const char *name, roof_dtype dtype,
                           roof_error *error) {
  char target[HIP_NAME_BYTES + 32], type[32];
  snprintf(target, sizeof target, "--offload-arch=%s", o->target);
  rf_device_define(dtype, type, sizeof type);
  const char *const options[OPTIONS] = {target, type, o->dot4};
  return o->api->compile(program, o->dot4 != NULL ? OPTIONS : OPTIONS - 1, options) == 0
             ? ROOF_OK
             : refuse(o->api, program, name, error);
}

static roof_status load(hip_open *o, hip_program program, const char *name, void **loaded,
                        roof_error *error) {
  size_t bytes = 0;
  roof_status status = check(o->api, o->api->code_size(program, &bytes), name, error);
  char *code = status == ROOF_OK ? calloc(bytes + 1, 1) : NULL;
  if (status == ROOF_OK && code == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hip: out of memory");
  }
  if (status == ROOF_OK) {
    status = check(o->api, o->api->code(program, code), name, error);
  }
  if (status == ROOF_OK) {
    status = rf_streams_load(&o->streams, name, code, loaded, error);
  }
  free(code);
  return status;
}

roof_status rf_hip_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                         roof_error *error) {
  hip_open *o = hip_of(device);
  const char *first = rf_device_prelude("hip")->text;
  const char *const headers[] = {rf_device_prelude("cxx")->text}, *const names[] = {"cxx.prelude"};
  size_t bytes = strlen(first) + strlen(text->text) + 128;
  char *whole = calloc(bytes, 1);
  hip_program made = NULL;
  if (whole == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hip: out of memory");
  }
  snprintf(whole, bytes, "%s#line 1 \"%.64s.cl\"\n%s", first, text->name, text->text);
  roof_status status =
      check(o->api, o->api->create(&made, whole, text->name, 1, headers, names), text->name, error);
  if (status == ROOF_OK) {
    status = compile(o, made, text->name, dtype, error);
  }
  if (status == ROOF_OK) {
    status = load(o, made, text->name, program, error);
  }
  if (made != NULL) {
    o->api->destroy(&made);
  }
  free(whole);
  return status;
}
