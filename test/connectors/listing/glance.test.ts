import { describe, expect, it } from 'vitest';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { openFeed } from '../crm/listed-stream.js';
import { answerJson, buildContext, type Respond, scimConfig, servePages, startServer } from '../fixtures.js';

const people = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `p${at}`, userName: `p${at}` }));
const queryOf = (url = '') => new URL(url, 'http://x').searchParams;

/** Counts only the rows of each page. */
const countingPages =
  (all: readonly object[], most: number): Respond =>
  (request, response) => {
    const start = Number(queryOf(request.url).get('startIndex')) - 1;
    const Resources = all.slice(start, start + most);
    answerJson(response, { totalResults: Resources.length, Resources });
  };
const alike =
  (count: number): Respond =>
  (_, response) =>
    answerJson(response, { totalResults: count, Resources: people(count) });
const byCursor: Respond = (_, response) => answerJson(response, { Resources: people(100), nextCursor: 'x' });

describe('the check of a SCIM source', () => {
  it.each<[string, Respond, string, number, string | null, 'index' | 'cursor']>([
    ['more people than one page holds', servePages(people(130)), '130 users, paged by index', 1, null, 'index'],
    ['fewer people than one page holds', servePages(people(12)), '12 users, paged by index', 2, null, 'index'],
    ['no people', servePages([]), '0 users, paged by index', 1, null, 'index'],
    [
      'a provider that counts its pages',
      countingPages(people(12), 10),
      'an unknown number of users, paged by index',
      2,
      null,
      'index',
    ],
    [
      'a provider that answers every page alike',
      alike(3),
      '3 users, paged by index',
      2,
      'answers with the first page again',
      'index',
    ],
    [
      'as many people as requested, each time',
      alike(100),
      'an unknown number of users',
      2,
      'as many as the query asks for',
      'index',
    ],
    [
      'a cursor without a count',
      byCursor,
      'an unknown number of users, paged by cursor',
      1,
      'counts no users',
      'cursor',
    ],
  ])('describes %s', async (_, respond, detail, requests, unproven, paging) => {
    const server = await startServer(respond);
    const connector = createScimConnector('idp', scimConfig(server.baseUrl, { pageSize: 100, paging }), buildContext());
    const probe = await connector.probe();
    expect(probe.detail).toContain(detail);
    expect(server.requests).toHaveLength(requests);
    expect(probe.unproven ?? '').toContain(unproven ?? '');
    expect(probe.unproven === undefined).toBe(unproven === null);
  });
});

describe('the check of a list of a CRM', () => {
  const rows = (count: number) => people(count).map(({ id }) => ({ id, name: id }));
  it.each<[string, object, Parameters<typeof openFeed>[1], string, string | null]>([
    ['a single response', { results: rows(3) }, { next: { kind: 'none' } }, '3 rows on the first page', 'answers once'],
    [
      'as many rows as requested',
      { results: rows(3) },
      { next: { kind: 'none' }, query: { top: '3' } },
      '3 rows',
      'as many as the query asks for',
    ],
    [
      'a page that does not mention a next one',
      { results: rows(3) },
      {},
      '3 rows',
      'names no next page at next.token (/next)',
    ],
    ['such a page, if trusted', { results: rows(3) }, { isEndTrusted: true }, '3 rows', null],
    ['a count above the page', { results: rows(3), next: 'x', total: 7 }, { total: '/total' }, '7 rows', null],
    [
      'a count of the only page',
      { results: rows(3), next: null, total: 3 },
      { total: '/total' },
      '3 rows',
      'its only page',
    ],
  ])('describes %s', async (_, answer, config, detail, unproven) => {
    const { connector } = await openFeed((__, response) => answerJson(response, answer), config);
    const probe = await connector.probe();
    expect(probe.detail).toContain(detail);
    expect(probe.unproven ?? '').toContain(unproven ?? '');
    expect(probe.unproven === undefined).toBe(unproven === null);
  });
});
