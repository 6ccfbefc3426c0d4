# Manual pages and completions of shells, from what the command says of itself (`roofline help --json`); without scdoc and jq, or for another
# processor, there are none.
find_program(SCDOC scdoc)
find_program(JQ jq)
if(NOT SCDOC OR NOT JQ OR CMAKE_CROSSCOMPILING OR ROOFLINE_SANITIZE)
  return()
endif()
foreach(part manual completions)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/packaging/${part}/*)
  add_custom_command(OUTPUT ${part}.stamp
    COMMAND sh ${CMAKE_SOURCE_DIR}/packaging/${part}/build.sh $<TARGET_FILE:roofline> ${CMAKE_BINARY_DIR}/${part}
    COMMAND ${CMAKE_COMMAND} -E touch ${part}.stamp
    DEPENDS roofline ${sources} VERBATIM)
  list(APPEND stamps ${part}.stamp)
endforeach()
add_custom_target(manual ALL DEPENDS ${stamps})
install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command FILES_MATCHING PATTERN *.1.gz)
set(completions ${CMAKE_BINARY_DIR}/completions)
install(FILES ${completions}/roofline.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command RENAME roofline)
install(FILES ${completions}/roofline.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command RENAME _roofline)
install(FILES ${completions}/roofline.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
