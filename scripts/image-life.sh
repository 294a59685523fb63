# shellcheck shell=bash disable=SC2154
# Checks the behaviour of the images. scripts/prove-image.sh sources it, with its variables and `check`; ${roots[NAME]} is
# an unpacked image.

# One network for all processes here, without other hosts, like the network of a pod.
unshare --net -- sh -c 'ip link set lo up && exec sleep infinity' &
pod=$!
started+=("$pod")
until nsenter --net="/proc/$pod/ns/net" ip address show dev lo 2>/dev/null | grep -q 127.0.0.1; do sleep 0.1; done
in_pod=(nsenter --net="/proc/$pod/ns/net")
namespaces=(unshare --mount --pid --fork --kill-child -- "$here/image-box.sh")
box=("${namespaces[@]}" "${roots[worker]}" "$user" "$folder" "$work/environment-worker")
sandbox_box=("${namespaces[@]}" "${roots[sandbox]}" "$user" "$folder" "$work/environment-sandbox")

for name in acme daemon sandbox; do install -d -m 750 -o "${user%:*}" -g "${user#*:}" "$scene/$name"; done
mkdir -p "$scene/drops" "$scene/etc"
inputs=(--bind-ro "$scene/etc:/etc/talent-sync" --bind-ro "$scene/drops:/drops" --bind-ro "$here/image-probe.mjs:/probe.mjs")
volume=(--bind "$scene/acme:/var/lib/talent-sync" "${inputs[@]}")
probe() { "${box[@]}" "${volume[@]}" -- node /probe.mjs "$@"; }

deliver() { # deliver FILE PEOPLE...: old enough to count as complete
  printf '%s\n' id,name,email "${@:2}" >"$scene/drops/$1"
  touch -d '2 minutes ago' "$scene/drops/$1"
}
deliver employees-1.csv 1,Ada,ada@example.com 2,Bo,bo@example.com 3,Åse,aase@example.com
printf 'key-of-the-proof\n' >"$scene/etc/api-key"
cat >"$scene/etc/account.json" <<JSON
{ "account": { "languages": ["en"], "whitelisted_domains": ["example.com"] },
  "keys": [{ "key": "key-of-the-proof", "name": "Proof", "role": "internationalmanager" }],
  "countries": [{ "code": "no", "native_language_code": "en", "offices": [{ "name": "Oslo" }, { "name": "Seoul" }] }],
  "users": [{ "email": "kim@example.com", "name": "김민준", "country": "no", "office": "Seoul", "deactivated": true }] }
JSON
cat >"$scene/etc/acme.yaml" <<YAML
service: { base_url: "http://127.0.0.1:8081", api_key: { file: /etc/talent-sync/api-key } }
state: /var/lib/talent-sync/acme
policy: sync
schedule: { every: "* * * * *", timezone: Europe/Oslo }
sources:
  hr:
    type: csv
    drop: /drops
    pattern: "employees-*.csv"
    settle: 0s
    key: id
    columns: { id: string, name: string, email: string }
users:
  existence: hr
  match: [external_unique_id, email]
  fields:
    external_unique_id: record.id
    email: record.email
    name: record.name
    office: { country: '"no"', name: '"Oslo"' }
YAML

# --- One command at a time -------------------------------------------------------------------------------------------

says_version() { [ "$("${box[@]}" "${volume[@]}" -- talent-sync --version)" = "$version" ]; }
gives_help() {
  "${box[@]}" "${volume[@]}" -- talent-sync --help >"$scene/help.txt" && grep '^Commands:' "$scene/help.txt"
}
# Uses the machine's own network, to check that names of other hosts also resolve.
finds_names() {
  "${box[@]}" "${volume[@]}" --bind-ro /etc/resolv.conf:/etc/resolv.conf --bind-ro /etc/hosts:/etc/hosts -- \
    node /probe.mjs names localhost "$(node -p "new URL('$registry').hostname")"
}
spills_with_tmp() { "${box[@]}" "${volume[@]}" --tmpfs /tmp -- node /probe.mjs temporary-files; }

check 'runs as process 1, user 10001, without a capability or a way to one' probe rights
check 'program and configuration are read-only, the state folder is not' \
  probe folders / /app /app/dist /etc /etc/talent-sync /tmp /usr/local/bin /var/lib /var/lib/talent-sync
check "SQLite's temporary files go to the volume, with a /tmp" spills_with_tmp
check "SQLite's temporary files go to the volume, without one" probe temporary-files
check 'finds hosts by file and by DNS' finds_names
check 'knows time zones' probe zones
check 'talent-sync --version' says_version
check 'talent-sync --help' gives_help

# --- The sandbox, and runs against it --------------------------------------------------------------------------------

begin() { # begin NAME BOX...: `begun` is the process to wait for, `inner` its process 1 seen from outside
  local name=$1
  shift
  "${in_pod[@]}" "$@" >"$scene/$name.out" 2>"$scene/$name.err" &
  begun=$!
  started+=("$begun")
  inner=''
  while [ -z "$inner" ] && [ -d "/proc/$begun" ]; do
    inner=$(tr -d ' ' 2>/dev/null <"/proc/$begun/task/$begun/children" || true)
  done
}
wait_for() { # wait_for SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@" >"$scene/last.log" 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then cat "$scene/last.log" && return 1; fi
    sleep 0.3
  done
}
ends_with() { # ends_with CODE PROCESS, within half a minute
  local code=0
  timeout 30 tail --pid="$2" -f /dev/null || kill -KILL "$2"
  wait "$2" || code=$?
  echo "exit code $code"
  [ "$code" = "$1" ]
}
control() { # control PATH [CURL-OPTIONS...]: the sandbox's own interface
  "${in_pod[@]}" curl --silent --show-error --fail --noproxy '*' --header "x-control-key: $key" \
    --header 'content-type: application/json' "${@:2}" "http://127.0.0.1:8081/__sandbox/$1"
}
syncs() { # syncs WRITES VOLUME: one run, which succeeds and sends this many writes
  "${in_pod[@]}" "${box[@]}" --bind "$scene/$2:/var/lib/talent-sync" "${inputs[@]}" -- \
    talent-sync sync --config /etc/talent-sync/acme.yaml --json >"$scene/run.json" &&
    node "$here/image-probe.mjs" run "$1" <"$scene/run.json"
}

mapfile -t environment <"$work/environment-worker"
enter() { # like `docker exec` and `kubectl exec`
  env --ignore-environment "${environment[@]}" "$(command -v nsenter)" --target "$inner" --mount --pid --net --root --wd \
    --setgid="${user#*:}" --setuid="${user%:*}" -- "$@"
}
is_healthy() { enter node -e "${health_of[$1]}"; } # is_healthy NAME
signal() { kill "-$1" "$inner" 2>/dev/null || true; }
downloads() { # downloads PORT STATUS: the CV of a person whose name needs a font, as PDF
  local service=(curl --silent --show-error --noproxy '*' --header 'authorization: Bearer key-of-the-proof') url=http://127.0.0.1:$1 cv
  cv=$("${in_pod[@]}" "${service[@]}" "$url/api/v1/users/find?email=kim@example.com" |
    node -p "const user = JSON.parse(require('fs').readFileSync(0)); user.user_id + '/' + user.default_cv_id")
  "${in_pod[@]}" "${service[@]}" --dump-header "$scene/kim.txt" --output "$scene/kim.pdf" "$url/api/v1/cvs/download/$cv/int/pdf"
  cat "$scene/kim.txt"
  grep -q "^HTTP/1.1 $2 " "$scene/kim.txt" && ! grep -i x-missing-scripts "$scene/kim.txt"
}
is_pdf() { downloads 8081 200 && [ "$(head -c 5 "$scene/kim.pdf")" = %PDF- ]; }

read -ra start <<<"${starts[sandbox]}"
begin alone "${sandbox_box[@]}" -- "${start[@]}"
check 'the sandbox starts without a writable folder, and answers its health check' wait_for 30 is_healthy sandbox
signal TERM
check 'SIGTERM ends it cleanly, although it is process 1' ends_with 0 "$begun"

key=key-of-control
begin sandbox "${sandbox_box[@]}" --bind "$scene/sandbox:/var/lib/talent-sync" "${inputs[@]}" -- \
  "${start[@]}" --port 8081 --fixture /etc/talent-sync/account.json --state account.db --control-key "$key"
sandbox=$begun sandbox_inner=$inner
check 'it takes a fixture, a state file, a control key and another port' wait_for 20 control calls
check 'it renders a CV as PDF' is_pdf
shows_pages() { "${in_pod[@]}" curl --silent --show-error --fail --noproxy '*' http://127.0.0.1:8081/users | grep -F 'kim@example.com'; }
check "it shows the account's pages" shows_pages
makes_company() { "${sandbox_box[@]}" -- "${start[@]}" seed --users 5 | node -e "JSON.parse(require('fs').readFileSync(0)).users.length === 5 || process.exit(1)"; }
check 'it generates a company' makes_company

begin small "${box[@]}" "${inputs[@]}" -- talent-sync sandbox --fixture /etc/talent-sync/account.json --port 8082
check "the sandbox of the worker's image starts too" wait_for 20 grep -q '"url"' "$scene/small.out"
check 'and reports that it cannot render documents' downloads 8082 501
signal TERM
check 'SIGTERM ends it cleanly' ends_with 0 "$begun"

check 'a sync creates three people in it' syncs 3 acme
check 'the next one has nothing to do' syncs 0 acme

# --- The daemon, started and checked as the image specifies ----------------------------------------------------------

read -ra start <<<"${starts[worker]}"
daemon=("${box[@]}" --bind "$scene/daemon:/var/lib/talent-sync" "${inputs[@]}" -- "${start[@]}")
is_sick() { ! "${in_pod[@]}" "${box[@]}" "${volume[@]}" -- node -e "${health_of[worker]}"; }
gives_status() { enter talent-sync status --config /etc/talent-sync/acme.yaml --json; }
waits_for_an_answer() { control faults | grep -qx '{"faults":\[\]}'; }

check 'the health check fails where nothing listens' is_sick
begin daemon "${daemon[@]}"
check 'the daemon answers the health check' wait_for 30 is_healthy worker
check 'an operator in its container gets the status' wait_for 10 gives_status
signal TERM
check 'SIGTERM ends it cleanly, although it is process 1' ends_with 0 "$begun"

# The signals interrupt reads, but not writes. The two signals differ only for an unanswered write.
deliver employees-2.csv 1,Ada,ada@example.com 2,Bo,bo@example.com 3,Åse,aase@example.com 4,Dag,dag@example.com
control faults --data '{ "method": "POST", "path": "/api/v1/users", "kind": "hang" }' >"$scene/faults.json" || true
begin daemon "${daemon[@]}"
check 'it starts a run on schedule, and creates a fourth person' wait_for 90 waits_for_an_answer
signal TERM
sleep 2
check 'SIGTERM does not interrupt a write' test -d "/proc/$inner"
signal TERM
check 'a second SIGTERM ends it immediately' ends_with 143 "$begun"
check 'the next run makes the interrupted change, once' syncs 1 daemon

inner=$sandbox_inner
signal TERM
check 'SIGTERM ends the sandbox cleanly' ends_with 0 "$sandbox"
