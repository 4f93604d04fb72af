# Prints what CMake makes of CMakeLists.txt in this folder: its commands with their arguments. Run with cmake -P.
foreach(name project add_executable target_compile_features target_include_directories set_source_files_properties)
  cmake_language(EVAL CODE "macro(${name})\nmessage(\"${name}\")\nforeach(a \${ARGV})\nmessage(\"  \${a}\")\nendforeach()\nendmacro()")
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt")
message("architectures ${CMAKE_CUDA_ARCHITECTURES}")
