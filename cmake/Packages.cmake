# Debian packages (`./run packages`), one an install component: the command, the three libraries, what programs are built with, the package for Python,
# the book, and a plugin for each MPI that was there.
find_program(GZIP gzip REQUIRED)
set(changelog ${CMAKE_BINARY_DIR}/changelog.gz)
execute_process(COMMAND ${GZIP} -9nc ${CMAKE_SOURCE_DIR}/CHANGELOG.md OUTPUT_FILE ${changelog})

# roof_package(COMPONENT NAME SECTION SUMMARY TEXT [OPTION VALUE ...])
function(roof_package component name section summary text)
  string(TOUPPER ${component} c)
  string(TOUPPER ${name} n)
  # Only a package has these: `cmake --install` of everything leaves them out.
  install(FILES ${CMAKE_SOURCE_DIR}/packaging/debian/copyright ${changelog} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
  set(CPACK_COMPONENT_${c}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_FILE_NAME DEB-DEFAULT PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(options ${ARGN})
  while(options)
    list(POP_FRONT options option value)
    set(CPACK_DEBIAN_${c}_PACKAGE_${option} "${value}" PARENT_SCOPE)
  endwhile()
endfunction()

# roof_library_control(COMPONENT TARGET PACKAGE): a library's control files: the loader is to look again, and which version has which symbol.
function(roof_library_control component target package)
  string(TOUPPER ${component} c)
  set(script ${CMAKE_SOURCE_DIR}/packaging/debian/symbols.sh)
  set(symbols ${CMAKE_BINARY_DIR}/symbols/${package}/symbols)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/symbols/${package})
  add_custom_command(OUTPUT ${symbols} COMMAND sh ${script} $<TARGET_FILE:${target}> ${package} ${PROJECT_VERSION} > ${symbols}
    DEPENDS ${target} ${script} VERBATIM)
  add_custom_target(${package}-symbols ALL DEPENDS ${symbols})
  set(CPACK_DEBIAN_${c}_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/packaging/debian/triggers;${symbols}" PARENT_SCOPE)
endfunction()

set(same "(= ${PROJECT_VERSION})")
set(about "roofline predicts how fast an operation, a model or a cluster job can go and\nwhich ceiling limits it, measures what a machine reaches, and explains the gap.")
roof_package(command roofline utils "which ceiling limits a kernel, and how fast it can go"
  "${about}\nThis package has the command, its manual and completions." SHLIBDEPS ON RECOMMENDS libopenblas0-pthread SUGGESTS "roofline-doc ${same}")
roof_package(library libroofline${ROOF_SOVERSION} libs "library that predicts and measures the speed of kernels"
  "${about}\nThis package has the library." SHLIBDEPS ON RECOMMENDS "libmuparser2v5, libstdc++6"
  SUGGESTS "libopenblas0-pthread, libblis4-pthread, libdnnl2, libfftw3-double3, libfftw3-single3, libpapi7.0, librsvg2-2, ocl-icd-libopencl1")
roof_library_control(library roofline_shared libroofline${ROOF_SOVERSION})
roof_package(core libroofline-core${ROOF_SOVERSION} libs "predictions of roofline, with libc and libm alone"
  "${about}\nThis package has the predictions, without files and threads." SHLIBDEPS ON)
roof_library_control(core roofline_core_shared libroofline-core${ROOF_SOVERSION})
roof_package(region libroofline-region${ROOF_SOVERSION} libs "marked regions of a program, timed for roofline"
  "${about}\nThis package has what times marked regions of a program." SHLIBDEPS ON)
roof_library_control(region roofline_region_shared libroofline-region${ROOF_SOVERSION})
roof_package(development libroofline-dev libdevel "headers of the library that predicts the speed of kernels"
  "${about}\nThis package has what programs are built with."
  DEPENDS "libroofline${ROOF_SOVERSION} ${same}, libroofline-core${ROOF_SOVERSION} ${same}, libroofline-region${ROOF_SOVERSION} ${same}")
roof_package(python python3-roofline python "predictions of the speed of kernels, for Python"
  "${about}\nThis package has the library's answers for Python 3." ARCHITECTURE all
  DEPENDS "python3 (>= 3.9), libroofline${ROOF_SOVERSION} ${same}, libroofline-region${ROOF_SOVERSION} ${same}" RECOMMENDS python3-numpy SUGGESTS "python3-pandas, python3-torch")
roof_package(book roofline-doc doc "book and examples of roofline" "${about}\nThis package has the book and the examples." ARCHITECTURE all)
set(mpi_openmpi "Open MPI")
set(mpi_mpich MPICH)
foreach(mpi ${ROOFLINE_MPIS})
  roof_package(${mpi} roofline-${mpi} utils "the nodes of a cluster measured under ${mpi_${mpi}}"
    "${about}\nThis package has the plugin for ${mpi_${mpi}}." SHLIBDEPS ON DEPENDS "roofline ${same}")
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
# Of the archive (`cpack -G TXZ`), which has everything; packages have names of their own.
set(CPACK_PACKAGE_FILE_NAME roofline-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(ROOFLINE_MAINTAINER "roofline maintainers <roofline@example.org>" CACHE STRING "Who builds the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${ROOFLINE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(ROOFLINE_COMPONENTS command library core region development python book CACHE STRING "Which packages are made")
set(CPACK_COMPONENTS_ALL ${ROOFLINE_COMPONENTS} ${ROOFLINE_MPIS})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
