/** What tests/fake/module.sh puts behind a program's text: its kernels by name, callable as cuLaunchKernel
 * calls them. */
#ifndef TESTS_FAKE_MODULE_H
#define TESTS_FAKE_MODULE_H

#include <type_traits>
#include <utility>

#include "entry.h"
#include "words.h"

/** A kernel's parameters: their sizes, and how it is called with pointers to them. */
template <auto kernel> struct emulated_signature;
template <class... PARAMETER, void (*kernel)(PARAMETER...)> struct emulated_signature<kernel> {
  static constexpr int count = sizeof...(PARAMETER);
  static constexpr unsigned sizes[] = {sizeof(PARAMETER)..., 0};

  /** The first or the last parameter of those that are so; -1: none is. */
  static constexpr int find(const bool (&so)[count + 1], bool last) {
    int found = -1;
    for (int i = 0; i < count; i++) {
      found = so[i] && (last || found < 0) ? i : found;
    }
    return found;
  }

  template <class T>
  static constexpr bool is_written = std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>;
  static constexpr int written = find({is_written<PARAMETER>..., false}, false);
  static constexpr int rounds = find({std::is_same_v<PARAMETER, int>..., false}, false);
  static constexpr int elements = find({std::is_same_v<PARAMETER, long long>..., false}, true);

  template <size_t... INDEX> static void spread(void *const *arguments, std::index_sequence<INDEX...>) {
    kernel(*(PARAMETER *)arguments[INDEX]...);
  }

  static void call(const void *arguments) {
    spread((void *const *)arguments, std::make_index_sequence<sizeof...(PARAMETER)>());
  }
};

#define ENTRY(kernel, most, cluster)                                                                         \
  {#kernel,                                                                                                  \
   most,                                                                                                     \
   cluster,                                                                                                  \
   emulated_signature<kernel>::count,                                                                        \
   emulated_signature<kernel>::written,                                                                      \
   emulated_signature<kernel>::rounds,                                                                       \
   emulated_signature<kernel>::elements,                                                                     \
   emulated_signature<kernel>::sizes,                                                                        \
   emulated_signature<kernel>::call},

/* Where the linker put what is __shared__. */
extern "C" unsigned char __start_emulated_shared[] __attribute__((weak, visibility("hidden")));
extern "C" unsigned char __stop_emulated_shared[] __attribute__((weak, visibility("hidden")));

/** No block finds what the one before it left. */
static void emulated_forget(void) {
  if (__start_emulated_shared != nullptr) {
    memset(__start_emulated_shared, 0xFF, (size_t)(__stop_emulated_shared - __start_emulated_shared));
  }
}

static int emulated_run(const emulated_entry *entry, const emulated_shape *s, void *const *arguments) {
  emulated_launch launch = {{s->grid[0], s->grid[1], s->grid[2]},
                            {s->block[0], s->block[1], s->block[2]},
                            (int)entry->cluster,
                            s->shared,
                            emulated_forget};
  return emulate_launch(entry->call, arguments, &launch);
}

/** When the module is unloaded. */
__attribute__((destructor)) static void emulated_over(void) {
  emulate_done();
}

#define ENTRIES(...)                                                                                         \
  static const emulated_entry emulated_entries[] = {                                                         \
      __VA_ARGS__{nullptr, 0, 0, 0, 0, 0, 0, nullptr, nullptr}};                                             \
  extern "C" __attribute__((visibility("default")))                                                          \
  const emulated_module emulated = {emulated_entries, emulated_run, emulate_abandon};

#endif
