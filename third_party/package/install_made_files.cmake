# Files that the program describes itself (man page, shell completion), and Debian's changelog. Sets: program, share, version.
set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${share}")

function(print_of_program file)
  get_filename_component(folder "${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND "${program}" ${ARGN} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(compress file)
  execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

print_of_program("${share}/man/man1/warpscope.1" help --man)
compress("${share}/man/man1/warpscope.1")
print_of_program("${share}/bash-completion/completions/warpscope" help --completion bash)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # $SOURCE_DATE_EPOCH, where it is set
file(WRITE "${share}/doc/warpscope/changelog"
     "warpscope (${version}) unstable; urgency=medium\n\n  * Built from its source tree, whose history is in git.\n\n"
     " -- warpscope maintainers <maintainers@warpscope.invalid>  ${date}\n")
compress("${share}/doc/warpscope/changelog")
