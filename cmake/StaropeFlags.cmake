# Compiler flags of starope's own code. Nothing here touches a user's targets.
add_library(starope_flags INTERFACE)
target_compile_options(starope_flags INTERFACE
  # The same bits everywhere: a fused multiply-add rounds once where the source rounds twice.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wdouble-promotion -Wundef
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wduplicated-branches;-Wlogical-op;-Wno-psabi;-Wno-restrict>)  # -Wrestrict: false alarms on std::string in GCC 12 (PR 105651)
if(STAROPE_WERROR)
  target_compile_options(starope_flags INTERFACE -Werror)
endif()
if(STAROPE_ASSERTS)
  target_compile_definitions(starope_flags INTERFACE STAROPE_ASSERTS=1)
endif()

find_program(STAROPE_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND STAROPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STAROPE_CCACHE}")
endif()
