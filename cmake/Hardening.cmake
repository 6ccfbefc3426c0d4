# What makes errors of memory harder to use, where the compiler and the linker have it (tests/lint/hardening.sh checks it). Sanitizers replace it.
# `hardening`: what the library and the program are compiled with.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
include(CheckCSourceCompiles)

# Executables too are position independent.
check_pie_supported(LANGUAGES C)

# The highest level of checked string functions that the C library has for this compiler.
function(roof_fortify level)
  foreach(candidate 3 2)
    set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${candidate}")
    check_c_source_compiles("#include <stdio.h>
      #if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < ${candidate}
      #error none
      #endif
      int main(void) { return 0; }" ROOFLINE_FORTIFY_${candidate})
    if(ROOFLINE_FORTIFY_${candidate})
      set(${level} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

if(NOT ROOFLINE_SANITIZE)
  roof_fortify(fortify)
  if(fortify)
    list(APPEND hardening "$<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${fortify}>")
  endif()
  check_c_compiler_flag(-fstack-protector-strong ROOFLINE_STACK_PROTECTOR)
  if(ROOFLINE_STACK_PROTECTOR)
    list(APPEND hardening -fstack-protector-strong)
  endif()
  foreach(word relro now)
    check_linker_flag(C -Wl,-z,${word} ROOFLINE_LINK_${word})
    if(ROOFLINE_LINK_${word})
      add_link_options(-Wl,-z,${word})
    endif()
  endforeach()
endif()
