#!/usr/bin/env bash
# Proves the container images of the worker and the sandbox on machines without a container engine. buildah builds the
# unchanged Dockerfile in chroot isolation, on a stand-in for its base (image-base.sh). image-box.sh runs the results in
# their own namespaces. Prints one line per check; exit code 1 if one fails. Needs root, Debian's apt, buildah and
# debootstrap, Node.js and npm.
# Usage: scripts/prove-image.sh [--work FOLDER]. With --work, the base stays in FOLDER for the next run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(dirname "$here")

keep='' work=''
if [ "${1-}" = --work ]; then keep=yes && work=$(mkdir -p "$2" && cd "$2" && pwd); fi
[ "$(id -u)" = 0 ] || { echo 'This script mounts file systems and creates namespaces: run it as root.' >&2 && exit 1; }
for tool in apt-get buildah curl debootstrap ip node npm nsenter setpriv unshare; do
  command -v "$tool" >/dev/null || { echo "Not installed: $tool" >&2 && exit 1; }
done
work=${work:-$(mktemp -d)}

# All of buildah's files are in the work folder, including temporary ones.
export CONTAINERS_STORAGE_CONF=$work/storage.conf BUILDAH_ISOLATION=chroot TMPDIR=$work/tmp
mkdir -p "$TMPDIR"
# The second image reuses the layers of the first. `vfs` keeps a full copy for every step, so it is only the fallback.
can_overlay() {
  mkdir -p "$TMPDIR/overlay"/{below,above,between,whole} && cd "$TMPDIR/overlay" &&
    mount -t overlay overlay -o lowerdir=below,upperdir=above,workdir=between whole && umount whole
}
driver=vfs steps=()
if (can_overlay) 2>/dev/null; then driver=overlay steps=(--layers); fi
printf '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' "$driver" "$work/storage-$driver" "$work/run-$driver" \
  >"$CONTAINERS_STORAGE_CONF"

# The exception is a list of known layers, which buildah stores at a fixed path.
seen=/var/lib/containers
if [ -e "$seen" ]; then seen=''; fi

started=()
clean_up() {
  # This also ends the processes and mounts in their namespaces.
  for pid in "${started[@]}"; do kill -KILL "$pid" && wait "$pid"; done 2>/dev/null || true
  buildah rm --all >/dev/null 2>&1 || true
  if [ -n "$seen" ]; then rm -rf --one-file-system "$seen"; fi
  if [ -z "$keep" ]; then rm -rf --one-file-system "$work"; else rm -rf --one-file-system "$TMPDIR" "$work/scene"; fi
}
trap clean_up EXIT

failures=0
check() { # check WHAT COMMAND...: the command's output is shown only when it fails
  local what=$1
  shift
  if "$@" >"$TMPDIR/check.log" 2>&1; then
    echo "ok    $what"
  else
    echo "FAIL  $what"
    sed 's/^/      /' "$TMPDIR/check.log"
    failures=$((failures + 1))
  fi
}

# --- Build -----------------------------------------------------------------------------------------------------------

# The digest belongs to the real base; the stand-in has another digest.
base=$(sed -n 's/^ARG NODE_IMAGE=\([^@]*\).*/\1/p' "$project/Dockerfile")
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  echo "      making a stand-in for $base"
  "$here/image-base.sh" "$base" >"$work/base.log" 2>&1 || { tail -n 20 "$work/base.log" >&2 && exit 1; }
fi

# The npm settings for this machine's registry, passed as the Dockerfile's secret. A marker in them is searched for later.
registry=$(npm config get registry 2>/dev/null)
authorities=$(npm config get cafile 2>/dev/null)
mark=mark-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
volumes=()
{
  cat "$HOME/.npmrc" 2>/dev/null || true
  printf '\nregistry=%s\n; %s\n' "$registry" "$mark"
  if [ -f "$authorities" ]; then echo "cafile=$authorities"; fi
} >"$TMPDIR/npmrc"
if [ -f "$authorities" ]; then volumes+=(--volume "$authorities:$authorities:ro"); fi

images=(sandbox worker)
for name in "${images[@]}"; do
  echo "      building the $name"
  buildah build "${steps[@]}" --format docker --pull=never --build-arg "NODE_IMAGE=$base" --secret "id=npmrc,src=$TMPDIR/npmrc" \
    "${volumes[@]}" --target "$name" --tag "talent-sync-$name:proof" "$project" \
    >"$work/build-$name.log" 2>&1 || { tail -n 40 "$work/build-$name.log" >&2 && exit 1; }
done

# --- The metadata of each image, and its contents --------------------------------------------------------------------

declare -A starts=([sandbox]='talent-sync sandbox --host 0.0.0.0 --port 8080'
  [worker]='talent-sync daemon --config /etc/talent-sync --host 0.0.0.0 --port 8080')
declare -A roots health_of
scene=$work/scene
user=10001:10001 folder=/var/lib/talent-sync
version=$(node -p "require('$project/package.json').version")
say() { buildah inspect --type image --format "$1" "$image"; }
for name in "${images[@]}"; do
  image=talent-sync-$name:proof
  echo "      the $name"
  say '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' | sed '/^$/d' >"$work/environment-$name"
  mapfile -t start < <(say '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' | sed '/^$/d')
  mapfile -t health < <(say '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' | sed '/^$/d')
  health_of[$name]=${health[3]-}

  check "user $user: by number, and not root" [ "$(say '{{.OCIv1.Config.User}}')" = "$user" ]
  check "works in $folder" [ "$(say '{{.OCIv1.Config.WorkingDir}}')" = "$folder" ]
  check "starts ${start[*]}" [ "${start[*]}" = "${starts[$name]}" ]
  check "health check is a command without a shell" [ "${health[*]:0:3} ${#health[@]}" = 'CMD node -e 4' ]
  check 'stop signal is SIGTERM' [ "$(say '{{.OCIv1.Config.StopSignal}}')" = SIGTERM ]
  check "says its version, $version" [ "$(say '{{index .OCIv1.Config.Labels "org.opencontainers.image.version"}}')" = "$version" ]
  for label in title description vendor licenses revision created source; do
    check "has the label org.opencontainers.image.$label" [ -n "$(say "{{index .OCIv1.Config.Labels \"org.opencontainers.image.$label\"}}")" ]
  done

  root=$(buildah mount "$(buildah from --pull=never "$image")")
  roots[$name]=$root
  # shellcheck source=scripts/image-contents.sh
  . "$here/image-contents.sh"
done

# --- The behaviour of the images -------------------------------------------------------------------------------------

# shellcheck source=scripts/image-life.sh
. "$here/image-life.sh"

if [ "$failures" -gt 0 ]; then
  echo "$failures checks failed." >&2
  exit 1
fi
echo 'All checks passed.'
