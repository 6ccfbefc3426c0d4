# roof_programs(VARIABLE FOLDER): compiles the programs FOLDER/*.cl and the preludes FOLDER/*.prelude into the library as text
# and sets VARIABLE to the generated source. The first line of a program names its formats: `// formats: fp32 fp64`, those that it has
# in OpenCL alone as `opencl:fp16`.
function(roof_programs variable folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cl ${CMAKE_SOURCE_DIR}/${folder}/*.prelude)
  list(SORT files)
  set(index 0)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(extension ${file} EXT)
    file(STRINGS ${file} first LIMIT_COUNT 1)
    set(bits "0")
    if(first MATCHES "^// formats: ([a-z0-9 :]+)$")
      string(REPLACE "opencl:" "" formats ${CMAKE_MATCH_1})
      string(TOUPPER ${formats} formats)
      string(REPLACE " " ";" formats ${formats})
      foreach(format ${formats})
        string(APPEND bits " | 1u << ROOF_${format}")
      endforeach()
    elseif(extension STREQUAL ".cl")
      message(FATAL_ERROR "${file}:1: must be `// formats: fp32 ...`")
    endif()
    string(APPEND blobs "EMBED(device_text_${index}, \"${file}\")\n")
    set(row "    {\"${name}\", device_text_${index}, device_text_${index}_end, ${bits}},\n")
    if(extension STREQUAL ".cl")
      string(APPEND texts "${row}")
    else()
      string(APPEND preludes "${row}")
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(source ${CMAKE_BINARY_DIR}/generated/device_texts.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* Generated from ${folder}. */
#include \"kernels/device/_texts.h\"

#define EMBED(symbol, path) \\
  __asm__(\".pushsection .rodata\\n\" #symbol \":\\n.incbin \\\"\" path \"\\\"\\n\" #symbol \"_end:\\n.byte 0\\n.popsection\\n\"); \\
  extern const char symbol[], symbol##_end[];
${blobs}
const rf_device_text rf_device_texts[] = {
${texts}    {0, 0, 0, 0}};
const rf_device_text rf_device_preludes[] = {
${preludes}    {0, 0, 0, 0}};
" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}" COMPILE_OPTIONS "-Wno-pedantic")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
