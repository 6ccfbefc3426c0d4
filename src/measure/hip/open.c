/* Devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/hip/hip.h"

int rf_hip_count(void) {
  const hip_api *api = rf_hip_load(NULL);
  int count = 0;
  return api != NULL && api->common.device_count(&count) == 0 ? count : 0;
}

/** What the device is, in the compiler's words. */
static void find_target(hip_open *o) {
  static char properties[8192]; /* two to five times what any layout has */
  memset(properties, 0, sizeof properties);
  if (o->api->properties(properties, o->streams.id) == 0) {
    snprintf(o->target, sizeof o->target, "%.*s", HIP_NAME_BYTES - 1, properties + o->api->name_at);
  }
}

/** Instructions for the products of four bytes by architecture: FeatureDot1Insts and FeatureDot8Insts of LLVM's AMDGPU.td. */
static const char *dot4_of(const char *target) {
  static const struct {
    const char *architecture, *option;
  } dots[] = {{"gfx906", "-DDOT4_SIGNED"},  {"gfx908", "-DDOT4_SIGNED"}, {"gfx90a", "-DDOT4_SIGNED"},
              {"gfx94", "-DDOT4_SIGNED"},   {"gfx950", "-DDOT4_SIGNED"}, {"gfx1011", "-DDOT4_SIGNED"},
              {"gfx1012", "-DDOT4_SIGNED"}, {"gfx103", "-DDOT4_SIGNED"}, {"gfx11", "-DDOT4_MIXED"},
              {"gfx120", "-DDOT4_MIXED"}};
  for (size_t i = 0; i < sizeof dots / sizeof dots[0]; i++) {
    if (strncmp(target, dots[i].architecture, strlen(dots[i].architecture)) == 0) {
      return dots[i].option;
    }
  }
  return NULL;
}

static void describe(hip_open *o) {
  rf_streams *streams = &o->streams;
  rf_device_info *info = &streams->device.info;
  int version = o->api->version, major = version / 10000000, minor = version / 100000 % 100;
  rf_streams_describe(streams);
  find_target(o);
  o->dot4 = dot4_of(o->target);
  snprintf(info->vendor, sizeof info->vendor, "amd");
  snprintf(info->unit_kind, sizeof info->unit_kind, "CU");
  snprintf(info->platform, sizeof info->platform, "HIP %d.%d", major, minor);
  snprintf(info->driver, sizeof info->driver, "%d.%d.%d", major, minor, version % 100000);
  snprintf(info->architecture, sizeof info->architecture, "%.*s", (int)strcspn(o->target, ":"), o->target);
  info->units = rf_streams_attribute(streams, HIP_UNITS);
  info->max_clock_hz = 1e3 * rf_streams_attribute(streams, HIP_CLOCK_KHZ);
  info->memory_clock_hz = 1e3 * rf_streams_attribute(streams, HIP_MEMORY_CLOCK_KHZ);
  info->cache_bytes = rf_streams_attribute(streams, HIP_L2_BYTES);
  info->local_bytes = rf_streams_attribute(streams, HIP_MAX_SHARED);
  info->group_items = rf_streams_attribute(streams, HIP_MAX_THREADS);
  info->subgroup_items = rf_streams_attribute(streams, HIP_WAVEFRONT);
  snprintf(info->ecc, sizeof info->ecc, "%s", rf_streams_attribute(streams, HIP_ECC) > 0 ? "on" : "off");
  info->formats = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_FP16 | 1u << ROOF_BF16 | 1u << ROOF_INT8;
  info->arithmetic = 1u << ROOF_FP64 | 1u << ROOF_FP32 | 1u << ROOF_INT8;
  info->dot4 = o->dot4 != NULL;
}

/** If access to a peer is refused, the copy goes through the host and the bandwidth shows that. */
static roof_status go_to(rf_streams *streams, int peer, roof_error *error) {
  hip_open *o = (hip_open *)streams;
  if (peer >= 0 && !o->reached[peer]) {
    o->api->enable_peer(streams->peers[peer], 0);
    o->reached[peer] = true;
  }
  return rf_streams_check(streams->api, o->api->set_device(peer < 0 ? streams->id : streams->peers[peer]),
                          "opening the peer", error);
}

static int copy_peer(rf_streams *streams, int peer, void *to, void *from, size_t bytes) {
  return ((const hip_open *)streams)
      ->api->copy_peer(to, streams->peers[peer], from, streams->id, bytes, streams->stream);
}

roof_status rf_hip_open_device(int index, rf_device **device, roof_error *error) {
  const char *reason = NULL;
  const hip_api *api = rf_hip_load(&reason);
  if (api == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "hip: %s", reason);
  }
  hip_open *o = calloc(1, sizeof *o);
  if (o == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hip: out of memory");
  }
  o->api = api;
  o->streams = (rf_streams){.api = &api->common, .id = index, .go_to = go_to, .copy_peer = copy_peer};
  roof_status status = rf_streams_check(&api->common, api->set_device(index), "opening the device", error);
  if (status == ROOF_OK) {
    describe(o);
    status = rf_streams_start(&o->streams, error);
  }
  if (status != ROOF_OK) {
    rf_hip_close(&o->streams.device);
    return status;
  }
  *device = &o->streams.device;
  return ROOF_OK;
}

void rf_hip_close(rf_device *device) {
  rf_streams_stop(&hip_of(device)->streams);
  free(hip_of(device));
}
