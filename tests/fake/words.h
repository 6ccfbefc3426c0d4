/** The words of CUDA C++ that the programs of src/kernels use, for the processor: what nvcc compiles is
 * compiled here by the host's compiler, and tests/unit/emulate.h runs it. Included through the names of
 * NVIDIA's own headers (tests/fake/include). */
#ifndef TESTS_FAKE_WORDS_H
#define TESTS_FAKE_WORDS_H

#define EMULATED_MODULE
#include <math.h>

#include "emulate.h"

#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline, unused))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __constant__ static const
/* Shared memory: one block's at a time, filled with NaN before each (or fenced in by the sanitizer). */
#if defined(__SANITIZE_ADDRESS__)
#define EMULATED_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATED_SANITIZER
#endif
#endif
#if defined(EMULATED_SANITIZER)
#define __shared__ static
#else
#define __shared__ static __attribute__((section("emulated_shared")))
#endif

/* A kernel becomes a function of C++ whose parameters module.h finds out. While the names of the kernels are
 * looked for these words are left as they are (module.sh). */
#if !defined(EMULATED_NAMES)
#define __global__ __attribute__((unused))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif
#define EMULATED_VECTORS(name, type, alignment)                                                              \
  struct __attribute__((aligned(2 * sizeof(type)))) name##2 {                                                \
    type x, y;                                                                                               \
  };                                                                                                         \
  struct name##3 {                                                                                           \
    type x, y, z;                                                                                            \
  };                                                                                                         \
  struct __attribute__((aligned(alignment))) name##4 {                                                       \
    type x, y, z, w;                                                                                         \
  };                                                                                                         \
  INSIDE name##2 make_##name##2(type x, type y) {                                                            \
    return {x, y};                                                                                           \
  }                                                                                                          \
  INSIDE name##4 make_##name##4(type x, type y, type z, type w) {                                            \
    return {x, y, z, w};                                                                                     \
  }
EMULATED_VECTORS(char, signed char, 4)
EMULATED_VECTORS(uchar, unsigned char, 4)
EMULATED_VECTORS(short, short, 8)
EMULATED_VECTORS(ushort, unsigned short, 8)
EMULATED_VECTORS(int, int, 16)
EMULATED_VECTORS(uint, unsigned, 16)
EMULATED_VECTORS(float, float, 16)
struct __attribute__((aligned(16))) double2 {
  double x, y;
};
struct __attribute__((aligned(16))) longlong2 {
  long long x, y;
};
struct __attribute__((aligned(16))) double4 {
  double x, y, z, w;
};

/* Bits. */

template <class TO, class FROM> INSIDE TO emulated_bits(FROM from) {
  static_assert(sizeof(TO) == sizeof(FROM));
  TO to;
  memcpy(&to, &from, sizeof to);
  return to;
}

INSIDE float __uint_as_float(unsigned bits) {
  return emulated_bits<float>(bits);
}

INSIDE unsigned __float_as_uint(float number) {
  return emulated_bits<unsigned>(number);
}

INSIDE float __int_as_float(int bits) {
  return emulated_bits<float>(bits);
}

INSIDE int __float_as_int(float number) {
  return emulated_bits<int>(number);
}

INSIDE double __hiloint2double(int high, int low) {
  return emulated_bits<double>((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

INSIDE int __double2loint(double number) {
  return (int)emulated_bits<long long>(number);
}

INSIDE int __double2hiint(double number) {
  return (int)(emulated_bits<long long>(number) >> 32);
}

INSIDE double __longlong_as_double(long long bits) {
  return emulated_bits<double>(bits);
}

INSIDE long long __double_as_longlong(double number) {
  return emulated_bits<long long>(number);
}

/** Four of the eight bytes of x and y, by the digits of `which`. */
INSIDE unsigned __byte_perm(unsigned x, unsigned y, unsigned which) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned byte = (unsigned)(both >> 8 * (which >> 4 * i & 7)) & 0xFF;
    bool sign = (which >> 4 * i & 8) != 0; /* the sign of that byte, all over */
    result |= (sign ? (byte >> 7 != 0 ? 0xFFu : 0u) : byte) << 8 * i;
  }
  return result;
}

INSIDE int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}

INSIDE int __clz(int bits) {
  return bits == 0 ? 32 : __builtin_clz((unsigned)bits);
}

/* Numbers of 16 bits. */

struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __half half;
typedef __half2 half2;

/** From fp16: exact. */
INSIDE float emulated_from_half(unsigned short h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  float size = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
               : exponent > 0 ? ldexpf((float)(fraction + 1024), exponent - 25)
                              : ldexpf((float)fraction, -24);
  return h >> 15 != 0 ? -size : size;
}

/** To fp16, to nearest, ties to even. The halves of the last place are exact in fp32. */
INSIDE unsigned short emulated_to_half(double number) {
  unsigned short sign = signbit(number) != 0 ? 0x8000 : 0;
  double size = fabs(number);
  if (isnan(number)) {
    return 0x7FFF;
  }
  if (size >= 65520) {
    return (unsigned short)(sign | 0x7C00);
  }
  int exponent = size < ldexp(1, -14) ? -14 : ilogb(size);
  double places = nearbyint(ldexp(size, 10 - exponent)); /* 1024 to 2048, or less when subnormal */
  return (unsigned short)(sign | (unsigned short)(places + (exponent + 14) * 1024.0));
}

INSIDE float __half2float(__half h) {
  return emulated_from_half(h.bits);
}

INSIDE __half __float2half_rn(float number) {
  return {emulated_to_half((double)number)};
}

INSIDE __half __float2half(float number) {
  return __float2half_rn(number);
}

INSIDE __half __ushort_as_half(unsigned short bits) {
  return {bits};
}

INSIDE unsigned short __half_as_ushort(__half h) {
  return h.bits;
}

INSIDE float __bfloat162float(__nv_bfloat16 b) {
  return from_bf16(b.bits);
}

INSIDE __nv_bfloat16 __float2bfloat16_rn(float number) {
  return {(unsigned short)(isnan(number) ? 0x7FFF : to_bf16(number))};
}

INSIDE __nv_bfloat16 __float2bfloat16(float number) {
  return __float2bfloat16_rn(number);
}

INSIDE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return {bits};
}

INSIDE unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) {
  return b.bits;
}

/* Pairs: each rounded once. */
#define EMULATED_PAIRS(pair, one, from, to)                                                                  \
  INSIDE float __low2float(pair p) {                                                                         \
    return from(p.x);                                                                                        \
  }                                                                                                          \
  INSIDE float __high2float(pair p) {                                                                        \
    return from(p.y);                                                                                        \
  }                                                                                                          \
  INSIDE pair __hsub2(pair a, pair b) {                                                                      \
    return {to(from(a.x) - from(b.x)), to(from(a.y) - from(b.y))};                                           \
  }                                                                                                          \
  INSIDE pair __hadd2(pair a, pair b) {                                                                      \
    return {to(from(a.x) + from(b.x)), to(from(a.y) + from(b.y))};                                           \
  }                                                                                                          \
  INSIDE pair __hmul2(pair a, pair b) {                                                                      \
    return {to(from(a.x) * from(b.x)), to(from(a.y) * from(b.y))};                                           \
  }                                                                                                          \
  INSIDE pair __hfma2(pair a, pair b, pair c) {                                                              \
    return {to(fmaf(from(a.x), from(b.x), from(c.x))), to(fmaf(from(a.y), from(b.y), from(c.y)))};           \
  }
INSIDE __half __low2half(__half2 p) {
  return p.x;
}

INSIDE __half __high2half(__half2 p) {
  return p.y;
}

INSIDE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 p) {
  return p.x;
}

INSIDE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 p) {
  return p.y;
}

EMULATED_PAIRS(__half2, __half, __half2float, __float2half_rn)
EMULATED_PAIRS(__nv_bfloat162, __nv_bfloat16, __bfloat162float, __float2bfloat16_rn)

INSIDE float2 __half22float2(__half2 p) {
  return {__half2float(p.x), __half2float(p.y)};
}

INSIDE __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}

INSIDE float2 __bfloat1622float2(__nv_bfloat162 p) {
  return {__bfloat162float(p.x), __bfloat162float(p.y)};
}

INSIDE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}

/* Arithmetic. */

INSIDE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) {
    c += (int)(signed char)(a >> 8 * i) * (int)(signed char)(b >> 8 * i);
  }
  return c;
}

#define __expf expf /* the system's header has that name */

INSIDE float rsqrtf(float x) {
  return 1 / sqrtf(x);
}

INSIDE double rsqrt(double x) {
  return 1 / sqrt(x);
}

INSIDE float rsqrt(float x) {
  return rsqrtf(x);
}

INSIDE float __fdividef(float a, float b) {
  return a / b;
}

INSIDE float __frcp_rn(float x) {
  return 1 / x;
}

/* Memory. */

template <class T> INSIDE T __ldg(const T *at) {
  return *at;
}

template <class T> INSIDE T __ldcs(const T *at) {
  return *at;
}

template <class T> INSIDE T __ldcg(const T *at) {
  return *at;
}

template <class T> INSIDE void __stcs(T *at, T value) {
  *at = value;
}

template <class T> INSIDE void __stcg(T *at, T value) {
  *at = value;
}

INSIDE void __threadfence(void) {
}

INSIDE void __threadfence_block(void) {
}

template <class T> INSIDE T atomicAdd(T *at, T value) {
  T before = *at;
  *at = before + value;
  return before;
}

template <class T> INSIDE T atomicMax(T *at, T value) {
  T before = *at;
  *at = before < value ? value : before;
  return before;
}

template <class T> INSIDE T atomicMin(T *at, T value) {
  T before = *at;
  *at = value < before ? value : before;
  return before;
}

template <class T> INSIDE T atomicExch(T *at, T value) {
  T before = *at;
  *at = value;
  return before;
}

template <class T> INSIDE T atomicCAS(T *at, T expected, T value) {
  T before = *at;
  *at = before == expected ? value : before;
  return before;
}

/* Warps: all 32 lanes must come. */

INSIDE void emulated_nothing(emulated_thread *const *) {
}

INSIDE void __syncwarp(unsigned mask = 0xFFFFFFFF) {
  if (mask != 0xFFFFFFFF) {
    abort();
  }
  by_warp(emulated_nothing, NULL, NULL, NULL);
}

/** What lane `from` of the warp gives; a lane of its own where there is none. */
template <class T> INSIDE T emulated_shuffle(unsigned mask, T value, int from) {
  T result;
  const T *given;
  __syncwarp(mask); /* all have read the values of the turn before */
  chip.now->posted[3] = &value;
  __syncwarp(mask);
  given = (const T *)thread_of(chip.now->index / 32 * 32 + from)->posted[3];
  memcpy(&result, given, sizeof result);
  __syncwarp(mask);
  return result;
}

template <class T> INSIDE T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  int lane = chip.now->index % 32;
  return emulated_shuffle(mask, value, lane / width * width + from % width);
}

template <class T> INSIDE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  int lane = chip.now->index % 32, from = lane ^ bits;
  return emulated_shuffle(mask, value, from / width <= lane / width ? from : lane);
}

template <class T> INSIDE T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = chip.now->index % 32, from = lane + (int)by;
  return emulated_shuffle(mask, value, from / width == lane / width ? from : lane);
}

template <class T> INSIDE T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = chip.now->index % 32, from = lane - (int)by;
  return emulated_shuffle(mask, value, from >= lane / width * width ? from : lane);
}

/* HIP's words. Of a wavefront of 64 a half is emulated, the 32 lanes that a kernel of ours looks at. */

template <class T> INSIDE T __shfl_xor(T value, int bits) {
  if (bits >= 32) {
    abort();
  }
  return __shfl_xor_sync(0xFFFFFFFF, value, bits);
}

INSIDE int __builtin_amdgcn_sdot4(int a, int b, int c, bool) {
  return __dp4a(a, b, c);
}

INSIDE int __builtin_amdgcn_sudot4(bool signed_a, int a, bool signed_b, int b, int c, bool) {
  return signed_a && signed_b ? __dp4a(a, b, c) : 0;
}

#endif
