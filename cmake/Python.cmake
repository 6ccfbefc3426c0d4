# The Python package (python/roofline): its sources, the structures and functions of the headers for ctypes, and links to the libraries, in
# build/*/python. Where there is no Python 3.9 or later, and with sanitizers, it is left out.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND OR ROOFLINE_SANITIZE)
  add_custom_target(python)
  return()
endif()

set(python_folder ${CMAKE_BINARY_DIR}/python)
set(python_package ${python_folder}/roofline)
set(bindings ${CMAKE_SOURCE_DIR}/python/bindings.py)
file(GLOB_RECURSE python_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/roofline/*.py ${CMAKE_SOURCE_DIR}/python/roofline/py.typed)
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/roofline/*.h)

foreach(source ${python_sources})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/python/roofline ${source})
  list(APPEND fill COMMAND ${CMAKE_COMMAND} -E copy ${source} ${python_package}/${name})
endforeach()
foreach(library roofline roofline_region)
  list(APPEND fill COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:${library}_shared> ${python_package}/$<TARGET_SONAME_FILE_NAME:${library}_shared>)
endforeach()
add_custom_command(OUTPUT ${python_package}/_abi.py
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${python_package}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${python_package}/torch
  ${fill}
  COMMAND ${Python3_EXECUTABLE} ${bindings} ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR}/include ${python_package}/_abi.py
  DEPENDS ${bindings} ${python_sources} ${public_headers} roofline_shared roofline_region_shared
  COMMENT "Python package" VERBATIM)
add_custom_target(python ALL DEPENDS ${python_package}/_abi.py)

# A wheel with the libraries inside, of this platform: `pip install build/release/roofline-*.whl`.
add_custom_target(wheel COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/python/wheel.py ${python_package} ${PROJECT_VERSION} ${CMAKE_BINARY_DIR}
  DEPENDS python VERBATIM)

# Below the prefix: where that Python looks, which `./run install` says in the environment; /usr is Debian's.
set(python_folder_default lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/site-packages)
install(CODE "
  set(folder ${python_folder_default})
  if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(folder lib/python3/dist-packages)
  elseif(DEFINED ENV{ROOFLINE_PYTHON_FOLDER})
    set(folder \$ENV{ROOFLINE_PYTHON_FOLDER})
  endif()
  if(EXISTS ${python_package}/_abi.py)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${folder}\" TYPE DIRECTORY FILES ${python_package}
         PATTERN *.so.* EXCLUDE PATTERN __pycache__ EXCLUDE)
  endif()" COMPONENT python)
