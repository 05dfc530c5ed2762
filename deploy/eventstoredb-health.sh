#!/bin/sh
# A node is healthy once it leads, or follows a leader and has caught up. A node that only listens is not: two empty nodes
# could elect each other beside one that has the log, and that one would then truncate its log to theirs.
set -eu
curl --fail --silent --show-error --cacert "${CA:-/private/ca/ca.crt}" "${NODE:-https://localhost:2113}/info" |
  grep -Eqi '"state": *"(leader|follower)"'
