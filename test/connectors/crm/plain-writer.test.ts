import { describe, expect, it } from 'vitest';
import { systemOf } from '../../../src/connectors/crm/systems.js';
import type { ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import { createListedWriter } from '../../../src/connectors/listed/listed-writer.js';
import { fillBody } from '../../../src/connectors/listed/plain/body-template.js';
import type { WriteBackRequest } from '../../../src/connectors/write-back-config.js';
import type { Json } from '../../../src/model/json.js';
import { closeAfterTest } from '../../closing.js';
import { buildContext, column, listedConfig } from '../fixtures.js';
import { write, writeAll } from '../writing.js';
import { startVendor, type VendorReply } from './imitations/vendor-server.js';

const COLUMNS = {
  id: column('string'),
  name: column('string', { from: '/attributes/name' }),
  heads: column('int', { from: '/attributes/size/heads' }),
  won: column('bool'),
  start: column('date', { format: 'dd.MM.yyyy' }),
  tags: column('list'),
  extra: column('map'),
};

/** Opens a writer to a server that accepts every change, unless configured otherwise. */
async function open(
  request: Partial<WriteBackRequest> = {},
  rest: Partial<ListedStreamConfig> = {},
  reply: VendorReply = { status: 204 },
) {
  const server = await startVendor({
    answer: () => reply,
    refuse: (status) => ({ status, body: { message: 'imitated' } }),
  });
  closeAfterTest(server);
  const feed = listedConfig(`${server.url}/api`, {
    path: '/v1/deals',
    columns: COLUMNS,
    writeBack: { lapseMs: 1, request: { method: 'PATCH', path: '/v1/deals/{key}', body: null, ...request } },
    ...rest,
  });
  const writer = createListedWriter('crm.deals', feed, systemOf(feed), buildContext());
  closeAfterTest(writer);
  const sent = () =>
    server.requests.map(({ method, path, body }) => [`${method} ${path}`, JSON.parse(body) as unknown]);
  return { server, writer, sent };
}

it('writes typed columns to where they are read from, to an address with the key in it', async () => {
  const { writer, sent, server } = await open({}, { query: { tenant: 'a b' }, headers: { 'x-tenant': 'acme' } });
  const cells = { name: 'A', heads: '7', won: 'yes', start: '2026-07-01', tags: ['a'], extra: { b: null } };
  const { outcomes } = await writeAll(writer, [write('a/b ?', cells), write('2', { name: null, start: null })]);
  expect(sent()).toEqual([
    [
      'PATCH /api/v1/deals/a/b ?',
      {
        attributes: { name: 'A', size: { heads: 7 } },
        won: true,
        start: '01.07.2026',
        tags: ['a'],
        extra: { b: null },
      },
    ],
    ['PATCH /api/v1/deals/2', { attributes: { name: null }, start: null }],
  ]);
  expect(server.requests[0]?.query.get('tenant')).toBe('a b');
  expect(server.requests[0]?.headers['x-tenant']).toBe('acme');
  expect(outcomes.get('a/b ?')).toMatchObject({ status: 'done', at: 'PATCH /v1/deals/a%2Fb%20%3F' });
  expect(writer.forecast(2)).toEqual({ 'PATCH /v1/deals/{key}': 2 });
});

it('fills in a configured request', async () => {
  const body = {
    id: '{key}',
    note: 'of {key}: {cells.name}',
    set: '{cells}',
    heads: '{cells.heads}',
    list: ['{cells.won}', 1],
  };
  const { writer, sent } = await open({ method: 'POST', path: '/v1/update', body });
  await writeAll(writer, [write('1', { name: 'A', heads: 7 }), write('2', { won: false })]);
  expect(sent()).toEqual([
    ['POST /api/v1/update', { id: '1', note: 'of 1: A', set: { name: 'A', heads: 7 }, heads: 7, list: [1] }],
    ['POST /api/v1/update', { id: '2', set: { won: false }, list: [false, 1] }],
  ]);
});

it.each<[Json, Json]>([
  ['{cells}', { name: null }],
  [{ a: '{cells.name}' }, { a: null }],
  [{ a: '<{cells.name}>' }, { a: '<>' }],
  [{ a: '{cells.other}', b: { c: ['{cells.other}'] } }, { b: { c: [] } }],
  [
    { a: '{cells.other}{key}', b: 'x{y}', c: 7, d: null },
    { b: 'x{y}', c: 7, d: null },
  ],
  ['{cells.other}', {}],
])('fills in %j as %j', (template, filled) => {
  expect(fillBody(template, { record: 'k', cells: { name: null } })).toEqual(filled);
});

describe('the writer, reading responses', () => {
  it.each([
    [200, '', 'done'],
    [200, 'OK', 'done'],
    [202, undefined, 'done'],
    [200, { id: '1' }, 'done'],
    [400, { message: 'No' }, 'refused'],
    [403, undefined, 'refused'],
    [404, { error: { message: 'gone' } }, 'refused'],
    [409, { detail: 'clash' }, 'refused'],
    [422, { title: 'bad' }, 'refused'],
    [500, '', 'lost'],
    [200, '<html>Log in</html>', 'lost'],
  ])('takes the status %d with the body %j as %s', async (status, body, expected) => {
    const { writer } = await open({}, {}, body === undefined ? { status } : { status, body });
    const { statuses } = await writeAll(writer, [write('1', { name: 'A' })]);
    expect(statuses).toEqual({ 1: expected });
  });

  it('does not follow a redirect, and reports nothing as written', async () => {
    const { writer, server } = await open(
      {},
      {},
      { status: 302, headers: { location: 'https://elsewhere.example.com' } },
    );
    const { statuses, error } = await writeAll(writer, [write('1', { name: 'A' }), write('2', { name: 'B' })]);
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code: 'SYNC_SOURCE_UNREADABLE' })]);
    expect(server.requests).toHaveLength(1);
  });

  it('keeps the request id of the CRM in the outcome', async () => {
    const { writer } = await open({}, {}, { status: 204, headers: { 'x-request-id': 'r-7' } });
    expect((await writeAll(writer, [write('1', { name: 'A' })])).outcomes.get('1')?.requestId).toBe('r-7');
  });
});

it('rejects values that a column cannot hold, without a call', async () => {
  const { writer, sent } = await open();
  const bad: Readonly<Record<string, Json>> = {
    heads: 'many',
    won: 'perhaps',
    start: '2026-07-01T12:00',
    tags: 'a',
    extra: [],
    name: { a: 1 },
  };
  const { statuses, say } = await writeAll(
    writer,
    Object.entries(bad).map(([name, value]) => write(name, { [name]: value })),
  );
  expect(statuses).toEqual(Object.fromEntries(Object.keys(bad).map((name) => [name, 'refused'])));
  expect(say('heads')).toBe('`heads` would be "many", expected a number.');
  expect(sent()).toEqual([]);
});

it.each(['', '.', '..'])('rejects a key that would change the address: "%s"', async (key) => {
  const { writer, server } = await open();
  expect((await writeAll(writer, [write(key, { name: 'A' })])).statuses).toEqual({ [key]: 'refused' });
  expect(server.requests).toEqual([]);
});

it('writes records one call after the other, without collecting them', async () => {
  const { writer } = await open({}, {}, { status: 400 });
  let [made, told] = [0, 0];
  function* records() {
    for (; made < 50; made++) {
      expect(made - told).toBeLessThanOrEqual(1);
      yield write(String(made), { name: 'A' });
    }
  }
  await writer.write(records(), { run: 'r', atMs: 0 }, () => void told++);
  expect([made, told]).toEqual([50, 50]);
});
