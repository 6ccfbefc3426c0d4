/* What an OpenCL device reports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/opencl/api.h"

enum { SAYS = 8192 };

/* of OpenCL 3.0 */
enum { DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x1067 };

static void text_of(const rf_opencl *cl, cl_device_id device, cl_device_info what, char *text, size_t size) {
  char says[SAYS] = "";
  if (cl->api.GetDeviceInfo(device, what, sizeof says - 1, says, NULL) != CL_SUCCESS) {
    says[0] = '\0';
  }
  const char *start = says + strspn(says, " ");
  snprintf(text, size, "%.*s", (int)(size - 1), start);
}

/** A number of 1, 4 or 8 bytes; NaN when it is not reported. */
static double number_of(const rf_opencl *cl, cl_device_id device, cl_device_info what) {
  cl_ulong wide = 0;
  size_t size = 0;
  if (cl->api.GetDeviceInfo(device, what, sizeof wide, &wide, &size) != CL_SUCCESS || wide == 0) {
    return NAN;
  }
  cl_uint narrow;
  memcpy(&narrow, &wide, sizeof narrow);
  return size == sizeof wide ? (double)wide : (double)narrow;
}

/** Numbers by what is asked. */
static const struct {
  cl_device_info what;
  size_t field;
  double scale;
} numbers[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, offsetof(rf_device_info, units), 1},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, offsetof(rf_device_info, max_clock_hz), 1e6},
    {CL_DEVICE_GLOBAL_MEM_SIZE, offsetof(rf_device_info, memory_bytes), 1},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, offsetof(rf_device_info, allocation_bytes), 1},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, offsetof(rf_device_info, cache_bytes), 1},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, offsetof(rf_device_info, line_bytes), 1},
    {CL_DEVICE_LOCAL_MEM_SIZE, offsetof(rf_device_info, local_bytes), 1},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, offsetof(rf_device_info, group_items), 1},
};

static bool has_extension(const rf_opencl *cl, cl_device_id device, const char *name) {
  char all[SAYS];
  text_of(cl, device, CL_DEVICE_EXTENSIONS, all, sizeof all);
  return strstr(all, name) != NULL;
}

/** Storage in 16 bits needs no extension: programs compute in fp32. */
static unsigned formats_of(const rf_opencl *cl, cl_device_id device) {
  unsigned formats = 1u << ROOF_FP32 | 1u << ROOF_FP16 | 1u << ROOF_BF16 | 1u << ROOF_INT8 | 1u << ROOF_INT4;
  return has_extension(cl, device, "cl_khr_fp64") ? formats | 1u << ROOF_FP64 : formats;
}

/** The device's name: the board's where AMD reports it, because AMD's device name is the architecture
 * ("gfx942:sramecc+:xnack-"). */
static void name_of(const rf_opencl *cl, cl_device_id device, rf_device_info *info) {
  char board[sizeof info->name], name[sizeof info->name];
  text_of(cl, device, CL_DEVICE_NAME, name, sizeof name);
  text_of(cl, device, CL_DEVICE_BOARD_NAME_AMD, board, sizeof board);
  bool has_board = board[0] != '\0';
  snprintf(info->name, sizeof info->name, "%s", has_board ? board : name);
  if (has_board || strncmp(name, "gfx", 3) == 0) {
    snprintf(info->architecture, sizeof info->architecture, "%.*s", (int)strcspn(name, ":"), name);
  }
}

/** The formats of multiply-adds: fp16 takes an extension, bf16 OpenCL C does not have. */
static unsigned arithmetic_of(const rf_opencl *cl, cl_device_id device, unsigned formats) {
  unsigned has = formats & (1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_INT8);
  return has_extension(cl, device, "cl_khr_fp16") ? has | 1u << ROOF_FP16 : has;
}

/** Work-items in lockstep, by the first question that is answered: NVIDIA's, AMD's, OpenCL 3.0's. */
static double subgroup_of(const rf_opencl *cl, cl_device_id device) {
  static const cl_device_info questions[] = {CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD,
                                             DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE};
  double items = NAN;
  for (size_t i = 0; i < sizeof questions / sizeof questions[0] && isnan(items); i++) {
    items = number_of(cl, device, questions[i]);
  }
  return items;
}

/** ECC as the driver reports it; of a processor's memory it is unknown. */
static void describe_ecc(const rf_opencl *cl, cl_device_id device, rf_device_info *info) {
  cl_bool ecc = CL_FALSE;
  cl_int code = cl->api.GetDeviceInfo(device, CL_DEVICE_ERROR_CORRECTION_SUPPORT, sizeof ecc, &ecc, NULL);
  if (code == CL_SUCCESS && strcmp(info->device_class, "cpu") != 0) {
    snprintf(info->ecc, sizeof info->ecc, "%s", ecc ? "on" : "off");
  }
}

void rf_opencl_describe(const rf_opencl *cl, int index, rf_device_info *info) {
  cl_device_id device = cl->devices[index];
  cl_device_type type = 0;
  rf_device_info_init(info);
  name_of(cl, device, info);
  text_of(cl, device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
  text_of(cl, device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
  text_of(cl, device, CL_DEVICE_VERSION, info->platform, sizeof info->platform);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    *(double *)((char *)info + numbers[i].field) = numbers[i].scale * number_of(cl, device, numbers[i].what);
  }
  cl->api.GetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  snprintf(info->device_class, sizeof info->device_class, "%s",
           type & CL_DEVICE_TYPE_GPU   ? "gpu"
           : type & CL_DEVICE_TYPE_CPU ? "cpu"
                                       : "accelerator");
  snprintf(info->unit_kind, sizeof info->unit_kind, "%s", type & CL_DEVICE_TYPE_CPU ? "core" : "CU");
  info->formats = formats_of(cl, device);
  info->arithmetic = arithmetic_of(cl, device, info->formats);
  info->dot4 = has_extension(cl, device, "cl_khr_integer_dot_product");
  info->subgroup_items = subgroup_of(cl, device);
  info->peers = 0; /* a copy between contexts goes through the host */
  describe_ecc(cl, device, info);
}

roof_status rf_opencl_missing(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                              roof_error *error) {
  (void)options, (void)error;
  const rf_device_gap gaps[] = {
      {"fp64 vector", "the device has no cl_khr_fp64", !(device->info.arithmetic >> ROOF_FP64 & 1u)},
      {"fp16 vector", "the device has no cl_khr_fp16", !(device->info.arithmetic >> ROOF_FP16 & 1u)},
      {"bf16 vector", "OpenCL C has no arithmetic in it", true},
      {"matrix units and a vendor's library", "OpenCL C has no words for them", true},
      {"power, clock and temperature under load", "not reported by OpenCL", true},
  };
  rf_device_note_gaps(machine, gaps, sizeof gaps / sizeof gaps[0]);
  return ROOF_OK;
}
