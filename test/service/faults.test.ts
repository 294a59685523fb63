import { Readable } from 'node:stream';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/service/service-error.js';
import { createTalentService, type TalentService } from '../../src/service/talent-service.js';
import { oneIn } from '../depth.js';
import { BASE } from './desk.js';
import { createInstantClock, type InstantClock } from './instant-clock.js';
import { beginIntercepting, endIntercepting } from './intercepted.js';
import { SENDERS, type Sender } from './senders.js';

const PATIENCE_MS = 10_000;
const LITTLE_PATIENCE_MS = 50;
const HTML = '<!doctype html><html><body>We are sorry</body></html>';
const user = { id: 'u1', email: 'a@example.com' };

type Answer = (call: nock.Interceptor) => void;
type Kind = 'read' | 'idempotent' | 'probe' | 'hold';

const fail =
  (code: string): Answer =>
  (call) =>
    void call.replyWithError(Object.assign(new Error(code), { code }));

/** Returns a body that breaks off after its first bytes. */
function breakOff(): Readable {
  let begun = false;
  return new Readable({
    read() {
      if (begun) this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      else this.push('{"id":');
      begun = true;
    },
  });
}

interface Fault {
  readonly name: string;
  readonly answer: Answer;
  /** True if the call may have been carried out. */
  readonly doubtful: boolean;
  readonly status: number | null;
  readonly fault: ServiceError['fault'];
  readonly timeoutMs?: number;
}

/** Faults that keep a valid call from its answer. */
const FAULTS: readonly Fault[] = [
  { name: 'no connection', answer: fail('ECONNREFUSED'), doubtful: false, status: null, fault: 'unsent' },
  { name: 'an unknown host', answer: fail('ENOTFOUND'), doubtful: false, status: null, fault: 'unsent' },
  {
    name: '429 with Retry-After',
    answer: (call) => call.reply(429, 'slow down', { 'retry-after': '2' }),
    doubtful: false,
    status: 429,
    fault: 'status',
  },
  { name: '429 without Retry-After', answer: (call) => call.reply(429), doubtful: false, status: 429, fault: 'status' },
  { name: 'a reset', answer: fail('ECONNRESET'), doubtful: true, status: null, fault: 'network' },
  {
    name: 'no answer in time',
    answer: (call) => call.delay(LITTLE_PATIENCE_MS * 10).reply(200, user),
    doubtful: true,
    status: null,
    fault: 'network',
    timeoutMs: LITTLE_PATIENCE_MS,
  },
  {
    name: 'a body that breaks off',
    answer: (call) => call.reply(200, breakOff),
    doubtful: true,
    status: 200,
    fault: 'network',
  },
  {
    name: 'a truncated object',
    answer: (call) => call.reply(200, '{"id":'),
    doubtful: true,
    status: 200,
    fault: 'answer',
  },
  { name: 'a page with 200', answer: (call) => call.reply(200, HTML), doubtful: true, status: 200, fault: 'answer' },
  { name: 'a page with 502', answer: (call) => call.reply(502, HTML), doubtful: true, status: 502, fault: 'status' },
  { name: '500', answer: (call) => call.reply(500, { error: 'oops' }), doubtful: true, status: 500, fault: 'status' },
  {
    name: '503 with Retry-After',
    answer: (call) => call.reply(503, '', { 'retry-after': '1' }),
    doubtful: true,
    status: 503,
    fault: 'status',
  },
];

interface Way {
  readonly intercept: () => nock.Interceptor;
  readonly make: (service: TalentService) => Promise<unknown>;
  readonly good: object;
}

const WAYS: Readonly<Record<Kind, Way>> = {
  read: {
    intercept: () => nock(BASE).get('/api/v1/users/u1?use_legacy_codes=false'),
    make: (s) => s.reader.users.get('u1'),
    good: user,
  },
  idempotent: {
    intercept: () => nock(BASE).put('/api/v1/users/u1?use_legacy_codes=false'),
    make: (s) => s.writer.users.update('u1', { name: 'A' }),
    good: user,
  },
  probe: {
    intercept: () => nock(BASE).post('/api/v1/users?use_legacy_codes=false'),
    make: (s) => s.writer.users.create({ email: 'a@example.com', country_id: 'n', office_id: 'o' }),
    good: user,
  },
  hold: {
    intercept: () => nock(BASE).post('/api/v1/users/import/csv/default', 'email\n'),
    make: (s) => s.writer.users.importCsv('email\n'),
    good: { import_task: 't1', dry_run: false },
  },
};

let clock: InstantClock;
let service: TalentService;
let sendings: (number | null)[];

/** Half a minute at a limit is enough for these tests. */
const GIVE_UP_AFTER_MS = 30_000;

function open(timeoutMs = PATIENCE_MS, sender: Sender['options'] = {}): void {
  clock = createInstantClock();
  sendings = [];
  service = createTalentService({
    baseUrl: BASE,
    apiKey: 'key',
    timeoutMs,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    clock,
    random: () => 0.5,
    onCall: (call) => sendings.push(call.status),
    ...sender,
  });
}

beforeEach(() => {
  beginIntercepting();
  open();
});
afterEach(async () => {
  nock.abortPendingRequests();
  await service.close();
  endIntercepting();
});

async function catchError(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

const kinds = Object.keys(WAYS) as readonly Kind[];
/** Every sender gives the same verdicts, so a quick run tries only the first kind with the second sender. */
const cases = SENDERS.flatMap(({ by, options }, at) =>
  (at === 0 ? kinds : oneIn(1, kinds)).map((kind) => ({ kind, by, options })),
);
const mayRepeat = (kind: Kind, fault: Fault): boolean => !fault.doubtful || kind === 'read' || kind === 'idempotent';
const adviceOf = (kind: Kind): string => (kind === 'probe' ? 'look first' : kind === 'hold' ? 'never' : 'safe');

describe.each(cases)('calls of the kind $kind, by $by', ({ kind, by, options }) => {
  const { intercept, make, good } = WAYS[kind];
  /** These take the path of a read or a probe by the first sender. */
  const isLike = kind === 'idempotent' || kind === 'hold' || by !== SENDERS[0]?.by;

  beforeEach(async () => {
    await service.close();
    open(PATIENCE_MS, options);
  });

  for (const fault of isLike ? oneIn(1 / 2, FAULTS) : FAULTS) {
    if (mayRepeat(kind, fault)) {
      it(`${fault.name}, twice: are sent again and succeed`, async () => {
        open(fault.timeoutMs, options);
        fault.answer(intercept());
        fault.answer(intercept());
        intercept().reply(200, good, { 'x-request-id': 'r-3' });
        await make(service);
        expect(sendings).toEqual([fault.status, fault.status, 200]);
        expect(clock.pauses.length).toBeGreaterThanOrEqual(2);
      });

      it(`${fault.name}, repeatedly: give up with the last failure`, async () => {
        open(fault.timeoutMs, options);
        for (let times = 0; times < 40; times += 1) fault.answer(intercept());
        const startMs = clock.now();
        const error = await catchError(make(service));
        const waitedMs = clock.now() - startMs;
        // The account's pause may be longer.
        if (fault.status === 429) expect(Math.abs(waitedMs - GIVE_UP_AFTER_MS)).toBeLessThanOrEqual(1_000);
        else expect(sendings).toHaveLength(4);
        expect(error).toMatchObject({ status: fault.status, fault: fault.fault, retry: 'safe' });
        expect(error.outcome).toBe(fault.doubtful ? 'unknown' : fault.status === 429 ? 'refused' : 'not_sent');
      });
    } else {
      it(`${fault.name}: are sent once, with an unknown outcome`, async () => {
        open(fault.timeoutMs, options);
        fault.answer(intercept());
        intercept().reply(200, good);
        const error = await catchError(make(service));
        expect(sendings).toEqual([fault.status]);
        expect(nock.pendingMocks()).toHaveLength(1);
        expect(error).toMatchObject({
          code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
          outcome: 'unknown',
          retry: adviceOf(kind),
          status: fault.status,
          fault: fault.fault,
        });
      });
    }
  }

  it('accept a slow answer', async () => {
    intercept().delay(30).reply(200, good);
    await make(service);
    expect(sendings).toEqual([200]);
  });

  const statuses = [302, 400, 401, 403, 404, 409, 415, 422, 501];
  for (const status of isLike ? oneIn(1 / 2, statuses) : statuses) {
    it(`${status}: are sent once and report the answer unchanged`, async () => {
      intercept().reply(
        status,
        { message: 'no', reason: 'because' },
        { 'x-request-id': 'r-7', location: 'https://login.example.com/' },
      );
      if (kind === 'read' && status === 404) {
        expect(await make(service)).toBeNull();
      } else {
        const error = await catchError(make(service));
        expect(error).toMatchObject({
          status,
          outcome: 'refused',
          retry: 'never',
          requestId: 'r-7',
          words: 'no; because',
          method: kind === 'read' ? 'GET' : kind === 'idempotent' ? 'PUT' : 'POST',
          path: expect.stringMatching(/^\/api\/v1\/users/),
        });
      }
      expect(sendings).toEqual([status]);
    });
  }
});

describe('pauses', () => {
  it('follow Retry-After after a 429', async () => {
    WAYS.probe.intercept().reply(429, '', { 'retry-after': '12' });
    WAYS.probe.intercept().reply(200, user);
    await WAYS.probe.make(service);
    expect(clock.pauses).toEqual([12_000]);
  });

  it('double after faults, from a quarter of a second', async () => {
    for (let times = 0; times < 4; times += 1) fail('ECONNRESET')(WAYS.read.intercept());
    await catchError(WAYS.read.make(service));
    expect(clock.pauses).toEqual([250 * 0.75, 500 * 0.75, 1_000 * 0.75].map(Math.ceil));
  });

  it('do not follow a Retry-After of an hour, since the next run comes first', async () => {
    WAYS.read.intercept().reply(429, '', { 'retry-after': '3600' });
    expect(await catchError(WAYS.read.make(service))).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    expect(clock.pauses).toEqual([]);
  });
});

describe('a delete', () => {
  const intercept = () => nock(BASE).delete('/api/v1/users/u1');

  it('is sent again after a lost answer, and takes 404 as success', async () => {
    fail('ECONNRESET')(intercept());
    intercept().reply(404);
    await expect(service.writer.users.delete('u1')).resolves.toMatchObject({ value: null, status: 404, attempts: 2 });
  });

  it('is rejected if answered 404 directly', async () => {
    intercept().reply(404);
    expect(await catchError(service.writer.users.delete('u1'))).toMatchObject({ status: 404, retry: 'never' });
  });
});

describe('the update of a section, with a lost answer', () => {
  it('is not sent again, because the changed version would cause a misleading 409', async () => {
    const path = '/api/v3/cvs/u1/v1/courses/s1?use_legacy_codes=false';
    fail('ECONNRESET')(nock(BASE).put(path));
    const update = service.writer.cvs.sections.update({ userId: 'u1', cvId: 'v1' }, 'courses', 's1', { version: 3 });
    expect(await catchError(update)).toMatchObject({ code: 'SYNC_SERVICE_UNKNOWN_OUTCOME', retry: 'look first' });
    expect(sendings).toHaveLength(1);
  });
});

describe('the families of limits', () => {
  const path = '/api/v1/cvs/download/u1/v1/en/pdf?use_legacy_codes=false';
  const download = async (): Promise<void> => {
    const form = { language: 'en', filetype: 'pdf' } as const;
    await (await service.reader.documents.downloadCv({ userId: 'u1', cvId: 'v1' }, form)).cancel();
  };

  it('keep downloads two seconds apart by the given clock, and not other calls', async () => {
    nock(BASE).get(path).times(3).reply(200, '%PDF');
    WAYS.read.intercept().times(3).reply(200, user);
    const startMs = clock.now();
    await Promise.all([0, 1, 2].map(() => WAYS.read.make(service)));
    expect(clock.now()).toBe(startMs);
    await Promise.all([download(), download(), download()]);
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(4_000);
    expect(clock.now() - startMs).toBeLessThan(4_500);
  });

  it('send a limited download again when allowed, without slowing other calls', async () => {
    nock(BASE).get(path).reply(429, '', { 'retry-after': '6' });
    nock(BASE).get(path).reply(200, '%PDF');
    const startMs = clock.now();
    await download();
    expect(clock.now() - startMs).toBe(6_000);
    expect(sendings).toEqual([429, 200]);
    expect(service.limiter).toMatchObject({ limited: 1, requestsPerSecond: null });
  });

  it('lower the rate of all calls after a general 429', async () => {
    WAYS.read.intercept().reply(429, '', { 'retry-after': '6' });
    WAYS.read.intercept().reply(200, user);
    await WAYS.read.make(service);
    expect(service.limiter).toMatchObject({ limited: 1, requestsPerSecond: expect.any(Number) });
  });
});
