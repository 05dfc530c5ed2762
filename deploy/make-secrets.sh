#!/bin/sh
# Makes the secrets of docker-compose.yml, in deploy/secrets unless another directory is given. Nothing is overwritten:
# what exists is kept, so that one secret is changed by removing its file and running this again.
set -eu
umask 077

directory=${1:-$(dirname "$0")/secrets}
host=${LEDGER_HOST:-localhost}
command -v openssl > /dev/null || {
  echo 'openssl is needed' >&2
  exit 1
}
mkdir -p "$directory"
cd "$directory"

# keep NAME: standard input becomes the file NAME, whole or not at all, where there is none yet.
keep() {
  cat > ".$1.new"
  if [ ! -s ".$1.new" ]; then
    rm -f ".$1.new"
    echo "$1 could not be made" >&2
    exit 1
  fi
  if [ -e "$1" ]; then
    echo "kept $1"
  else
    # Fails where somebody else was faster.
    ln ".$1.new" "$1"
    echo "made $1"
  fi
  rm -f ".$1.new"
}

# Hexadecimal, because these go into connection strings and YAML.
for name in jwt_secret eventstoredb_admin_password eventstoredb_ops_password mongodb_root_password mongodb_ledger_password; do
  openssl rand -hex 32 | keep "$name"
done
openssl rand -base64 756 | keep mongodb_keyfile

if [ -e tls.pem ]; then
  echo 'kept tls.pem'
else
  # For the first start: to be replaced by a certificate that browsers trust.
  openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days 397 -subj "/CN=$host" \
    -addext "subjectAltName=DNS:$host" -keyout .tls.key.new -out .tls.crt.new 2> /dev/null
  cat .tls.crt.new .tls.key.new | keep tls.pem
  rm -f .tls.crt.new .tls.key.new
fi

if [ -e platform.yaml ]; then
  echo 'kept platform.yaml'
else
  password=$(openssl rand -hex 16)
  keep platform.yaml << PLATFORM
# Applied at each start. What this file does not name stays as it is; docs/platform-file.md describes the format.
users:
  - { username: admin, real_name: Administrator, email: admin@$host, password: $password, site_admin: true }
PLATFORM
fi
