import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { createWriters } from '../../src/connectors/create-writers.js';
import type { SourceWriter } from '../../src/connectors/source-writer.js';
import type { WriteOutcome } from '../../src/model/write-back.js';
import { closeAfterTest } from '../closing.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { buildContext } from '../connectors/fixtures.js';
import { write, writeAll } from '../connectors/writing.js';
import { oneIn } from '../depth.js';
import { answerHonestly, IDS, LOGINS, openSource, SOURCES, TOKEN } from '../hostile/every-source.js';
import { CALL_FAULTS, type CallFault, type Honest, PATIENCE_MS } from './call-faults.js';
import { openElsewhere, openExpired, openFaulty } from './fault-server.js';
import { expectKept } from './kept-table.js';

type Login = keyof typeof LOGINS;

/** Every kind of system that values are written back to by calls, and a column that it accepts. */
const SYSTEMS: readonly (readonly [string, string, string])[] = [
  ['scim', 'type: scim, AT, write_back: true', 'title'],
  ['hubspot', 'type: crm, AT, preset: hubspot, streams: { companies: { write_back: true } }', 'name'],
  ['salesforce', 'type: crm, AT, preset: salesforce, streams: { companies: { write_back: true } }', 'name'],
  ['dynamics', 'type: crm, AT, preset: dynamics, streams: { companies: { write_back: true } }', 'name'],
  [
    'any other',
    'type: crm, AT, streams: { a: { path: /a, rows: /results, next: none, key: id, columns: { id: string, name: string }, write_back: true } }',
    'name',
  ],
];

async function openWriter(build: string, url: string, login: Login, timeout: string): Promise<SourceWriter> {
  const at = `base_url: "${url}", timeout: ${timeout}, auth: ${LOGINS[login](url)}`;
  const text = SAMPLE.replace('\nusers:', `\n  tried: { ${build.replace('AT', at)} }\nusers:`);
  const config = loadSample(text, { TALENT_API_KEY: 'key', IDP_TOKEN: 'token', SOURCE_TOKEN: TOKEN });
  const { tried } = config.sources;
  if (tried === undefined) throw new Error('the source is not in the configuration');
  const [writer] = (await createWriters({ ...config, sources: { tried } }, buildContext())).values();
  if (writer === undefined) throw new Error('nothing is written to');
  closeAfterTest(writer);
  return writer;
}

/** The answer of each system to a write that it accepts. */
function be({ url = '', method }: IncomingMessage): Honest {
  const headers = { 'content-type': 'application/json' };
  const answer = (body: object): Honest => ({ status: 200, headers, text: JSON.stringify(body) });
  if (url === '/token') return answer({ access_token: 'made-for-a-while', token_type: 'bearer', expires_in: 3_600 });
  if (method === 'GET') return { status: 200, headers, text: answerHonestly({ url } as IncomingMessage) ?? '{}' };
  const [id] = IDS;
  if (url.includes('/composite/')) return answer([{ id, success: true, errors: [] }]);
  const values = { name: 'New', title: 'New' };
  return answer({ id, ...values, results: [{ id, properties: values }], errors: [] });
}

/** A token is not a list that could be short. */
const NO_LIST: readonly string[] = ['empty page', 'short page'];

/** The knowledge about a record: `done`, `lost`, `rejected` with the system's words, or `not written`. */
const VERDICTS = ['done', 'lost', 'rejected', 'not written'] as const;
type Verdict = (typeof VERDICTS)[number];

interface Trying {
  readonly system: (typeof SYSTEMS)[number];
  readonly fault: CallFault;
  readonly elsewhere: string;
  readonly unreached: string;
  /** The fault meets the calls for a token instead. */
  readonly atToken: boolean;
}

async function writeOne({ system, fault, elsewhere, unreached, atToken }: Trying): Promise<{
  readonly verdict: Verdict;
  readonly sent: number;
}> {
  const [, build, column] = system;
  const isToken = ({ url }: IncomingMessage): boolean => url === '/token';
  const meets = (request: IncomingMessage): boolean =>
    atToken ? isToken(request) : !isToken(request) && request.method !== 'GET';
  const server = await openFaulty(fault, elsewhere, { be, meets });
  const url = fault.answer === null ? unreached : server.url;
  const timeout = fault.isSlow === true ? `${PATIENCE_MS}ms` : '20s';
  const writer = await openWriter(build, url, atToken ? 'oauth2' : 'bearer', timeout);
  const { statuses, error, say } = await writeAll(writer, [write('k1', { [column]: 'New' })]);
  server.close();
  if (error !== null && !(error instanceof SyncError)) throw error;
  const told = error === null ? '' : `${error.message} ${error.place} ${error.remedy}`;
  expect(`${told} ${say('k1')}`).not.toContain(TOKEN);
  const sent = server.requests.filter((line) => !line.startsWith('GET') && !line.endsWith('/token')).length;
  return { verdict: nameStatus(statuses.k1), sent };
}

function nameStatus(status: WriteOutcome['status'] | undefined): Verdict {
  return status === 'refused' ? 'rejected' : (status ?? 'not written');
}

function countThem(found: readonly Verdict[]): readonly number[] {
  return VERDICTS.map((verdict) => found.filter((one) => one === verdict).length);
}

test('handles every fault in every write-back, and in every call for a token', async () => {
  const [elsewhere, expired] = [await openElsewhere(), await openExpired()];
  const written: (string | number)[][] = [];
  const tokens: (string | number)[][] = [];
  const honest: CallFault = { name: 'none', stage: 'answer', answer: () => undefined };
  for (const system of SYSTEMS) {
    const server = await openFaulty(honest, elsewhere.url, { be, meets: () => false });
    const writer = await openWriter(system[1], server.url, 'bearer', '20s');
    const { statuses } = await writeAll(writer, [write('k1', { [system[2]]: 'New' })]);
    server.close();
    expect([system[0], statuses]).toEqual([system[0], { k1: 'done' }]);
  }
  for (const fault of oneIn(8, CALL_FAULTS, 2)) {
    const unreached = fault.name === 'unknown host' ? 'http://nowhere.invalid' : expired.url;
    const trying = { fault, elsewhere: elsewhere.url, unreached };
    const found = await Promise.all(SYSTEMS.map((system) => writeOne({ ...trying, system, atToken: false })));
    for (const [at, { verdict }] of found.entries()) {
      const told = `${fault.name}, ${SYSTEMS[at]?.[0]}: ${verdict}`;
      // Only an answer can say that a value was accepted, and an unsent one is not left open.
      if (fault.stage !== 'answer') expect(verdict, told).not.toBe('done');
      if (fault.stage === 'unsent') expect(['not written', 'rejected'], told).toContain(verdict);
      if (fault.stage === 'open') expect(['lost', 'rejected'], told).toContain(verdict);
    }
    written.push([fault.name, ...countThem(found.map(({ verdict }) => verdict))]);
    if (fault.answer === null || NO_LIST.includes(fault.name)) continue;
    const asked = await Promise.all(SYSTEMS.map((system) => writeOne({ ...trying, system, atToken: true })));
    // Without a token nothing is sent.
    for (const { verdict, sent } of asked) expect([fault.name, verdict, sent]).toEqual([fault.name, 'not written', 0]);
    const read = await Promise.all(SOURCES.map((source) => readWith(source[1], trying)));
    for (const verdict of read) expect([fault.name, verdict]).toEqual([fault.name, 'unusable']);
    tokens.push([fault.name, read.length, asked.length]);
  }
  expect(elsewhere.requests, 'a redirect was followed').toEqual([]);
  expect(expired.requests, 'a certificate that is over was accepted').toEqual([]);
  expectKept('write-backs', ['fault', ...VERDICTS], written);
  expectKept('token calls', ['fault', 'sources: unusable', 'write-backs: not written'], tokens);
});

/** A source that is read while no token is available. */
async function readWith(
  build: (at: string) => string,
  { fault, elsewhere }: Pick<Trying, 'fault' | 'elsewhere'>,
): Promise<'read' | 'unusable'> {
  const server = await openFaulty(fault, elsewhere, { be, meets: ({ url }) => url === '/token' });
  const timeout = fault.isSlow === true ? `${PATIENCE_MS}ms` : '20s';
  const [connector] = await openSource(build, server.url, 'oauth2', timeout);
  try {
    await connector?.read(() => undefined);
    return 'read';
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    expect(`${error.message} ${error.place} ${error.remedy}`).not.toContain(TOKEN);
    return 'unusable';
  } finally {
    server.close();
  }
}
