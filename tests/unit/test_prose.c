/* Claims found in Markdown and plain text: what is one, of what, and what is none. */
#include <stdint.h>
#include <stdio.h>

#include "roofline/documents.h"
#include "roofline/prose.h"
#include "test.h"

static roof_prose read_as(const char *text, const char *file, const roof_prose_options *options) {
  roof_prose prose = {0};
  roof_error error = {0};
  assert_int_equal(roof_prose_read(text, strlen(text), file, options, &prose, &error), ROOF_OK);
  return prose;
}

/** The claims of a text, one per line: where, what, of which machine or model, how it stands. */
static void describe(const roof_prose *prose, roof_text *out) {
  for (size_t i = 0; i < prose->count; i++) {
    const roof_prose_claim *c = &prose->claims[i];
    roof_text_addf(out, "%d:%d %s %s%s%s %s%s%.0f %s\n", c->line, c->column, c->text, c->machine,
                   c->model[0] != '\0' ? " " : "", c->model, c->dtype, c->dtype[0] != '\0' ? " " : "",
                   c->devices, roof_prose_state_name(c->state));
  }
}

typedef struct row {
  const char *text, *want;
} row;

static void check(const row *rows, size_t count, const char *file) {
  const roof_prose_options none = {.machine = NULL};
  for (size_t i = 0; i < count; i++) {
    roof_prose prose = read_as(rows[i].text, file, &none);
    roof_text got = {0};
    describe(&prose, &got);
    const char *text = got.data != NULL ? got.data : "";
    if (strcmp(text, rows[i].want) != 0) {
      fail_msg("%s\n  gives %s\n  not   %s", rows[i].text, text, rows[i].want);
    }
    roof_text_done(&got);
    roof_prose_done(&prose);
  }
}

#define H100 "nvidia-h100-sxm"
#define A100 "nvidia-a100-sxm-80gb"

static void claims_are_found_with_their_machine(void **state) {
  (void)state;
  static const row rows[] = {
      {"It reaches 1.7 PFLOP/s on H100.", "1:12 1.7 PFLOP/s " H100 " fp16 1 impossible\n"},
      {"We measured 3.2 TB/s on an A100, not more.", "1:13 3.2 TB/s " A100 " 1 impossible\n"},
      {"An A100 has 312 TFLOP/s and H100 989 TFLOP/s.", "1:13 312 TFLOP/s " A100 " fp16 1 possible\n"
                                                        "1:34 989 TFLOP/s " H100 " fp16 1 possible\n"},
      {"**989.4** TFLOP/s of dense BF16 on the H100", "1:3 989.4 TFLOP/s " H100 " bf16 1 possible\n"},
      {"up to 1,979 TFLOPS in FP8 (H100 SXM5)", "1:7 1,979 TFLOPS " H100 " fp8 1 possible\n"},
      {"1979 teraflops of fp16 on H100, with sparsity", "1:1 1979 teraflops " H100 " fp16 1 possible\n"},
      {"The H100 moves 600\xe2\x80\x93"
       "700 GB per second of it.",
       "1:20 700 GB per second " H100 " 1 possible\n"},
      {"\xc3\xbc"
       "ber 3.0 TB/s auf der H100-SXM5-80GB",
       "1:6 3.0 TB/s " H100 " 1 possible\n"},
      {"`nvidia-a100-pcie-40gb` has 1.5 TB/s", "1:29 1.5 TB/s nvidia-a100-pcie-40gb 1 possible\n"},
      {"The H100 is faster than the A100: 3.3 TB/s.", "1:35 3.3 TB/s " H100 " 1 possible\n"},
      {"MI300X: 5.3 TB/s; RTX 4090: 1008 GB/s; RTX 3090 Ti: 1008 GB/s",
       "1:9 5.3 TB/s amd-mi300x 1 possible\n1:29 1008 GB/s nvidia-rtx-4090 1 possible\n"},
      {"RTX 3080: 760 GB/s; RTX 3080 12GB: 912 GB/s; RTX 3080 12 GB: 912 GB/s; RTX 3080 Ti: 912 GB/s",
       "1:11 760 GB/s nvidia-rtx-3080 1 possible\n"},
      {"RTX 4070 Ti: 504 GB/s; RTX 4080 SUPER: 736 GB/s; RTX 3080 10 GB: 760 GB/s",
       "1:66 760 GB/s nvidia-rtx-3080 1 possible\n"},
      {"An NVIDIA L4 has 300 GB/s. The L4 balancer 40 GB/s.", "1:18 300 GB/s nvidia-l4 1 possible\n"},
      {"# FP8 kernels\n\nOne H100 does 1.9 PFLOP/s here.", "3:15 1.9 PFLOP/s " H100 " fp8 1 possible\n"},
      {"5 PFLOP/s of fp4 on H100", "1:1 5 PFLOP/s " H100 " 1 unknown\n"},
  };
  check(rows, sizeof rows / sizeof rows[0], "a.md");
}

static void several_devices_share_a_claim(void **state) {
  (void)state;
  static const row rows[] = {
      {"8x H100 read 26.8 TB/s together.", "1:14 26.8 TB/s " H100 " 8 possible\n"},
      {"Eight H100s read 30 TB/s.", "1:18 30 TB/s " H100 " 8 impossible\n"},
      {"8\xc3\x97H100 at 4 TB/s per GPU", "1:11 4 TB/s per GPU " H100 " 8 impossible\n"},
      {"In 2022 H100 had 3.35 TB/s.", "1:18 3.35 TB/s " H100 " 1 possible\n"},
      {"Our cluster of H100s does 40 PFLOP/s.", "1:27 40 PFLOP/s " H100 " fp16 1 unknown\n"},
      {"4 nodes of 8 H100 do 30 PFLOP/s.", "1:22 30 PFLOP/s " H100 " fp16 8 unknown\n"},
  };
  check(rows, sizeof rows / sizeof rows[0], "a.md");
}

static void tokens_are_of_a_model(void **state) {
  (void)state;
  static const row rows[] = {
      {"2,500 tokens/s of Llama 3.1 8B on one H100", "1:1 2,500 tokens/s " H100 " llama-3.1-8b 1 possible\n"},
      {"Llama-3.1-8B-Instruct at batch size 1: 400 tok/s on an H100 in BF16.",
       "1:40 400 tok/s " H100 " llama-3.1-8b bf16 1 impossible\n"},
      {"Llama 3.1 8B makes 400 tokens/s/user on H100.",
       "1:20 400 tokens/s/user " H100 " llama-3.1-8b 1 impossible\n"},
      {"Llama 3.1 8B: 9M tokens/s on one H100 (FP8)",
       "1:15 9M tokens/s " H100 " llama-3.1-8b fp8 1 impossible\n"},
      {"Llama 3.1 70B: 30,000 tokens per second on 8x H100 in FP8",
       "1:16 30,000 tokens per second " H100 " llama-3.1-70b fp8 8 possible\n"},
      {"Llama 3.1 70B makes 20 tokens/s on an H100.", "1:21 20 tokens/s " H100 " llama-3.1-70b 1 unknown\n"},
      {"Prefill of Llama 3.1 8B runs at 90,000 tokens/s on one H100.", ""},
      {"We make 90,000 tokens/s on one H100.", ""},
  };
  check(rows, sizeof rows / sizeof rows[0], "a.md");
}

static void tables_have_their_machine_in_row_or_column(void **state) {
  (void)state;
  static const row rows[] = {
      {"| GPU | memory | FP8 | FP16 |\n|---|--:|---|---|\n| H100 | 3.35 TB/s | 1979 TFLOP/s | 1979 TFLOP/s "
       "|\n",
       "3:10 3.35 TB/s " H100 " 1 possible\n3:22 1979 TFLOP/s " H100
       " fp8 1 possible\n3:37 1979 TFLOP/s " H100 " fp16 1 impossible\n"},
      {"what | A100 | H100\n---|---|---\nmemory | 2.0 TB/s | 2.1 TB/s\nNVLink | 600 GB/s | 900 GB/s\n",
       "3:10 2.0 TB/s " A100 " 1 possible\n3:21 2.1 TB/s " H100 " 1 possible\n"},
      {"| GPU | bandwidth in TB/s |\n|---|---|\n| H100 | 9.9 |\n", ""},
  };
  check(rows, sizeof rows / sizeof rows[0], "a.md");
}

static void what_is_no_claim(void **state) {
  (void)state;
  static const row rows[] = {
      {"```\nH100: 9 PFLOP/s\n```\n", ""},
      {"~~~sh\n`H100` 9 PFLOP/s\n~~~", ""},
      {"text\n\n    H100 at 9 PFLOP/s\n\ntext", ""},
      {"---\ntitle: H100 at 9 PFLOP/s\n---\n", ""},
      {"The H100 does `9 PFLOP/s`.", ""},
      {"<!-- H100: 9 PFLOP/s --> and <img alt=\"H100: 9 PFLOP/s\">", ""},
      {"<!-- roofline off -->\nH100: 9 PFLOP/s\n\n- H100: 9 PFLOP/s\n<!-- roofline on -->\n", ""},
      {"[H100](https://example.org/9 PFLOP/s) https://example.org/H100-9PFLOP/s", ""},
      {"An H100 cannot do 2 PFLOP/s. It isn't 4 TB/s on H100. H100: not 5 TB/s.", ""},
      {"NVLink gives the H100 900 GB/s; its L2 12 TB/s on H100; PCIe of H100: 128 GB/s", ""},
      {"The H100 has 80 GB, 700 W, 1.98 GHz, 4.1 GFLOPs per image, 2 TFLOP, 3.35 TB.", ""},
      {"The H100 has 1.4 TFLOPS/W, 26 GB/s per core and 400 Gb/s.", ""},
      {"10\xc2\xb9\xc2\xb5 FLOP/s, 2\xc2\xb2 TB/s, 1,7 PFLOP/s, v1.7-9 TB/s2, #9 TB/s on H100", ""},
      {"H100: 2.0 + 19 TB/s, 4 x 3.35 TB/s, 1/9 TB/s", ""},
      {"9 PFLOP/s on a new chip. The H100 is slower.", ""},
      {"80 GB 10 TB/s", ""},
      {"", ""},
  };
  check(rows, sizeof rows / sizeof rows[0], "a.md");
}

static void plain_text_has_no_marks(void **state) {
  (void)state;
  static const row rows[] = {{"    H100 at 9 PFLOP/s\n", "1:13 9 PFLOP/s " H100 " fp16 1 impossible\n"},
                             {"8\xc3\x97H100: 26 TB/s", "1:9 26 TB/s " H100 " 8 possible\n"}};
  check(rows, 2, "a.txt");
}

static void options_count_for_what_names_nothing(void **state) {
  (void)state;
  const roof_prose_options options = {.machine = "a100", .dtype = "int8"};
  roof_prose prose = read_as("It does 600 TFLOP/s. The H100 does 600 TFLOP/s in FP16.", "a.md", &options);
  roof_text got = {0};
  describe(&prose, &got);
  assert_string_equal(got.data, "1:9 600 TFLOP/s " A100 " int8 1 possible\n1:36 600 TFLOP/s " H100
                                " fp16 1 possible\n");
  roof_text_done(&got);
  roof_prose_done(&prose);
  roof_error error;
  const roof_prose_options wrong[] = {{.machine = "h1000"}, {.dtype = "fp15"}};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(roof_prose_read("x", 1, "a.md", &wrong[i], &prose, &error), ROOF_E_NAME);
    assert_int_equal(prose.count, 0);
  }
}

/** A number from 0 to `below` - 1. */
static unsigned next(uint32_t *seed, unsigned below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (unsigned)(((uint64_t)*seed * below) >> 32);
}

/** Random words of a text about machines, with numbers that have no unit, or one that is no speed: nothing is claimed. Then
 *  one speed among them: one claim is. */
static void a_number_without_a_unit_is_no_claim(void **state) {
  (void)state;
  static const char *const words[] = {
      "H100", "A100",  "the", "kernel", "(", ")",  "|", "**",     "of",   "FP8", "Llama 3.1 8B",
      "at",   "batch", "x",   "tokens", ",", ". ", ":", "\n",     "\n\n", "- ",  "#",
      "GB",   "TFLOP", "ms",  "per",    "/", "s",  "T", "second", "%",    "`",   "[",
      "](",   "<",     ">",   "B",      "-"};
  const roof_prose_options options = {.machine = "h100"};
  uint32_t seed = 7;
  for (int trial = 0; trial < 100; trial++) {
    roof_text text = {0};
    for (int i = 0; i < 30; i++) {
      roof_text_add(&text, words[next(&seed, sizeof words / sizeof words[0])]);
      roof_text_addf(&text, next(&seed, 3) == 0 ? " %u;%u " : " ", next(&seed, 5000), next(&seed, 10));
    }
    roof_prose prose = read_as(text.data, "a.md", &options);
    for (size_t i = 0; i < prose.count; i++) {
      const char *unit = strpbrk(prose.claims[i].text, "BFt");
      assert_non_null(unit); /* a unit that the words happened to form */
      assert_true(strstr(unit, "/ s") == NULL &&
                  (strchr(unit, '/') != NULL || strstr(unit, "per second") != NULL));
    }
    roof_prose_done(&prose);
    roof_text_done(&text);
    char one[200];
    snprintf(one, sizeof one, "Chapter %u, %u of %u: the %u kernels reach %u.%u TB/s on an H100 of 2023.",
             next(&seed, 99), next(&seed, 99), next(&seed, 99), next(&seed, 99), 1 + next(&seed, 9),
             next(&seed, 9));
    prose = read_as(one, "a.md", &options);
    assert_int_equal(prose.count, 1);
    assert_int_equal(prose.claims[0].state,
                     prose.claims[0].claimed > 3.36e12 ? ROOF_PROSE_IMPOSSIBLE : ROOF_PROSE_POSSIBLE);
    roof_prose_done(&prose);
  }
}

static void answers_are_written(void **state) {
  (void)state;
  const roof_prose_options none = {.machine = NULL};
  roof_prose prose = read_as("H100: 9 PFLOP/s, 3 TB/s.", "a,b.md", &none);
  roof_text out = {0};
  roof_prose_sentence(&prose, &out);
  assert_string_equal(out.data, "1 of 2 claims is impossible");
  roof_text_done(&out);
  assert_int_equal(roof_prose_write_github(&prose, &out, NULL), ROOF_OK);
  assert_int_equal(
      strncmp(out.data, "::error file=a%2Cb.md,line=1,col=7,title=9 PFLOP/s::impossible: 910 %25 of ", 70),
      0);
  assert_null(strchr(strchr(out.data, '\n') + 1, '\n'));
  roof_text_done(&out);
  assert_int_equal(roof_prose_write(&prose, &out, NULL), ROOF_OK);
  assert_non_null(strstr(
      out.data,
      "\"schema\": \"roofline.claims/1\",\n  \"possible\": false,\n  \"impossible\": 1,\n  \"unknown\": 0"));
  roof_text_done(&out);
  roof_prose_done(&prose);
  roof_prose_sentence(&prose, &out);
  assert_int_equal(strncmp(out.data, "no claims found", 15), 0);
  roof_text_done(&out);
  assert_string_equal(roof_prose_state_name((roof_prose_state)9), "?");
  assert_string_equal(roof_prose_kind_name((roof_prose_kind)9), "?");
  assert_string_equal(roof_prose_kind_unit((roof_prose_kind)9), "?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_are_found_with_their_machine),
      cmocka_unit_test(several_devices_share_a_claim),
      cmocka_unit_test(tokens_are_of_a_model),
      cmocka_unit_test(tables_have_their_machine_in_row_or_column),
      cmocka_unit_test(what_is_no_claim),
      cmocka_unit_test(plain_text_has_no_marks),
      cmocka_unit_test(options_count_for_what_names_nothing),
      cmocka_unit_test(a_number_without_a_unit_is_no_claim),
      cmocka_unit_test(answers_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
