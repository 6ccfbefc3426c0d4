/* Devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "measure/cuda/cuda.h"

int rf_cuda_count(void) {
  const cuda_api *api = rf_cuda_load(NULL);
  int count = 0;
  return api != NULL && api->common.device_count(&count) == 0 ? count : 0;
}

static void describe(rf_streams *o) {
  rf_device_info *info = &o->device.info;
  double major = rf_streams_attribute(o, CUDA_MAJOR), minor = rf_streams_attribute(o, CUDA_MINOR);
  int version = ((cuda_open *)o)->api->version;
  rf_streams_describe(o);
  snprintf(info->vendor, sizeof info->vendor, "nvidia");
  snprintf(info->unit_kind, sizeof info->unit_kind, "SM");
  snprintf(info->platform, sizeof info->platform, "CUDA %d.%d", version / 1000, version % 1000 / 10);
  snprintf(info->architecture, sizeof info->architecture, "sm_%.0f%.0f", major, minor);
  info->units = rf_streams_attribute(o, CUDA_UNITS);
  info->max_clock_hz = 1e3 * rf_streams_attribute(o, CUDA_CLOCK_KHZ);
  info->memory_clock_hz = 1e3 * rf_streams_attribute(o, CUDA_MEMORY_CLOCK_KHZ);
  info->cache_bytes = rf_streams_attribute(o, CUDA_L2_BYTES);
  info->line_bytes = 128;
  info->local_bytes = rf_streams_attribute(o, CUDA_MAX_SHARED);
  info->unit_local_bytes = rf_streams_attribute(o, CUDA_UNIT_SHARED);
  info->group_items = rf_streams_attribute(o, CUDA_MAX_THREADS);
  info->subgroup_items = rf_streams_attribute(o, CUDA_WARP);
  snprintf(info->ecc, sizeof info->ecc, "%s", rf_streams_attribute(o, CUDA_ECC) > 0 ? "on" : "off");
  info->formats = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_FP16 | 1u << ROOF_BF16 | 1u << ROOF_INT8;
  if (major * 10 + minor >= 89) { /* Ada, Hopper */
    info->formats |= 1u << ROOF_FP8;
  }
  info->arithmetic = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_INT8; /* fp16 and bf16: peaks_vector.cu */
  info->dot4 = true;
}

static void find_sensors(cuda_open *o) {
  char bus[32];
  o->sensors = o->api->common.device_bus(bus, sizeof bus, o->streams.id) == 0 ? rf_nvml_find(bus) : NULL;
  rf_nvml_describe(o->sensors, &o->streams.device.info);
}

/** Reads the sensors while the device works, at most twenty times per second because they are slow. */
static void look(rf_streams *streams) {
  static const double apart = 0.05;
  cuda_open *o = (cuda_open *)streams;
  double now = rf_clock_seconds();
  if (o->sensors != NULL && now - o->seen_at > apart) {
    rf_nvml_read(o->sensors, &o->seen);
    o->seen_at = now;
  }
}

/** A peer's context is kept until the device is closed because creating it is slow. If access to it is refused, the copy
 *  goes through the host and the bandwidth shows that. */
static roof_status go_to(rf_streams *streams, int peer, roof_error *error) {
  cuda_open *o = (cuda_open *)streams;
  cuda_context *context = peer < 0 ? &o->context : &o->peers[peer];
  cuda_code code = 0;
  if (*context == NULL) {
    code = o->api->retain(context, streams->peers[peer]);
    if (code == 0) {
      o->api->enable_peer(*context, 0);
    }
  }
  code = code == 0 ? o->api->set_current(*context) : code;
  return rf_streams_check(&o->api->common, code, "opening the peer", error);
}

static int copy_peer(rf_streams *streams, int peer, void *to, void *from, size_t bytes) {
  const cuda_open *o = (const cuda_open *)streams;
  return o->api->copy_peer(to, o->peers[peer], from, o->context, bytes, streams->stream);
}

/** The kernels are built for Ampere and later. */
static roof_status check_architecture(const rf_streams *o, roof_error *error) {
  return rf_streams_attribute(o, CUDA_MAJOR) >= 8
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: is %s, but the kernels need sm_80 (Ampere) or later", o->device.info.name,
                              o->device.info.architecture);
}

static roof_status start(cuda_open *o, roof_error *error) {
  static const char what[] = "opening the device";
  const rf_streams_api *common = &o->api->common;
  roof_status status = rf_streams_check(common, o->api->retain(&o->context, o->streams.id), what, error);
  if (status == ROOF_OK) {
    status = rf_streams_check(common, o->api->set_current(o->context), what, error);
  }
  return status == ROOF_OK ? rf_streams_start(&o->streams, error) : status;
}

roof_status rf_cuda_open_device(int index, rf_device **device, roof_error *error) {
  const char *reason = NULL;
  const cuda_api *api = rf_cuda_load(&reason);
  if (api == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cuda: %s", reason);
  }
  cuda_open *o = calloc(1, sizeof *o);
  if (o == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "cuda: out of memory");
  }
  rf_streams *streams = &o->streams;
  *streams = (rf_streams){
      .api = &api->common, .prepare = rf_cuda_prepare, .look = look, .go_to = go_to, .copy_peer = copy_peer};
  o->api = api;
  roof_status status =
      rf_streams_check(&api->common, api->device_get(&streams->id, index), "finding the device", error);
  if (status == ROOF_OK) {
    describe(streams);
    status = check_architecture(streams, error);
    streams->start_early = rf_streams_attribute(streams, CUDA_MAJOR) >= 9 ? rf_cuda_start_early : NULL;
  }
  if (status == ROOF_OK) {
    status = start(o, error);
  }
  if (status != ROOF_OK) {
    rf_cuda_close(&streams->device);
    return status;
  }
  rf_cuda_keep(streams->id, true);
  find_sensors(o);
  *device = &streams->device;
  return ROOF_OK;
}

/** Whether a kernel's fault has left the context good for nothing, until a new one is made. */
static bool is_faulty(const rf_streams *o) {
  return o->stream != NULL &&
         rf_streams_check(o->api, o->api->stream_wait(o->stream), "closing", NULL) == ROOF_E_INTERNAL;
}

void rf_cuda_close(rf_device *device) {
  cuda_open *o = cuda_of(device);
  if (is_faulty(&o->streams)) {
    rf_cuda_keep(o->streams.id, false);
  }
  rf_cublas_close(o);
  rf_streams_stop(&o->streams);
  if (o->context != NULL) {
    o->api->set_current(NULL);
    o->api->let_go(o->streams.id);
  }
  for (int i = 0; i < RF_DEVICE_PEERS; i++) {
    if (o->peers[i] != NULL) {
      o->api->let_go(o->streams.peers[i]);
    }
  }
  rf_nvml_done();
  free(o);
}
