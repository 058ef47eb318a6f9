# Install and export: find_package(starope) gives starope::starope, and beside it starope::domains, starope::study and starope::report.
include(CMakePackageConfigHelpers)
install(TARGETS ${STAROPE_LIBRARIES} EXPORT starope-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT starope-targets NAMESPACE starope:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starope")
configure_package_config_file(cmake/starope-config.cmake.in "${PROJECT_BINARY_DIR}/starope-config.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starope")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/starope-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/starope-config.cmake" "${PROJECT_BINARY_DIR}/starope-config-version.cmake"
  cmake/FindLibZip.cmake
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starope")

# The same for builds that ask pkg-config. The prefix is where the file lies, so the folder can be moved.
file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
set(pc_requires Requires)
set(pc_libs)
if(BUILD_SHARED_LIBS)
  set(pc_requires Requires.private)
elseif(STAROPE_THREADS)
  set(pc_libs -pthread)
endif()
configure_file(cmake/starope.pc.in "${PROJECT_BINARY_DIR}/starope.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/starope.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET starope_app)
  install(TARGETS starope_app RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
