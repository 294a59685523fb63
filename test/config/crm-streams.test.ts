import { describe, expect, it } from 'vitest';
import type { ListedStreamConfig } from '../../src/connectors/listed/listed-stream.js';
import { loadSample, readProblems, SAMPLE, show } from './sample.js';

/** The sample with a source `crm` before its people. */
const withCrm = (crm: string): string => SAMPLE.replace('\nusers:', `\n  crm: ${crm}\nusers:`);

function load(crm: string, stream: string): ListedStreamConfig {
  const source = loadSample(withCrm(crm)).sources.crm;
  const feed = source?.type === 'crm' ? source.streams[stream] : undefined;
  if (feed === undefined || !('baseUrl' in feed)) throw new Error(`no feed ${stream}`);
  return feed;
}

const FEED = (stream: string): string =>
  `{ type: crm, base_url: https://crm.example.com/api/, streams: { companies: { ${stream} } } }`;
const PLAIN = 'path: /v1/companies, key: id, columns: { id: string }';

it('fills in what a feed leaves out', () => {
  expect(
    load(
      FEED(`${PLAIN}, next: { offset: skip }, incremental: { full_every: 1d, modified: /at, parameter: since }`),
      'companies',
    ),
  ).toMatchObject({
    baseUrl: 'https://crm.example.com/api',
    dialect: 'plain',
    rows: '',
    total: null,
    next: { kind: 'offset', parameter: 'skip', limit: null, size: 100 },
    deleted: null,
    incremental: { template: '{since}', time: 'iso', overlapMs: 600_000, fullEveryMs: 86_400_000 },
  });
});

describe('an invalid configuration of a CRM', () => {
  it.each([
    ['{ type: crm, streams: { a: {} } }', 'sources.crm', '`drop` or `base_url` is missing'],
    ['{ type: crm, preset: salesforce }', 'sources.crm', '`base_url` is missing'],
    ['{ type: crm, base_url: https://crm.example.com }', 'sources.crm.streams', 'no stream is declared'],
    [
      `{ type: crm, drop: ./crm, base_url: https://crm.example.com, streams: { a: { pattern: "*.json", key: id, columns: { id: string } } } }`,
      'sources.crm.base_url',
      'has no effect together with `drop`',
    ],
    [
      `{ type: crm, drop: ./crm, streams: { a: { pattern: "*.json", next: none, key: id, columns: { id: string } } } }`,
      'sources.crm.streams.a.next',
      'has no effect for files',
    ],
    [FEED(PLAIN), 'sources.crm.streams.companies.next', '`next` is missing'],
    [
      FEED(`${PLAIN}, next: none, deleted: { when: record.idd == "x" }`),
      'sources.crm.streams.companies.deleted.when',
      'Did you mean `record.id`?',
    ],
    [
      FEED(`${PLAIN}, next: none, deleted: { when: record.id }`),
      'sources.crm.streams.companies.deleted.when',
      'true or false',
    ],
    [
      FEED(`${PLAIN}, next: none, pattern: "*.json"`),
      'sources.crm.streams.companies.pattern',
      'has no effect for a stream over HTTP',
    ],
    [
      FEED(`${PLAIN}, next: none, object: Account`),
      'sources.crm.streams.companies.object',
      'has no effect for a stream over HTTP',
    ],
    [FEED(`${PLAIN}, next: { token: /next }`), 'sources.crm.streams.companies.next', 'needs the `parameter`'],
    [
      FEED(`${PLAIN}, next: { link: /next, header: link }`),
      'sources.crm.streams.companies.next',
      'found `link` and `header`',
    ],
    [
      FEED(`${PLAIN}, next: { link: /next, size: 3 }`),
      'sources.crm.streams.companies.next.size',
      'has no effect without `offset` or `page`',
    ],
    [
      FEED(`${PLAIN}, next: { offset: skip, first: 0 }`),
      'sources.crm.streams.companies.next.first',
      'has no effect without `page`',
    ],
    [
      FEED(`${PLAIN}, next: none, body: { a: 1 }`),
      'sources.crm.streams.companies.body',
      'has no effect without `method: POST`',
    ],
    [FEED(`${PLAIN}, next: { page: /page }`), 'sources.crm.streams.companies.method', '`/page` is a place in a body'],
    [
      FEED(`${PLAIN}, next: { page: page, limit: /size }`),
      'sources.crm.streams.companies.method',
      '`/size` is a place in a body',
    ],
    [
      FEED(`${PLAIN}, next: none, detail: { path: /v1/companies }`),
      'sources.crm.streams.companies.detail.path',
      'expected a path such as /v1/employees/{key}',
    ],
    [
      FEED(`${PLAIN}, next: none, incremental: { full_every: 1d }`),
      'sources.crm.streams.companies.incremental.modified',
      '`modified` is missing',
    ],
    [
      FEED(`${PLAIN}, next: none, headers: { Authorization: x }`),
      'sources.crm.streams.companies.headers',
      'belongs in `auth`',
    ],
    [FEED(`${PLAIN.replace('/v1', 'v1')}, next: none`), 'sources.crm.streams.companies.path', 'expected a path'],
    [
      '{ type: crm, preset: hubspot, api_version: 2026-9 }',
      'sources.crm.api_version',
      'Write it as `2026-09` or `v3`.',
    ],
    [
      '{ type: crm, preset: salesforce, base_url: https://a.example.com, api_version: 2026-09 }',
      'sources.crm.api_version',
      'Write it as `v60.0`.',
    ],
    [
      FEED(`${PLAIN}, next: none`).replace('type: crm,', 'type: crm, api_version: v2,'),
      'sources.crm.api_version',
      'has no effect without a `preset`',
    ],
    ['{ type: crm, preset: hubspot, streams: { tickets: {} } }', 'sources.crm.streams.tickets', 'Name its `object:`'],
    [
      '{ type: crm, preset: hubspot, streams: { companies: { filter: x } } }',
      'sources.crm.streams.companies.filter',
      'support no filter',
    ],
    [
      '{ type: crm, preset: hubspot, streams: { companies: { path: /x } } }',
      'sources.crm.streams.companies.path',
      'has no effect for a `preset`',
    ],
    [
      '{ type: crm, preset: dynamics, base_url: https://a.example.com, streams: { x: { object: things } } }',
      'sources.crm.streams.x.key',
      'the key `id` is not a declared column',
    ],
  ])('is rejected: %s', (crm, place, said) => {
    const problems = show(readProblems(withCrm(crm)));
    expect(problems.filter((problem) => problem.includes(` ${place} |`) && problem.includes(said))).toHaveLength(1);
  });

  it('is rejected for `from` in a CSV file', () => {
    const text = SAMPLE.replace('phone: { type: string, optional: true }', 'phone: { type: string, from: /phone }');
    expect(show(readProblems(text)).join()).toContain('`from` has no effect in a CSV file');
  });
});

describe('a preset', () => {
  it('brings its streams, and accepts additional properties, columns and objects', () => {
    const preset =
      '{ type: crm, preset: hubspot, streams: { companies: { properties: [segment], columns: { name: { type: string, optional: true }, heads: int } }, tickets: { object: tickets } } }';
    const companies = load(preset, 'companies');
    expect(companies).toMatchObject({
      baseUrl: 'https://api.hubapi.com',
      dialect: 'hubspot',
      path: 'companies',
      key: 'id',
    });
    expect(companies.columns).toMatchObject({
      id: { from: '/id', optional: false },
      segment: { from: '/properties/segment', type: 'string', optional: true },
      name: { from: '/properties/name', optional: true },
      heads: { from: '/properties/heads', type: 'int' },
    });
    expect(load(preset, 'deals').path).toBe('deals');
    expect(load(preset, 'deals').version).toBe('2026-09');
    expect(load(preset.replace('type: crm,', 'type: crm, api_version: v3,'), 'deals').version).toBe('v3');
    expect(Object.keys(load(preset, 'tickets').columns)).toEqual(['id', 'created', 'modified']);
  });

  it('reads changes between daily reads, or everything every time', () => {
    const preset = (rest: string): string =>
      `{ type: crm, preset: salesforce, base_url: https://a.example.com, streams: { deals: { ${rest} } } }`;
    expect(load(preset(''), 'deals').incremental).toMatchObject({ fullEveryMs: 86_400_000, overlapMs: 600_000 });
    expect(load(preset('incremental: { full_every: 0s }'), 'deals').incremental).toBeNull();
  });
});

it('changes the digest for another query, but not for another address or secret', () => {
  const digest = (crm: string): string => loadSample(withCrm(crm)).digest;
  const plain = digest(FEED(`${PLAIN}, next: none`));
  expect(digest(FEED(`${PLAIN}, next: none, query: { active: "1" }`))).not.toBe(plain);
  expect(digest(FEED(`${PLAIN.replace('/v1', '/v2')}, next: none`))).not.toBe(plain);
  expect(digest(FEED(`${PLAIN}, next: none`).replace('crm.example.com', 'new.example.com'))).toBe(plain);
  const preset = (rest: string): string =>
    `{ type: crm, preset: salesforce, base_url: https://a.example.com, streams: { deals: { ${rest} } } }`;
  expect(digest(preset('filter: IsWon = true'))).not.toBe(digest(preset('')));
});
