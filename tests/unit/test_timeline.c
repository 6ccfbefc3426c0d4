/* When calls were: what readers keep of it, and the accounting of a device's time. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/import.h"
#include "roofline/timeline.h"

/* Two devices; a stream of compute and one of communication on the first. */
static const char trace[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\"},{\"id\":1,\"name\":\"H200\"}],"
    "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":5},\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":90,"
    "\"dur\":2,"
    "\"args\":{\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\",\"pid\":9,\"tid\":9,\"ts\":93,"
    "\"dur\":20,"
    "\"args\":{}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":100,\"dur\":10,"
    "\"args\":{\"device\":0,\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,\"tid\":\"stream "
    "20\",\"ts\":105,"
    "\"dur\":10,\"args\":{\"device\":0,\"correlation\":2}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset "
    "(Device)\",\"pid\":1,\"tid\":7,\"ts\":101.5,\"dur\":1,"
    "\"args\":{\"device\":1,\"correlation\":3,\"bytes\":64}}]}";

static void read_text(const char *text, roof_profile *profile) {
  assert_int_equal(roof_profile_init(profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(text, strlen(text), "trace.json", NULL, profile, NULL), ROOF_OK);
}

static const roof_slice *slice_of(const roof_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->timeline->slice_count; i++) {
    const roof_slice *slice = &profile->timeline->slices[i];
    if (strcmp(profile->records[slice->record].name, name) == 0) {
      return slice;
    }
  }
  fail_msg("no slice of %s", name);
  return NULL;
}

static void assert_kept(const roof_profile *profile, uint32_t trace_index) {
  const roof_timeline *t = profile->timeline;
  const roof_slice *gemm = slice_of(profile, "gemm"), *reduce = slice_of(profile, "ncclDevKernel_AllReduce"),
                   *set = slice_of(profile, "Memset (Device)");
  assert_int_equal(gemm->start, 100000);
  assert_int_equal(gemm->end, 110000);
  assert_int_equal(gemm->launched, 90000);
  assert_int_equal(gemm->activity, ROOF_ACTIVITY_COMPUTE);
  assert_true(reduce->launched == ROOF_LAUNCH_UNKNOWN);
  assert_int_equal(reduce->activity, ROOF_ACTIVITY_COMMUNICATION);
  assert_int_equal(set->activity, ROOF_ACTIVITY_COPY);
  assert_string_equal(t->tracks[gemm->track].stream, "7");
  assert_string_equal(t->tracks[gemm->track].device_name, "H100");
  assert_string_equal(t->tracks[reduce->track].stream, "20");
  assert_int_equal(t->tracks[set->track].device, 1);
  assert_string_equal(t->tracks[set->track].device_name, "H200");
  assert_int_equal(t->tracks[set->track].trace, trace_index);
}

static void readers_keep_times(void **state) {
  (void)state;
  roof_profile profile;
  read_text(trace, &profile);
  const roof_timeline *t = profile.timeline;
  assert_non_null(t);
  assert_int_equal(t->trace_count, 1);
  assert_string_equal(t->traces[0].path, "trace.json");
  assert_int_equal(t->traces[0].rank, 5);
  assert_int_equal(t->track_count, 3);
  assert_int_equal(t->slice_count, 3);
  assert_int_equal(t->wait_count, 1);
  assert_int_equal(t->waits[0].start, 93000);
  assert_int_equal(t->waits[0].end, 113000);
  assert_kept(&profile, 0);
  roof_profile_done(&profile);
}

static void joined_traces_stay_apart(void **state) {
  (void)state;
  roof_profile one, both;
  read_text(trace, &one);
  assert_int_equal(roof_profile_init(&both, NULL), ROOF_OK);
  assert_int_equal(roof_profile_join(&both, &one, false, NULL), ROOF_OK);
  assert_kept(&both, 0);
  assert_int_equal(roof_profile_join(&both, &one, false, NULL), ROOF_OK);
  roof_profile_done(&one);
  const roof_timeline *t = both.timeline;
  assert_int_equal(t->trace_count, 2);
  assert_int_equal(t->track_count, 6);
  assert_int_equal(t->slice_count, 6);
  assert_int_equal(t->wait_count, 2);
  assert_int_equal(t->waits[1].trace, 1);
  assert_int_equal(t->tracks[t->slices[5].track].trace, 1);
  assert_string_equal(t->traces[1].path, "trace.json");
  assert_string_equal(both.records[t->slices[4].record].name, both.records[t->slices[1].record].name);
  roof_profile_done(&both);
}

static void tables_keep_times(void **state) {
  (void)state;
  static const char csv[] = "Start (ns),Duration (ns),CorrId,Bytes (MB),Device,Ctx,Strm,Name\n"
                            "100,50,1,1.0,NVIDIA RTX A6000 (1),1,7,[CUDA memcpy Host-to-Device]\n"
                            "200,30,2,,NVIDIA RTX A6000 (1),1,13,axpy\n";
  roof_profile profile;
  read_text(csv, &profile);
  const roof_slice *axpy = slice_of(&profile, "axpy");
  assert_int_equal(profile.timeline->slice_count, 2);
  assert_int_equal(axpy->end, 230);
  assert_int_equal(profile.timeline->slices[0].activity, ROOF_ACTIVITY_COPY);
  assert_int_equal(profile.timeline->tracks[axpy->track].device, 1);
  assert_string_equal(profile.timeline->tracks[axpy->track].device_name, "NVIDIA RTX A6000");
  assert_string_equal(profile.timeline->tracks[axpy->track].stream, "13");
  roof_profile_done(&profile);
}

static void names_say_what_a_device_does(void **state) {
  (void)state;
  static const struct {
    const char *name;
    roof_activity activity;
  } cases[] = {{"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", ROOF_ACTIVITY_COMMUNICATION},
               {"ncclDevKernel_AllGather_RING_LL", ROOF_ACTIVITY_COMMUNICATION},
               {"void vllm::cross_device_reduce_1stage<float, 2>()", ROOF_ACTIVITY_COMMUNICATION},
               {"[CUDA memcpy Device-to-Host]", ROOF_ACTIVITY_COPY},
               {"[copy host to device]", ROOF_ACTIVITY_COPY},
               {"__amd_rocclr_fillBufferAligned", ROOF_ACTIVITY_COPY},
               {"ampere_sgemm_128x64_nn", ROOF_ACTIVITY_COMPUTE},
               {"void at::native::reduce_kernel<512, 1>()", ROOF_ACTIVITY_COMPUTE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_string_equal(roof_activity_name(roof_activity_of(cases[i].name)),
                        roof_activity_name(cases[i].activity));
  }
  assert_string_equal(roof_activity_name(ROOF_ACTIVITY_COUNT), "?");
}

/* Accounting */

static const char *fixture(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/tests/fixtures/import/%s", getenv("ROOFLINE_SOURCE"), name);
  return path;
}

static void assert_us(double seconds, double microseconds) {
  assert_true(fabs(seconds * 1e6 - microseconds) < 1e-9);
}

/** The sums by hand: device 0 is busy from 100 to 130, 135 to 150, 164 to 170, 182 to 200 and 205 to 210; device 1
 *  from 100 to 110 and 140 to 150. */
static void assert_streams(const char *file) {
  roof_profile profile;
  roof_accounting a;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import(fixture(file), NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(roof_timeline_account(profile.timeline, &a, NULL), ROOF_OK);
  assert_int_equal(a.device_count, 2);
  const roof_device_time *d = &a.devices[0];
  assert_string_equal(d->label, "device 0");
  assert_string_equal(d->name, "NVIDIA H100 80GB HBM3");
  assert_int_equal(d->calls, 7);
  assert_int_equal(d->gaps, 4);
  assert_us(d->span_seconds, 110);
  assert_us(d->busy_seconds, 30 + 15 + 6 + 18 + 5);
  assert_us(d->idle_seconds, 5 + 14 + 12 + 5);
  assert_us(d->idle[ROOF_IDLE_HOST], 10); /* launched at 180, dry since 170 */
  assert_us(d->idle[ROOF_IDLE_SYNC], 10); /* launched at 160, dry since 150, the host waited until 155 */
  assert_us(d->idle[ROOF_IDLE_KERNEL], 5 + 4 + 2);
  assert_us(d->idle[ROOF_IDLE_UNKNOWN], 5); /* the launch of the last one is not there */
  assert_us(d->seconds[ROOF_ACTIVITY_COMPUTE], 20 + 15 + 18 + 5);
  assert_us(d->seconds[ROOF_ACTIVITY_COMMUNICATION], 20);
  assert_us(d->hidden[ROOF_ACTIVITY_COMMUNICATION], 10);
  assert_us(d->seconds[ROOF_ACTIVITY_COPY], 6 + 4);
  assert_us(d->hidden[ROOF_ACTIVITY_COPY], 4);
  assert_us(a.devices[1].idle_seconds, 30);
  assert_us(a.devices[1].span_seconds, 50);
  assert_int_equal(a.stream_count, 3);
  for (size_t i = 0; i < a.stream_count; i++) {
    const roof_track *track = &profile.timeline->tracks[a.streams[i].track];
    bool second = strcmp(track->stream, "20") == 0;
    assert_us(a.streams[i].busy_seconds, track->device == 1 ? 20 : second ? 24 : 64);
    assert_int_equal(a.streams[i].calls, track->device == 1 || second ? 2 : 5);
  }
  roof_accounting_done(&a);
  roof_profile_done(&profile);
}

static void streams_add_up(void **state) {
  (void)state;
  assert_streams("kineto-streams.json");
  assert_streams("nsys-streams.sqlite");
}

enum { TICKS = 300, SLICES = 40, TRACKS = 4, WAITS = 5 };

static unsigned next_random(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16 & 0x7FFF;
}

/** Four streams of two devices of a trace, with calls anywhere. */
typedef struct example {
  roof_trace trace;
  roof_track tracks[TRACKS];
  roof_slice slices[SLICES];
  roof_host_wait waits[WAITS];
  roof_timeline timeline;
} example;

static void make_example(example *e, unsigned seed) {
  *e = (example){.trace = {.path = "a.json", .rank = -1}};
  for (int i = 0; i < TRACKS; i++) {
    e->tracks[i] = (roof_track){.device = i / 2, .device_name = "", .stream = i % 2 == 0 ? "7" : "8"};
  }
  for (int i = 0; i < SLICES; i++) {
    int64_t start = next_random(&seed) % (TICKS - 20) + 10;
    bool known = next_random(&seed) % 4 > 0;
    e->slices[i] = (roof_slice){.start = start,
                                .end = start + next_random(&seed) % 9,
                                .launched = known ? start - next_random(&seed) % 10 + 2 : ROOF_LAUNCH_UNKNOWN,
                                .track = next_random(&seed) % TRACKS,
                                .activity = (uint8_t)(next_random(&seed) % ROOF_ACTIVITY_COUNT)};
  }
  for (int i = 0; i < WAITS; i++) {
    int64_t start = next_random(&seed) % TICKS;
    e->waits[i] = (roof_host_wait){start, start + next_random(&seed) % 60, 0};
  }
  e->timeline = (roof_timeline){.traces = &e->trace,
                                .trace_count = 1,
                                .tracks = e->tracks,
                                .track_count = TRACKS,
                                .slices = e->slices,
                                .slice_count = SLICES,
                                .waits = e->waits,
                                .wait_count = WAITS};
}

/** The same by counting ticks. */
static void assert_ticks(const example *e, const roof_device_time *d) {
  int first = TICKS, last = 0, busy = 0, seconds[ROOF_ACTIVITY_COUNT] = {0},
      hidden[ROOF_ACTIVITY_COUNT] = {0};
  unsigned does[TICKS] = {0};
  for (int i = 0; i < SLICES; i++) {
    const roof_slice *s = &e->slices[i];
    if (e->tracks[s->track].device == d->device) {
      first = s->start < first ? (int)s->start : first;
      last = s->end > last ? (int)s->end : last;
      for (int64_t t = s->start; t < s->end; t++) {
        does[t] |= 1u << s->activity;
      }
    }
  }
  for (int t = first; t < last; t++) {
    busy += does[t] != 0;
    for (int i = 0; i < ROOF_ACTIVITY_COUNT; i++) {
      seconds[i] += (does[t] >> i & 1) != 0;
      hidden[i] += i != ROOF_ACTIVITY_COMPUTE && (does[t] >> i & 1) != 0 && (does[t] & 1) != 0;
    }
  }
  assert_us(d->span_seconds, (last - first) * 1e-3);
  assert_us(d->busy_seconds, busy * 1e-3);
  assert_us(d->idle_seconds, (last - first - busy) * 1e-3);
  double idle = 0;
  for (int i = 0; i < ROOF_IDLE_COUNT; i++) {
    assert_true(d->idle[i] >= 0);
    idle += d->idle[i];
  }
  assert_us(idle, (last - first - busy) * 1e-3);
  for (int i = 0; i < ROOF_ACTIVITY_COUNT; i++) {
    assert_us(d->seconds[i], seconds[i] * 1e-3);
    assert_us(d->hidden[i], hidden[i] * 1e-3);
  }
}

static void assert_same_time(const roof_device_time *x, const roof_device_time *y) {
  assert_int_equal(x->calls, y->calls);
  assert_int_equal(x->gaps, y->gaps);
  assert_us(x->span_seconds, y->span_seconds * 1e6);
  assert_us(x->busy_seconds, y->busy_seconds * 1e6);
  for (int i = 0; i < ROOF_IDLE_COUNT; i++) {
    assert_us(x->idle[i], y->idle[i] * 1e6);
  }
}

static void assert_same_accounting(const roof_accounting *x, const example *e) {
  roof_accounting y;
  assert_int_equal(roof_timeline_account(&e->timeline, &y, NULL), ROOF_OK);
  assert_int_equal(x->device_count, y.device_count);
  for (size_t d = 0; d < y.device_count; d++) {
    assert_same_time(&x->devices[d], &y.devices[d]);
  }
  roof_accounting_done(&y);
}

static void any_times_add_up(void **state) {
  (void)state;
  for (unsigned seed = 1; seed < 400; seed++) {
    example e, moved;
    roof_accounting a;
    make_example(&e, seed);
    assert_int_equal(roof_timeline_account(&e.timeline, &a, NULL), ROOF_OK);
    assert_int_equal(a.device_count, 2);
    assert_ticks(&e, &a.devices[0]);
    assert_ticks(&e, &a.devices[1]);
    make_example(&moved, seed);
    const int64_t shift = 1700000000000000000;
    for (int i = 0; i < SLICES; i++) { /* backwards, and later */
      roof_slice *s = &moved.slices[i];
      *s = e.slices[SLICES - 1 - i];
      s->start += shift;
      s->end += shift;
      s->launched += s->launched != ROOF_LAUNCH_UNKNOWN ? shift : 0;
    }
    for (int i = 0; i < WAITS; i++) {
      moved.waits[i] =
          (roof_host_wait){e.waits[WAITS - 1 - i].start + shift, e.waits[WAITS - 1 - i].end + shift, 0};
    }
    assert_same_accounting(&a, &moved);
    roof_accounting_done(&a);
  }
}

/** A device's time is the same whatever another one, or the same one in another trace, did. */
static void devices_and_traces_never_mix(void **state) {
  (void)state;
  example e;
  make_example(&e, 7);
  roof_accounting both, apart;
  assert_int_equal(roof_timeline_account(&e.timeline, &both, NULL), ROOF_OK);
  roof_trace traces[] = {{.path = "x/a.json", .rank = 0}, {.path = "y/b.json", .rank = 1}};
  for (int i = 2; i < TRACKS; i++) { /* the second device is the first one of another trace */
    e.tracks[i].trace = 1;
    e.tracks[i].device = 0;
  }
  e.timeline.wait_count = 0;
  roof_accounting waitless;
  e.timeline.traces = traces;
  e.timeline.trace_count = 2;
  assert_int_equal(roof_timeline_account(&e.timeline, &waitless, NULL), ROOF_OK);
  assert_int_equal(waitless.device_count, 2);
  assert_us(waitless.devices[1].idle_seconds, both.devices[1].idle_seconds * 1e6);
  assert_us(waitless.devices[0].idle_seconds, both.devices[0].idle_seconds * 1e6);
  assert_string_equal(waitless.devices[1].label, "rank 1");
  traces[1].rank = 0; /* no two ranks are one */
  assert_int_equal(roof_timeline_account(&e.timeline, &apart, NULL), ROOF_OK);
  assert_string_equal(apart.devices[1].label, "b.json");
  roof_accounting_done(&both);
  roof_accounting_done(&waitless);
  roof_accounting_done(&apart);
}

static void an_accounting_is_said_in_words(void **state) {
  (void)state;
  roof_device_time devices[] = {
      {.label = "device 0",
       .name = "H100",
       .span_seconds = 2,
       .busy_seconds = 0.8,
       .idle_seconds = 1.2,
       .idle = {1, 0, 0.2, 0},
       .seconds = {0.6, 0.4, 0.002},
       .hidden = {0, 0.2, 0}},
      {.label = "device 1", .name = "", .span_seconds = 1, .busy_seconds = 1, .seconds = {1}}};
  roof_text text = {0};
  roof_accounting_sentence(&(roof_accounting){.devices = devices, .device_count = 1}, &text);
  assert_string_equal(
      text.data, "H100: idle 60.0 % of 2.000 s, busy 40.0 %\n"
                 "  why idle: host late 50.0 %, kernel wait 10.0 %\n"
                 "  of the busy time: compute 75.0 %, communication 50.0 % (50.0 % hidden), copy 0.2 %\n");
  roof_text_done(&text);
  roof_accounting_sentence(&(roof_accounting){.devices = devices + 1, .device_count = 1}, &text);
  assert_string_equal(text.data, "device 1: idle 0.0 % of 1.000 s, busy 100.0 %\n");
  roof_text_done(&text);
  roof_accounting_sentence(&(roof_accounting){.devices = devices, .device_count = 2}, &text);
  assert_string_equal(text.data, "2 devices: idle 0.0 % to 60.0 % of up to 2.000 s\n");
  roof_text_done(&text);
  devices[1].idle_seconds = 0.6;
  roof_accounting_sentence(&(roof_accounting){.devices = devices, .device_count = 2}, &text);
  assert_string_equal(text.data, "2 devices: idle 60.0 % of up to 2.000 s\n");
  roof_text_done(&text);
  assert_string_equal(roof_idle_name(ROOF_IDLE_SYNC), "synchronisation");
  assert_string_equal(roof_idle_name(ROOF_IDLE_COUNT), "?");
}

static void densities_add_up(void **state) {
  (void)state;
  roof_profile profile;
  roof_accounting a;
  roof_density *list = NULL;
  size_t count = 0;
  double seconds = 0;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import(fixture("kineto-streams.json"), NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(roof_timeline_account(profile.timeline, &a, NULL), ROOF_OK);
  assert_int_equal(roof_timeline_densities(profile.timeline, &a, 2, &list, &count, &seconds, NULL), ROOF_OK);
  assert_int_equal(count, 2);
  free(list);
  assert_int_equal(roof_timeline_densities(profile.timeline, &a, 32, &list, &count, &seconds, NULL), ROOF_OK);
  assert_int_equal(count, 3);
  assert_us(seconds, 110);
  for (size_t i = 0; i < count; i++) {
    double busy = 0;
    for (int bin = 0; bin < ROOF_DENSITY_BINS; bin++) {
      for (int k = 0; k < ROOF_ACTIVITY_COUNT; k++) {
        busy += (double)list[i].shares[bin][k] * seconds / ROOF_DENSITY_BINS;
      }
    }
    assert_true(fabs(busy - a.streams[i].busy_seconds) < 1e-9);
    bool first = profile.timeline->tracks[list[i].track].device == 0;
    assert_non_null(strstr(list[i].label, first ? "device 0, stream " : "device 1, stream 7"));
  }
  free(list);
  roof_accounting_done(&a);
  roof_profile_done(&profile);
}

/* Ranks by one clock */

static const char regions[] =
    "{\"schema\": \"roofline.timeline/1\", \"ranks\": [{\"rank\": null, \"node\": \"n7\", \"dropped\": 3, "
    "\"whole_until_us\": 1000000200.5}], \"traceEvents\": ["
    "{\"ph\":\"X\",\"cat\":\"region\",\"name\":\"a\",\"pid\":0,\"tid\":1,\"ts\":1000000100.25,\"dur\":50},"
    "{\"ph\":\"X\",\"cat\":\"region\",\"name\":\"b\",\"pid\":0,\"tid\":0,\"ts\":1000000120,\"dur\":10.125}]}";

/** A clock that is 2 s behind at 1000 s, and loses 100 millionths. */
static const roof_alignment behind = {
    .at = 1000, .offset = 2, .offset_error = 5e-6, .drift = 1e-4, .drift_error = 1e-2};

static void times_go_to_another_clock(void **state) {
  (void)state;
  roof_profile profile;
  read_text(regions, &profile);
  assert_false(profile.timeline->aligned);
  roof_timeline_align(profile.timeline, &behind);
  const roof_slice *a = slice_of(&profile, "a"), *b = slice_of(&profile, "b");
  const roof_trace *trace_of_all = &profile.timeline->traces[0];
  assert_true(profile.timeline->aligned);
  assert_int_equal(a->start, 1002000100260); /* 100.25 us drift by 10 ns */
  assert_int_equal(a->end, 1002000150265);
  assert_int_equal(b->end - b->start, 10126);
  assert_true(fabs(trace_of_all->uncertainty - (5e-6 + 1e-2 * 150.25e-6)) < 1e-12);
  assert_int_equal(trace_of_all->whole_until, 1002000200520);
  roof_profile_done(&profile);
}

static void a_time_line_is_read_as_it_was_written(void **state) {
  (void)state;
  roof_profile profile, again;
  roof_text text = {0};
  read_text(regions, &profile);
  assert_int_equal(roof_timeline_write(&profile, "solver", &text, NULL), ROOF_OK);
  read_text(text.data, &again);
  assert_false(again.timeline->aligned); /* by a clock of its own */
  roof_profile_done(&again);
  roof_text_done(&text);
  roof_timeline_place(&profile, 12, "n8");
  roof_timeline_align(profile.timeline, &behind);
  assert_int_equal(roof_timeline_write(&profile, "solver", &text, NULL), ROOF_OK);
  read_text(text.data, &again);
  const roof_trace *read = &again.timeline->traces[0];
  assert_true(again.timeline->aligned && read->rank == 12 && read->dropped == 3);
  assert_string_equal(read->node, "n8");
  assert_true(fabs(read->drift - 1e-4) < 1e-9 && fabs(read->uncertainty - 6.5e-6) < 0.01e-6);
  assert_int_equal(slice_of(&again, "a")->start, 0);
  assert_int_equal(slice_of(&again, "b")->start - slice_of(&again, "a")->start, 19752);
  assert_int_equal(read->whole_until, 100260);
  roof_profile_done(&again);
  roof_profile_done(&profile);
  roof_text_done(&text);
}

/** A file may say that calls are missing, and not from when on. */
static void what_is_missing_may_begin_at_no_known_time(void **state) {
  (void)state;
  static const char cut[] =
      "{\"schema\": \"roofline.timeline/1\", \"ranks\": [{\"rank\": 0, \"node\": \"n7\", \"dropped\": 3, "
      "\"whole_until_us\": 1e18}], \"traceEvents\": ["
      "{\"ph\":\"X\",\"name\":\"a\",\"pid\":0,\"tid\":1,\"ts\":100.25,\"dur\":50}]}";
  const roof_alignment ahead = {.offset = -2};
  roof_profile profile;
  roof_text text = {0};
  read_text(cut, &profile);
  roof_timeline_align(profile.timeline, &ahead);
  assert_true(profile.timeline->traces[0].whole_until == ROOF_LAUNCH_UNKNOWN);
  assert_int_equal(roof_timeline_write(&profile, "solver", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"dropped\": 3, \"whole_until_us\": null"));
  roof_profile_done(&profile);
  roof_text_done(&text);
}

static void ranks_are_joined_by_one_clock(void **state) {
  (void)state;
  roof_profile all, one;
  roof_text text = {0};
  assert_int_equal(roof_profile_init(&all, NULL), ROOF_OK);
  for (int rank = 1; rank >= 0; rank--) { /* answers come in any order */
    const roof_alignment late = {.offset = rank * 1e-3};
    read_text(regions, &one);
    roof_timeline_place(&one, rank, "n");
    roof_timeline_align(one.timeline, &late);
    assert_int_equal(roof_profile_join(&all, &one, false, NULL), ROOF_OK);
    roof_profile_done(&one);
  }
  assert_false(all.timeline->aligned); /* files by themselves */
  assert_int_equal(roof_timeline_write(&all, "solver", &text, NULL), ROOF_OK);
  assert_true(strstr(text.data, "\"rank\": 0") < strstr(text.data, "\"rank\": 1"));
  read_text(text.data, &one);
  assert_true(one.timeline->aligned && one.timeline->trace_count == 2 && one.timeline->slice_count == 4);
  assert_int_equal(one.timeline->slices[3].start - one.timeline->slices[1].start, 1000000);
  roof_profile_done(&one);
  roof_profile_done(&all);
  roof_text_done(&text);
}

/* Which rank waits for which */

/** A call, in us. */
typedef struct example_call {
  int rank, thread;
  const char *region;
  int start, end;
} example_call;

/** Ranks 0 to `ranks` - 1, their clocks within `off` us, and what is said of rank 1 besides. */
static void read_calls(const example_call *calls, size_t count, int ranks, int off, const char *besides,
                       roof_profile *profile) {
  roof_text text = {0};
  roof_text_add(&text, "{\"schema\": \"roofline.timeline/1\", \"ranks\": [");
  for (int i = 0; i < ranks; i++) {
    roof_text_addf(&text, "%s{\"rank\": %d, \"node\": \"n\", \"uncertainty_seconds\": %de-6%s}",
                   i > 0 ? ", " : "", i, i > 0 ? off : 0, i == 1 ? besides : "");
  }
  roof_text_add(&text, "], \"traceEvents\": [");
  for (size_t i = 0; i < count; i++) {
    const example_call *c = &calls[i];
    roof_text_addf(&text,
                   "%s{\"ph\": \"X\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %d, \"dur\": %d}",
                   i > 0 ? ", " : "", c->region, c->rank, c->thread, c->start, c->end - c->start);
  }
  roof_text_add(&text, "]}");
  read_text(text.data, profile);
  roof_text_done(&text);
}

#define READ(calls, ranks, off, besides, profile)                                                            \
  read_calls(calls, sizeof(calls) / sizeof(calls)[0], ranks, off, besides, profile)

static const roof_shared_region *region_of(const roof_waits *waits, const char *name) {
  for (size_t i = 0; i < waits->region_count; i++) {
    if (strcmp(waits->regions[i].name, name) == 0) {
      return &waits->regions[i];
    }
  }
  fail_msg("no region %s", name);
  return NULL;
}

static void assert_length(double seconds, double us) {
  assert_true(fabs(seconds - 1e-6 * us) < 1e-12);
}

/** Rank 1 comes last, then rank 2; no one waits in `work`, where ranks begin together. */
static const example_call three[] = {
    {0, 0, "work", 0, 100},   {0, 0, "meet", 100, 310}, {1, 0, "work", 0, 300},   {1, 0, "meet", 300, 310},
    {2, 0, "work", 0, 200},   {2, 0, "meet", 200, 311}, {0, 0, "work", 320, 400}, {0, 0, "meet", 400, 610},
    {1, 0, "work", 320, 450}, {1, 0, "meet", 450, 611}, {2, 0, "work", 320, 600}, {2, 0, "meet", 600, 610}};

static void ranks_wait_for_the_last(void **state) {
  (void)state;
  roof_profile profile;
  roof_waits waits;
  READ(three, 3, 2, "", &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_OK);
  assert_int_equal(waits.ranks, 3);
  assert_length(waits.seconds, 611);
  assert_length(waits.uncertainty, 2);
  assert_int_equal(waits.count, 4);
  assert_int_equal(waits.list[0].rank, 0);
  assert_int_equal(waits.list[0].calls, 1);
  assert_string_equal(waits.list[0].region, "meet");
  assert_length(waits.list[0].seconds, 200);
  assert_length(waits.waited_seconds, 200 + 100 + 200 + 150);
  assert_int_equal(waits.awaited, 2);
  assert_length(waits.awaited_seconds, 350);
  assert_false(waits.cut);
  const roof_shared_region *meet = region_of(&waits, "meet"), *work = region_of(&waits, "work");
  assert_true(meet->meets && !work->meets);
  assert_length(meet->waited_seconds, waits.waited_seconds * 1e6);
  assert_length(work->waited_seconds, 0);
  assert_length(meet->any_seconds, 211 + 211);
  assert_length(meet->all_seconds, 10 + 10);
  assert_length(work->seconds, (100 + 300 + 200 + 80 + 130 + 280) / 3.0);
  assert_int_equal(waits.stretches[0].busiest, 1); /* rank 0 waits from 100 us on */
  assert_int_equal(waits.stretches[2].busiest, 1);
  assert_int_equal(waits.stretches[5].busiest, 2);
  roof_waits_done(&waits);
  roof_profile_done(&profile);
}

static void what_clocks_may_be_off_by_is_no_wait(void **state) {
  (void)state;
  roof_profile profile;
  roof_waits waits;
  READ(three, 3, 300, "", &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_OK);
  assert_int_equal(waits.count, 0);
  assert_int_equal(waits.awaited, -1);
  roof_waits_done(&waits);
  roof_profile_done(&profile);
}

static void calls_without_rounds_are_no_waits(void **state) {
  (void)state;
  static const example_call uneven[] = {
      {0, 0, "meet", 0, 100}, {0, 0, "meet", 110, 120}, {1, 0, "meet", 90, 101}};
  roof_profile profile;
  roof_waits waits;
  READ(uneven, 2, 1, "", &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_OK);
  assert_true(waits.count == 0 && !waits.regions[0].meets);
  roof_waits_done(&waits);
  roof_profile_done(&profile);
  READ(uneven, 2, 1, ", \"dropped\": 1, \"whole_until_us\": 105", &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_OK);
  assert_true(waits.cut && waits.count == 1); /* until then both have one */
  assert_length(waits.seconds, 105);
  assert_length(waits.list[0].seconds, 90);
  roof_waits_done(&waits);
  roof_profile_done(&profile);
}

static void waits_in_a_wait_count_once(void **state) {
  (void)state;
  static const example_call nested[] = {{0, 0, "outer", 0, 200},
                                        {0, 0, "inner", 10, 190},
                                        {0, 1, "inner", 12, 188},
                                        {1, 0, "outer", 100, 201},
                                        {1, 0, "inner", 110, 191}};
  roof_profile profile;
  roof_waits waits;
  READ(nested, 2, 0, "", &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_OK);
  assert_length(waits.waited_seconds, 10 + 100);
  assert_length(region_of(&waits, "inner")->waited_seconds, 100); /* its two threads are one */
  assert_int_equal(region_of(&waits, "inner")->calls, 1);
  roof_waits_done(&waits);
  roof_profile_done(&profile);
}

static void clocks_of_their_own_show_no_waits(void **state) {
  (void)state;
  roof_profile profile;
  roof_waits waits;
  read_text(trace, &profile);
  assert_int_equal(roof_profile_waits(&profile, &waits, NULL), ROOF_E_ARGUMENT);
  roof_profile_done(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_go_to_another_clock),
      cmocka_unit_test(ranks_wait_for_the_last),
      cmocka_unit_test(what_clocks_may_be_off_by_is_no_wait),
      cmocka_unit_test(calls_without_rounds_are_no_waits),
      cmocka_unit_test(waits_in_a_wait_count_once),
      cmocka_unit_test(clocks_of_their_own_show_no_waits),
      cmocka_unit_test(a_time_line_is_read_as_it_was_written),
      cmocka_unit_test(ranks_are_joined_by_one_clock),
      cmocka_unit_test(what_is_missing_may_begin_at_no_known_time),
      cmocka_unit_test(readers_keep_times),
      cmocka_unit_test(joined_traces_stay_apart),
      cmocka_unit_test(tables_keep_times),
      cmocka_unit_test(names_say_what_a_device_does),
      cmocka_unit_test(streams_add_up),
      cmocka_unit_test(any_times_add_up),
      cmocka_unit_test(devices_and_traces_never_mix),
      cmocka_unit_test(an_accounting_is_said_in_words),
      cmocka_unit_test(densities_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
