#!/usr/bin/env bash
# Builds a stand-in for the Dockerfile's base image if no image registry is reachable. It contains Debian from the mirror
# of this machine's apt, the compiler of the real base, and this machine's Node.js with npm and headers.
# Usage: image-base.sh NAME, as root. NAME ends with a dash and Debian's release; CONTAINERS_STORAGE_CONF sets buildah's
# storage.
set -euo pipefail
name=$1
release=${name##*-}

# shellcheck disable=SC2016 # apt replaces the placeholder.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | awk '!/security/ && !found++')
node=$(node -p 'process.execPath')
prefix=$(dirname "$(dirname "$node")")
npm=$(npm root --global)/npm
# npm's own setting comes first, because Debian and others install the headers elsewhere.
headers=$(npm config get nodedir 2>/dev/null)
[ -d "$headers/include/node" ] || headers=$prefix

container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null' EXIT
root=$(buildah mount "$container")
debootstrap --variant=minbase --include=g++,make,python3 "$release" "$root" "$mirror" >&2

# Node.js is under /usr/local, as in the real base image.
mkdir -p "$root/usr/local/include" "$root/usr/local/lib/node_modules"
cp "$node" "$root/usr/local/bin/node"
cp -r "$npm" "$root/usr/local/lib/node_modules/npm"
cp -r "$headers/include/node" "$root/usr/local/include/node"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
echo "Licence of Node.js: see its project." >"$root/usr/local/LICENSE"
for licence in "$prefix/LICENSE" "$prefix/share/doc/nodejs/LICENSE"; do
  if [ -f "$licence" ]; then cp "$licence" "$root/usr/local/LICENSE"; fi
done

buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --quiet --format docker "$container" "$name" >/dev/null
