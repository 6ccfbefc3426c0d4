# The book, docs/*.md, as one HTML file with a search; without lowdown there is none.
find_program(LOWDOWN lowdown)
add_custom_target(book ALL)
if(NOT LOWDOWN OR CMAKE_CROSSCOMPILING OR ROOFLINE_SANITIZE)
  return()
endif()
set(book ${CMAKE_BINARY_DIR}/book.html)
file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*.svg ${CMAKE_SOURCE_DIR}/docs/gallery/*.svg
     ${CMAKE_SOURCE_DIR}/packaging/book/*)
add_custom_command(OUTPUT ${book}
  COMMAND sh ${CMAKE_SOURCE_DIR}/packaging/book/build.sh ${CMAKE_SOURCE_DIR}/docs ${book} ${PROJECT_VERSION}
  DEPENDS ${pages} VERBATIM)
add_custom_target(book_file DEPENDS ${book})
add_dependencies(book book_file)
install(FILES ${book} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT book)
