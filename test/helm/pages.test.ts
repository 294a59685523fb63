import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parse, parseDocument } from 'yaml';
import { ROOT } from '../module-graph.js';
import { readAt } from './manifest.js';
import {
  type ChartValue,
  DEFAULT_VALUES,
  followValue,
  listChartValues,
  readChartFile,
  VALUES_SCHEMA,
  type ValueSchema,
} from './values-schema.js';

describe('README.md of the chart', () => {
  const rows = readChartFile('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([path = '', byDefault = '', meaning = '']) => ({
      path: path.replaceAll('`', ''),
      byDefault: byDefault.replaceAll(' ', ''),
      meaning,
    }));

  it('lists every value of the schema once, with default and meaning, and no others', () => {
    const byPath = (a: ChartValue, b: ChartValue): number => (a.path < b.path ? -1 : 1);
    expect(rows.toSorted(byPath)).toEqual(listChartValues().toSorted(byPath));
  });

  it('says under the right heading if a tenant may set it', () => {
    const own = Object.keys(followValue(VALUES_SCHEMA.definitions?.tenant ?? {}).properties ?? {});
    const release = Object.keys(VALUES_SCHEMA.properties ?? {});
    const [, ofTenant = '', ofBoth = '', ofRelease = ''] = readChartFile('README.md').split(/^## /m);
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
  it('rejects unknown keys wherever the chart names the keys', () => {
    const open: string[] = [];
    const walk = (node: ValueSchema, path: string): void => {
      if (node.properties !== undefined && node.additionalProperties !== false) open.push(path);
      for (const [key, one] of Object.entries({ ...node.properties, ...node.definitions })) walk(one, `${path}.${key}`);
      if (node.items !== undefined) walk(node.items, `${path}[]`);
    };
    walk(VALUES_SCHEMA, '');
    // A volume has one of thirty kinds, a container has some thirty keys, and the API server knows them all.
    expect(open).toEqual(['.extraVolumes[]', '.extraContainers[]', '.extraInitContainers[]']);
  });

  it('has a default for every key that is not for tenants only', () => {
    const lacking = Object.keys(VALUES_SCHEMA.properties ?? {}).filter(
      (key) => key !== 'global' && readAt(DEFAULT_VALUES, key) === undefined,
    );
    expect(lacking).toEqual([]);
  });
});

describe('values.yaml', () => {
  it("has the schema's description above every value", () => {
    const told = new Map<string, string>();
    const walk = (node: unknown, path: string): void => {
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        if (!isScalar(key)) continue;
        const below = `${path}${key.value}`;
        // The comment above the first key of a map belongs to the map.
        const comment = key.commentBefore ?? (key === node.items[0]?.key ? node.commentBefore : '');
        told.set(below, /(?:^|\n) -- (.*)$/.exec(comment ?? '')?.[1] ?? '');
        walk(value, `${below}.`);
      }
    };
    walk(parseDocument(readChartFile('values.yaml')).contents, '');
    const wanted = listChartValues().filter(({ path }) => told.has(path));
    expect(wanted.length).toBeGreaterThan(90);
    expect(wanted.filter(({ path, meaning }) => told.get(path) !== meaning)).toEqual([]);
    expect([...told].filter(([path]) => !path.includes('.') && told.get(path) === '')).toEqual([]);
  });
});

describe('Chart.yaml', () => {
  const chart: unknown = parse(readChartFile('Chart.yaml'));

  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect(readAt(chart, 'appVersion')).toBe(version);
  });

  it('contains its own icon', () => {
    const [, svg = ''] = String(readAt(chart, 'icon')).split('data:image/svg+xml;base64,');
    expect(Buffer.from(svg, 'base64').toString()).toMatch(/^<svg .*<\/svg>$/);
  });
});

describe('Dockerfile', () => {
  it('makes the image that the chart expects', () => {
    const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['USER 10001:10001', 'ENTRYPOINT ["talent-sync"]', 'WORKDIR /var/lib/talent-sync']),
    );
  });
});

describe('docs/guides/kubernetes.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'guides', 'kubernetes.md'), 'utf8');

  it('names only existing values', () => {
    const known = listChartValues().map(({ path }) => path.replace(/^tenants\[\]\./, ''));
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

  it('names only existing files', () => {
    const files = [...page.matchAll(/`((?:helm|config|docs)\/[\w./-]+\.\w+)`/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
