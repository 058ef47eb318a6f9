# cmake -D PKG_CONFIG=... -D COMPILER=... -D FLAGS=... -D PREFIX=... -D SOURCE=... -D VERSION=... -D PROGRAM=... -P pkg_config.cmake
# One command line of a compiler and what pkg-config says, then the program.
file(GLOB_RECURSE found "${PREFIX}/starope.pc")
cmake_path(GET found PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} "${folder}")
execute_process(COMMAND "${PKG_CONFIG}" --modversion starope OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, the project ${VERSION}")
endif()
execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs starope OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(own UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND "${COMPILER}" -std=c++20 ${own} "${SOURCE}" -o "${PROGRAM}" ${flags} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
