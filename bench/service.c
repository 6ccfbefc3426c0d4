/* Requests simulated a second on one core: a service of Llama-3.1-8B on an H100, of which each request is 500 tokens. The number
 * of requests is the first argument. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "roofline/catalog.h"
#include "roofline/service.h"
#include "roofline/weights.h"

/** Seconds of one core given to this thread. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static roof_status run(double requests, double rate, double *seconds, roof_error *error) {
  static roof_model model;
  static roof_model_target target;
  roof_machine *machine = NULL;
  roof_service *service = NULL;
  roof_service_answer answer;
  roof_status status = roof_model_load("llama-3.1-8b", &model, error);
  status = status == ROOF_OK ? roof_catalog_load("h100", &machine, error) : status;
  roof_model_settings settings = roof_model_settings_default(&model);
  status = status == ROOF_OK ? roof_model_target_init(&target, &model, machine, &settings, error) : status;
  double start = now(); /* the tables are made as they are needed: a part of the time */
  status = status == ROOF_OK ? roof_service_new(&target, &service, error) : status;
  if (status == ROOF_OK) {
    roof_service_settings load = roof_service_settings_default(&target);
    load.prompt.mean = 1024, load.generate.mean = 500;
    load.rate = rate, load.requests = requests;
    status = roof_service_run(service, &load, &answer, error);
  }
  *seconds = now() - start;
  roof_service_free(service);
  roof_machine_free(machine);
  return status;
}

int main(int count, char **arguments) {
  double requests = count > 1 ? atof(arguments[1]) : 100000, rate = count > 2 ? atof(arguments[2]) : 12;
  double seconds = 0;
  struct rusage used;
  roof_error error = {0};
  if (run(requests, rate, &seconds, &error) != ROOF_OK) {
    fprintf(stderr, "bench-service: %s\n", error.message);
    return 1;
  }
  getrusage(RUSAGE_SELF, &used);
  printf("seconds %.6f\nmegabytes %.1f\n", seconds, (double)used.ru_maxrss / 1024);
  return 0;
}
