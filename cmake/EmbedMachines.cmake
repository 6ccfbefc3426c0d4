# roof_embed_machines(VARIABLE): compiles data/machines/*.json into the library and sets VARIABLE to the generated source.
# It defines roof_builtin_machines[]: name, aliases (separated by spaces), text, length; sorted by name.
function(roof_embed_machines variable)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/machines/*.json)
  list(SORT files)
  set(table "")
  set(blobs "")
  set(index 0)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} json)
    string(JSON count ERROR_VARIABLE none LENGTH "${json}" aliases)
    set(aliases "")
    if(count MATCHES "^[0-9]+$" AND count GREATER 0)
      math(EXPR last "${count} - 1")
      foreach(i RANGE ${last})
        string(JSON alias GET "${json}" aliases ${i})
        string(APPEND aliases "${alias} ")
      endforeach()
      string(STRIP "${aliases}" aliases)
    endif()
    string(APPEND blobs "EMBED(machine_${index}, \"${file}\")\n")
    string(APPEND table "    {\"${name}\", \"${aliases}\", machine_${index}, machine_${index}_end},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(source ${CMAKE_BINARY_DIR}/generated/builtin_machines.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* Generated from data/machines. */
#include \"catalog/builtin.h\"

#define EMBED(symbol, path) \\
  __asm__(\".pushsection .rodata\\n\" #symbol \":\\n.incbin \\\"\" path \"\\\"\\n\" #symbol \"_end:\\n.byte 0\\n.popsection\\n\"); \\
  extern const char symbol[], symbol##_end[];
${blobs}
const roof_builtin_machine roof_builtin_machines[] = {
${table}    {0, 0, 0, 0}};
const unsigned roof_builtin_machine_count = ${index};
" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}" COMPILE_OPTIONS "-Wno-pedantic")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
