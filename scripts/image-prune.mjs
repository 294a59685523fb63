// Removes everything that the running program never loads from a production `node_modules`. The Dockerfile uses it; never
// run it on a checkout. Usage: node scripts/image-prune.mjs FOLDER, the folder with package-lock.json and node_modules.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findNeeded } from './image-packages.mjs';

const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/** npm's own files and links, C sources and their build files, types, source maps and documentation. Licences stay. */
const PRUNED = [
  /^node_modules\/(\.bin|\.package-lock\.json)$/,
  /^node_modules\/better-sqlite3\/(deps|src)$/,
  /\/\.github$/,
  /\.([cm]?ts|map|c|cc|cpp|h|hpp|gyp|o)$/,
  // Machine code that only makes other packages faster, if npm has compiled it.
  /^(?!node_modules\/better-sqlite3\/).*\.node$/,
  /\/(?!licen[cs]e|notice|copying)[^/]*\.(md|markdown)$/i,
];

function keepBindingOnly(folder) {
  const [binding, build] = [join(folder, BINDING), join(folder, BINDING, '..', '..')];
  const aside = join(folder, 'binding.node');
  renameSync(binding, aside);
  rmSync(build, { recursive: true });
  mkdirSync(dirname(binding), { recursive: true });
  renameSync(aside, binding);
}

function prune(folder, from) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (PRUNED.some((pattern) => pattern.test(relative(folder, path)))) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) prune(folder, path);
  }
}

const [folder] = process.argv.slice(2);
if (folder === undefined || !existsSync(join(folder, BINDING))) {
  process.stderr.write(`Usage: node scripts/image-prune.mjs FOLDER, with ${BINDING} compiled in it\n`);
  process.exit(1);
}
const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const needed = findNeeded(packages);
for (const place of Object.keys(packages)) {
  if (place !== '' && !needed.has(place)) rmSync(join(folder, place), { recursive: true, force: true });
}
keepBindingOnly(folder);
prune(folder, join(folder, 'node_modules'));
