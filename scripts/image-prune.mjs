// Takes out of a production `node_modules` what the running program never loads. The Dockerfile uses it; never run it on
// a checkout. Usage: node scripts/image-prune.mjs FOLDER, where package-lock.json and node_modules lie.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Packages that run only while others are installed. They download things, so a scanner has most to say about them. */
const INSTALLERS = ['prebuild-install'];

const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/** npm's own notes and links, C sources, types, source maps, pages for readers; licences stay. */
const PRUNED = [
  /^node_modules\/(\.bin|\.package-lock\.json)$/,
  /^node_modules\/better-sqlite3\/(deps|src|binding\.gyp)$/,
  /\/\.github$/,
  /\.([cm]?ts|map)$/,
  /\/(?!licen[cs]e|notice|copying)[^/]*\.(md|markdown)$/i,
];

/** Where Node.js finds a package from a place: in the nearest `node_modules`, going up. */
function findPackage(packages, from, name) {
  for (let place = from; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    if (packages[`${place}/node_modules/${name}`] !== undefined) return `${place}/node_modules/${name}`;
  }
  return packages[`node_modules/${name}`] === undefined ? null : `node_modules/${name}`;
}

/** All packages that the program reaches without going through an installer. */
function findNeeded(packages) {
  const needed = new Set();
  const waiting = [''];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = INSTALLERS.includes(name) ? null : findPackage(packages, place, name);
      if (found === null || needed.has(found)) continue;
      needed.add(found);
      waiting.push(found);
    }
  }
  return needed;
}

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
