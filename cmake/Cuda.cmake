# roof_cuda(VARIABLE): compiles the programs of src/kernels/device/*.cl (once per format) and of src/kernels/cuda/*.cu with nvcc,
# into the library as fatbins, and sets VARIABLE to the generated source. Without nvcc its table is empty. The first line of a .cu
# names the code that is made: `// targets: sm_80 sm_90 compute_90`, of which an older nvcc makes what it knows, and with `, ptxas -O1` behind it an option of the assembler; a
# program of the common dialect becomes code for Hopper and
# text (PTX) that the driver compiles for any device from Ampere on. A .cu whose threads wait at barriers is compiled a second time, as
# format `bounded`: waits then end with a fault after two seconds.
find_program(ROOFLINE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin DOC "CUDA's compiler; without it there is no backend cuda")

set(ROOFLINE_CUDA_OF "" CACHE PATH "another build of these sources by the same nvcc, whose programs of CUDA are taken where they are new enough")

set(ROOFLINE_NVCC_FLAGS -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra -Xfatbin -compress-all)
set(roof_cuda_common -gencode "arch=compute_80,code=[sm_90,compute_80]")

# -gencode for each of TARGETS that nvcc knows: code of an architecture from its own text, or the text itself. That of a
# family (sm_100f) came with 12.9.
function(roof_cuda_targets variable version architectures)
  set(flags "")
  foreach(target ${ARGN})
    string(REGEX REPLACE "^(sm|compute)_" "compute_" from ${target})
    string(REGEX REPLACE "[af]$" "" base ${from})
    if(base IN_LIST architectures AND (NOT target MATCHES "f$" OR version GREATER_EQUAL 12090))
      list(APPEND flags -gencode arch=${from},code=${target})
    endif()
  endforeach()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# Compiles FILE to build/generated/cuda/NAME.fatbin, or takes what the build ROOFLINE_CUDA_OF made of it since it was last changed, and
# adds it to the table of the caller.
macro(roof_cuda_image name file format)
  set(image ${CMAKE_BINARY_DIR}/generated/cuda/${name}${format}.fatbin)
  add_custom_command(
    OUTPUT ${image}
    COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/made_elsewhere.sh ${ROOFLINE_CUDA_OF}/generated/cuda/${name}${format}.fatbin ${image} ${file} ${shared_files} --
            ${ROOFLINE_NVCC} ${ROOFLINE_NVCC_FLAGS} ${ARGN} -fatbin -x cu -o ${image} ${file}
    DEPENDS ${file} ${shared_files}
    COMMENT "nvcc ${name} ${format}"
    VERBATIM)
  list(APPEND images ${image})
  set_property(GLOBAL APPEND PROPERTY ROOFLINE_CUDA_IMAGES "${file}|${format}|${image}") # for the emulated device of the tests
  string(APPEND blobs "EMBED(cuda_image_${index}, \"${image}\")\n")
  string(APPEND table "    {\"${name}\", \"${format}\", cuda_image_${index}},\n")
  math(EXPR index "${index} + 1")
endmacro()

function(roof_cuda variable)
  set(index 0)
  set(images "")
  set(version 0)
  if(ROOFLINE_NVCC)
    execute_process(COMMAND ${ROOFLINE_NVCC} --version OUTPUT_VARIABLE text RESULT_VARIABLE failed)
    if(text MATCHES "release ([0-9]+)\\.([0-9]+)" AND NOT failed AND CMAKE_MATCH_1 GREATER_EQUAL 12)
      math(EXPR version "${CMAKE_MATCH_1} * 1000 + ${CMAKE_MATCH_2} * 10")
    else()
      message(STATUS "nvcc at ${ROOFLINE_NVCC} is not CUDA 12 or later: no backend cuda")
    endif()
  endif()
  if(version GREATER_EQUAL 13000) # drivers before 12.4 cannot unpack it, nvcc before 12.8 cannot make it
    list(APPEND ROOFLINE_NVCC_FLAGS -compress-mode=size)
  endif()
  if(version GREATER 0)
    execute_process(COMMAND ${ROOFLINE_NVCC} --list-gpu-arch OUTPUT_VARIABLE architectures OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" architectures "${architectures}")
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/cuda)
    file(GLOB shared_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/cuda/*.cuh ${CMAKE_SOURCE_DIR}/src/kernels/cuda/*.h
         ${CMAKE_SOURCE_DIR}/src/kernels/device/cuda.prelude
         ${CMAKE_SOURCE_DIR}/src/kernels/device/cxx.prelude)
    file(GLOB own CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/cuda/*.cu)
    file(GLOB common CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/device/*.cl)
    foreach(file ${own})
      get_filename_component(name ${file} NAME_WE)
      file(STRINGS ${file} first LIMIT_COUNT 1)
      if(NOT first MATCHES "^// targets: ([a-z0-9_ ]+)(, ptxas (-[A-Za-z0-9-]+))?$")
        message(FATAL_ERROR "${file}:1: must be `// targets: sm_90a ...`")
      endif()
      set(option ${CMAKE_MATCH_3})
      string(REPLACE " " ";" targets ${CMAKE_MATCH_1})
      roof_cuda_targets(flags ${version} "${architectures}" ${targets})
      if(flags)
        if(option)
          list(APPEND flags -Xptxas ${option})
        endif()
        list(APPEND flags -Xptxas --warn-on-spills,--warning-as-error)
        roof_cuda_image(${name} ${file} "" ${flags})
        file(STRINGS ${file} waits REGEX "barrier_wait")
        if(waits)
          roof_cuda_image(${name} ${file} bounded ${flags} -DBOUNDED)
        endif()
      else()
        message(STATUS "${name}: nvcc knows none of ${targets}; left out")
      endif()
    endforeach()
    foreach(file ${common})
      get_filename_component(name ${file} NAME_WE)
      file(STRINGS ${file} first LIMIT_COUNT 1)
      string(REGEX REPLACE "^// formats: " "" formats "${first}")
      string(REGEX REPLACE " opencl:[a-z0-9]+" "" formats ${formats})
      string(REPLACE " " ";" formats ${formats})
      foreach(format ${formats})
        string(TOUPPER ${format} type)
        roof_cuda_image(${name} ${file} ${format} ${roof_cuda_common} -DTYPE_${type} -include ${CMAKE_SOURCE_DIR}/src/kernels/device/cuda.prelude)
      endforeach()
    endforeach()
  endif()
  set(driver "NVIDIA driver 525 or later") # NVIDIA, "CUDA Compatibility": the first of each major version runs all code of it
  if(version GREATER_EQUAL 13000)
    set(driver "NVIDIA driver 580 or later")
  endif()
  set(source ${CMAKE_BINARY_DIR}/generated/cuda_images.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* Generated by cmake/Cuda.cmake. */
#include \"measure/cuda/api.h\"

#define EMBED(symbol, path) \\
  __asm__(\".pushsection .rodata\\n.balign 16\\n\" #symbol \":\\n.incbin \\\"\" path \"\\\"\\n.popsection\\n\"); \\
  extern const unsigned char symbol[];
${blobs}
const cuda_image rf_cuda_images[] = {
${table}    {0, 0, 0}};
const int rf_cuda_images_version = ${version};
const char rf_cuda_images_driver[] = \"${driver}\";
" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${images}" COMPILE_OPTIONS "-Wno-pedantic")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
