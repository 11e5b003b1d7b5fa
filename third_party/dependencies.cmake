# Finds each dependency: all are Debian packages, listed in third_party/packages.txt and installed by
# third_party/setup.sh. Nothing is vendored. Small libraries are linked statically where Debian has the archive, so
# that the program also runs on a GPU machine that has none of them.

find_program(WARPSCOPE_CCACHE ccache)
if(WARPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${WARPSCOPE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPSCOPE_CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)

# NAME: what we link; HEADER: proves that the -dev package is there; LIBRARY: archive or shared object.
function(ws_find_library name header library)
  find_path(${name}_INCLUDE ${header} REQUIRED)
  find_library(${name}_LIBRARY NAMES lib${library}.a ${library} REQUIRED)
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(${name} INTERFACE ${${name}_LIBRARY})
endfunction()

ws_find_library(ws_fmt fmt/format.h fmt)
ws_find_library(ws_zstd zstd.h zstd)
ws_find_library(ws_xxhash xxhash.h xxhash)
ws_find_library(ws_zlib zlib.h z)

find_program(WARPSCOPE_MSGFMT msgfmt)
if(NOT WARPSCOPE_MSGFMT)
  message(STATUS "msgfmt (Debian: gettext) is missing: the window will be English only")
endif()

# The window: Dear ImGui (static in Debian; its own stb_rect_pack and friends are in libstb, which only
# `pkg-config --static` tells), GLFW, OpenGL through a loader that glad generates at build time, offline.
find_package(PkgConfig)
set(WARPSCOPE_IMGUI_SOURCE "" CACHE PATH "Sources of another Dear ImGui; empty: Debian's package (third_party/newer_gui.sh)")
set(WARPSCOPE_GLFW_SOURCE "" CACHE PATH "Sources of another GLFW; empty: Debian's package")
set(WARPSCOPE_GUI_POSSIBLE OFF)
if(PkgConfig_FOUND)
  pkg_check_modules(IMGUI imgui)
  pkg_check_modules(GLFW glfw3)
  find_program(WARPSCOPE_GLAD NAMES glad)
  find_program(WARPSCOPE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  if((IMGUI_FOUND OR WARPSCOPE_IMGUI_SOURCE) AND (GLFW_FOUND OR WARPSCOPE_GLFW_SOURCE) AND WARPSCOPE_PYTHON)
    set(WARPSCOPE_GUI_POSSIBLE ON)
  endif()
endif()
if(WARPSCOPE_GUI_POSSIBLE)
  add_library(ws_imgui INTERFACE)
  if(WARPSCOPE_IMGUI_SOURCE)
    file(GLOB ws_imgui_units CONFIGURE_DEPENDS ${WARPSCOPE_IMGUI_SOURCE}/imgui*.cpp)
    set(ws_imgui_backends ${WARPSCOPE_IMGUI_SOURCE}/backends)
    add_library(ws_imgui_units STATIC ${ws_imgui_units} ${ws_imgui_backends}/imgui_impl_glfw.cpp ${ws_imgui_backends}/imgui_impl_opengl3.cpp)
    target_include_directories(ws_imgui_units SYSTEM PUBLIC ${WARPSCOPE_IMGUI_SOURCE} ${ws_imgui_backends} /usr/include/stb)
    target_link_libraries(ws_imgui_units PUBLIC ws_glfw)
    target_link_libraries(ws_imgui INTERFACE ws_imgui_units)
  else()
    target_include_directories(ws_imgui SYSTEM INTERFACE ${IMGUI_STATIC_INCLUDE_DIRS} /usr/include/stb)
    target_link_directories(ws_imgui INTERFACE ${IMGUI_STATIC_LIBRARY_DIRS})
    target_link_libraries(ws_imgui INTERFACE ${IMGUI_STATIC_LIBRARIES})
  endif()

  add_library(ws_glfw INTERFACE)
  if(WARPSCOPE_GLFW_SOURCE)
    foreach(part BUILD_EXAMPLES BUILD_TESTS BUILD_DOCS INSTALL BUILD_WAYLAND)
      set(GLFW_${part} OFF CACHE BOOL "" FORCE)
    endforeach()
    add_subdirectory(${WARPSCOPE_GLFW_SOURCE} ${CMAKE_BINARY_DIR}/glfw EXCLUDE_FROM_ALL)
    target_link_libraries(ws_glfw INTERFACE glfw)
  else()
    target_link_libraries(ws_glfw INTERFACE ${GLFW_LIBRARIES})
  endif()

  set(glad_folder ${CMAKE_BINARY_DIR}/glad)
  # /usr/bin/python3: Debian's glad module belongs to Debian's Python, not to one that comes first in PATH.
  add_custom_command(
    OUTPUT ${glad_folder}/src/gl.c ${glad_folder}/include/glad/gl.h
    COMMAND ${WARPSCOPE_PYTHON} -m glad --reproducible --api gl:core=3.3 --extensions= --out-path ${glad_folder} c
    COMMENT "Generating the OpenGL 3.3 core loader" VERBATIM)
  add_library(ws_glad STATIC ${glad_folder}/src/gl.c)
  target_include_directories(ws_glad SYSTEM PUBLIC ${glad_folder}/include)
  target_link_libraries(ws_glad PUBLIC ${CMAKE_DL_LIBS})
else()
  message(STATUS "Dear ImGui, GLFW or glad is missing: building without the window (third_party/setup.sh installs them)")
endif()

# nvcc, if any. -DWARPSCOPE_NVCC=none, or the environment variable of that name, hides it.
set(WARPSCOPE_NVCC_EXECUTABLE "")
set(ws_nvcc "${WARPSCOPE_NVCC}")
if(NOT ws_nvcc AND DEFINED ENV{WARPSCOPE_NVCC})
  set(ws_nvcc "$ENV{WARPSCOPE_NVCC}")
endif()
if(NOT ws_nvcc)
  find_program(WARPSCOPE_NVCC_FOUND NAMES nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
  if(WARPSCOPE_NVCC_FOUND)
    set(WARPSCOPE_NVCC_EXECUTABLE ${WARPSCOPE_NVCC_FOUND})
  endif()
elseif(NOT ws_nvcc STREQUAL "none")
  set(WARPSCOPE_NVCC_EXECUTABLE ${ws_nvcc})
endif()
if(WARPSCOPE_NVCC_EXECUTABLE)
  get_filename_component(ws_nvcc_real ${WARPSCOPE_NVCC_EXECUTABLE} REALPATH)
  get_filename_component(ws_cuda_bin ${ws_nvcc_real} DIRECTORY)
  find_path(WARPSCOPE_CUDA_INCLUDE cuda_occupancy.h HINTS ${ws_cuda_bin}/../include ${ws_cuda_bin}/../targets/x86_64-linux/include)
  message(STATUS "nvcc: ${WARPSCOPE_NVCC_EXECUTABLE}")
else()
  message(STATUS "nvcc: none; kernels come from the committed PTX in assets/ptx")
endif()

# Fatbins and CUB's sums are extras for a real GPU, and take longer to compile than many units: the driver compiles the
# committed PTX as well.
set(WARPSCOPE_FATBINS AUTO CACHE STRING "Fatbins of the kernels, and CUB's sums: ON, OFF, or AUTO: where an NVIDIA GPU and nvcc are")
set(WARPSCOPE_FATBINS_WANTED OFF)
if(WARPSCOPE_NVCC_EXECUTABLE AND (WARPSCOPE_FATBINS STREQUAL "AUTO" AND EXISTS /dev/nvidiactl OR WARPSCOPE_FATBINS STREQUAL "ON"))
  set(WARPSCOPE_FATBINS_WANTED ON)
endif()
