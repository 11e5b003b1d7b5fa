# Standard headers are parsed once, not in each unit. One precompiled header serves all units with the same flags; GCC
# refuses it for others, so targets with flags of their own leave it (their sources set SKIP_PRECOMPILE_HEADERS, or
# the target sets WARPSCOPE_OWN_FLAGS).

# All targets below a folder that are compiled by us.
function(ws_targets_below folder result)
  get_property(here DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    ws_targets_below(${below} deeper)
    list(APPEND here ${deeper})
  endforeach()
  set(${result} ${here} PARENT_SCOPE)
endfunction()

# NAME: the target that compiles HEADER for TARGETS ..., and for all targets below FOLDERS ... that have no other. LINK: what the
# header needs besides the standard library.
function(ws_use_precompiled name header)
  cmake_parse_arguments(arg "" "" "TARGETS;FOLDERS;LINK" ${ARGN})
  if(NOT WARPSCOPE_PRECOMPILED)
    return()
  endif()
  foreach(folder IN LISTS arg_FOLDERS)
    ws_targets_below(${PROJECT_SOURCE_DIR}/${folder} below)
    list(APPEND arg_TARGETS ${below})
  endforeach()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/third_party/precompiled.cpp)
  target_link_libraries(${name} PRIVATE ws_flags ws_fmt tl::expected ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
  foreach(target IN LISTS arg_TARGETS)
    get_target_property(type ${target} TYPE)
    get_target_property(own_flags ${target} WARPSCOPE_OWN_FLAGS)
    get_target_property(other ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(type MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE" AND NOT own_flags AND NOT other)
      target_precompile_headers(${target} REUSE_FROM ${name})
    endif()
  endforeach()
endfunction()
