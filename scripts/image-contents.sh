# shellcheck shell=bash disable=SC2154
# Checks the contents of an image. scripts/prove-image.sh sources it for each image, with its variables and `check`; $root
# is the unpacked image.

layers=$scene/layers-$name
mkdir -p "$layers"
buildah push --quiet --format v2s2 "$image" "dir:$layers"

sum_megabytes() { find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum / 1e6 }'; }
find_in_image() { (cd "$root" && find . "$@" | sort); }
find_machine_code() {
  find_in_image -type f -size +1k -not -path '*.so*' | while IFS= read -r file; do
    if head -c 4 "$root/$file" | grep -qaF ELF; then echo "$file"; fi
  done
}
list_packages() { # list_packages FIELD...: the packages in these fields of package.json
  node -p "const all = require('$project/package.json'); process.argv.slice(1).flatMap((field) => Object.keys(all[field])).sort().join('\n')" "$@"
}
find_installed() { # find_installed FIELD...
  list_packages "$@" | while IFS= read -r name; do
    if [ -e "$root/app/node_modules/$name" ]; then echo "$name"; fi
  done
}
is_nothing() { # is_nothing COMMAND...: the command's output is the message of the check
  local found
  found=$("$@")
  printf '%s\n' "$found"
  [ -z "$found" ]
}
is_list() { # is_list LINES COMMAND...
  local lines=$1
  shift
  diff <(printf '%s\n' "$lines") <("$@")
}

plain=$(sum_megabytes "$root") packed=$(sum_megabytes "$layers")
check "$plain MB, of which Node.js $(sum_megabytes "$root/usr/local/bin"); $packed MB to pull (at most 200 and 72)" \
  test "$plain" -le 200 -a "$packed" -le 72

check 'machine code: libraries, Node.js and the binding of SQLite, nothing else' is_list \
  $'./app/node_modules/better-sqlite3/build/Release/better_sqlite3.node\n./usr/local/bin/node' find_machine_code
check 'outside node_modules only node and talent-sync can be executed' is_list $'./app/dist/main.js\n./usr/local/bin/node' \
  find_in_image -type f -perm /111 -not -path './app/node_modules/*' -not -name '*.so*'
tools='sh|bash|dash|busybox|env|npm|npx|corepack|yarn|gcc|g\+\+|cc|ld|make|python3?|perl|apt|apt-get|dpkg|curl|wget|su|mount'
check 'no shell, compiler or package manager' is_nothing \
  find_in_image -regextype posix-extended -regex ".*/($tools)" -not -type d
check 'no sources, headers, objects, types or source maps' is_nothing \
  find_in_image -regextype posix-extended -regex '.*\.(c|cc|cpp|h|hpp|o|a|ts|map|gyp)' -type f
check 'the only project files are the program, its migrations, examples and licence' is_list \
  $'./app/LICENSE\n./app/config\n./app/dist\n./app/migrations\n./app/node_modules\n./app/package.json' \
  find_in_image -mindepth 2 -maxdepth 2 -path './app/*'
check 'every production package' is_list "$(list_packages dependencies optionalDependencies)" \
  find_installed dependencies optionalDependencies
# A package that production also needs does not count as a development package.
find_development() {
  find_installed devDependencies | while IFS= read -r name; do
    if node -e "process.exit(require('$project/package-lock.json').packages['node_modules/$name'].dev ? 0 : 1)"; then echo "$name"; fi
  done
}
check 'no development package' is_nothing find_development
find_writers() { find_in_image -regextype posix-extended -regex '.*(/bundle/writers/.*\.cjs|\.woff)' | sed 's|.*/||; s|-.*\.woff|.woff|' | sort -u; }
if [ "$name" = sandbox ]; then
  check 'the writers of documents, with their fonts' is_list \
    $'ibm.woff\nnanum.woff\nnoto.woff\nwrite-docx.cjs\nwrite-pdf.cjs\nwrite-pptx.cjs' find_writers
else
  check 'no writers of documents and no fonts' is_nothing find_writers
fi
check 'nothing is setuid or setgid' is_nothing find_in_image -perm /6000
check 'root owns everything except the state folder' is_list ./var/lib/talent-sync find_in_image -not -user 0
check 'others may write only in /tmp' is_list ./tmp find_in_image -not -type l -perm /022
check 'everyone may read everything except the state folder' is_list ./var/lib/talent-sync \
  find_in_image -not -type l \( -not -perm -444 -o -type d -not -perm -555 \)
check 'a scanner finds the Debian packages of the libraries' is_list $'libc6\nlibgcc-s1\nlibstdc++6' \
  sed -n 's/^Package: //p' "$root"/var/lib/dpkg/status.d/*

# Secrets of the build, the addresses of this machine's package sources, and this machine's folders.
# shellcheck disable=SC2016 # apt replaces the placeholder.
mapfile -t mirrors < <(apt-get indextargets --format '$(SITE)' | sed 's|^[a-z]*://||; s|/.*||' | sort -u)
secrets=("$mark" "$(node -p "new URL('$registry').host")" "${mirrors[@]}" "$project" "$work")
# Layers in their transfer format, and the plain documents next to them. The licence of Node.js names the public registry.
open_layer() {
  if gzip --test "$1" 2>/dev/null; then tar -tzf "$1" && tar -xzOf "$1" --exclude=usr/local/LICENSE; else cat "$1"; fi
}
find_secrets() {
  local blob
  for blob in "$layers"/*; do
    open_layer "$blob" | grep -aoF "${secrets[@]/#/--regexp=}" | sort | uniq -c | sed "s|\$| in ${blob##*/}|" || true
  done
}
check "no secret and no address of this machine (${#secrets[@]} searched for)" is_nothing find_secrets
