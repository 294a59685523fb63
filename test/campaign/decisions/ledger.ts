import { isJsonObject } from '../../../src/model/json.js';
import type { PlannedChange } from '../../../src/model/plan.js';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.js';
import type { Row } from '../../scenarios/company.js';
import type { Month, Somebody } from './month.js';

/** A change of an account, as the service shows it. */
export interface Done {
  readonly email: string;
  readonly action: 'create' | 'deactivate' | 'reactivate' | 'relink' | 'title';
  /** The key of the account before and after. */
  readonly keys: readonly string[];
  readonly title: string;
  /** The time span in which it happened. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The changes that a person saw and approved. */
export interface Word {
  readonly by: Somebody;
  readonly atMs: number;
  /** Change → the guards that held it then. */
  readonly seen: Map<string, string>;
  /** The changes that must go through, as far as the sources still ask for them. */
  readonly owed: Set<string>;
}

export interface No {
  readonly key: string;
  readonly change: string;
  /** `gone`, `here`, or the title that must not be written. */
  readonly what: 'gone' | 'here' | { readonly title: string };
  readonly untilMs: number | null;
}

/** The test's own memory, independent of the program. A backup takes a copy of it. */
export interface Ledger {
  /** Carried out without an approval, and not undone. */
  unapproved: Done[];
  /** Seen in the service but not in the audit yet, because the run was killed; with the decisions at that time. */
  pending: (Pick<Ledger, 'words' | 'held'> & { readonly done: Done })[];
  readonly words: Map<string, Word>;
  readonly declines: Map<string, readonly No[]>;
  /** `users.deactivate E7` → the run that held it, and the approval that releases it while it is in force. */
  readonly held: Map<string, { readonly run: string; readonly approval: string | null }>;
  /** A backup was restored: removals are held until the named approval is used. */
  restored: { approval: string | null } | null;
  /** A restored state does not know a key that changed since, so writing the old one is an update to it. */
  wasRestored: boolean;
  /** Keys that a deactivation has already linked. The external id follows when the person returns. */
  readonly moved: Set<string>;
}

export function openLedger(): Ledger {
  return {
    unapproved: [],
    pending: [],
    words: new Map(),
    declines: new Map(),
    held: new Map(),
    restored: null,
    wasRestored: false,
    moved: new Set(),
  };
}

/** The rules of the issue that a month may break, in the words of the message. */
export class Broken extends Error {}

const HOUR = 3_600_000;
/** Windows end slightly early: by a 96th. */
const WINDOWS = [
  { ms: (24 * HOUR * 95) / 96, times: 1 },
  { ms: (7 * 24 * HOUR * 95) / 96, times: 3 },
];
const VALID_MS = 7 * 24 * HOUR;

const GUARDS: Readonly<Partial<Record<Done['action'], string>>> = {
  deactivate: 'users.deactivate',
  relink: 'users.relink',
  title: 'users.fields.title',
};
export const WATCHED: readonly string[] = Object.values(GUARDS);

/** The effect of a run, killed or not, according to the service, its plan and the audit. */
export interface SeenRun {
  readonly run: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly done: readonly Done[];
  /** null if it got no plan. */
  readonly plan: readonly PlannedChange[] | null;
  readonly entries: readonly AuditEntry[];
  readonly isKilled: boolean;
  /** It read everything, and nothing in it was doubtful or held. */
  readonly isComplete: boolean;
  readonly hasGuards: boolean;
  readonly failed: ReadonlySet<string>;
}

/** Notes the contents of a file: a decline ends when the source asks for something else. */
export function noteFile(ledger: Ledger, rows: ReadonlyMap<string, Row>): void {
  endDeclines(ledger, ({ key, what }) => {
    const row = rows.get(key);
    const isHere = row !== undefined && row.status !== 'left';
    if (what === 'gone') return isHere;
    return what === 'here' ? !isHere : row !== undefined && row.title !== what.title;
  });
}

export function endDeclines({ declines }: Ledger, isOver: (no: No) => boolean): void {
  for (const [id, all] of declines) {
    const left = all.filter((no) => !isOver(no));
    if (left.length === 0) declines.delete(id);
    else declines.set(id, left);
  }
}

/** True if one or two people, as required, have approved a change and an approval names it. */
function isApproved({ words }: Pick<Ledger, 'words'>, { fourEyes }: Month, entry: AuditEntry, atMs: number): boolean {
  const [id = ''] = (entry.approval ?? '').split(' ');
  const word = words.get(id);
  if (word === undefined || !word.seen.has(entry.change) || atMs - word.atMs > VALID_MS) return false;
  if (!fourEyes) return true;
  return [...words.values()].some(({ by, seen }) => by !== word.by && seen.has(entry.change));
}

/** Checks a run, and remembers its changes. @throws Broken */
export function judgeRun(ledger: Ledger, month: Month, seen: SeenRun): void {
  endDeclines(ledger, ({ untilMs }) => untilMs !== null && untilMs <= seen.untilMs);
  for (const done of seen.done) refuseDeclined(ledger, seen, done);
  const { words, held } = seen.isKilled ? structuredClone(ledger) : ledger;
  ledger.pending.push(...seen.done.map((done) => ({ done, words, held })));
  if (!seen.isKilled) {
    for (const pending of ledger.pending.splice(0)) judgeDone(ledger, month, seen, pending);
    collectOwed(ledger, seen);
    for (const { action, after, key } of seen.entries)
      if (action === 'deactivate' && isJsonObject(after) && 'source_key' in after) ledger.moved.add(key);
    for (const { change, result } of seen.entries)
      if (result === 'done' || result === 'already so') forget(ledger, change);
  }
  if (seen.plan !== null) rememberHeld(ledger, seen, seen.plan);
  settleRestored(ledger, seen);
}

function refuseDeclined({ declines }: Ledger, { run }: SeenRun, { action, keys, title }: Done): void {
  const asked = { create: 'here', reactivate: 'here', deactivate: 'gone', relink: null, title: null }[action];
  for (const [id, all] of declines)
    for (const { key, what } of all) {
      const isSame = typeof what === 'string' ? what === asked : action === 'title' && what.title === title;
      if (isSame && keys.at(-1) === key) throw new Broken(`run ${run} did ${action} of ${key}, declined as ${id}`);
    }
}

function judgeDone(
  ledger: Ledger,
  month: Month,
  { run, entries, untilMs }: SeenRun,
  { done, words, held: heldThen }: Ledger['pending'][number],
): void {
  const { action, keys, email } = done;
  const name = `${action} of ${keys.at(-1)}`;
  const entry = entries.find((one) => isEndOf(one, done, ledger));
  if (entry === undefined) throw new Broken(`the audit has no ${name}, seen after run ${run}`);
  takeBack(ledger, done);
  if (action === 'relink' && entry.action !== 'relink') return;
  const guard = GUARDS[action];
  const isGood = entry.approval !== null && isApproved({ words }, month, entry, done.fromMs);
  if (entry.approval !== null && !isGood)
    throw new Broken(`run ${run} did ${name} (${entry.change}) by ${entry.approval}, which does not name it`);
  const held = heldThen.get(`${guard} ${keys.at(-1)}`);
  const released = words.get(held?.approval ?? '');
  const isReleased = released !== undefined && done.fromMs - released.atMs <= VALID_MS;
  if (held !== undefined && !isGood && !isReleased)
    throw new Broken(`run ${run} did ${name}, held since ${held.run}, and nobody approved it`);
  ledger.held.delete(`${guard} ${keys.at(-1)}`);
  const isTaking = action === 'deactivate' || action === 'relink';
  if (!isTaking || isGood) return;
  if (ledger.restored !== null && ledger.restored.approval === null)
    throw new Broken(`run ${run} did ${name} after a restore, and nobody had approved that`);
  ledger.unapproved.push(done);
  for (const { ms, times } of WINDOWS) {
    const counted = ledger.unapproved.filter((one) => one.action === action && one.fromMs > untilMs - ms);
    const found = new Set(counted.map((one) => one.email)).size;
    if (found > month.limits[action] * times)
      throw new Broken(`run ${run} did ${name} (${email}): ${found} within ${ms / HOUR} hours, unapproved`);
  }
}

function isEndOf(
  { entity, action, label, after, result }: AuditEntry,
  { action: done, email, keys }: Done,
  { wasRestored, moved }: Ledger,
): boolean {
  if (entity !== 'users' || !label.endsWith(`<${email}>`) || result === 'refused' || result === 'lost') return false;
  if (done === 'title') return isJsonObject(after) && 'title' in after;
  const isLinked = (wasRestored && action === 'update') || (moved.has(keys.at(-1) ?? '') && action === 'reactivate');
  if (done === 'relink' && isLinked) return isJsonObject(after) && 'external_unique_id' in after;
  if (done === 'reactivate') return action === 'reactivate' || action === 'relink';
  return action === done;
}

/** An approval is spent by what it released, and ends with a decline. */
export function forget({ words }: Ledger, change: string): void {
  for (const { seen, owed } of words.values()) {
    seen.delete(change);
    owed.delete(change);
  }
}

/** An undone change does not count. */
function takeBack(ledger: Ledger, { action, email, keys }: Done): void {
  ledger.unapproved = ledger.unapproved.filter((one) => {
    if (one.email !== email) return true;
    if (action === 'reactivate') return one.action !== 'deactivate';
    return !(action === 'relink' && one.action === 'relink' && one.keys[0] === keys.at(-1));
  });
}

/** An approved change that is still derived must go through. */
function collectOwed(ledger: Ledger, { run, plan, entries, untilMs, isComplete, failed }: SeenRun): void {
  if (plan === null) return;
  const planned = new Map(plan.map((change) => [change.id, change]));
  for (const [id, { atMs, owed, seen }] of ledger.words) {
    if (untilMs - atMs > VALID_MS) continue;
    for (const changeId of owed) {
      const change = planned.get(changeId);
      if (change === undefined) {
        if (isComplete) owed.delete(changeId);
        continue;
      }
      const guards = (seen.get(changeId) ?? '').split(' + ');
      const { withheld } = change;
      const isForgotten = withheld?.by === 'guard' && withheld.name.split(' + ').every((name) => guards.includes(name));
      const isLeft = withheld === null && !failed.has(changeId) && !entries.some(({ change: one }) => one === changeId);
      if (isForgotten || isLeft)
        throw new Broken(`run ${run} did not do ${change.action} of ${change.key} (${changeId}), approved as ${id}`);
    }
  }
}

/** Notes the changes that guards hold from now on, and drops those with nothing left to do. */
export function rememberHeld(
  { held }: Ledger,
  { run, isComplete }: Pick<SeenRun, 'run' | 'isComplete'>,
  plan: readonly PlannedChange[],
): void {
  const derived = new Set<string>();
  for (const { entity, key, action, fields, withheld } of plan) {
    if (entity !== 'users') continue;
    for (const guard of WATCHED) {
      const isMeant = guard === 'users.fields.title' ? fields.includes('title') : guard === `users.${action}`;
      if (isMeant) derived.add(`${guard} ${key}`);
      if (!isMeant || withheld?.by !== 'guard' || !withheld.name.split(' + ').includes(guard)) continue;
      held.set(`${guard} ${key}`, { run: held.get(`${guard} ${key}`)?.run ?? run, approval: null });
    }
  }
  if (isComplete) for (const name of held.keys()) if (!derived.has(name)) held.delete(name);
}

function settleRestored(ledger: Ledger, { plan, isKilled, isComplete, hasGuards }: SeenRun): void {
  if (ledger.restored === null || isKilled || plan === null) return;
  const takes = plan.some(({ action }) => action === 'deactivate' || action === 'delete' || action === 'relink');
  if (ledger.restored.approval !== null || (isComplete && !hasGuards && !takes)) ledger.restored = null;
}
