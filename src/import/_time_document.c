/* Where the time went, as the member `time` of roofline.measurements/1. */
#include "import/_time_document.h"

static json_t *trace_json(const roof_trace *trace) {
  return json_pack("{s:s, s:o, s:o, s:o, s:I}", "path", trace->path, "rank",
                   trace->rank >= 0 ? json_integer(trace->rank) : json_null(), "node",
                   trace->node[0] != '\0' ? json_string(trace->node) : json_null(), "uncertainty_seconds",
                   rf_json_number(trace->uncertainty), "dropped", (json_int_t)trace->dropped);
}

static json_t *device_json(const roof_device_time *d) {
  json_t *idle = json_object();
  const rf_json_member causes[] = {{"host_late", d->idle[ROOF_IDLE_HOST]},
                                   {"synchronisation", d->idle[ROOF_IDLE_SYNC]},
                                   {"kernel_wait", d->idle[ROOF_IDLE_KERNEL]},
                                   {"unknown", d->idle[ROOF_IDLE_UNKNOWN]}};
  const rf_json_member seconds[] = {{"span_seconds", d->span_seconds},
                                    {"busy_seconds", d->busy_seconds},
                                    {"idle_seconds", d->idle_seconds},
                                    {"compute_seconds", d->seconds[ROOF_ACTIVITY_COMPUTE]},
                                    {"communication_seconds", d->seconds[ROOF_ACTIVITY_COMMUNICATION]},
                                    {"hidden_communication_seconds", d->hidden[ROOF_ACTIVITY_COMMUNICATION]},
                                    {"copy_seconds", d->seconds[ROOF_ACTIVITY_COPY]},
                                    {"hidden_copy_seconds", d->hidden[ROOF_ACTIVITY_COPY]}};
  json_t *device =
      json_pack("{s:i, s:i, s:o, s:I}", "trace", (int)d->trace, "device", d->device, "name",
                d->name[0] != '\0' ? json_string(d->name) : json_null(), "calls", (json_int_t)d->calls);
  RF_JSON_SET(device, seconds);
  RF_JSON_SET(idle, causes);
  rf_json_set(device, "idle_by_cause_seconds", idle);
  return device;
}

static json_t *stream_json(const roof_timeline *t, const roof_stream_time *s) {
  const roof_track *track = &t->tracks[s->track];
  return json_pack("{s:i, s:i, s:s, s:I, s:o, s:o}", "trace", (int)track->trace, "device", track->device,
                   "stream", track->stream, "calls", (json_int_t)s->calls, "busy_seconds",
                   rf_json_number(s->busy_seconds), "share_of_span", rf_json_number(s->share));
}

json_t *rf_time_json(const roof_profile *profile) {
  const roof_timeline *t = profile->timeline;
  roof_accounting all;
  if (t == NULL) {
    return json_null();
  }
  if (roof_timeline_account(t, &all, NULL) != ROOF_OK) {
    return NULL;
  }
  json_t *traces = json_array(), *devices = json_array(), *streams = json_array();
  for (size_t i = 0; i < t->trace_count; i++) {
    rf_json_append(traces, trace_json(&t->traces[i]));
  }
  for (size_t i = 0; i < all.device_count; i++) {
    rf_json_append(devices, device_json(&all.devices[i]));
  }
  for (size_t i = 0; i < all.stream_count; i++) {
    rf_json_append(streams, stream_json(t, &all.streams[i]));
  }
  roof_accounting_done(&all);
  return json_pack("{s:o, s:o, s:o, s:o}", "traces", traces, "devices", devices, "streams", streams, "waits",
                   rf_waits_json(profile));
}
