/* When calls were: what readers keep of it, and the accounting of a device's time. */
#include "test.h"

#include <stdio.h>
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_keep_times),
      cmocka_unit_test(joined_traces_stay_apart),
      cmocka_unit_test(tables_keep_times),
      cmocka_unit_test(names_say_what_a_device_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
