# Compiler flags of starope's own code. Nothing here touches a user's targets.
add_library(starope_flags INTERFACE)
target_compile_options(starope_flags INTERFACE
  # The same bits everywhere: a fused multiply-add rounds once where the source rounds twice.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wdouble-promotion -Wundef
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>  # part of its -Wconversion, not of GCC's: docs/decisions/0059
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wduplicated-branches;-Wlogical-op;-Wno-psabi;-Wno-restrict>)  # -Wrestrict: false alarms on std::string in GCC 12 (PR 105651)
if(EMSCRIPTEN)  # counts have 64 bits and sizes 32 there
  target_compile_options(starope_flags INTERFACE -Wno-shorten-64-to-32)
endif()
if(STAROPE_WERROR)
  target_compile_options(starope_flags INTERFACE -Werror)
endif()
if(STAROPE_ASSERTS)
  target_compile_definitions(starope_flags INTERFACE STAROPE_ASSERTS=1)
endif()

# GCC tidies up its memory whenever that has doubled: a tenth of the time of sources full of templates. Where there is plenty, it may
# wait. The result is the same, so that the compiler cache leaves these options out of account.
cmake_host_system_information(RESULT memory_in_mb QUERY TOTAL_PHYSICAL_MEMORY)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_in_mb GREATER 12000)
  target_compile_options(starope_flags INTERFACE --param=ggc-min-expand=400 --param=ggc-min-heapsize=600000)
endif()

# What distributions build with: a stack that notices when it is overwritten, checked versions of memory functions, addresses that
# cannot be changed after the start. Sanitizers see more without; unoptimized code has no checked versions.
option(STAROPE_HARDENING "Build with the hardening flags of distributions" ON)
if(STAROPE_HARDENING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_compile_options(starope_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
  target_link_options(starope_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

# A compiler cache, where there is one, whose entries serve every clone: tools/cached_compiler.sh.
find_program(STAROPE_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND STAROPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It needs a folder that it may write, in the home of the user as a rule.
  file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/ccache_works.cpp" "int works;\n")
  execute_process(
    COMMAND "${STAROPE_CCACHE}" "${CMAKE_CXX_COMPILER}" -c "${PROJECT_BINARY_DIR}/CMakeFiles/ccache_works.cpp"
            -o "${PROJECT_BINARY_DIR}/CMakeFiles/ccache_works.o"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(STATUS "ccache does not work here (is its folder writable?): compiling without")
  else()
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/../tools/cached_compiler.sh" "${PROJECT_SOURCE_DIR}" "${STAROPE_CCACHE}")
  endif()
endif()

# The headers that nearly every source includes, compiled once per target: a third of the time of a build. Sources still
# include what they use: the lint preset builds without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
set(STAROPE_COMMON_HEADERS
  <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
