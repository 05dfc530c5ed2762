#!/bin/bash
# Runs before everything else, once, as root and without a network. The secrets on the host are readable by their owner
# alone, and a mount keeps that owner; so each server gets its own copies here, which only its user can read, and a
# certificate. Running it again takes over changed secrets and renews certificates that have grown old.
set -euo pipefail
umask 077

secrets=${SECRETS:-/run/secrets}
private=${PRIVATE:-/private}
readonly EVENTSTOREDB_USER=1000 MONGODB_USER=999 PROXY_USER=99 LEDGER_USER=10001
readonly CA_DAYS=3650 NODE_DAYS=730 RENEW_AFTER_DAYS=180
# Of the cluster too, so that a single server can grow into one.
readonly EVENTSTOREDB_NAMES=eventstoredb,eventstoredb2,eventstoredb3,localhost
readonly MONGODB_NAMES=mongodb,mongodb2,mongodb3,localhost

# give OWNER FILE: standard input becomes FILE, readable by OWNER alone; nobody sees half of it.
give() {
  local owner=$1 file=$2 mode=${3:-0400}
  cat > "$file.new"
  [ -s "$file.new" ] || {
    echo "$file would be empty" >&2
    exit 1
  }
  chmod "$mode" "$file.new"
  chown "$owner:$owner" "$file.new"
  mv -f "$file.new" "$file"
}

secret() {
  cat "$secrets/$1"
}

authority=$private/authority
if [ ! -e "$authority/ca.key" ]; then
  rm -rf "$authority/made"
  es-gencert-cli create-ca -days "$CA_DAYS" -out "$authority/made"
  mv -f "$authority/made/ca.crt" "$authority/ca.crt"
  # Last: with the key in its place all is there.
  mv -f "$authority/made/ca.key" "$authority/ca.key"
  rm -rf "$authority/made"
fi

# certify NAME DNS_NAMES: makes or renews authority/NAME/node.crt and node.key.
certify() {
  local made=$authority/$1
  if [ -e "$made/done" ] && [ -z "$(find "$made/done" -mtime "+$RENEW_AFTER_DAYS")" ]; then return; fi
  rm -rf "$made"
  es-gencert-cli create-node -ca-certificate "$authority/ca.crt" -ca-key "$authority/ca.key" -days "$NODE_DAYS" \
    -ip-addresses 127.0.0.1 -dns-names "$2" -out "$made"
  # Some versions of the tool report success whatever happens.
  if [ ! -s "$made/node.crt" ] || [ ! -s "$made/node.key" ]; then
    echo "no certificate for $1" >&2
    exit 1
  fi
  touch "$made/done"
}
certify eventstoredb "$EVENTSTOREDB_NAMES"
certify mongodb "$MONGODB_NAMES"

# The server trusts every certificate in this directory, so nothing else is put there.
mkdir -p "$private/eventstoredb/ca"
chmod 0755 "$private/eventstoredb/ca"
give 0 "$private/eventstoredb/ca/ca.crt" 0444 < "$authority/ca.crt"
give "$EVENTSTOREDB_USER" "$private/eventstoredb/node.crt" < "$authority/eventstoredb/node.crt"
give "$EVENTSTOREDB_USER" "$private/eventstoredb/node.key" < "$authority/eventstoredb/node.key"
secret eventstoredb_admin_password | give "$EVENTSTOREDB_USER" "$private/eventstoredb/admin_password"
secret eventstoredb_ops_password | give "$EVENTSTOREDB_USER" "$private/eventstoredb/ops_password"

give 0 "$private/mongodb/ca.crt" 0444 < "$authority/ca.crt"
cat "$authority/mongodb/node.crt" "$authority/mongodb/node.key" | give "$MONGODB_USER" "$private/mongodb/node.pem"
secret mongodb_keyfile | give "$MONGODB_USER" "$private/mongodb/keyfile"
secret mongodb_root_password | give "$MONGODB_USER" "$private/mongodb/root_password"
secret mongodb_ledger_password | give "$MONGODB_USER" "$private/mongodb/ledger_password"

secret tls.pem | give "$PROXY_USER" "$private/proxy/tls.pem"

give 0 "$private/ledger/ca.crt" 0444 < "$authority/ca.crt"
secret jwt_secret | give "$LEDGER_USER" "$private/ledger/jwt_secret"
secret platform.yaml | give "$LEDGER_USER" "$private/ledger/platform.yaml"
admin_password=$(secret eventstoredb_admin_password)
ledger_password=$(secret mongodb_ledger_password)
# As admin, because by default nobody else may read the log as a whole.
give "$LEDGER_USER" "$private/ledger/eventstoredb_url" << URL
esdb://admin:$admin_password@$EVENTSTOREDB_HOSTS?tls=true&tlsCAFile=/private/ca.crt
URL
give "$LEDGER_USER" "$private/ledger/mongodb_url" << URL
mongodb://ledger:$ledger_password@$MONGODB_HOSTS/ledger?authSource=admin&replicaSet=ledger&tls=true&tlsCAFile=/private/ca.crt
URL
echo 'the private files are in place'
