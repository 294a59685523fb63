import { CONFLICT } from '../../model/desired.js';
import { nameGuardKind } from '../../model/held-source.js';
import type { EventKind } from '../../model/notification.js';
import { parseRow } from '../../store/audit/audit-log.js';
import type { EntryContent } from '../../store/audit/entry-kinds.js';
import type { AuditEvent } from '../../store/audit/events.js';
import type { AuditStore } from '../../store/state/audit-store.js';

/** Counts the decisions made since an event began, and how many were carried out. */
export interface Outcome {
  readonly decisions: readonly OutcomePart[];
  /** True if the audit has more entries since then than were read, so decisions may be missing. */
  readonly partial: boolean;
}

/** Items for which the same people made the same decision. */
export interface OutcomePart {
  readonly what: 'approved' | 'declined' | 'source' | 'service' | 'set aside' | 'resumed';
  readonly count: number;
  /** Number of approved changes that were carried out. */
  readonly carried_out: number;
  /** ISO 8601; null without a date. */
  readonly until: string | null;
  /** Empty unless messages may name people. */
  readonly by: readonly string[];
}

type NotedDecision = Pick<OutcomePart, 'what' | 'until' | 'by'>;
/** The last decision about each item, by its id. */
type Decisions = Map<string, NotedDecision>;
/** Records the decisions of an audit entry about an event. */
type Judge = (line: EntryContent, decisions: Decisions, of: string) => void;

/** Recognises the decisions that end each kind of event. Other kinds end without a decision. */
const JUDGES: Readonly<Partial<Record<EventKind, Judge>>> = {
  guard: judgeHeld,
  source: judgeHeld,
  conflict: judgeConflict,
  paused: judgePause,
};

/** Maximum number of entries to read for one event, which takes about a tenth of a second. */
const MOST_READ = 10_000;

/** Reads the outcome of an ended event from the audit; null for kinds without decisions. */
export function readOutcome(
  audit: Pick<AuditStore, 'rowsBefore'>,
  { kind, of, since }: { readonly kind: EventKind; readonly of: string; readonly since: string },
  mostRead = MOST_READ,
): Outcome | null {
  const judge = JUDGES[kind];
  if (judge === undefined) return null;
  const { events, done, partial } = readSince(audit, since, mostRead);
  const decisions: Decisions = new Map();
  for (const event of events) judge(event, decisions, of);
  const groups = new Map<string, OutcomePart>();
  for (const [id, decision] of decisions) {
    const name = JSON.stringify(decision);
    const known = groups.get(name) ?? { ...decision, count: 0, carried_out: 0 };
    const isDone = decision.what === 'approved' && done.has(id);
    groups.set(name, { ...known, count: known.count + 1, carried_out: known.carried_out + (isDone ? 1 : 0) });
  }
  return { decisions: [...groups.values()], partial };
}

/** Removes names, for messages that name no one. */
export function withoutNames({ decisions, partial }: Outcome): Outcome {
  return { decisions: decisions.map((one) => ({ ...one, by: [] })), partial };
}

/** Reads audit entries since a time, oldest first, and the ids of changes that were carried out. */
function readSince(audit: Pick<AuditStore, 'rowsBefore'>, since: string, mostRead: number) {
  const events: EntryContent[] = [];
  const done = new Set<string>();
  let read = 0;
  for (const row of audit.rowsBefore(Number.MAX_SAFE_INTEGER)) {
    if (read >= mostRead) return { events: events.reverse(), done, partial: true };
    read += 1;
    const line = parseRow(row);
    // An erasure rewrites entries of an earlier time, so its entries are skipped.
    if (line === null || line.kind === 'restated') continue;
    if (line.at < since) break;
    if (line.kind !== 'change') events.push(line);
    else if (line.result === 'done' || line.result === 'already so') done.add(line.change);
  }
  return { events: events.reverse(), done, partial: false };
}

function judgeHeld(line: EntryContent, decisions: Decisions, of: string): void {
  if (line.kind === 'approval given' && isOfGuard(line.guards, of)) noteApproval(line, decisions);
  if (line.kind === 'change declined') noteDecline(line, decisions, of);
  const over = OVER[line.kind];
  // If a newer decision replaced this one, the newer one is already recorded and must stay.
  if (over !== undefined && 'changes' in line)
    for (const id of line.changes) if (decisions.get(id)?.what === over) decisions.delete(id);
}

function noteApproval({ by, changes, confirms = [] }: AuditEventOf<'approval given'>, decisions: Decisions): void {
  const firsts = confirms.map((first) => first.replace(/^\S+ by /, ''));
  for (const id of changes) decisions.set(id, { what: 'approved', until: null, by: [...new Set([...firsts, by])] });
}

/** Also finds a change by its id, because a declined change that was approved first is no longer held. */
function noteDecline(
  { by, changes, until, guards = [] }: AuditEventOf<'change declined'>,
  decisions: Decisions,
  of: string,
): void {
  const isOf = isOfGuard(guards, of);
  for (const id of changes) if (isOf || decisions.has(id)) decisions.set(id, { what: 'declined', until, by: [by] });
}

type AuditEventOf<Kind extends AuditEvent['kind']> = Extract<AuditEvent, { readonly kind: Kind }>;

/** The decision that each kind of entry ends. */
const OVER: Readonly<Partial<Record<EntryContent['kind'], OutcomePart['what']>>> = {
  'approval revoked': 'approved',
  'approval lapsed': 'approved',
  'decline revoked': 'declined',
  'decline ended': 'declined',
};

function isOfGuard(guards: readonly string[], of: string): boolean {
  return guards.some((guard) => nameGuardKind(guard) === of);
}

function judgeConflict(line: EntryContent, decisions: Decisions, of: string): void {
  if (line.kind === 'conflict resolved' && line.entity === of)
    decisions.set(line.question, { what: line.winner, until: null, by: [line.by] });
  if (line.kind === 'hold acknowledged' && line.entity === of && line.code === CONFLICT)
    decisions.set(line.hold, { what: 'set aside', until: line.until, by: [line.by] });
  if (line.kind === 'acknowledgement revoked') decisions.delete(line.hold);
}

function judgePause(line: EntryContent, decisions: Decisions): void {
  if (line.kind === 'resumed') decisions.set('', { what: 'resumed', until: null, by: [line.by] });
}
