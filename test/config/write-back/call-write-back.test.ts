import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { CallWriteBack } from '../../../src/connectors/write-back-config.js';
import { EXAMPLE_ENV, loadSample, readProblems, SAMPLE, show } from '../sample.js';

const IDP = 'auth: { bearer: { env: IDP_TOKEN } }';
const withSource = (name: string, source: string): string =>
  SAMPLE.replace('\nusers:', `\n  ${name}: ${source}\nusers:`);
const FEED = (stream: string): string =>
  withSource(
    'crm',
    `{ type: crm, base_url: https://crm.example.com/api, streams: { deals: { path: /v1/deals, next: none, key: id, columns: { id: string, name: string }, ${stream} } } }`,
  );
const PRESET = (preset: string, stream: string): string =>
  withSource(
    'crm',
    `{ type: crm, preset: ${preset}, base_url: https://crm.example.com, streams: { deals: { ${stream} } } }`,
  );

function loadDeals(text: string): CallWriteBack | null | undefined {
  const source = loadSample(text).sources.crm;
  const stream = source?.type === 'crm' ? source.streams.deals : undefined;
  if (stream === undefined || !('baseUrl' in stream)) throw new Error('no feed deals');
  return stream.writeBack;
}

const DAY = 86_400_000;

describe('write-back by calls', () => {
  it('is configured for an identity provider', () => {
    const load = (more: string) => {
      const { idp } = loadSample(SAMPLE.replace(IDP, `${IDP}${more}`)).sources;
      return idp?.type === 'scim' ? idp.writeBack : undefined;
    };
    expect(load('')).toBeNull();
    expect(load(', write_back: true')).toEqual({ lapseMs: DAY, request: null });
    expect(load(', write_back: { lapse: 12h }')).toEqual({ lapseMs: DAY / 2, request: null });
  });

  it('is configured for a feed, with the request that changes a record', () => {
    expect(loadDeals(FEED('rows: /results'))).toBeNull();
    expect(loadDeals(FEED('write_back: true'))).toEqual({
      lapseMs: DAY,
      request: { method: 'PATCH', path: '/v1/deals/{key}', body: null },
    });
    expect(
      loadDeals(
        FEED('write_back: { lapse: 2d, method: POST, path: /v2/update, body: { id: "{key}", set: "{cells}" } }'),
      ),
    ).toEqual({
      lapseMs: 2 * DAY,
      request: { method: 'POST', path: '/v2/update', body: { id: '{key}', set: '{cells}' } },
    });
  });

  it.each(['hubspot', 'salesforce', 'dynamics'])('is configured for %s without a request', (preset) => {
    expect(loadDeals(PRESET(preset, 'write_back: true'))).toEqual({ lapseMs: DAY, request: null });
  });
});

const AT = 'sources.crm.streams.deals.write_back';

it.each([
  [
    withSource('pushed', '{ type: scim-push, tokens: [{ env: IDP_TOKEN }], write_back: true }'),
    'sources.pushed.write_back',
    'cannot be written to',
  ],
  [
    withSource('crm', '{ type: crm, preset: salesforce, base_url: https://a.example.com, write_back: true }'),
    'sources.crm.write_back',
    'is in a stream',
  ],
  [PRESET('salesforce', 'write_back: { method: PUT }'), `${AT}.method`, 'has no effect for a `preset`'],
  [PRESET('hubspot', 'write_back: { body: { a: "{cells}" } }'), `${AT}.body`, 'has no effect for a `preset`'],
  [PRESET('hubspot', 'key: name, write_back: true'), AT, 'written by their `id`'],
  [PRESET('salesforce', 'key: name, write_back: true'), AT, 'written by their `Id`'],
  [PRESET('dynamics', 'key: name, write_back: true'), AT, 'written by their id'],
  [FEED('write_back: { method: GET }'), `${AT}.method`, '"GET" is not accepted'],
  [FEED('write_back: { path: /v1/deals }'), AT, 'neither `path` nor `body` names the record'],
  [FEED('write_back: { path: "/v1/{id}/{key}" }'), `${AT}.path`, '`{id}` is not filled in a path'],
  [FEED('write_back: { path: "/v1?id={key}" }'), `${AT}.path`, 'expected a path'],
  [FEED('write_back: { body: { title: "{cells.nmae}" } }'), `${AT}.body`, '`{cells.nmae}` is not known'],
  [FEED('write_back: { body: { id: "{key}" } }'), `${AT}.body`, 'has no place for the written values'],
])('rejects an invalid write-back: %#', (text, place, message) => {
  expect(show(readProblems(text))).toEqual([expect.stringContaining(`${place} | `)]);
  expect(readProblems(text)[0]?.message).toContain(message);
});

test('rejects the people of a project without a mapping that reads CVs', () => {
  const example = readFileSync(new URL('../../../config/both-directions.yaml', import.meta.url), 'utf8');
  const staffing = /^staffing:.*\n(?: .*\n)+/m;
  expect(loadSample(example, EXAMPLE_ENV).mappings.staffing).toBeDefined();
  expect(example).toMatch(staffing);
  expect(show(readProblems(example.replace(staffing, ''), EXAMPLE_ENV))).toEqual([
    expect.stringMatching(
      /projects\.write_back\.crm\.deals\.talent_people \| the people on a project are not known, because this configuration reads no CVs/,
    ),
  ]);
});
