import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './module-graph.js';

interface Locked {
  readonly dev?: true;
  readonly engines?: { readonly node?: string };
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
}

/** The lowest version in one part of a range such as `^20.19.0 || >=22.12`, as a comparable number. */
function leastOf(range: string): number {
  const [major = 0, minor = 0, patch = 0] = (range.match(/\d+/g) ?? []).map(Number);
  return major * 1e6 + minor * 1e3 + patch;
}

it('every shipped package runs on the oldest Node in package.json', () => {
  const { engines } = readJson<{ readonly engines: { readonly node: string } }>('package.json');
  const { packages } = readJson<{ readonly packages: Readonly<Record<string, Locked>> }>('package-lock.json');
  const shipped = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev === undefined);
  const newer = shipped.filter(([, { engines: { node = '*' } = {} }]) =>
    node.split('||').every((part) => leastOf(part) > leastOf(engines.node)),
  );
  expect(newer.map(([place, one]) => `${place} wants Node ${one.engines?.node}`)).toEqual([]);
  expect(shipped.length).toBeGreaterThan(50);
});
