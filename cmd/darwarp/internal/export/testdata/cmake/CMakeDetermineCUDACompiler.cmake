# With the other files of this folder: CMake takes a compiler of CUDA to be here that compiles nothing.
set(CMAKE_CUDA_COMPILER /bin/true)
set(CMAKE_CUDA_COMPILER_ENV_VAR CUDACXX)
file(WRITE ${CMAKE_PLATFORM_INFO_DIR}/CMakeCUDACompiler.cmake [[
set(CMAKE_CUDA_COMPILER /bin/true)
set(CMAKE_CUDA_COMPILER_LOADED 1)
set(CMAKE_CUDA_COMPILE_FEATURES cuda_std_14 cuda_std_17)
set(CMAKE_CUDA17_COMPILE_FEATURES cuda_std_17)
set(CMAKE_CUDA_SOURCE_FILE_EXTENSIONS cu)
set(CMAKE_CUDA_COMPILER_ENV_VAR CUDACXX)
]])
