# cmake -D WHERE=name -D ALLOWED=a,b -D DOORS=x,y -D FILES=x.hpp,y.cpp -P check_includes.cmake
# Fails when one of FILES includes "starope/<module>/..." of a module that is not in ALLOWED, or "starope/<name>.hpp", a header of
# the door, whose name is not in DOORS.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" allowed "${ALLOWED}")
string(REPLACE "," ";" doors "${DOORS}")
string(REPLACE "," ";" files "${FILES}")
set(wrong "")
foreach(file IN LISTS files)
  file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]+[\"<]starope/")
  foreach(line IN LISTS includes)
    string(REGEX MATCH "starope/([a-z_]+)(/|\\.hpp)" ignored "${line}")
    set(name "${CMAKE_MATCH_1}")
    if(NOT (CMAKE_MATCH_2 STREQUAL "/" AND name IN_LIST allowed) AND NOT (CMAKE_MATCH_2 STREQUAL ".hpp" AND name IN_LIST doors))
      string(APPEND wrong "\n  ${file}\n    ${line}")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "${WHERE} may include ${ALLOWED} only, and of the door ${DOORS};\n"
    "  against the direction of the architecture:${wrong}\n"
    "  Move the code to the module that may know both, or declare the dependency if the graph of DEPENDS stays free of cycles.")
endif()
