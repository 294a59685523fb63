#!/usr/bin/env bash
# Runs a command of an image like a strict container engine: read-only root, no new privileges, and the image's own user,
# folder and environment. Call this script as the first process of new mount and process namespaces, so that the command is
# process 1 of these namespaces.
# Usage: image-box.sh ROOT USER:GROUP FOLDER ENVIRONMENT-FILE [MOUNT]... -- COMMAND..., where a mount is one of
# --bind FROM:TO, --bind-ro FROM:TO, --tmpfs TO.
set -euo pipefail
root=$1 user=$2 folder=$3 environment=$4
shift 4

mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,noexec,mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
while [ "$1" != -- ]; do
  from=${2%%:*} to=$root${2##*:}
  mkdir -p "$(dirname "$to")"
  if [ -f "$from" ]; then touch "$to"; else mkdir -p "$to"; fi
  case $1 in
    --bind) mount --bind "$from" "$to" ;;
    --bind-ro) mount --bind "$from" "$to" && mount -o remount,bind,ro "$to" ;;
    --tmpfs) mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$to" ;;
  esac
  shift 2
done
shift
mount -o remount,bind,ro "$root"

mapfile -t variables <"$environment"
exec env --ignore-environment "${variables[@]}" "$(command -v setpriv)" --no-new-privs \
  "$(command -v unshare)" --root="$root" --wd="$folder" --setgid="${user#*:}" --setuid="${user%:*}" -- "$@"
