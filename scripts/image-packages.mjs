/*
 * Finds the packages that the running program needs, as paths in package-lock.json. Leaves out optional dependencies of
 * other packages, because they contain machine code and only add speed.
 */

/** Packages that run only while others are installed. They download things, so scanners report them most. */
const INSTALLERS = ['prebuild-install'];

/** The path where Node.js finds a package: in the nearest `node_modules`, upwards from `from`. */
export function findPackage(packages, from, name) {
  for (let place = from; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    if (packages[`${place}/node_modules/${name}`] !== undefined) return `${place}/node_modules/${name}`;
  }
  return packages[`node_modules/${name}`] === undefined ? null : `node_modules/${name}`;
}

/** The packages that a package needs to run. The program itself also needs its optional dependency, SQLite. */
export function listNeeds(packages, place) {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[place];
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const wanted = [...Object.keys(dependencies ?? {}), ...peers];
  const optional = Object.keys(optionalDependencies ?? {});
  const names = place === '' ? [...wanted, ...optional] : wanted.filter((name) => !optional.includes(name));
  return [...new Set(names)]
    .filter((name) => !INSTALLERS.includes(name))
    .map((name) => findPackage(packages, place, name))
    .filter((found) => found !== null);
}

/** All packages that the program needs, without installers, and those that `more` need. */
export function findNeeded(packages, more = []) {
  const places = more.map((name) => findPackage(packages, '', name)).filter((place) => place !== null);
  const needed = new Set(places);
  const waiting = ['', ...places];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const found of listNeeds(packages, place)) {
      if (needed.has(found)) continue;
      needed.add(found);
      waiting.push(found);
    }
  }
  return needed;
}
