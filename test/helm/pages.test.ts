import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../module-graph.js';
import { CHART } from './chart.js';
import { readAt } from './manifest.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const readChart = (file: string): string => readFileSync(join(CHART, file), 'utf8');
const schema = JSON.parse(readChart('values.schema.json')) as Schema;
const values: unknown = parse(readChart('values.yaml'));

function follow(node: Schema): Schema {
  const name = node.$ref?.replace('#/definitions/', '');
  return name === undefined ? node : (schema.definitions?.[name] ?? {});
}

interface Row {
  readonly path: string;
  readonly byDefault: string;
  readonly meaning: string;
}

/** A value ends where the keys below it are Kubernetes' own, or speak for themselves: those have no description. */
function listValues(node: Schema, path = '', isRequired = false): readonly Row[] {
  const here = follow(node);
  const item = here.items === undefined ? here : follow(here.items);
  const below = Object.entries(item.properties ?? {});
  if (below.length > 0 && below.every(([, one]) => follow(one).description !== undefined)) {
    const prefix = path === '' ? '' : `${path}${here.items === undefined ? '' : '[]'}.`;
    return below.flatMap(([key, one]) => listValues(one, `${prefix}${key}`, item.required?.includes(key)));
  }
  const found = readAt(values, path);
  const text = typeof found === 'string' && found !== '' ? found : JSON.stringify(found);
  const byDefault = isRequired ? '*required*' : found === undefined ? '—' : `\`${text}\``;
  return [{ path, byDefault, meaning: here.description ?? '' }];
}

describe('README.md of the chart', () => {
  const rows = readChart('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([path = '', byDefault = '', meaning = '']) => ({
      path: path.replaceAll('`', ''),
      byDefault: byDefault.replaceAll(' ', ''),
      meaning,
    }));

  it('lists every value of the schema once, with its default and meaning, and no other', () => {
    const byPath = (a: Row, b: Row): number => (a.path < b.path ? -1 : 1);
    const known = listValues(schema).filter(({ path }) => path !== 'global');
    // What a tenant shares with the release is told once, without its prefix.
    const shared = new Set(known.map(({ path }) => path));
    const expected = known.filter(
      ({ path }) => !shared.has(path.replace(/^tenants\[\]\./, '')) || !path.startsWith('tenants[].'),
    );
    expect(rows.toSorted(byPath)).toEqual(expected.toSorted(byPath));
  });

  it('says under the right heading whether a tenant may set it', () => {
    const own = Object.keys(follow(schema.definitions?.tenant ?? {}).properties ?? {});
    const release = Object.keys(schema.properties ?? {});
    const [, ofTenant = '', ofBoth = '', ofRelease = ''] = readChart('README.md').split(/^## /m);
    const heads = (text: string): readonly string[] => [
      ...new Set([...text.matchAll(/^\| `(?:tenants\[\]\.)?(\w+)/gm)].map(([, name = '']) => name)),
    ];
    expect(heads(ofTenant)).toEqual(own.filter((name) => !release.includes(name)));
    expect(heads(ofBoth)).toEqual(own.filter((name) => release.includes(name)));
    expect(heads(ofRelease)).toEqual(
      release.filter((name) => !own.includes(name) && !['global', 'tenants'].includes(name)),
    );
  });
});

describe('values.schema.json', () => {
  it('lets no unknown key pass where the chart names the keys', () => {
    const open: string[] = [];
    const walk = (node: Schema, path: string): void => {
      if (node.properties !== undefined && node.additionalProperties !== false) open.push(path);
      for (const [key, one] of Object.entries({ ...node.properties, ...node.definitions })) walk(one, `${path}.${key}`);
      if (node.items !== undefined) walk(node.items, `${path}[]`);
    };
    walk(schema, '');
    // A volume is any of thirty kinds, and the API server knows them all.
    expect(open).toEqual(['.extraVolumes[]']);
  });

  it('has a default for every key that is not of one tenant alone', () => {
    const lacking = Object.keys(schema.properties ?? {}).filter(
      (key) => key !== 'global' && readAt(values, key) === undefined,
    );
    expect(lacking).toEqual([]);
  });
});

describe('Chart.yaml', () => {
  const chart: unknown = parse(readChart('Chart.yaml'));

  it('is of the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect(readAt(chart, 'appVersion')).toBe(version);
  });
});

describe('Dockerfile', () => {
  it('makes the image that the chart takes for granted', () => {
    const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['USER 10001:10001', 'ENTRYPOINT ["talent-sync"]', 'WORKDIR /var/lib/talent-sync']),
    );
  });
});

describe('docs/kubernetes.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'kubernetes.md'), 'utf8');

  it('names only values that there are', () => {
    const known = listValues(schema).map(({ path }) => path.replace(/^tenants\[\]\./, ''));
    const isKnown = (name: string): boolean =>
      known.some(
        (path) =>
          path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[]`) || name.startsWith(`${path}.`),
      );
    const heads = new Set(known.map((path) => path.split(/[.[]/)[0]));
    const named = [...page.matchAll(/`([a-zA-Z]+(?:\.[a-zA-Z]+)+)`/g)].map(([, name = '']) => name);
    const values = named.filter((name) => heads.has(name.split('.')[0] ?? ''));
    expect(values.length).toBeGreaterThan(5);
    expect(values.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('names only files that there are', () => {
    const files = [...page.matchAll(/`((?:helm|config|docs)\/[\w./-]+\.\w+)`/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
