import { expect, test } from 'vitest';
import { openHttpSockets } from '../../src/base/http/http-sockets.js';
import type { SocketOptions } from '../../src/base/http/sockets.js';
import type { Endpoint } from '../../src/service/endpoint.js';
import { ENDPOINTS, type EndpointName } from '../../src/service/endpoints.js';
import { type CallOutcome, ServiceError } from '../../src/service/service-error.js';
import { createTalentService } from '../../src/service/talent-service.js';
import { oneIn } from '../depth.js';
import type { CallCase } from '../service/cases/call-case.js';
import { CV_CASES } from '../service/cases/cvs.js';
import { FILE_CASES } from '../service/cases/files.js';
import { PEOPLE_CASES } from '../service/cases/people.js';
import { PROJECT_CASES } from '../service/cases/projects.js';
import { PROPOSAL_CASES } from '../service/cases/proposals.js';
import { TAG_CASES } from '../service/cases/tags.js';
import { createInstantClock } from '../service/instant-clock.js';
import { CALL_FAULTS, type CallFault, type Honest, MOST_BYTES, MUCH_PATIENCE_MS, PATIENCE_MS } from './call-faults.js';
import { type FaultServer, openElsewhere, openExpired, openFaulty } from './fault-server.js';
import { expectKept } from './kept-table.js';

const ALL = [...PEOPLE_CASES, ...TAG_CASES, ...PROJECT_CASES, ...CV_CASES, ...PROPOSAL_CASES, ...FILE_CASES];
const CASES = ALL.filter(({ line }) => line !== null);
/** The number of concurrent calls: more would only wait for each other. */
const AT_ONCE = 22;
/** The longest wait for a rate limit in this test. */
const GIVE_UP_MS = 10_000;

const endpointOf = ({ name }: CallCase): Endpoint => ENDPOINTS[name as EndpointName];
const isFile = (call: CallCase): boolean => endpointOf(call).family === 'download';

function honestOf({ reply = {} }: CallCase): Honest {
  const { status = 200, body = {}, text, headers = {} } = reply;
  const json = { 'content-type': 'application/json', 'x-request-id': 'r-1' };
  return { status, headers: { ...json, ...headers }, text: status === 204 ? '' : (text ?? JSON.stringify(body)) };
}

interface Cell {
  readonly call: CallCase;
  /** `answered`, or the knowledge about a failed call. */
  readonly verdict: string;
  readonly sent: number;
}

interface Servers {
  readonly expired: FaultServer;
  readonly elsewhere: FaultServer;
}

/** Answers immediately: some resolvers take a second for each unknown name. */
const knowNobody: NonNullable<SocketOptions['lookup']> = (_host, _options, done) => {
  setImmediate(() => done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), ''));
};

async function runCell(call: CallCase, fault: CallFault, { expired, elsewhere }: Servers): Promise<Cell> {
  const server = await openFaulty(fault, elsewhere.url, { be: () => honestOf(call), meets: () => true });
  const unreached = fault.name === 'unknown host' ? 'http://nowhere.invalid' : expired.url;
  let tried = 0;
  const service = createTalentService({
    baseUrl: fault.answer === null ? unreached : server.url,
    apiKey: 'key',
    clock: createInstantClock(),
    random: () => 0.5,
    giveUpAfterMs: GIVE_UP_MS,
    timeoutMs: fault.isSlow ? PATIENCE_MS : MUCH_PATIENCE_MS,
    maxAnswerBytes: MOST_BYTES,
    openSockets(options) {
      const sockets = openHttpSockets({ ...options, lookup: knowNobody });
      const send: typeof sockets.send = (request) => {
        tried += 1;
        return sockets.send(request);
      };
      return { ...sockets, send };
    },
  });
  try {
    const verdict = await call.make(service).then(
      () => 'answered',
      (error: unknown) => {
        if (error instanceof ServiceError) return WORDS[error.outcome];
        throw error;
      },
    );
    // A busy machine may give up a call before the server has seen it.
    return { call, verdict, sent: fault.isSlow ? tried : server.requests.length };
  } finally {
    server.close();
    await service.close();
  }
}

const WORDS: Readonly<Record<CallOutcome, string>> = {
  not_sent: 'not sent',
  refused: 'rejected',
  unknown: 'unknown',
};

const USUAL: Readonly<Record<CallFault['stage'], string>> = {
  unsent: 'not sent',
  refused: 'rejected',
  limited: 'rejected',
  open: 'unknown',
  answer: 'answered',
};

/** A call is sent once if nothing else is allowed: a repetition could be carried out twice. */
function expectCell({ name, stage }: CallFault, { call, verdict, sent }: Cell): void {
  const { repeat } = endpointOf(call);
  const mayRepeat = repeat === 'idempotent';
  const told = { fault: name, call: call.name, verdict, sent };
  if (stage !== 'answer') expect(told).toMatchObject({ verdict: USUAL[stage] });
  else if (name === 'login page with 200' || name === 'gzip bomb') {
    // The client streams a file as it arrives; the code that stores it checks its type and length.
    expect(told).toMatchObject({ verdict: isFile(call) ? 'answered' : 'unknown' });
  } else expect(['answered', 'unknown']).toContain(verdict);
  if (stage === 'unsent') expect(told).toMatchObject({ sent: 0 });
  else if (stage === 'limited') expect(sent, JSON.stringify(told)).toBeGreaterThan(2);
  else if (stage === 'refused' || !mayRepeat) expect(told).toMatchObject({ sent: 1 });
  else expect([1, 4], JSON.stringify(told)).toContain(sent);
  if (stage === 'open' && mayRepeat && !isFile(call)) expect(told).toMatchObject({ sent: 4 });
}

/** `28 unknown, 4 answered`. */
function countVerdicts(cells: readonly Cell[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of cells) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
}

const GROUPS: readonly (readonly [string, (endpoint: Endpoint) => boolean])[] = [
  ['reads', ({ kind }) => kind === 'read'],
  ['writes that may be repeated', ({ kind, repeat }) => kind === 'write' && repeat === 'idempotent'],
  ['other writes', ({ kind, repeat }) => kind === 'write' && repeat !== 'idempotent'],
];

test('handles every fault in every call of the service', async () => {
  const servers = { expired: await openExpired(), elsewhere: await openElsewhere() };
  const rows: string[][] = [];
  for (const fault of oneIn(3, CALL_FAULTS, 3)) {
    const cells: Cell[] = [];
    for (let at = 0; at < CASES.length; at += AT_ONCE)
      cells.push(...(await Promise.all(CASES.slice(at, at + AT_ONCE).map((call) => runCell(call, fault, servers)))));
    for (const cell of cells) expectCell(fault, cell);
    const found = GROUPS.map(([, isIn]) => cells.filter(({ call }) => isIn(endpointOf(call))));
    expect(found.flat()).toHaveLength(CASES.length);
    rows.push([fault.name, ...found.map(countVerdicts)]);
  }
  expect(servers.elsewhere.requests, 'a redirect was followed').toEqual([]);
  expect(servers.expired.requests, 'a certificate that is over was accepted').toEqual([]);
  expectKept('service calls', ['fault', ...GROUPS.map(([name]) => name)], rows);
});
