#!/bin/sh
# The server takes the passwords of its first start from its environment alone; they are in files.
set -eu
EVENTSTORE_DEFAULT_ADMIN_PASSWORD=$(cat /private/admin_password)
EVENTSTORE_DEFAULT_OPS_PASSWORD=$(cat /private/ops_password)
export EVENTSTORE_DEFAULT_ADMIN_PASSWORD EVENTSTORE_DEFAULT_OPS_PASSWORD
exec /opt/eventstore/EventStore.ClusterNode "$@"
