# roofline_mpi_NAME.so for each MPI whose header is here: the table of functions that the command loads when a launcher started it
# (src/cluster/mpi/mpi.h). Other MPIs than Debian's: PKG_CONFIG_PATH with the folder of their ompi-c.pc or mpich.pc.
foreach(mpi openmpi:ompi-c mpich:mpich)
  string(REPLACE ":" ";" mpi ${mpi})
  list(GET mpi 0 name)
  list(GET mpi 1 package)
  pkg_check_modules(MPI_${name} IMPORTED_TARGET ${package})
  if(MPI_${name}_FOUND)
    add_library(roofline_mpi_${name} MODULE src/cluster/mpi/plugin.c)
    set_target_properties(roofline_mpi_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/mpi)
    target_include_directories(roofline_mpi_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_include_directories(roofline_mpi_${name} SYSTEM PRIVATE ${MPI_${name}_INCLUDE_DIRS})
    target_link_libraries(roofline_mpi_${name} PRIVATE ${MPI_${name}_LINK_LIBRARIES})
    install(TARGETS roofline_mpi_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/roofline COMPONENT command)
  endif()
endforeach()
# Where the command looks for them, from its own folder on.
file(RELATIVE_PATH MPI_INSTALLED /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR}/roofline)
set_source_files_properties(src/cluster/launcher.c PROPERTIES COMPILE_DEFINITIONS RF_MPI_INSTALLED="${MPI_INSTALLED}")
