import { createDayFinder } from '../../model/date-in-zone.js';
import { CONFLICT, type NamedHold, NOTE } from '../../model/desired.js';
import { isHeldSource, showGuard, showHold } from '../../model/held-source.js';
import type { GuardTrip } from '../../model/plan.js';
import { sha256 } from '../../model/sha256.js';
import {
  describeOverlooked,
  describeUnreadableNames,
  listOverlooked,
  listUnreadableNames,
  type MissingPeople,
  type ReadEvidence,
} from '../../model/source.js';
import type { WaitingRow } from '../../store/mirror/waiting-store.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { evidences } from '../reads/evidence.js';
import { collectQuestions } from './asked-identities.js';

/** The parts of a plan that show the pending items. */
export interface FoundWaiting extends Pick<DerivedRun, 'staged' | 'unread' | 'stopped' | 'guards' | 'undoes' | 'only'> {
  /** ISO 8601: when the plan was created, and when it expires. */
  readonly now: string;
  readonly expires: string;
  readonly plan: string;
  /** The time zone of the days in texts. */
  readonly timezone: string;
}

type FoundRow = Omit<WaitingRow, 'since' | 'lapses'>;

/**
 * Stores the pending items of a plan, step by step, for `status`, `holds`, metrics and pages. A plan of one object says
 * nothing about the others. The holds of an undo are stored separately, until its plan lapses.
 */
export function* recordWaiting(stores: Stores, found: FoundWaiting): Generator<void, void> {
  const { stopped, undoes, only, now, expires, plan } = found;
  if (undoes === null && only !== null) return;
  const unseen = new Set<string>(stopped.map(({ entity }) => entity));
  const questions = collectQuestions(stores);
  yield* stores.waiting.record(undoes?.run ?? '', listRows(stores, found, questions.take), {
    now,
    lapses: undoes === null ? null : expires,
    isUnseen: (entity) => undoes === null && unseen.has(entity.split('.')[0] ?? ''),
  });
  if (undoes !== null) return;
  questions.save();
  stores.mirror.setMark(PLAN_MARK, plan);
  stores.mirror.setMark(APPROVED_MARK, JSON.stringify(stores.work.approvedIds()));
}

function* listRows(
  { work }: Stores,
  { guards, staged, unread, undoes, timezone, plan }: FoundWaiting,
  onHold: (hold: NamedHold) => void,
): Generator<FoundRow> {
  // Without the plan's name, the command would apply to the newest full plan.
  const undo = undoes === null ? null : { plan: `${plan} `, again: `, then \`talent-sync undo ${undoes.run}\`` };
  for (const trip of guards) yield tripRow(trip, undo);
  if (undoes === null) yield* listReads(staged, unread, createDayFinder(timezone));
  for (const hold of work.holds()) {
    if (hold.code === NOTE) continue;
    onHold(hold);
    yield describeHold(hold);
  }
}

const PLAN_MARK = 'waiting.plan';

/** The newest full plan, which is one without `--only`; null before the first one. */
export function readWaitingPlan({ mirror }: Pick<Stores, 'mirror'>): string | null {
  return mirror.mark(PLAN_MARK);
}

const APPROVED_MARK = 'waiting.approved';

/** The changes that were approved when that plan was created, and whether it contains them. All others were approved since. */
export function readApprovedBefore({ mirror }: Pick<Stores, 'mirror'>): ReadonlyMap<string, boolean> {
  const before = JSON.parse(mirror.mark(APPROVED_MARK) ?? '[]') as ReturnType<Stores['work']['approvedIds']>;
  return new Map(before.map(({ id, planned }) => [id, planned]));
}

const NOTHING = { key: null, code: null, body: null } as const;

/** Adds to the guards the ids for acknowledging them, and their acknowledgements. */
export function nameTrips(
  { work, acknowledgements }: Stores,
  trips: readonly GuardTrip[],
  now: string,
): readonly GuardTrip[] {
  const known = acknowledgements.inForce(now);
  return trips.map((trip) => {
    const id = nameFound(['guard', trip.guard, work.nameWithheld(trip.guard)]);
    const acknowledged = known.get(id);
    return { ...trip, id, ...(acknowledged === undefined ? {} : { acknowledged }) };
  });
}

function tripRow(
  { guard, held, cause, detail, remedy, id = guard }: GuardTrip,
  undo: { readonly plan: string; readonly again: string } | null,
): FoundRow {
  const isSource = isHeldSource(guard);
  return {
    ...NOTHING,
    name: guard,
    id,
    kind: isSource ? 'source' : 'guard',
    entity: guard,
    cause: `${cause}: ${detail}`,
    resolve:
      remedy ??
      `\`talent-sync approve ${undo?.plan ?? ''}--guard ${showGuard(guard)} --reason "…"\`${undo?.again ?? ''}`,
    // A held source is pending even if nothing would change.
    count: isSource ? 1 : Math.max(held, 1),
  };
}

function* listReads(
  staged: FoundWaiting['staged'],
  unread: FoundWaiting['unread'],
  dayOf: (iso: string) => string,
): Generator<FoundRow> {
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  for (const { source, error, evidence } of reads) {
    // The stream is already reported as a guard.
    if (error?.trip !== undefined) continue;
    if (error !== null) yield sourceRow(source, error.code, error.message, error.remedy);
    else if (evidence !== null) yield* listDoubts(source, evidence, dayOf);
  }
  const used = evidences(reads);
  for (const { source, arrived, ...file } of listOverlooked(used)) {
    const cause = describeOverlooked({ ...file, arrivedAt: arrived });
    const setting = file.pattern === undefined ? 'Specify with `newest` which file is the newest' : 'Widen `pattern`';
    yield sourceRow(source, 'overlooked', cause, `${setting}, or correct its name.`);
  }
  for (const one of listUnreadableNames(used))
    yield sourceRow(one.source, 'unreadable names', describeUnreadableNames(one), 'Rename the files.');
  for (const { area, error } of unread)
    yield sourceRow('service', `${error.code} ${area}`, error.message, error.remedy);
}

function* listDoubts(source: string, evidence: ReadEvidence, dayOf: (iso: string) => string): Generator<FoundRow> {
  const { staleSince, complete, partial, incompleteBecause, at, missing } = evidence;
  if (missing !== undefined) yield missingRow(source, missing);
  if (staleSince !== undefined) {
    const cause = `The same content since ${dayOf(staleSince)} (${at})`;
    yield sourceRow(source, 'stale', cause, 'Check that its export still runs.');
  }
  if (complete || partial === true) return;
  const because = incompleteBecause ?? 'nothing shows that it is complete';
  yield sourceRow(
    source,
    'incomplete',
    `Not proven complete: ${because}`,
    'Deliver it completely; until then nobody counts as missing.',
  );
}

/** Acknowledged by the set of reads that lack the people, so that one person more or less is not news. */
function missingRow(source: string, { id, text }: MissingPeople): FoundRow {
  const resolve = `Look at the export. If it is truncated, deliver it again; if these people are really gone, \`talent-sync holds ack ${showHold(id)} --reason "…"\`.`;
  return { ...sourceRow(source, 'people missing', text, resolve), id };
}

/** @param problem an error code with its subject, or another fault of the source, for example `stale` */
function sourceRow(source: string, problem: string, cause: string, resolve: string): FoundRow {
  const code = problem.startsWith('SYNC_') ? (problem.split(' ')[0] ?? null) : problem.replaceAll(' ', '_');
  const name = `${source} ${problem}`;
  return {
    ...NOTHING,
    name,
    id: nameFound([name, cause]),
    kind: 'source',
    entity: source,
    code,
    cause,
    resolve,
    count: 1,
  };
}

function describeHold(hold: NamedHold): FoundRow {
  const { id, entity, key, code, cause = '', remedy, count = 1 } = hold;
  const body = JSON.stringify(hold);
  return { name: id, id, kind: kindOf(hold), entity, key, code, cause, resolve: remedy, count, body };
}

function kindOf({ code, field }: NamedHold): FoundRow['kind'] {
  if (code === CONFLICT) return 'conflict';
  if (code === 'SYNC_CHANGE_PAUSED') return 'refused';
  if (code === 'SYNC_UNDONE_PINNED') return 'undone';
  return field === undefined ? 'record' : 'field';
}

function nameFound(parts: readonly string[]): string {
  return sha256(JSON.stringify(parts));
}
