/** Which machine, how many, in which precision and plan: the cheapest that meets the limits, and why others fail.
 *
 *  Example:
 *    extern roof_choice_question question; // a model, its settings, precisions, machines and limits
 *    static roof_choices choices;
 *    if (roof_choices_of(&question, &choices, NULL) == ROOF_OK && choices.meeting > 0) {
 *      const roof_choice *best = &choices.list[0];
 *      printf("%g x %s\n", best->devices, question.offers[best->offer].machine->name);
 *    } */
#ifndef ROOFLINE_CHOICE_H
#define ROOFLINE_CHOICE_H

#include "roofline/plan.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_CHOICES_MAX 128

/** A machine that one may take. */
typedef struct roof_offer {
  const roof_machine *machine;
  double price; /**< of one device and hour; NaN: not known */
} roof_offer;

/** What is asked. */
typedef struct roof_choice_question {
  const roof_model *model;
  const roof_model_settings *base;
  const roof_model_precisions *precisions;
  const roof_offer *offers;
  int offer_count;
  roof_plan_limits limits; /**< devices: so many; 0: up to 8 nodes */
} roof_choice_question;

/** X(symbol, name) */
#define ROOF_CHOICE_RESULT_MAP(X)                                                                            \
  X(ROOF_CHOICE_MEETS, "meets the limits")                                                                   \
  X(ROOF_CHOICE_SLOW, "too slow")                                                                            \
  X(ROOF_CHOICE_SHORT, "does not fit")                                                                       \
  X(ROOF_CHOICE_IMPOSSIBLE, "not possible")

typedef enum roof_choice_result {
#define ROOF_CHOICE_RESULT_ENUM(symbol, name) symbol,
  ROOF_CHOICE_RESULT_MAP(ROOF_CHOICE_RESULT_ENUM)
#undef ROOF_CHOICE_RESULT_ENUM
      ROOF_CHOICE_RESULT_COUNT
} roof_choice_result;

/** One machine, so many of it, in one precision, by its best plan or, of what fails, by the nearest. */
typedef struct roof_choice {
  int offer, precision;
  double devices;
  roof_choice_result result;
  roof_plan_point point;     /**< batch 0 where none fits */
  roof_plan_point low, high; /**< with the times at the ends of their range; batch 0 where none fits */
  double short_bytes;        /**< of one device, where none fits */
  bool simulated;            /**< its times are those of a run under its load (roof_choices_simulate) */
  char why[128];             /**< why it is not possible */
} roof_choice;

/** A plan of a machine that no other choice beats in both cost and time per token. */
typedef struct roof_choice_dot {
  roof_plan_point point;
  int offer;
  double devices;
} roof_choice_dot;

/** Every machine in every precision: those that meet the limits by rising price of a million tokens (without prices
 *  by devices), then those that fail, the nearest first. */
typedef struct roof_choices {
  roof_choice list[ROOF_CHOICES_MAX];
  roof_choice
      fewer[ROOF_CHOICES_MAX]; /**< of each that meets them, what fewer devices fail by; devices 0: nothing */
  int count, meeting;
  double tried; /**< machines x numbers x plans x batches x policies x precisions */
  bool
      priced; /**< a price is known: the front is of those whose price is, else of tokens per second and device */
  roof_choice_dot front[ROOF_FRONT_MAX]; /**< by rising TPOT, within the limits or not */
  int front_count;
} roof_choices;

/** "meets the limits", "too slow", "does not fit" or "not possible".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_choice_result_name(roof_choice_result result);

/** Searches the plans of 1, 2, 3 ... devices, from a node on of whole nodes, of every machine in every precision: without a
 *  price, or of requests at a rate, up to the first number that meets the limits, else for the cheapest.
 *  Units: s, bytes, tokens/s; prices as given.
 *  Ownership: fills *choices on success only.
 *  Errors: ROOF_E_ARGUMENT for settings out of range or more than ROOF_CHOICES_MAX combinations; ROOF_E_UNSUPPORTED for
 *  an encoder; ROOF_E_MEMORY. */
ROOF_API roof_status roof_choices_of(const roof_choice_question *question, roof_choices *choices,
                                     roof_error *error);

/** Why a choice fails: "TPOT 61.2 ms, 21.2 ms over the limit", "12.1 GiB short per device", "cannot keep up with 4 requests/s".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`; "" for one that meets the limits. */
ROOF_API char *roof_choice_why(const roof_choice_question *question, const roof_choice *choice, char *buffer,
                               size_t size);

/** X(symbol, name): what starts a plan: an engine's command, or a template that starts vLLM. */
#define ROOF_ENGINE_MAP(X)                                                                                   \
  X(ROOF_ENGINE_VLLM, "vllm")                                                                                \
  X(ROOF_ENGINE_SGLANG, "sglang")                                                                            \
  X(ROOF_ENGINE_TENSORRT_LLM, "tensorrt-llm")                                                                \
  X(ROOF_ENGINE_LLAMA_CPP, "llama.cpp")                                                                      \
  X(ROOF_ENGINE_KUBERNETES, "kubernetes")                                                                    \
  X(ROOF_ENGINE_SLURM, "slurm")

typedef enum roof_engine {
#define ROOF_ENGINE_ENUM(symbol, name) symbol,
  ROOF_ENGINE_MAP(ROOF_ENGINE_ENUM)
#undef ROOF_ENGINE_ENUM
      ROOF_ENGINE_COUNT
} roof_engine;

/** The share of a device's memory that serving engines take unless they are set otherwise. */
#define ROOF_ENGINE_MEMORY_SHARE 0.9

/** "vllm", "kubernetes", ... as it is typed.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_engine_name(roof_engine engine);

/** What serves a choice, `served` being the model as the engine finds it: a command of one line, its words separated by
 *  one space, or a template of several lines.
 *  Units: none.
 *  Ownership: appends to the caller's text on success only.
 *  Errors: ROOF_E_UNSUPPORTED for a plan that the engine has no options for, or that a template cannot place. */
ROOF_API roof_status roof_choice_launch(const roof_choice_question *question, const roof_choice *choice,
                                        roof_engine engine, const char *served, roof_text *out,
                                        roof_error *error);

/** Whether a choice meets the limits at the slow end of its range as well.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false for one that fails. */
ROOF_API bool roof_choice_is_sure(const roof_choice_question *question, const roof_choice *choice);

/** Appends the answer in its first lines: the cheapest choice that meets the limits, else the nearest and why it fails.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_choices_sentence(roof_text *out, const roof_choice_question *question,
                                    const roof_choices *choices);

/** Limits as they are typed: "4" devices, "500ms", "4/s" or "240/min", "90" or "mean" percent of the requests. NULL: not said. */
typedef struct roof_plan_limits_text {
  const char *devices, *ttft, *tpot, *rate, *percentile, *energy_price;
} roof_plan_limits_text;

/** The limits typed; what is not said: any number of devices and any time, no rate, 90 %.
 *  Units: as roof_plan_limits.
 *  Ownership: fills *limits on success only, with no users.
 *  Errors: ROOF_E_PARSE or ROOF_E_ARGUMENT with the option's name. */
ROOF_API roof_status roof_plan_limits_read(const roof_plan_limits_text *typed, roof_plan_limits *limits,
                                           roof_error *error);

/** Reads words key=value into the settings of a search, as roof_model_settings_read without lists: of the memory the share that
 *  engines take, but for training and where the words have one; users= are those of the limits.
 *  Units: as roof_model_settings.
 *  Ownership: fills *settings and the users of *limits on success only.
 *  Errors: as roof_model_settings_read and roof_model_settings_check. */
ROOF_API roof_status roof_plan_settings_read(const roof_model *model, const char *const *words, int count,
                                             roof_model_settings *settings, roof_plan_limits *limits,
                                             roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
