// Lists what the container image is made of, as CycloneDX 1.5: the packages that the program reaches, by package-lock.json, and the base.
// Usage: node scripts/make-sbom.mjs [FILE]; talent-sync.cdx.json in the project without it. Nothing is fetched or installed.
// `npm sbom` does not do: of npm 11.19 it leaves a package out that another one has as an optional peer (`yaml`).
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNeeded, listNeeds } from './image-packages.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(project, name), 'utf8');
const file = process.argv[2] ?? join(project, 'talent-sync.cdx.json');
const { packages } = JSON.parse(read('package-lock.json'));
const { name, version, license, description } = JSON.parse(read('package.json'));
const [, base, digest] = /^ARG NODE_IMAGE=([^\s@]+)(?:@(sha256:[0-9a-f]{64}))?$/m.exec(read('Dockerfile'));

/** As the image holds them, those included whose code or fonts are in the program's own files (emit-writers.mjs). */
const needed = findNeeded(packages, JSON.parse(read('scripts/compiled-in.json')));
/** Types are no part of what runs, though some packages ask for them. */
const isType = (path) => path.includes('node_modules/@types/');
const installed = Object.entries(packages).filter(([path]) => needed.has(path) && !isType(path));
const refs = new Map(installed.map(([path, one]) => [path, `${nameOf(path)}@${one.version}`]));

/** The same package in two folders is one. */
function unique(entries) {
  return [...new Map(entries.map((entry) => [refs.get(entry[0]), entry])).values()];
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function describe([path, { version: number, license: licence, integrity }]) {
  const [algorithm, hash] = integrity?.split('-') ?? [];
  return {
    'bom-ref': refs.get(path),
    type: 'library',
    name: nameOf(path),
    version: number,
    purl: `pkg:npm/${nameOf(path).replace('@', '%40')}@${number}`,
    ...(licence === undefined ? {} : { licenses: [describeLicence(licence)] }),
    ...(hash === undefined
      ? {}
      : { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }] }),
  };
}

function describeLicence(text) {
  return /^[\w.+-]+$/.test(text) ? { license: { id: text } } : { expression: text };
}

function listDependencies(path) {
  return [...new Set(listNeeds(packages, path).flatMap((found) => refs.get(found) ?? []))].sort();
}

const [image, tag] = base.split(':');
const own = `${name}@${version}`;
const baseRef = `base-image:${base}`;
const sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    component: {
      ...{ 'bom-ref': own, type: 'application', name, version, description, purl: `pkg:npm/${own}` },
      licenses: [describeLicence(license)],
    },
  },
  components: [
    ...unique(installed).map(describe),
    {
      'bom-ref': baseRef,
      type: 'container',
      name: image,
      version: digest ?? tag,
      description: 'The image that the Dockerfile builds in; Node.js and the libraries of Debian are copied from it.',
      purl: `pkg:docker/${image}@${encodeURIComponent(digest ?? tag)}${digest === undefined ? '' : `?tag=${tag}`}`,
    },
  ],
  dependencies: [
    { ref: own, dependsOn: [...listDependencies(''), baseRef] },
    ...unique(installed).map(([path]) => ({ ref: refs.get(path), dependsOn: listDependencies(path) })),
    { ref: baseRef, dependsOn: [] },
  ],
};
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${sbom.components.length} components in ${file}`);
