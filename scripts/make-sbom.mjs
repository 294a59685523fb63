// Lists the contents of each container image as CycloneDX 1.5: the base, and the packages that the program needs according to
// package-lock.json. Writes talent-sync.cdx.json and talent-sync-sandbox.cdx.json. Downloads and installs nothing.
// Usage: node scripts/make-sbom.mjs [FOLDER]; the default is the project's folder.
// `npm sbom` is not enough. In npm 11.19 it leaves out a package that is an optional peer of another package (`yaml`).
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNeeded, listNeeds } from './image-packages.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(join(project, name), 'utf8');
const folder = process.argv[2] ?? project;
const { packages } = JSON.parse(read('package-lock.json'));
const { name, version, license, description } = JSON.parse(read('package.json'));
const [, base, digest] = /^ARG NODE_IMAGE=([^\s@]+)(?:@(sha256:[0-9a-f]{64}))?$/m.exec(read('Dockerfile'));

/** Image name → packages compiled into the program's files. The sandbox has the writers of documents (emit-writers.mjs). */
const IMAGES = { 'talent-sync': [], 'talent-sync-sandbox': JSON.parse(read('scripts/compiled-in.json')) };

/** Types are not part of the running program, although some packages depend on them. */
const isType = (path) => path.includes('node_modules/@types/');
const refs = new Map(Object.entries(packages).map(([path, one]) => [path, `${nameOf(path)}@${one.version}`]));

/** The same package in two folders counts once. */
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
  return [...new Set(listNeeds(packages, path).flatMap((found) => (isType(found) ? [] : refs.get(found))))].sort();
}

const [image, tag] = base.split(':');
const baseRef = `base-image:${base}`;

function buildSbom(title, compiledIn) {
  const own = `${title}@${version}`;
  const needed = findNeeded(packages, compiledIn);
  const installed = Object.entries(packages).filter(([path]) => needed.has(path) && !isType(path));
  const compiled = compiledIn.map((name) => refs.get(`node_modules/${name}`));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: {
        ...{
          'bom-ref': own,
          type: 'application',
          name: title,
          version,
          description,
          purl: `pkg:npm/${name}@${version}`,
        },
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
        description: 'The image in which the Dockerfile builds. It provides Node.js and the Debian libraries.',
        purl: `pkg:docker/${image}@${encodeURIComponent(digest ?? tag)}${digest === undefined ? '' : `?tag=${tag}`}`,
      },
    ],
    dependencies: [
      { ref: own, dependsOn: [...new Set([...listDependencies(''), ...compiled])].sort().concat(baseRef) },
      ...unique(installed).map(([path]) => ({ ref: refs.get(path), dependsOn: listDependencies(path) })),
      { ref: baseRef, dependsOn: [] },
    ],
  };
}

for (const [title, compiledIn] of Object.entries(IMAGES)) {
  const sbom = buildSbom(title, compiledIn);
  const file = join(folder, `${title}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(`${sbom.components.length} components in ${file}`);
}
