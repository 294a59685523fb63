import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { type Desk, openDesk, TOKENS } from '../daemon/web/scim/desk.js';
import { oneIn } from '../depth.js';
import { expectKept } from './kept-table.js';

/** A client's request to the receiver, on objects of its own. `isTaken`: whether it was carried out, and how often. */
interface PushCall {
  readonly name: string;
  prepare(desk: Desk, number: number): Promise<Prepared>;
}

interface Prepared {
  readonly method: string;
  readonly path: string;
  readonly body: object | null;
  /** The number of times that its effect is visible. */
  countTaken(): Promise<number>;
}

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const patchBody = (path: string, value: unknown): object => ({
  schemas: [PATCH_OP],
  Operations: [{ op: 'add', path, value }],
});

async function countNamed(desk: Desk, kind: 'Users' | 'Groups', name: string): Promise<number> {
  const attribute = kind === 'Users' ? 'userName' : 'displayName';
  const { json } = await desk.call('GET', `/${kind}?filter=${encodeURIComponent(`${attribute} eq "${name}"`)}`);
  return json.totalResults;
}

async function hasTitle(desk: Desk, id: string, title: string): Promise<number> {
  return (await desk.call('GET', `/Users/${id}`)).json.title === title ? 1 : 0;
}

const CALLS: readonly PushCall[] = [
  {
    name: 'POST /Users',
    async prepare(desk, number) {
      const name = `new-${number}`;
      const body = { userName: name, title: 'x'.repeat(200) };
      return { method: 'POST', path: '/Users', body, countTaken: () => countNamed(desk, 'Users', name) };
    },
  },
  {
    name: 'PUT /Users/ID',
    async prepare(desk, number) {
      const userName = `put-${number}`;
      const { id } = await desk.addUser(userName);
      const body = { userName, title: 'Lead' };
      return { method: 'PUT', path: `/Users/${id}`, body, countTaken: () => hasTitle(desk, id, 'Lead') };
    },
  },
  {
    name: 'PATCH /Users/ID',
    async prepare(desk, number) {
      const { id } = await desk.addUser(`patch-${number}`);
      const body = patchBody('title', 'Lead');
      return { method: 'PATCH', path: `/Users/${id}`, body, countTaken: () => hasTitle(desk, id, 'Lead') };
    },
  },
  {
    name: 'DELETE /Users/ID',
    async prepare(desk, number) {
      const { id } = await desk.addUser(`delete-${number}`);
      const countTaken = async (): Promise<number> => ((await desk.call('GET', `/Users/${id}`)).status === 404 ? 1 : 0);
      return { method: 'DELETE', path: `/Users/${id}`, body: null, countTaken };
    },
  },
  {
    name: 'POST /Groups',
    async prepare(desk, number) {
      const name = `Team ${number}`;
      const body = { displayName: name };
      return { method: 'POST', path: '/Groups', body, countTaken: () => countNamed(desk, 'Groups', name) };
    },
  },
  {
    name: 'PATCH /Groups/ID',
    async prepare(desk, number) {
      const [user, group] = [await desk.addUser(`member-${number}`), await desk.addGroup(`Of ${number}`)];
      const countTaken = async (): Promise<number> =>
        (await desk.call('GET', `/Groups/${group.id}`)).json.members?.length ?? 0;
      const body = patchBody('members', [{ value: user.id }]);
      return { method: 'PATCH', path: `/Groups/${group.id}`, body, countTaken };
    },
  },
  {
    name: 'POST /Bulk',
    async prepare(desk, number) {
      const name = `bulk-${number}`;
      const operation = { method: 'POST', path: '/Users', bulkId: 'a', data: { userName: name } };
      const body = { schemas: [BULK], Operations: [operation] };
      return { method: 'POST', path: '/Bulk', body, countTaken: () => countNamed(desk, 'Users', name) };
    },
  },
];

interface Sending {
  /** Host and port to connect to. */
  readonly url: URL;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends bytes. @returns the statuses that came back; null for an answer that nobody waited for */
type Sender = (sending: Sending) => Promise<readonly (number | null)[]>;

interface PushFault {
  readonly name: string;
  readonly send: Sender;
  /** A call without a body cannot meet it. */
  readonly ofBody?: true;
  /** The call has been carried out already when it is answered. */
  readonly isRepeat?: true;
  /** All of it arrives, although nobody waits for the answer. */
  readonly isWhole?: true;
}

function headOf({ method, path, headers, body }: Sending, more: readonly string[] = []): string {
  const all = { host: 'localhost', 'content-length': String(body.length), connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, ...more, '', ''].join('\r\n');
}

/** @param leave ends the connection once all is written, without reading the answer */
function exchange(url: URL, parts: readonly (Buffer | string)[], leave = false): Promise<readonly (number | null)[]> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const statuses = [...text.matchAll(/(?:^|\r\n)HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve(statuses.length === 0 || leave ? [null] : statuses);
    });
    const all = Buffer.concat(parts.map((part) => Buffer.from(part)));
    socket.write(all, () => {
      if (leave) setTimeout(() => socket.destroy(), LEAVES_AFTER_MS);
    });
  });
}

/** Long enough for the bytes to be in transit. */
const LEAVES_AFTER_MS = 30;

const honest: Sender = (sending) => exchange(sending.url, [headOf(sending), sending.body]);
const withHeaders =
  (headers: Readonly<Record<string, string>>): Sender =>
  (sending) =>
    honest({ ...sending, headers: { ...sending.headers, ...headers } });
const withBody =
  (change: (body: Buffer) => Buffer, headers: Readonly<Record<string, string>> = {}): Sender =>
  (sending) =>
    honest({ ...sending, headers: { ...sending.headers, ...headers }, body: change(sending.body) });
const inChunks = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

const MUCH = 5 * 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(8 * MUCH, ' '));

/** Everything that a client, or the network on its side, may do. */
const FAULTS: readonly PushFault[] = [
  { name: 'none', send: honest },
  { name: 'no token', send: withHeaders({ authorization: '' }) },
  { name: 'wrong token', send: withHeaders({ authorization: 'Bearer another-token' }) },
  { name: 'another login method', send: withHeaders({ authorization: 'Basic aHI6aHI=' }) },
  { name: 'wrong content type', send: withHeaders({ 'content-type': 'text/xml' }), ofBody: true },
  { name: 'not JSON', send: withBody(() => Buffer.from('<Users/>')), ofBody: true },
  { name: 'JSON of another kind', send: withBody(() => Buffer.from('7')), ofBody: true },
  { name: 'UTF-16', send: withBody((body) => Buffer.from(body.toString(), 'utf16le')), ofBody: true },
  { name: 'compressed', send: withBody(gzipSync, { 'content-encoding': 'gzip' }), ofBody: true },
  { name: 'gzip bomb', send: withBody(() => bomb, { 'content-encoding': 'gzip' }), ofBody: true },
  { name: 'too large', send: withBody((body) => Buffer.concat([body, Buffer.alloc(6 * MUCH, ' ')])), ofBody: true },
  {
    name: 'too large, in chunks',
    send: ({ body, ...sending }) => {
      const much = inChunks(Buffer.concat([body, Buffer.alloc(6 * MUCH, ' ')]));
      const head = headOf({ ...sending, body }).replace(/content-length: \d+/, 'transfer-encoding: chunked');
      return exchange(sending.url, [head, much]);
    },
    ofBody: true,
  },
  {
    name: 'truncated body',
    send: (sending) =>
      exchange(sending.url, [headOf(sending), sending.body.subarray(0, sending.body.length / 2)], true),
    ofBody: true,
  },
  { name: 'truncated head', send: (sending) => exchange(sending.url, [headOf(sending).slice(0, 40)], true) },
  {
    name: 'slow body',
    send: async (sending) => {
      const answered = exchange(sending.url, [headOf(sending), sending.body.subarray(0, 5)]);
      setTimeout(() => vi.spyOn(performance, 'now').mockImplementation(() => REAL_NOW() + A_LONG_TIME_MS), 100);
      return answered;
    },
    ofBody: true,
  },
  {
    name: 'two lengths',
    send: (sending) => exchange(sending.url, [headOf(sending, ['content-length: 2']), sending.body]),
    ofBody: true,
  },
  {
    name: 'length and chunks',
    send: (sending) => exchange(sending.url, [headOf(sending, ['transfer-encoding: chunked']), inChunks(sending.body)]),
    ofBody: true,
  },
  {
    name: 'answer lost',
    send: (sending) => exchange(sending.url, [headOf(sending), sending.body], true),
    isWhole: true,
  },
  {
    name: 'answer lost, sent again',
    send: async (sending) => {
      await exchange(sending.url, [headOf(sending), sending.body], true);
      return honest(sending);
    },
    isRepeat: true,
  },
  {
    name: 'sent twice at the same time',
    send: async (sending) => (await Promise.all([honest(sending), honest(sending)])).flat(),
  },
];

const REAL_NOW = performance.now.bind(performance);
const A_LONG_TIME_MS = 60_000;

const VERDICTS = ['done', 'rejected', 'dropped'] as const;

async function runCell(desk: Desk, { call, fault, number }: { call: PushCall; fault: PushFault; number: number }) {
  const { method, path, body, countTaken } = await call.prepare(desk, number);
  const before = await countTaken();
  const url = new URL(desk.url);
  const statuses = await fault.send({
    url,
    method,
    path: url.pathname + path,
    headers: {
      authorization: `Bearer ${TOKENS[0]}`,
      ...(body === null ? {} : { 'content-type': 'application/scim+json' }),
    },
    body: Buffer.from(body === null ? '' : JSON.stringify(body)),
  });
  const told = `${fault.name}, ${call.name}: ${statuses.join(', ')}`;
  const sayAnswers = statuses.map((status) => (status === null ? 'none' : String(status)));
  if (fault.isWhole) await vi.waitFor(async () => expect(await countTaken(), told).toBe(before + 1), 10_000);
  const after = await countTaken();
  expect(after - before, told).toBeLessThanOrEqual(1);
  const isAnswered = statuses.some((status) => status !== null && status < 300);
  if (isAnswered) expect(after - before, told).toBe(1);
  const isRefused = statuses.every((status) => status !== null && status >= 400);
  if (isRefused && fault.isRepeat !== true) expect(after, told).toBe(before);
  const verdict = after > before ? 'done' : isRefused ? 'rejected' : 'dropped';
  return { verdict, answers: sayAnswers.sort().join(' then ') } as const;
}

test('handles every fault in every call of a client that pushes users', async () => {
  const rows: (string | number)[][] = [];
  let number = 0;
  for (const fault of oneIn(3, FAULTS, 1)) {
    const desk = await openDesk();
    const calls = CALLS.filter(({ name }) => fault.ofBody !== true || !name.startsWith('DELETE'));
    const cells = await Promise.all(calls.map((call) => runCell(desk, { call, fault, number: ++number })));
    vi.restoreAllMocks();
    const answers = [...new Set(cells.map((cell) => cell.answers))].sort();
    const counts = VERDICTS.map((verdict) => cells.filter((cell) => cell.verdict === verdict).length);
    rows.push([fault.name, answers.join(', '), ...counts]);
  }
  expectKept('pushed users', ['fault', 'answers', ...VERDICTS], rows);
});
