# roof_base64(VARIABLE HEX): the 32 bytes that HEX spells, in base64.
function(roof_base64 variable hex)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  string(REGEX MATCHALL "....(..)?" groups ${hex})
  foreach(group IN LISTS groups)
    string(LENGTH ${group} length)
    string(SUBSTRING ${group}0000 0 6 padded)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${padded} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 letter)
      string(APPEND base64 ${letter})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" base64 ${base64})
  set(${variable} ${base64} PARENT_SCOPE)
endfunction()

# roof_page(VARIABLE): joins web/page/*.js to one script in a function of its own, without its comments and indents, and compiles it into
# the library with page.css; sets VARIABLE to the generated source of src/draw/page.h.
function(roof_page variable)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/page/*.js)
  list(SORT scripts)
  list(FILTER scripts EXCLUDE REGEX "/start\\.js$")
  list(APPEND scripts ${CMAKE_SOURCE_DIR}/web/page/start.js) # it calls what the others define
  set(style_file ${CMAKE_SOURCE_DIR}/web/page/page.css)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scripts} ${style_file})
  set(joined "")
  foreach(script ${scripts})
    file(READ ${script} text)
    string(REPLACE "'use strict';\n" "" text "${text}")
    string(APPEND joined "\n${text}")
  endforeach()
  string(REGEX REPLACE "\n *(//[^\n]*|/\\*\\*[^\n]*\\*/)" "\n" joined "${joined}")
  string(REGEX REPLACE "\n[ \n]+" "\n" joined "${joined}")
  # No text of the scripts has an operator, `{`, `}` or `if (` with these spaces (tests/browser would show it).
  string(REGEX REPLACE " (=>|[=!]==|&&|[|][|]=?|[?][?]=?|[-+*/]=?|[<>=]=?|[?:]) " "\\1" joined "${joined}")
  string(REGEX REPLACE "(if|for|while) [(]" "\\1(" joined "${joined}")
  string(REPLACE ") {" "){" joined "${joined}")
  string(REPLACE "{ " "{" joined "${joined}")
  string(REPLACE " }" "}" joined "${joined}")
  string(REGEX REPLACE "([;{,])\n" "\\1" joined "${joined}")
  file(READ ${style_file} style)
  string(REGEX REPLACE "/\\*[^\n]*\\*/\n" "" style "${style}")
  foreach(part script style)
    set(${part}_path ${CMAKE_BINARY_DIR}/generated/page.${part})
  endforeach()
  file(CONFIGURE OUTPUT ${script_path} CONTENT "//<![CDATA[\n(()=>{'use strict';@joined@})();\n//]]>" @ONLY)
  file(CONFIGURE OUTPUT ${style_path} CONTENT "@style@" @ONLY)
  file(SHA256 ${script_path} hash)
  roof_base64(hash ${hash})
  set(source ${CMAKE_BINARY_DIR}/generated/page_files.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* Generated from web/page. */
#include \"draw/page.h\"

#define EMBED(symbol, path) \\
  __asm__(\".pushsection .rodata\\n.globl \" #symbol \"\\n.hidden \" #symbol \"\\n\" #symbol \":\\n.incbin \\\"\" path \"\\\"\\n.byte 0\\n.popsection\\n\");
EMBED(rf_page_script, \"${script_path}\")
EMBED(rf_page_style, \"${style_path}\")
const char rf_page_hash[] = \"sha256-${hash}\";
" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${script_path};${style_path}" COMPILE_OPTIONS "-Wno-pedantic")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
