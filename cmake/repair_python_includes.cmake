# The Kilted wheels export targets that name the include folders of the interpreter they were
# built with, which does not exist here. Replace folders of that kind, in every imported target,
# by those of this interpreter and its numpy. On other installations nothing matches.
function(sage_ros_repair_python_includes)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
      "import sysconfig, numpy; print(sysconfig.get_path('include'), numpy.get_include(), sep=';')"
    OUTPUT_VARIABLE python_includes
    OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)

  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT includes)
      continue()
    endif()
    set(repaired "")
    foreach(include IN LISTS includes)
      if(include MATCHES "^/opt/python/cp" AND NOT EXISTS "${include}")
        list(APPEND repaired ${python_includes})
      else()
        list(APPEND repaired "${include}")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES repaired)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${repaired}")
  endforeach()
endfunction()
