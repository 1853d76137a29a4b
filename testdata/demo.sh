#!/bin/sh
# demo.sh BINARY: three example cards in a throw-away workspace, worked by the
# bots that come with iterion. On a terminal the screen opens; elsewhere a
# daemon works the cards until all are settled, and the board is printed.
#
# HOME is set to a folder in the workspace, so that nothing of the demo (the
# note that this store may run things, for one) reaches the user's own.
set -eu

bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dir=$(mktemp -d "${TMPDIR:-/tmp}/iterion-demo.XXXXXX")
mkdir "$dir/home"
export HOME="$dir/home"
unset ITERION_STORE_DIR
cd "$dir"

"$bin" -q init --example >/dev/null
echo "three example cards in $dir" >&2
if [ -t 0 ] && [ -t 1 ]; then
	"$bin" tui
else
	"$bin" daemon --until-idle >&2
	"$bin" issue list
fi
cat >&2 <<END
To look again:   cd $dir && HOME=$HOME $bin tui
When done with:  rm -r $dir
END
