/* Devices and their memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "measure/cuda/cuda.h"

int rf_cuda_count(void) {
  const cuda_api *api = rf_cuda_load(NULL);
  int count = 0;
  return api != NULL && api->device_count(&count) == 0 ? count : 0;
}

/** An attribute, or NaN. */
static double attribute(const cuda_open *o, int which) {
  int value = 0;
  return o->api->device_attribute(&value, which, o->id) == 0 ? (double)value : (double)NAN;
}

static void find_peers(cuda_open *o) {
  rf_device_info *info = &o->device.info;
  for (int i = 0; i < rf_cuda_count() && info->peers < RF_DEVICE_PEERS; i++) {
    cuda_device peer;
    int can = 0;
    if (o->api->device_get(&peer, i) == 0 && peer != o->id && o->api->peer(&can, o->id, peer) == 0 && can) {
      info->peer_at[info->peers] = i;
      o->peers[info->peers++] = peer;
    }
  }
}

static void describe(cuda_open *o) {
  rf_device_info *info = &o->device.info;
  size_t bytes = 0;
  rf_device_info_init(info);
  snprintf(info->vendor, sizeof info->vendor, "nvidia");
  snprintf(info->device_class, sizeof info->device_class, "gpu");
  snprintf(info->unit_kind, sizeof info->unit_kind, "SM");
  snprintf(info->platform, sizeof info->platform, "CUDA %d.%d", o->api->version / 1000,
           o->api->version % 1000 / 10);
  snprintf(info->architecture, sizeof info->architecture, "sm_%.0f%.0f", attribute(o, CUDA_MAJOR),
           attribute(o, CUDA_MINOR));
  o->api->device_name(info->name, sizeof info->name, o->id);
  info->memory_bytes = o->api->device_memory(&bytes, o->id) == 0 ? (double)bytes : NAN;
  info->allocation_bytes = info->memory_bytes;
  info->units = attribute(o, CUDA_UNITS);
  info->max_clock_hz = 1e3 * attribute(o, CUDA_CLOCK_KHZ);
  info->memory_clock_hz = 1e3 * attribute(o, CUDA_MEMORY_CLOCK_KHZ);
  info->cache_bytes = attribute(o, CUDA_L2_BYTES);
  info->line_bytes = 128;
  info->local_bytes = attribute(o, CUDA_MAX_SHARED);
  info->group_items = attribute(o, CUDA_MAX_THREADS);
  info->subgroup_items = attribute(o, CUDA_WARP);
  snprintf(info->ecc, sizeof info->ecc, "%s", attribute(o, CUDA_ECC) > 0 ? "on" : "off");
  info->formats = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_FP16 | 1u << ROOF_BF16 | 1u << ROOF_INT8;
  if (attribute(o, CUDA_MAJOR) * 10 + attribute(o, CUDA_MINOR) >= 89) { /* Ada, Hopper */
    info->formats |= 1u << ROOF_FP8;
  }
  info->arithmetic = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_INT8; /* fp16 and bf16: peaks_vector.cu */
  info->dot4 = true;
  find_peers(o);
}

static void find_sensors(cuda_open *o) {
  char bus[32];
  o->sensors = o->api->device_bus(bus, sizeof bus, o->id) == 0 ? rf_nvml_find(bus) : NULL;
  rf_nvml_describe(o->sensors, &o->device.info);
}

/** The kernels are built for Ampere and later. */
static roof_status check_architecture(const cuda_open *o, roof_error *error) {
  return attribute(o, CUDA_MAJOR) >= 8
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: is %s, but the kernels need sm_80 (Ampere) or later", o->device.info.name,
                              o->device.info.architecture);
}

static roof_status start(cuda_open *o, roof_error *error) {
  roof_status status = ROOF_OK;
  CUDA_TRY(status, o, retain(&o->context, o->id), "opening the device", error);
  CUDA_TRY(status, o, set_current(o->context), "opening the device", error);
  CUDA_TRY(status, o, stream_new(&o->stream, CUDA_STREAM_NON_BLOCKING), "making a stream", error);
  CUDA_TRY(status, o, stream_new(&o->second, CUDA_STREAM_NON_BLOCKING), "making a stream", error);
  CUDA_TRY(status, o, event_new(&o->start, 0), "making an event", error);
  CUDA_TRY(status, o, event_new(&o->stop, 0), "making an event", error);
  return status;
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
  roof_status status = ROOF_OK;
  o->api = api;
  CUDA_TRY(status, o, device_get(&o->id, index), "finding the device", error);
  if (status == ROOF_OK) {
    describe(o);
    status = check_architecture(o, error);
  }
  if (status == ROOF_OK) {
    status = start(o, error);
  }
  if (status != ROOF_OK) {
    rf_cuda_close(&o->device);
    return status;
  }
  find_sensors(o);
  *device = &o->device;
  return ROOF_OK;
}

static void release_pinned(cuda_open *o) {
  for (int i = 0; i < 2; i++) {
    if (o->pinned[i] != NULL) {
      o->api->release_host(o->pinned[i]);
    }
    o->pinned[i] = NULL;
  }
  o->pinned_bytes = 0;
}

void rf_cuda_close(rf_device *device) {
  cuda_open *o = cuda_of(device);
  rf_cublas_close(o);
  release_pinned(o);
  cuda_event events[] = {o->start, o->stop};
  cuda_stream streams[] = {o->stream, o->second};
  for (int i = 0; i < 2; i++) {
    if (events[i] != NULL) {
      o->api->event_free(events[i]);
    }
    if (streams[i] != NULL) {
      o->api->stream_free(streams[i]);
    }
  }
  if (o->context != NULL) {
    o->api->set_current(NULL);
    o->api->let_go(o->id);
  }
  for (int i = 0; i < RF_DEVICE_PEERS; i++) {
    if (o->peer_contexts[i] != NULL) {
      o->api->let_go(o->peers[i]);
    }
  }
  rf_nvml_done();
  free(o);
}

roof_status rf_cuda_allocate(rf_device *device, double bytes, void **buffer, roof_error *error) {
  cuda_open *o = cuda_of(device);
  cuda_pointer pointer = 0;
  char what[64];
  snprintf(what, sizeof what, "allocating %.0f bytes of device memory", bytes);
  roof_status status = rf_cuda_check(o->api, o->api->allocate(&pointer, (size_t)bytes), what, error);
  if (status == ROOF_OK) {
    *buffer = (void *)(uintptr_t)pointer;
  }
  return status;
}

void rf_cuda_release(rf_device *device, void *buffer) {
  if (buffer != NULL) {
    cuda_of(device)->api->release(cuda_address(buffer));
  }
}

/* Uses the kernels' stream: a copy in another stream would not be ordered with them, and might not be
 * complete when the call returns. */

roof_status rf_cuda_write(rf_device *device, void *buffer, const void *from, double bytes,
                          roof_error *error) {
  cuda_open *o = cuda_of(device);
  static const char what[] = "copying to the device";
  roof_status status = ROOF_OK;
  CUDA_TRY(status, o, write_async(cuda_address(buffer), from, (size_t)bytes, o->stream), what, error);
  CUDA_TRY(status, o, stream_wait(o->stream), what, error);
  return status;
}

roof_status rf_cuda_read(rf_device *device, void *to, void *buffer, double bytes, roof_error *error) {
  cuda_open *o = cuda_of(device);
  static const char what[] = "copying from the device";
  roof_status status = ROOF_OK;
  CUDA_TRY(status, o, read_async(to, cuda_address(buffer), (size_t)bytes, o->stream), what, error);
  CUDA_TRY(status, o, stream_wait(o->stream), what, error);
  return status;
}

/** Two buffers of pinned memory, of at least `bytes` each. */
static roof_status pin(cuda_open *o, size_t bytes, roof_error *error) {
  roof_status status = ROOF_OK;
  if (bytes <= o->pinned_bytes) {
    return ROOF_OK;
  }
  release_pinned(o);
  CUDA_TRY(status, o, allocate_host(&o->pinned[0], bytes, 0), "pinning host memory", error);
  CUDA_TRY(status, o, allocate_host(&o->pinned[1], bytes, 0), "pinning host memory", error);
  o->pinned_bytes = status == ROOF_OK ? bytes : 0;
  return status;
}

roof_status rf_cuda_transfer(rf_device *device, rf_device_way way, void *buffer, double bytes,
                             double *seconds, roof_error *error) {
  cuda_open *o = cuda_of(device);
  size_t part = way == RF_BOTH_WAYS ? (size_t)(bytes / 2) : (size_t)bytes;
  cuda_pointer at = cuda_address(buffer), other = way == RF_BOTH_WAYS ? at + part : at;
  static const char what[] = "copying between host and device";
  roof_status status = pin(o, part, error);
  double start = rf_clock_seconds();
  if (way != RF_DEVICE_TO_HOST) {
    CUDA_TRY(status, o, write_async(at, o->pinned[0], part, o->stream), what, error);
  }
  if (way != RF_HOST_TO_DEVICE) {
    CUDA_TRY(status, o, read_async(o->pinned[1], other, part, o->second), what, error);
  }
  CUDA_TRY(status, o, stream_wait(o->stream), what, error);
  CUDA_TRY(status, o, stream_wait(o->second), what, error);
  if (status == ROOF_OK) {
    *seconds = rf_clock_seconds() - start;
  }
  return status;
}

/** One copy between two buffers by the stream's clock. */
static roof_status time_peer(cuda_open *o, cuda_context peer, cuda_pointer to, cuda_pointer from,
                             size_t bytes, double *seconds, roof_error *error) {
  roof_status status = rf_cuda_clock_start(o, error);
  CUDA_TRY(status, o, copy_peer(to, peer, from, o->context, bytes, o->stream), "copying to the peer", error);
  return status == ROOF_OK ? rf_cuda_clock_stop(o, "a copy to the peer", seconds, error) : status;
}

/** The peer's context, kept until the device is closed because creating it is slow. */
static roof_status open_peer(cuda_open *o, int index, roof_error *error) {
  roof_status status = ROOF_OK;
  if (o->peer_contexts[index] == NULL) {
    CUDA_TRY(status, o, retain(&o->peer_contexts[index], o->peers[index]), "opening the peer", error);
    if (status == ROOF_OK) { /* if peer access is refused, the copy goes through the host and the bandwidth
                                shows that */
      o->api->enable_peer(o->peer_contexts[index], 0);
    }
  }
  return status;
}

/** Allocates memory on the peer (`release` 0), or releases it. */
static roof_status on_peer(cuda_open *o, int index, size_t bytes, cuda_pointer *memory, cuda_pointer release,
                           roof_error *error) {
  roof_status status = ROOF_OK;
  CUDA_TRY(status, o, set_current(o->peer_contexts[index]), "opening the peer", error);
  if (release != 0) {
    o->api->release(release);
  } else {
    CUDA_TRY(status, o, allocate(memory, bytes), "allocating on the peer", error);
  }
  o->api->set_current(o->context);
  return status;
}

roof_status rf_cuda_to_peer(rf_device *device, int index, double bytes, double *seconds, roof_error *error) {
  cuda_open *o = cuda_of(device);
  cuda_pointer to = 0, from = 0;
  roof_status status = open_peer(o, index, error);
  if (status == ROOF_OK) {
    status = on_peer(o, index, (size_t)bytes, &to, 0, error);
  }
  CUDA_TRY(status, o, allocate(&from, (size_t)bytes), "allocating for the peer", error);
  if (status == ROOF_OK) {
    status = time_peer(o, o->peer_contexts[index], to, from, (size_t)bytes, seconds, error);
  }
  if (from != 0) {
    o->api->release(from);
  }
  if (to != 0) {
    on_peer(o, index, 0, NULL, to, NULL);
  }
  return status;
}
