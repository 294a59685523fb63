import type { NotifyConfig } from '../../config/resolve-notify.js';
import { type Anchor, type Due, findDue } from '../../config/schedule/due.js';
import { plural } from '../../model/plural.js';
import type { WaitingItem } from '../../model/waiting.js';
import type { Stores } from '../../store/open-stores.js';
import type { NotifyStore, RunSums } from '../../store/state/notify-store.js';

/** The content of a digest: numbers only. Times are ISO 8601. */
export interface DigestBody {
  readonly since: string;
  readonly runs: readonly RunSums[];
  readonly waiting: readonly Pick<WaitingItem, 'kind' | 'of' | 'count' | 'since'>[];
}

const ANCHOR = 'notify.digest';
const DIGEST = 'digest';
const RESULTS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed',
  3: 'with something pending',
  4: 'with held or failed records',
};

/** When the next digest is due; null if no digest is configured. */
export function findDigest(stores: Pick<Stores, 'history'>, digest: NotifyConfig['digest'], nowMs: number): Due | null {
  if (digest === null) return null;
  const known = stores.history.fact(ANCHOR);
  return findDue(digest, known === null ? null : (JSON.parse(known) as Anchor), nowMs);
}

export interface DigestWriting {
  readonly due: Due;
  readonly channels: readonly string[];
  readonly waiting: readonly WaitingItem[];
  /** ISO 8601 */
  readonly now: string;
}

/** Puts a due digest into the outbox. Must be called in a transaction, because it also advances the schedule. */
export function writeDigest(
  { history, notify }: { readonly history: Stores['history']; readonly notify: NotifyStore },
  { due, channels, waiting, now }: DigestWriting,
): void {
  const before = history.fact(ANCHOR);
  history.setFact(ANCHOR, JSON.stringify(due.anchor));
  if (due.slotMs === null || before === null) return;
  const since = new Date((JSON.parse(before) as Anchor).atMs).toISOString();
  const waits = waiting.map(({ kind, of, count, since: from }) => ({ kind, of, count, since: from }));
  const body: DigestBody = { since, runs: notify.sumsSince(since), waiting: waits };
  for (const channel of channels) {
    // A channel that has not accepted earlier digests gets only the newest.
    for (const { seq } of notify.newsOf({ channel, event: DIGEST })) notify.dropNews(seq);
    notify.putNews({ channel, event: DIGEST, news: 'digest', at: now, body: JSON.stringify(body) });
  }
}

/** Maximum length, because the products truncate longer texts at an arbitrary place. */
const MOST_TOLD = 40;

export function listDigestLines({ runs, waiting }: DigestBody, now: string): readonly string[] {
  const sum = (pick: (sums: RunSums) => number): number => runs.reduce((all, one) => all + pick(one), 0);
  const ended = runs.map(({ exitCode, runs: count }) => `${count} ${RESULTS[exitCode] ?? 'failed'}`).join(', ');
  return [
    `${plural(
      sum((one) => one.runs),
      'run',
    )}${ended === '' ? '' : `: ${ended}`}`,
    `${plural(
      sum(({ done }) => done),
      'change',
    )} carried out, ${sum(({ failed }) => failed)} failed`,
    ...(waiting.length === 0 ? ['Nothing is pending.'] : ['Pending:']),
    ...waiting
      .slice(0, MOST_TOLD)
      .map(({ kind, of, count, since }) => `${count} ${kind.replace('_', ' ')} (${of})${tellAge(since, now)}`),
    ...(waiting.length > MOST_TOLD ? [`… and ${plural(waiting.length - MOST_TOLD, 'cause')} more`] : []),
  ];
}

function tellAge(since: string | null, now: string): string {
  if (since === null) return '';
  const hours = Math.floor((Date.parse(now) - Date.parse(since)) / 3_600_000);
  return hours < 48 ? `, for ${plural(hours, 'hour')}` : `, for ${plural(Math.floor(hours / 24), 'day')}`;
}
