/** The functions of OpenCL that are used, found in the system's library when the program runs. */
#ifndef MEASURE_OPENCL_API_H
#define MEASURE_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "measure/device/device.h"

/** X(name): clNAME. All are of OpenCL 1.2. */
#define RF_OPENCL_MAP(X)                                                                                     \
  X(GetPlatformIDs)                                                                                          \
  X(GetPlatformInfo)                                                                                         \
  X(GetDeviceIDs)                                                                                            \
  X(GetDeviceInfo)                                                                                           \
  X(CreateContext)                                                                                           \
  X(ReleaseContext)                                                                                          \
  X(CreateCommandQueue)                                                                                      \
  X(ReleaseCommandQueue)                                                                                     \
  X(CreateBuffer)                                                                                            \
  X(ReleaseMemObject)                                                                                        \
  X(CreateProgramWithSource)                                                                                 \
  X(BuildProgram)                                                                                            \
  X(GetProgramBuildInfo)                                                                                     \
  X(ReleaseProgram)                                                                                          \
  X(CreateKernel)                                                                                            \
  X(ReleaseKernel)                                                                                           \
  X(SetKernelArg)                                                                                            \
  X(EnqueueNDRangeKernel)                                                                                    \
  X(EnqueueReadBuffer)                                                                                       \
  X(EnqueueWriteBuffer)                                                                                      \
  X(EnqueueMapBuffer)                                                                                        \
  X(EnqueueUnmapMemObject)                                                                                   \
  X(Flush)                                                                                                   \
  X(Finish)                                                                                                  \
  X(GetEventProfilingInfo)                                                                                   \
  X(ReleaseEvent)

typedef struct rf_opencl_api {
#define RF_OPENCL_FIELD(name) __typeof__(&cl##name) name;
  RF_OPENCL_MAP(RF_OPENCL_FIELD)
#undef RF_OPENCL_FIELD
} rf_opencl_api;

enum { RF_OPENCL_DEVICES = 32 };

/** The library and its devices, accelerators first; loaded once. */
typedef struct rf_opencl {
  rf_opencl_api api;
  const char *reason; /**< why it cannot be used, or NULL */
  cl_device_id devices[RF_OPENCL_DEVICES];
  cl_platform_id platforms[RF_OPENCL_DEVICES]; /**< of each device */
  int count;
} rf_opencl;

/** The driver, for the backend and for tests. */
extern const rf_device_driver rf_opencl_driver;

/** The library ($ROOFLINE_OPENCL_LIBRARY, or libOpenCL.so.1), loaded at the first call.
 *  Units: none. Ownership: static. Errors: `reason` says. */
const rf_opencl *rf_opencl_library(void);

/** ROOF_OK, or what the call `what` returned, by its name in the standard. `what` may name an object too.
 *  Units: none. Ownership: none. Errors: ROOF_E_UNSUPPORTED. */
roof_status rf_opencl_check(cl_int code, const char *call, const char *what, roof_error *error);

/** Notes for each figure that OpenCL cannot give why it is missing.
 *  Units: none. Ownership: adds notes. Errors: none. */
roof_status rf_opencl_missing(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                              roof_error *error);

/** Fills in what the device reports.
 *  Units: SI. Ownership: fills *info. Errors: none; what it does not report is unknown. */
void rf_opencl_describe(const rf_opencl *cl, int index, rf_device_info *info);

#endif
