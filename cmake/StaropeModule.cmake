# A module is a folder of src/starope that says what it is for, what it may include, and which units it has.
#
#   starope_add_module(
#     NAME         arp
#     TARGET       starope            the library it becomes a part of; without TARGET: starope, the core
#     SUMMARY      "one sentence"
#     DEPENDS      data fold ...      modules this one may include (each declared before it, so the graph has no cycle)
#     TEST_DEPENDS domains ...         further modules its unit tests may include
#     LINKS        Eigen3::Eigen ...  libraries its sources need
#     UNITS        solve ...          each has solve.hpp, solve.cpp and solve_test.cpp, or configure fails
#     INTERNAL     chart_spec ...     units whose header may use the libraries of LINKS: not installed
#     HEADERS      clip ...           each has clip.hpp and clip_test.cpp
#     TEST_SUPPORT testing ...)       each has testing.hpp only: helpers for tests, not installed
#
# The build compares every #include "starope/..." with DEPENDS (check_includes.cmake) and stops at the first that goes against it.

define_property(GLOBAL PROPERTY STAROPE_MODULES BRIEF_DOCS "modules declared so far, in order")
define_property(GLOBAL PROPERTY STAROPE_MODULE_TABLE BRIEF_DOCS "a line per module: name, DEPENDS, SUMMARY, separated by tabs")

function(starope_check_includes target allowed files)
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.includes-checked")
  list(JOIN allowed "," allowed_text)
  list(JOIN files "," files_text)
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -D "ALLOWED=${allowed_text}" -D "FILES=${files_text}" -D "WHERE=${target}"
            -P "${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake"
    COMMENT "Checking the direction of includes in ${target}"
    VERBATIM)
  add_custom_target(${target}_includes DEPENDS "${stamp}")
endfunction()

# starope_add_library(name dependency...): a library beside the core, starope_<name> here and starope::<name> for others, that
# links these libraries. Modules become part of it with TARGET.
function(starope_add_library name)
  set(target starope_${name})
  add_library(${target})
  add_library(starope::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PUBLIC ${ARGN} PRIVATE "$<BUILD_INTERFACE:starope_flags>")
  if(PROJECT_IS_TOP_LEVEL)
    target_precompile_headers(${target} PRIVATE ${STAROPE_COMMON_HEADERS})
  endif()
endfunction()

function(starope_add_module)
  cmake_parse_arguments(PARSE_ARGV 0 M "" "NAME;SUMMARY;TARGET"
    "DEPENDS;TEST_DEPENDS;LINKS;TEST_LINKS;UNITS;INTERNAL;HEADERS;TEST_SUPPORT")
  if(NOT M_NAME OR NOT M_SUMMARY OR M_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "starope_add_module needs NAME and SUMMARY, and knows no '${M_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT M_TARGET)
    set(M_TARGET starope)
  endif()
  get_property(declared GLOBAL PROPERTY STAROPE_MODULES)
  foreach(dependency IN LISTS M_DEPENDS)
    if(NOT dependency IN_LIST declared)
      message(FATAL_ERROR "module '${M_NAME}' depends on '${dependency}', which is not declared before it in src/starope/CMakeLists.txt")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY STAROPE_MODULES ${M_NAME})
  list(JOIN M_DEPENDS " " depends_text)
  set_property(GLOBAL APPEND_STRING PROPERTY STAROPE_MODULE_TABLE "${M_NAME}\t${depends_text}\t${M_SUMMARY}\n")

  set(here "${CMAKE_CURRENT_SOURCE_DIR}")
  set(headers)
  set(internal)
  set(sources)
  set(tests)
  set(support)
  foreach(unit IN LISTS M_UNITS)
    list(APPEND headers "${here}/${unit}.hpp")
    list(APPEND sources "${here}/${unit}.cpp")
    list(APPEND tests "${here}/${unit}_test.cpp")
  endforeach()
  foreach(unit IN LISTS M_INTERNAL)
    list(APPEND internal "${here}/${unit}.hpp")
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
  foreach(file IN LISTS headers internal sources tests support)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "module '${M_NAME}': ${file} is missing (a unit is a header, a source and a test)")
    endif()
  endforeach()
  # A file nobody listed would be compiled by nobody: that is a mistake, not a draft.
  file(GLOB present CONFIGURE_DEPENDS "${here}/*.hpp" "${here}/*.cpp")
  foreach(file IN LISTS present)
    if(NOT file IN_LIST headers AND NOT file IN_LIST internal AND NOT file IN_LIST sources AND NOT file IN_LIST tests
       AND NOT file IN_LIST support)
      message(FATAL_ERROR "module '${M_NAME}': ${file} belongs to no unit")
    endif()
  endforeach()

  starope_check_includes(starope_${M_NAME} "${M_NAME};${M_DEPENDS}" "${headers};${internal};${sources}")
  target_sources(${M_TARGET} PRIVATE ${sources} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${headers})
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
      ${tested} starope_test_data starope_flags GTest::gmock GTest::gtest_main ${M_LINKS} ${M_TEST_LINKS})
    target_compile_options(${test} PRIVATE ${STAROPE_TEST_FLAGS})
    target_precompile_headers(${test} REUSE_FROM starope_test_headers)
    starope_check_includes(${test} "${M_NAME};${M_DEPENDS};${M_TEST_DEPENDS}" "${tests};${support}")
    add_dependencies(${test} ${test}_includes)
    gtest_discover_tests(${test} TEST_PREFIX "${M_NAME}." DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()
