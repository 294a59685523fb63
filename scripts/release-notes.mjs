// Prints the section of CHANGELOG.md for a version, as its release notes. Fails if the version differs from package.json
// or the chart, or if the changelog has no section for it.
// Usage: node scripts/release-notes.mjs 0.2.0
import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const [version = ''] = process.argv.slice(2);

/** The version in each file. */
const SAID = [
  ['package.json', JSON.parse(read('package.json')).version],
  ['helm/talent-sync/Chart.yaml: version', /^version: (\S+)$/m.exec(read('helm/talent-sync/Chart.yaml'))?.[1]],
  ['helm/talent-sync/Chart.yaml: appVersion', /^appVersion: (\S+)$/m.exec(read('helm/talent-sync/Chart.yaml'))?.[1]],
  ['Dockerfile: VERSION', /^ARG VERSION=(\S+)$/m.exec(read('Dockerfile'))?.[1]],
];
const [, ...sections] = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((text) => text.split(/\s/, 1)[0] === version);

const problems = SAID.filter(([, said]) => said !== version).map(([place, said]) => `${place} says ${said}`);
if (section === undefined) problems.push(`CHANGELOG.md has no section "## ${version}"`);
if (problems.length > 0) {
  process.stderr.write(`This is not version "${version}":\n${problems.map((one) => `  ${one}\n`).join('')}`);
  process.exit(1);
}
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
