// Writes the current digest of the base image into the Dockerfile. Uses docker buildx, skopeo or crane, if installed.
// Usage: npm run image:pin; check the diff, test the image, and commit the change.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../Dockerfile', import.meta.url);
const text = readFileSync(file, 'utf8');
const line = /^ARG NODE_IMAGE=([^\s@]+)(@sha256:[0-9a-f]{64})?$/m;
const [, base] = line.exec(text);

const WAYS = [
  ['docker', 'buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', base],
  ['skopeo', 'inspect', '--no-tags', '--format', '{{.Digest}}', `docker://docker.io/library/${base}`],
  ['crane', 'digest', base],
];

function askDigest() {
  for (const [program, ...words] of WAYS) {
    const { stdout = '', status } = spawnSync(program, words, { encoding: 'utf8' });
    if (status === 0 && /^sha256:[0-9a-f]{64}$/.test(stdout.trim())) return stdout.trim();
  }
  return null;
}

const digest = askDigest();
if (digest === null) {
  console.error(
    `The digest of ${base} cannot be looked up: none of docker buildx, skopeo and crane reaches its registry.`,
  );
  process.exit(1);
}
writeFileSync(file, text.replace(line, `ARG NODE_IMAGE=${base}@${digest}`));
console.log(`ARG NODE_IMAGE=${base}@${digest}`);
