# cmake -D WHERE=name -D ALLOWED=a,b -D FILES=x.hpp,y.cpp -P check_includes.cmake
# Fails when one of FILES includes "starope/<module>/..." of a module that is not in ALLOWED.
string(REPLACE "," ";" allowed "${ALLOWED}")
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" files "${FILES}")
set(wrong "")
foreach(file IN LISTS files)
  file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]+[\"<]starope/")
  foreach(line IN LISTS includes)
    string(REGEX MATCH "starope/([a-z_]+)/" ignored "${line}")
    if(NOT CMAKE_MATCH_1 IN_LIST allowed)
      string(APPEND wrong "\n  ${file}\n    ${line}")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "${WHERE} may include ${ALLOWED} only; against the direction of the architecture:${wrong}\n"
    "  Move the code to the module that may know both, or declare the dependency if the graph of DEPENDS stays free of cycles.")
endif()
