import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import COMPILED from '../../scripts/compiled-in.json' with { type: 'json' };
import { oneIn, sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { makeFolder } from '../samples.js';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as Record<string, Readonly<Record<string, string>>>;

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
};

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly (Component & { readonly 'bom-ref': string })[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

sweep.each(
  oneIn<readonly [string, readonly string[]]>(
    1,
    [
      ['talent-sync', []],
      ['talent-sync-sandbox', COMPILED],
    ],
    1,
  ),
)('the bill of materials of %s lists every production package, and nothing of this machine', (image, compiledIn) => {
  const folder = makeFolder();
  const ran = spawnSync(process.execPath, [join(ROOT, 'scripts/make-sbom.mjs'), folder], { encoding: 'utf8' });
  expect(ran.status, ran.stderr).toBe(0);
  const text = readFileSync(join(folder, `${image}.cdx.json`), 'utf8');
  const sbom = JSON.parse(text) as Sbom;
  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.5']);
  expect(sbom.metadata.component).toMatchObject({ type: 'application', name: image });
  const versions = Object.fromEntries(sbom.components.map(({ name, version }) => [name, version]));
  expect(versions).toMatchObject({ ...dependencies, ...optionalDependencies });
  for (const name of Object.keys(devDependencies ?? {})) {
    if (packages[`node_modules/${name}`]?.dev !== true) continue;
    if (compiledIn.includes(name)) expect(versions).toHaveProperty([name]);
    else expect(versions).not.toHaveProperty([name]);
  }
  expect(sbom.components.filter(({ purl }) => !/^pkg:(npm|docker)\//.test(purl))).toEqual([]);
  expect(sbom.components.find(({ type }) => type === 'container')?.name).toBe('node');
  const refs = sbom.components.map((component) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  expect(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  expect(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).length).toBeGreaterThan(refs.length);
  expect(text).not.toContain('"distribution"');
  expect(text).not.toContain(ROOT);
});

it('the labels use the names of the OCI', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const labels = [...dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)=/g)].map(([, name]) => name);
  const wanted = ['title', 'description', 'vendor', 'licenses', 'version', 'revision', 'created', 'source'];
  expect([...new Set(labels)].toSorted()).toEqual(wanted.toSorted());
});
