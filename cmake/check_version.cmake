# cmake -D HEADER=version.hpp -D VERSION=1.2.3 -P check_version.cmake: fails unless the header says that it is this version.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${HEADER}" lines REGEX "^#define STAROPE_VERSION")
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)$" ignored "${VERSION}")
set(expected
  "#define STAROPE_VERSION_MAJOR ${CMAKE_MATCH_1}" "#define STAROPE_VERSION_MINOR ${CMAKE_MATCH_2}"
  "#define STAROPE_VERSION_PATCH ${CMAKE_MATCH_3}" "#define STAROPE_VERSION \"${VERSION}\"")
if(NOT "${lines}" STREQUAL "${expected}")
  message(FATAL_ERROR "${HEADER} is not the header of version ${VERSION}: write there ${expected}")
endif()
