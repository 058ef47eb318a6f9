# cmake -D BUILD_DIR=... -D INSTALL_TO=... -D MOVE_TO=... -P install_and_move.cmake
file(REMOVE_RECURSE "${INSTALL_TO}" "${MOVE_TO}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${INSTALL_TO}" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${INSTALL_TO}" "${MOVE_TO}")

# Helpers for tests are not part of the interface.
file(GLOB_RECURSE unwanted "${MOVE_TO}/*_test*" "${MOVE_TO}/*random_logs*")
if(unwanted)
  message(FATAL_ERROR "installed, but of no use to anybody outside: ${unwanted}")
endif()

# A package that names the folder it was built or installed in works on one machine only.
file(GLOB_RECURSE files "${MOVE_TO}/*.cmake")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  foreach(folder IN ITEMS "${BUILD_DIR}" "${INSTALL_TO}")
    string(FIND "${text}" "${folder}" at)
    if(at GREATER_EQUAL 0)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()
