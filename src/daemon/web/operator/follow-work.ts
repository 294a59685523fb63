import { setTimeout } from 'node:timers/promises';
import { hideSecrets } from '../../../base/secrets/secret.js';
import { mayActAs } from '../../../config/access/roles.js';
import { moveTimes } from '../../../model/date-in-zone.js';
import { describeStep } from '../../../report/texts/progress-text.js';
import { describeUnderWay } from '../../../report/texts/run-lines.js';
import { findUnderWay, type UnderWay } from '../../../store/run-lock.js';
import type { AskedKind, AskedWork } from '../../tenants/asked-work.js';
import { zoneOf } from './pages/times.js';
import { type EventStream, WebRefusal, type WebRequest } from './route.js';

const ASKED: Readonly<Record<AskedKind, string>> = {
  plan: 'A plan',
  run: 'A run',
  deliveries: 'Another attempt at the due deliveries',
};

/** Describes the current work of the tenant; null if no work is under way or queued. */
export function readWork(request: Pick<WebRequest, 'parts' | 'tenant'>): string | null {
  const work = findWorkText(request);
  return work === null ? null : moveTimes(zoneOf(request), work);
}

function findWorkText({ parts, tenant }: Pick<WebRequest, 'parts' | 'tenant'>): string | null {
  const now = parts.daemon.list().find(({ name }) => name === tenant?.name);
  const status = now?.status ?? null;
  const asked = status?.asked ?? null;
  const under = now?.config == null ? null : findUnderWay(now.config.state);
  const isOurs = status?.phase === 'running';
  if (isOurs || under !== null) {
    const step = isOurs ? (status.progress ?? null) : null;
    const told =
      step === null ? holderText(under) : `${describeStage(under)}; ${describeStep(step, parts.clock.now())}`;
    return `${told}${describeQueued(asked)}`;
  }
  if (asked?.state !== 'queued') return null;
  const because = status?.phase === 'locked' ? ` ${status.because ?? ''}` : '';
  return `${ASKED[asked.kind]} was requested by ${asked.by}, and waits for its turn.${because}`;
}

function describeStage(under: UnderWay | null): string {
  return under === null ? 'starting' : describeUnderWay({ ...under, stage_since: under.stageSince });
}

function holderText(under: UnderWay | null): string {
  return `${under?.holder ?? 'the daemon'}: ${describeStage(under)}`;
}

function describeQueued(asked: AskedWork | null): string {
  return asked?.state === 'queued' ? `. ${ASKED[asked.kind]} comes after it, requested by ${asked.by}` : '';
}

const BEAT_MS = 1_000;
const HEARTBEAT_EVERY = 15;
/** After this many beats the browser reconnects, and the daemon checks the permissions again. */
const BEATS_A_STREAM = 60;
const MOST_WATCHERS = 50;
const MOST_OF_ONE = 10;

/** Number of streams per person. */
const watchers = new Map<string, number>();

function countWatchers(): number {
  return [...watchers.values()].reduce((sum, count) => sum + count, 0);
}

/** Progress of the work as server-sent events: `progress` with a text, and `ended`. */
export function followWork(request: WebRequest): EventStream {
  const own = watchers.get(request.person?.who ?? '') ?? 0;
  if (own >= MOST_OF_ONE || countWatchers() >= MOST_WATCHERS) {
    const who = own >= MOST_OF_ONE ? `${own} of your pages` : `${MOST_WATCHERS} pages`;
    throw new WebRefusal(503, `${who} already follow the work: close some of them.`);
  }
  return { events: countWatcher(request) };
}

/** Counts the stream while the browser listens. */
async function* countWatcher(request: WebRequest): AsyncGenerator<string> {
  const who = request.person?.who ?? '';
  watchers.set(who, (watchers.get(who) ?? 0) + 1);
  try {
    yield* listEvents(request);
  } finally {
    const left = (watchers.get(who) ?? 1) - 1;
    if (left > 0) watchers.set(who, left);
    else watchers.delete(who);
  }
}

async function* listEvents(request: WebRequest): AsyncGenerator<string> {
  let told = '';
  yield 'retry: 2000\n\n';
  for (let beat = 1; beat <= BEATS_A_STREAM; beat++) {
    await request.parts.operators.refresh();
    if (!request.isStillIn() || !mayActAs(request.accessTo(request.tenant?.name ?? ''), 'viewer')) return;
    const work = readWork(request);
    if (work === null) {
      yield 'event: ended\ndata: ""\n\n';
      return;
    }
    const text = hideSecrets(work);
    if (text !== told) yield `event: progress\ndata: ${JSON.stringify(text)}\n\n`;
    else if (beat % HEARTBEAT_EVERY === 0) yield ': here\n\n';
    told = text;
    await setTimeout(BEAT_MS);
  }
}
