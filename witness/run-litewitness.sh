#!/bin/sh
# Runs litewitness, a witness of C2SP, for one log. It keeps its key and what it has signed in WITNESS_FOLDER.
# LOG_KEY: verifier key of the heads log. WITNESS_NAME: name of the witness.
# Once the log is known to it, it prints its own verifier key.
set -eu
: "${LOG_KEY:?the key of the heads log, which /.well-known/assay-log shows under heads}"
name=${WITNESS_NAME:-witness.example/lite}
listen=${WITNESS_LISTEN:-0.0.0.0:7380}
folder=${WITNESS_FOLDER:-/data}
key=$folder/key
database=$folder/witness.db
export SSH_AUTH_SOCK="$folder/agent.sock"
EMPTY_ROOT='47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

# The type of the key, then the 32 bytes at the end of its public half.
show_public_key() {
  printf '\004'
  ssh-keygen -e -m RFC4716 -f "$key.pub" | grep -v '[-:]' | tr -d '\n' | base64 -d | tail -c 32
}

[ -f "$key" ] || ssh-keygen -q -t ed25519 -N '' -f "$key"
rm -f "$SSH_AUTH_SOCK"
ssh-agent -D -a "$SSH_AUTH_SOCK" >/dev/null &
agent=$!
trap 'kill "$agent" ${witness:+"$witness"} 2>/dev/null' EXIT
trap 'exit 0' INT TERM
until ssh-add -q "$key" 2>/dev/null; do sleep 0.1; done

fingerprint=$(ssh-keygen -l -f "$key.pub" | cut -d ' ' -f 2)
litewitness -db "$database" -name "$name" -key "$fingerprint" -ssh-agent "$SSH_AUTH_SOCK" -listen "$listen" >&2 &
witness=$!
# It makes its tables when it starts; what it has signed of a known log stays.
origin=${LOG_KEY%%+*}
statement="INSERT OR IGNORE INTO log VALUES ('$origin', 0, '$EMPTY_ROOT'); INSERT OR IGNORE INTO key VALUES ('$origin', '$LOG_KEY');"
until sqlite3 "$database" "$statement" 2>/dev/null; do
  kill -0 "$witness"
  sleep 0.1
done
id=$({ printf '%s\n' "$name" && show_public_key; } | sha256sum | cut -c 1-8)
echo "$name+$id+$(show_public_key | base64 -w 0)"
wait "$witness"
