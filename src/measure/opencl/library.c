/* The system's OpenCL library and its devices. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/library.h"
#include "measure/opencl/api.h"

static rf_opencl library;
static char reason[320];

#define SYMBOL(name) {"cl" #name, &library.api.name},
static const rf_symbol symbols[] = {RF_OPENCL_MAP(SYMBOL)};
#undef SYMBOL

static bool load(const char *soname) {
  const rf_library file = {.what = "OpenCL",
                           .hint = "; on Debian: apt install ocl-icd-libopencl1",
                           .sonames = {soname},
                           .symbols = symbols,
                           .count = sizeof symbols / sizeof symbols[0]};
  rf_loaded loaded;
  bool good = rf_library_load(&file, &loaded);
  snprintf(reason, sizeof reason, "%s%s", loaded.reason,
           loaded.soname != NULL ? ": OpenCL 1.2 or later is needed" : "");
  return good;
}

static cl_device_type type_of(cl_device_id device) {
  cl_device_type type = 0;
  library.api.GetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  return type;
}

/** Adds the platform's devices of some types. */
static void add_devices(cl_platform_id platform, cl_device_type types) {
  cl_device_id found[RF_OPENCL_DEVICES];
  cl_uint count = 0;
  if (library.api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, RF_OPENCL_DEVICES, found, &count) !=
      CL_SUCCESS) {
    return;
  }
  for (cl_uint i = 0; i < count && i < RF_OPENCL_DEVICES && library.count < RF_OPENCL_DEVICES; i++) {
    if (type_of(found[i]) & types) {
      library.platforms[library.count] = platform;
      library.devices[library.count++] = found[i];
    }
  }
}

static void list_devices(void) {
  static const cl_device_type order[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU};
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_int code = library.api.GetPlatformIDs(16, platforms, &count);
  for (int type = 0; type < 3 && code == CL_SUCCESS; type++) {
    for (cl_uint i = 0; i < count && i < 16; i++) {
      add_devices(platforms[i], order[type]);
    }
  }
  if (library.count == 0) {
    snprintf(reason, sizeof reason,
             "OpenCL has no device: no driver is installed (a vendor's, or on Debian: apt install "
             "pocl-opencl-icd)");
  }
}

static void load_once(void) {
  const char *soname = secure_getenv("ROOFLINE_OPENCL_LIBRARY");
  if (load(soname != NULL && soname[0] != '\0' ? soname : "libOpenCL.so.1")) {
    list_devices();
  }
  library.reason = library.count == 0 ? reason : NULL;
}

const rf_opencl *rf_opencl_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_once);
  return &library;
}

#define CODE(name)                                                                                           \
  { name, #name }
static const struct {
  cl_int code;
  const char *name;
} codes[] = {
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
};

static bool is_memory(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

roof_status rf_opencl_check(cl_int code, const char *call, const char *what, roof_error *error) {
  char unnamed[24];
  snprintf(unnamed, sizeof unnamed, "error %d", code);
  const char *name = unnamed;
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    name = codes[i].code == code ? codes[i].name : name;
  }
  if (code == CL_SUCCESS) {
    return ROOF_OK;
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "opencl: %s%s%s: %s%s", call, what[0] != '\0' ? " " : "",
                        what, name, is_memory(code) ? ": out of memory on the device" : "");
}
