# The target of the generated Python modules exports the include folders of Python and numpy.
# CMake refuses to export a folder inside the source tree, where a virtual environment may be:
# let folders of that kind count while building only.
function(sage_ros_hide_environment_includes target)
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT includes)
    return()
  endif()
  set(hidden "")
  foreach(include IN LISTS includes)
    string(FIND "${include}" "${CMAKE_CURRENT_SOURCE_DIR}/" position)
    if(position EQUAL 0)
      list(APPEND hidden "$<BUILD_INTERFACE:${include}>")
    else()
      list(APPEND hidden "${include}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${hidden}")
endfunction()
