#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, each in a file of its own in ./secrets (or SECRETS_DIR). A file that is there
# stays as it is. A value may be given as POSTGRES_PASSWORD, REDIS_PASSWORD, ENCRYPTION_KEYS, BOOTSTRAP_ADMIN_KEY or
# INTERNAL_TOKEN, such as that of a deployment which had them in .env; letters and digits only for the passwords.
set -eu
folder=${SECRETS_DIR:-secrets}
# Nobody else on this machine comes into the folder. The users of the containers read the files, which are mounted one by one.
mkdir -p "$folder"
chmod 0700 "$folder"

random() { od -An -vtx1 -N "$1" /dev/urandom | tr -d ' \n'; }
put() {
  [ -e "$folder/$1" ] && return
  printf '%s\n' "$2" >"$folder/$1.new"
  chmod 0444 "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
}

put postgres_password "${POSTGRES_PASSWORD:-$(random 24)}"
put redis_password "${REDIS_PASSWORD:-$(random 24)}"
put encryption_keys "${ENCRYPTION_KEYS:-k1:$(head -c 32 /dev/urandom | base64 | tr -d '\n')}"
put bootstrap_admin_key "${BOOTSTRAP_ADMIN_KEY:-$(random 24)}"
# Its owner empties it once there is a first key.
chmod 0644 "$folder/bootstrap_admin_key"
put internal_token "${INTERNAL_TOKEN:-$(random 24)}"
put database_url "postgresql://runfleet:$(cat "$folder/postgres_password")@postgres:5432/runfleet"
put redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
put redis_conf "requirepass $(cat "$folder/redis_password")"
