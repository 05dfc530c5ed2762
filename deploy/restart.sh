#!/bin/sh
# restart.sh SERVICE...: restarts the containers of these services one after the other, each healthy before the next, so
# that the others go on serving. Ends with an error, and leaves the rest as it is, if one does not get healthy.
set -eu
patience_s=${PATIENCE_S:-900}
[ $# -gt 0 ] || {
  echo 'usage: deploy/restart.sh SERVICE...' >&2
  exit 2
}

for service in "$@"; do
  containers=$(docker compose ps --quiet "$service")
  [ -n "$containers" ] || {
    echo "no container of $service runs" >&2
    exit 1
  }
  for container in $containers; do
    docker restart "$container" > /dev/null
    waited=0
    until [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]; do
      if [ "$waited" -ge "$patience_s" ]; then
        echo "$container of $service is not healthy after $waited s; nothing else was restarted" >&2
        exit 1
      fi
      sleep 1
      waited=$((waited + 1))
    done
    echo "restarted $container of $service"
  done
done
