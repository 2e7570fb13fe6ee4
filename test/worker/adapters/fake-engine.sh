#!/bin/sh
# Stands for docker: notes how it is called, and runs the "container" as a plain process. No engine runs where tests do.
echo "$0 $*" >> "$(dirname "$0")/calls"
case "$1" in
  version) exit 0 ;;
  ps) cat "$(dirname "$0")/running" 2>/dev/null; exit 0 ;;
  kill) kill -9 "$(cat "$(dirname "$0")/$3.pid")"; exit 0 ;;
esac
while [ "$1" != "--name" ]; do shift; done
name=$2
while [ "$1" != "agent:1" ]; do shift; done
shift
echo $$ > "$(dirname "$0")/$name.pid"
exec "$@"
