# roof_embed(VARIABLE KIND): compiles data/KINDs/*.json into the library and sets VARIABLE to the generated source.
# It defines rf_builtin_KINDs[]: name, aliases (separated by spaces), title, text, end; sorted by name.
function(roof_embed variable kind)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/${kind}s/*.json)
  list(SORT files)
  set(table "")
  set(blobs "")
  set(index 0)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.json$" "" name ${name})
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
    string(JSON title ERROR_VARIABLE none GET "${json}" title)
    if(none)
      set(title "")
    endif()
    string(APPEND blobs "EMBED(${kind}_${index}, \"${file}\")\n")
    string(APPEND table "    {\"${name}\", \"${aliases}\", \"${title}\", ${kind}_${index}, ${kind}_${index}_end},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(source ${CMAKE_BINARY_DIR}/generated/builtin_${kind}s.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* Generated from data/${kind}s. */
#include \"catalog/builtin.h\"

#define EMBED(symbol, path) \\
  __asm__(\".pushsection .rodata\\n\" #symbol \":\\n.incbin \\\"\" path \"\\\"\\n\" #symbol \"_end:\\n.byte 0\\n.popsection\\n\"); \\
  extern const char symbol[], symbol##_end[];
${blobs}
const rf_builtin rf_builtin_${kind}s[] = {
${table}    {0, 0, 0, 0, 0}};
const unsigned rf_builtin_${kind}_count = ${index};
" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}" COMPILE_OPTIONS "-Wno-pedantic")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
