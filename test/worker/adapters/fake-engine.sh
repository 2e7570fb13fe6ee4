#!/bin/sh
# Stands for docker: notes how it is called, and runs the "container" as a plain process. No engine runs where tests do.
here=$(dirname "$0")
echo "$0 $*" >> "$here/calls"
case "$1" in
  version | rm) exit 0 ;;
  ps) cat "$here/running" 2>/dev/null; exit 0 ;;
  kill)
    # Busy once.
    rm "$here/busy" 2>/dev/null && exit 1
    kill -9 "$(cat "$here/$3.pid")"; exit ;;
esac
while [ "$1" != "--name" ]; do shift; done
name=$2
while [ "$1" != "agent:1" ]; do shift; done
shift
# The client of an engine isn't the container, which outlives it.
exec 3<&0
"$@" <&3 3<&- &
container=$!
echo $container > "$here/$name.pid"
trap 'kill -TERM $container' TERM
wait $container
code=$?
while kill -0 $container 2>/dev/null; do wait $container; code=$?; done
exit $code
