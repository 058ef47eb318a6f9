# A module is a folder of src/starope that says what it is for, what it may include, and which units it has.
#
#   starope_add_module(
#     NAME         arp
#     TARGET       starope            the library it becomes a part of; without TARGET: starope, the core
#     SUMMARY      "one sentence"
#     DEPENDS      data fold ...      modules this one may include (each declared before it, so the graph has no cycle)
#     TEST_DEPENDS domains ...         further modules its unit tests may include
#     LINKS        Eigen3::Eigen ...  libraries its sources need
#     DOOR         types ...          headers of include/starope that rooms may include from this one on: the public interface
#     PARTS        types ...          each has types.cpp and types_test.cpp: code whose declarations are in the door
#     TESTS        episode ...        each has episode_test.cpp: of code that stands in the door itself
#     UNITS        solve ...          each has solve.hpp, solve.cpp and solve_test.cpp, or configure fails
#     HEADERS      clip ...           each has clip.hpp and clip_test.cpp
#     COLD                            its code runs once per answer, not once per step: STAROPE_COLD_FLAGS are for it
#     APART        fold ...           units whose sources are compiled alone: names that others have, too, or flags of their own
#     TEST_SUPPORT testing ...)       each has testing.hpp only: helpers for tests
#
# Sources of a room are compiled several at a time (starope_compile_together): they share their headers and what these instantiate,
# which is most of the work.
#
# The build compares every #include "starope/..." with DEPENDS (check_includes.cmake) and stops at the first that goes against it.
# Headers of the door include each other and the standard library, nothing else.

include(StaropeTogether)

define_property(GLOBAL PROPERTY STAROPE_MODULES BRIEF_DOCS "modules declared so far, in order")
define_property(GLOBAL PROPERTY STAROPE_MODULE_TABLE BRIEF_DOCS "a line per module: name, DEPENDS, SUMMARY, separated by tabs")
define_property(GLOBAL PROPERTY STAROPE_DOOR BRIEF_DOCS "headers of the door declared so far")

# starope_check_includes(target rooms files): these files include nothing but these rooms, and headers of the door that the rooms
# declared so far own.
function(starope_check_includes target allowed files)
  get_property(doors GLOBAL PROPERTY STAROPE_DOOR)
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.includes-checked")
  list(JOIN allowed "," allowed_text)
  list(JOIN doors "," doors_text)
  list(JOIN files "," files_text)
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -D "ALLOWED=${allowed_text}" -D "DOORS=${doors_text}" -D "FILES=${files_text}" -D "WHERE=${target}"
            -P "${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake"
    COMMENT "Checking the direction of includes in ${target}"
    VERBATIM)
  add_custom_target(${target}_includes DEPENDS "${stamp}")
endfunction()

# Properties that all libraries share: nothing but the door is visible from outside.
function(starope_configure_library target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  target_link_libraries(${target} PRIVATE fmt::fmt "$<BUILD_INTERFACE:starope_internal>" "$<BUILD_INTERFACE:starope_flags>")
  if(PROJECT_IS_TOP_LEVEL)
    target_precompile_headers(${target} PRIVATE ${STAROPE_COMMON_HEADERS})
  endif()
endfunction()

# starope_add_library(name dependency...): a library beside the core, starope_<name> here and starope::<name> for others, that
# links these libraries. Modules become part of it with TARGET. The libraries share more than the door shows, so where they are
# shared libraries there is only one, libstarope, and the others are names for it.
function(starope_add_library name)
  set(target starope_${name})
  if(BUILD_SHARED_LIBS)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARGN})
  else()
    add_library(${target})
    starope_configure_library(${target})
    target_link_libraries(${target} PUBLIC ${ARGN})
  endif()
  add_library(starope::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endfunction()

# starope_code_target(out name): where the code of a library goes.
function(starope_code_target out target)
  if(BUILD_SHARED_LIBS)
    set(target starope)
  endif()
  set(${out} ${target} PARENT_SCOPE)
endfunction()

function(starope_add_module)
  cmake_parse_arguments(PARSE_ARGV 0 M "COLD" "NAME;SUMMARY;TARGET"
    "DEPENDS;TEST_DEPENDS;LINKS;TEST_LINKS;DOOR;PARTS;TESTS;UNITS;HEADERS;APART;TEST_SUPPORT")
  if(NOT M_NAME OR NOT M_SUMMARY OR M_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "starope_add_module needs NAME and SUMMARY, and knows no '${M_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT M_TARGET)
    set(M_TARGET starope)
  endif()
  starope_code_target(M_TARGET ${M_TARGET})
  get_property(declared GLOBAL PROPERTY STAROPE_MODULES)
  foreach(dependency IN LISTS M_DEPENDS)
    if(NOT dependency IN_LIST declared)
      message(FATAL_ERROR "module '${M_NAME}' depends on '${dependency}', which is not declared before it in src/starope/CMakeLists.txt")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY STAROPE_MODULES ${M_NAME})
  list(JOIN M_DEPENDS " " depends_text)
  set_property(GLOBAL APPEND_STRING PROPERTY STAROPE_MODULE_TABLE "${M_NAME}\t${depends_text}\t${M_SUMMARY}\n")

  set_property(GLOBAL APPEND PROPERTY STAROPE_DOOR ${M_DOOR})
  if(TARGET ${M_TARGET})
    set_property(TARGET ${M_TARGET} APPEND PROPERTY STAROPE_ROOMS ${M_NAME})
  endif()

  set(here "${CMAKE_CURRENT_SOURCE_DIR}")
  set(doors)
  set(headers)
  set(sources)
  set(tests)
  set(support)
  foreach(header IN LISTS M_DOOR)
    list(APPEND doors "${PROJECT_SOURCE_DIR}/include/starope/${header}.hpp")
  endforeach()
  foreach(unit IN LISTS M_PARTS)
    list(APPEND sources "${here}/${unit}.cpp")
    list(APPEND tests "${here}/${unit}_test.cpp")
  endforeach()
  foreach(unit IN LISTS M_TESTS)
    list(APPEND tests "${here}/${unit}_test.cpp")
  endforeach()
  foreach(unit IN LISTS M_UNITS)
    list(APPEND headers "${here}/${unit}.hpp")
    list(APPEND sources "${here}/${unit}.cpp")
    list(APPEND tests "${here}/${unit}_test.cpp")
  endforeach()
  foreach(unit IN LISTS M_HEADERS)
    list(APPEND headers "${here}/${unit}.hpp")
    list(APPEND tests "${here}/${unit}_test.cpp")
  endforeach()
  foreach(unit IN LISTS M_TEST_SUPPORT)
    list(APPEND support "${here}/${unit}.hpp")
  endforeach()
  foreach(file IN LISTS doors headers sources tests support)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "module '${M_NAME}': ${file} is missing (a unit is a header, a source and a test)")
    endif()
  endforeach()
  # A file nobody listed would be compiled by nobody: that is a mistake, not a draft.
  file(GLOB present CONFIGURE_DEPENDS "${here}/*.hpp" "${here}/*.cpp")
  foreach(file IN LISTS present)
    if(NOT file IN_LIST headers AND NOT file IN_LIST sources AND NOT file IN_LIST tests
       AND NOT file IN_LIST support)
      message(FATAL_ERROR "module '${M_NAME}': ${file} belongs to no unit")
    endif()
  endforeach()

  starope_check_includes(starope_${M_NAME} "${M_NAME};${M_DEPENDS}" "${headers};${sources}")
  if(doors)
    starope_check_includes(starope_${M_NAME}_door "" "${doors}")
    add_dependencies(${M_TARGET} starope_${M_NAME}_door_includes)
  endif()
  target_sources(${M_TARGET} PRIVATE ${sources}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${doors})
  starope_compile_together(${M_TARGET} ${M_NAME} "${sources}" "${M_APART}")
  if(M_COLD)
    get_property(joined TARGET ${M_TARGET} PROPERTY STAROPE_JOINED_${M_NAME})
    set_source_files_properties(${sources} ${joined} TARGET_DIRECTORY ${M_TARGET} PROPERTIES COMPILE_OPTIONS "${STAROPE_COLD_FLAGS}")
  endif()
  add_dependencies(${M_TARGET} starope_${M_NAME}_includes)
  # Header-only and compiled-in dependencies stay out of the installed interface; what must be linked is in src/starope/CMakeLists.txt.
  foreach(library IN LISTS M_LINKS)
    target_link_libraries(${M_TARGET} PRIVATE "$<BUILD_INTERFACE:${library}>")
  endforeach()

  if(STAROPE_BUILD_TESTS AND tests)
    set(test starope_${M_NAME}_test)
    add_executable(${test} ${tests})
    set(tested ${M_TARGET})
    foreach(dependency IN LISTS M_TEST_DEPENDS)
      if(TARGET starope_${dependency})
        list(APPEND tested starope_${dependency})
      endif()
    endforeach()
    target_link_libraries(${test} PRIVATE
      ${tested} starope_internal starope_test_data starope_flags GTest::gmock GTest::gtest_main ${M_LINKS} ${M_TEST_LINKS})
    target_compile_options(${test} PRIVATE ${STAROPE_TEST_FLAGS})
    target_precompile_headers(${test} REUSE_FROM starope_test_headers)
    starope_test_together(${test} ${M_NAME} "${tests}")
    starope_check_includes(${test} "${M_NAME};${M_DEPENDS};${M_TEST_DEPENDS}" "${tests};${support}")
    add_dependencies(${test} ${test}_includes)
    gtest_discover_tests(${test} TEST_PREFIX "${M_NAME}." DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()
