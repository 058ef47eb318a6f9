#!/bin/sh
# The compiler behind ccache, for CMAKE_CXX_COMPILER_LAUNCHER: cached_compiler.sh TREE CCACHE COMPILER ARGUMENT...
#
# Paths below TREE count relative to it, so that a second clone finds what the first one compiled. Precompiled headers need two
# liberties (macros they do not use; __TIME__), and a name for what is in them: the compiler never writes the same bytes twice
# (addresses of its memory are among them), so two clones that precompile at the same time would share nothing from then on. The
# name is a checksum of the headers that went in, written beside the precompiled header. How much memory the compiler may fill
# before it tidies up changes nothing of what it writes.
set -eu
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 CCACHE_IGNOREOPTIONS='--param=ggc-*'
ccache=$2
shift 2
output='' headers='' before=''
for argument; do
  case "$before" in
    -o) output=$argument ;;
    -MF) headers=$argument ;;
  esac
  before=$argument
done
case "$output" in
  *.gch) ;;
  *) exec "$ccache" "$@" ;;
esac
"$ccache" "$@"
# "result: header header \" over many lines
sed -e '1s/^[^:]*://' -e 's/\\$//' "$headers" | xargs cat | sha256sum > "$output.sum"
