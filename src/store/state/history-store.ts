import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  max,
  min,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Entity } from '../../model/entity.js';
import { sha256 } from '../../model/sha256.js';
import type { ReadEvidence, ReplacedContent } from '../../model/source.js';
import type { OpenDatabase } from '../database.js';
import { createNamedValues } from '../named-values.js';
import type { Orm, Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { absences, approvals, declines, reads, runs } from './state-schema.js';

export type Approval = Omit<RowOf<typeof approvals>, 'isHalf'>;
/** An approval as given; `via` and `plan` are optional. */
export type NewApproval = Omit<Approval, 'via' | 'plan'> & Partial<Pick<Approval, 'via' | 'plan'>>;
type Decline = RowOf<typeof declines>;
export interface LapsedApproval extends Approval {
  readonly isShort: boolean;
}
export type Absence = Omit<RowOf<typeof absences>, 'entity' | 'sourceKey'>;
export type Run = RowOf<typeof runs>;
export type CompleteRead = Pick<RowOf<typeof reads>, 'delivery' | 'at' | 'readAt' | 'rows' | 'digest'>;

/** Stores data from earlier runs: runs, reads, absences, approvals, single facts. */
export type HistoryStore = ReturnType<typeof createHistoryStore>;

const loadedFact = (entity: Entity): string => `guards.loaded.${entity}`;

/**
 * The history only needs a few queries per run and composes them as needed, so it uses the query builder
 * (docs/engineering/decisions/0010).
 */
export function createHistoryStore({ orm, sqlite }: OpenDatabase) {
  const facts = createNamedValues(sqlite, 'facts');
  const signalled = createStatements(sqlite).all<{ readonly seconds: number }>(
    `SELECT s.value ->> 'seconds' AS seconds FROM runs r, json_each(r.result, '$.signals') s
     WHERE s.value ->> 'seconds' IS NOT NULL ORDER BY r.started_at DESC LIMIT $limit`,
  );
  return {
    /** For the newest signals, the seconds from each signal to the end of its run. */
    signalSeconds: (limit: number): readonly number[] => signalled({ limit }).map(({ seconds }) => seconds),
    ...createRuns(orm),
    ...createReads(orm),
    ...createEarlierContents(orm),
    ...createAbsences(sqlite),
    ...createApprovals(orm, facts),
    ...createSameRecords(facts),
    ...createLeftBehind(facts),
    ...createSaidSame(facts),
    fact: facts.find,
    setFact: facts.set,
    /** True once the first load of an entity is complete. */
    isLoaded: (entity: Entity) => facts.find(loadedFact(entity)) !== null,
    noteLoaded: (entity: Entity) => facts.set(loadedFact(entity), 'yes'),
    /**
     * Stores the current appearance of a file. Returns since when the file has been unchanged, in milliseconds since
     * the epoch.
     */
    unchangedSince(source: string, name: string, print: string, nowMs: number): number {
      const fact = `look.${source}`;
      const looks = JSON.parse(facts.find(fact) ?? '[]') as readonly FileLook[];
      const same = looks.find((look) => look.name === name && look.print === print && look.at <= nowMs);
      if (same !== undefined) return same.at;
      const others = looks.filter((look) => look.name !== name).slice(1 - LOOKS_KEPT);
      facts.set(fact, JSON.stringify([...others, { name, print, at: nowMs }]));
      return nowMs;
    },
  };
}

const SAME_FACT = 'links.same';

/**
 * Stores records that a person declared to be the same as the record linked to their object. Both rows stay in the
 * source.
 */
function createSameRecords(facts: ReturnType<typeof createNamedValues>) {
  // Only digests are stored, so no key is kept.
  const nameOf = (entity: Entity, key: string, id: string): string => sha256(JSON.stringify([entity, key, id]));
  const all = (): readonly string[] => JSON.parse(facts.find(SAME_FACT) ?? '[]') as readonly string[];
  return {
    isSameRecord: (entity: Entity, key: string, id: string) => all().includes(nameOf(entity, key, id)),
    /**
     * Notes that a person moved an object from one record to another. The first record has no effect while the second
     * is linked.
     */
    noteSameRecord(entity: Entity, id: string, { from, to }: { readonly from: string; readonly to: string }): void {
      const others = all().filter((one) => one !== nameOf(entity, to, id) && one !== nameOf(entity, from, id));
      facts.set(SAME_FACT, JSON.stringify([...others, nameOf(entity, from, id)]));
    },
  };
}

const SAID_FACT = 'links.said';
const SAID_MS = 30 * 86_400_000;

interface SaidSame {
  readonly pair: string;
  /** ISO 8601 */
  readonly at: string;
  /** Set if this is the first of two required approvals. */
  readonly alone?: true;
}

/**
 * Stores pairs that a person has linked. Until the object's next change, the identity is not questioned, unless a
 * second approval is required.
 */
function createSaidSame(facts: ReturnType<typeof createNamedValues>) {
  const nameOf = (key: string, id: string): string => sha256(JSON.stringify([key, id]));
  const all = () => JSON.parse(facts.find(SAID_FACT) ?? '[]') as readonly SaidSame[];
  const others = (key: string, id: string) => all().filter(({ pair }) => pair !== nameOf(key, id));
  return {
    saidSame(key: string, id: string): 'same' | 'by one' | null {
      const found = all().find(({ pair }) => pair === nameOf(key, id));
      if (found === undefined) return null;
      return found.alone === true ? 'by one' : 'same';
    },
    /** @param alone true if two approvals are required and one person has approved */
    noteSaidSame(key: string, id: string, { at, alone }: { readonly at: string; readonly alone: boolean }): void {
      const since = new Date(Date.parse(at) - SAID_MS).toISOString();
      const kept = others(key, id).filter((one) => one.at >= since);
      const said: SaidSame = { pair: nameOf(key, id), at, ...(alone && { alone }) };
      facts.set(SAID_FACT, JSON.stringify([...kept, said]));
    },
    forgetSaidSame(key: string, id: string): void {
      if (all().length > 0) facts.set(SAID_FACT, JSON.stringify(others(key, id)));
    },
  };
}

const LEFT_FACT = 'links.left_behind';

/** Stores accounts that a person has separated from their record, by service id. They never count as leavers. */
function createLeftBehind(facts: ReturnType<typeof createNamedValues>) {
  const all = (): readonly string[] => JSON.parse(facts.find(LEFT_FACT) ?? '[]') as readonly string[];
  return {
    leftBehind: (): ReadonlySet<string> => new Set(all()),
    noteLeftBehind: (id: string): void => facts.set(LEFT_FACT, JSON.stringify([...new Set([...all(), id])])),
  };
}

/** The appearance of a file that may still be growing. */
interface FileLook {
  readonly name: string;
  readonly print: string;
  readonly at: number;
}

/** Maximum number of such files stored per source. */
const LOOKS_KEPT = 20;

function createRuns(orm: Orm) {
  const isGood = and(inArray(runs.exitCode, [0, 3, 4]), inArray(runs.command, ['sync', 'apply', 'daemon']));
  return {
    startRun: (run: Pick<Run, 'id' | 'command' | 'startedAt' | 'configDigest'>) =>
      void orm.insert(runs).values(run).run(),
    endRun: (id: string, end: { endedAt: string; plan: string | null; exitCode: number; result: string }) =>
      void orm.update(runs).set(end).where(eq(runs.id, id)).run(),
    lastRuns: (limit: number) =>
      orm.select().from(runs).orderBy(desc(runs.startedAt), desc(runs.id)).limit(limit).all(),
    /** Runs that began before a given time (ISO 8601), newest first. */
    runsBefore: (before: string, limit: number) =>
      orm
        .select()
        .from(runs)
        .where(lt(runs.startedAt, before))
        .orderBy(desc(runs.startedAt), desc(runs.id))
        .limit(limit)
        .all(),
    findRun: (id: string) => orm.select().from(runs).where(eq(runs.id, id)).get() ?? null,
    /** End of the newest successful run (exit code 0, 3 or 4), in ISO 8601. */
    lastGoodRunAt: () =>
      orm
        .select({ at: max(runs.endedAt) })
        .from(runs)
        .where(isGood)
        .get()?.at ?? null,
  };
}

function createReads(orm: Orm) {
  const { seq, source: ofSource, run: ofRun, complete, delivery, at, readAt, rows, rejected, digest } = reads;
  const isAny = (condition: SQL | undefined): boolean =>
    orm.select({ seq }).from(reads).where(condition).limit(1).get() !== undefined;
  return {
    recordRead(run: string, { incompleteBecause: because, ...evidence }: ReadEvidence): void {
      const row = { ...evidence, run, because: because ?? null };
      orm.insert(reads).values(row).run();
    },
    /** The newest complete read of a source; null if there is none. */
    lastCompleteRead(source: string): ReadEvidence | null {
      const row = orm
        .select({ delivery, at, readAt, rows, rejected, digest })
        .from(reads)
        .where(and(eq(ofSource, source), eq(complete, true)))
        .orderBy(desc(seq))
        .limit(1)
        .get();
      return row === undefined ? null : { ...row, source, kind: 'drop', complete: true };
    },
    /** The newest complete read of a source that began before a given time (ISO 8601); null if there is none. */
    completeReadBefore(source: string, before: string): Pick<CompleteRead, 'at' | 'readAt' | 'rows'> | null {
      const wanted = and(eq(ofSource, source), eq(complete, true), lt(readAt, before));
      return orm.select({ at, readAt, rows }).from(reads).where(wanted).orderBy(desc(seq)).limit(1).get() ?? null;
    },
    /** The oldest complete read of a source that began at or after a given time (ISO 8601); null if there is none. */
    completeReadFrom(source: string, from: string): Pick<CompleteRead, 'at'> | null {
      const wanted = and(eq(ofSource, source), eq(complete, true), gte(readAt, from));
      return orm.select({ at }).from(reads).where(wanted).orderBy(asc(seq)).limit(1).get() ?? null;
    },
    /** Complete reads since a given time (ISO 8601), oldest first. */
    readsSince: (since: string): readonly { readonly source: string; readonly readAt: string }[] =>
      orm
        .select({ source: ofSource, readAt })
        .from(reads)
        .where(and(eq(complete, true), gte(readAt, since)))
        .orderBy(seq)
        .all(),
    /** Complete reads of a source since a given time, oldest first, with only the newest read of each delivery. */
    completeReadsSince(source: string, since: string): readonly CompleteRead[] {
      const found = orm
        .select({ delivery, at, readAt, rows, digest })
        .from(reads)
        .where(and(eq(ofSource, source), eq(complete, true), gte(readAt, since)))
        .orderBy(seq)
        .all();
      return [...new Map(found.map((read) => [read.delivery, read])).values()];
    },
    /** True if a run read that source completely. */
    wasReadWhole: (run: string, source: string) => isAny(and(eq(ofRun, run), eq(ofSource, source), eq(complete, true))),
    /** @param content digest that the delivery must also have; by default, any content counts */
    wasRead: (source: string, one: string, content?: string) =>
      isAny(and(eq(ofSource, source), eq(delivery, one), content === undefined ? undefined : eq(digest, content))),
  };
}

function createEarlierContents(orm: Orm) {
  const { seq, readAt, source: ofSource, digest: content } = reads;
  return {
    /** When the current series of reads with this content began, in ISO 8601; null if the last read found other content. */
    sameContentSince(source: string, digest: string): string | null {
      const others = and(eq(ofSource, source), ne(content, digest));
      const last =
        orm
          .select({ seq: max(seq) })
          .from(reads)
          .where(others)
          .get()?.seq ?? 0;
      const since = and(eq(ofSource, source), eq(content, digest), gt(seq, last));
      return (
        orm
          .select({ at: min(readAt) })
          .from(reads)
          .where(since)
          .get()?.at ?? null
      );
    },
    /** Finds content that was used before and then replaced; null if the content is new or the latest. */
    replacedContent(source: string, digest: string): ReplacedContent | null {
      const wanted = and(eq(ofSource, source), eq(content, digest));
      const used = orm.select({ seq, readAt }).from(reads).where(wanted).orderBy(desc(seq)).limit(1).get();
      if (used === undefined) return null;
      const later = and(eq(ofSource, source), gt(seq, used.seq));
      const next = orm.select({ seq, readAt, by: content }).from(reads).where(later).orderBy(seq).limit(1).get();
      if (next === undefined) return null;
      const others = and(eq(ofSource, source), gt(seq, next.seq), ne(content, next.by));
      const isOnly = orm.select({ seq }).from(reads).where(others).limit(1).get() === undefined;
      return { usedAt: used.readAt, at: next.readAt, ...(isOnly ? { by: next.by } : {}) };
    },
  };
}

/** Runs for every missing record and every entity, so it uses its own prepared statements. */
function createAbsences(sqlite: Sqlite) {
  const { one, run, upsert, values } = createStatements(sqlite);
  const find = one<Absence>(`SELECT ${columnsOf(absences)} FROM absences WHERE entity = $entity AND source_key = $key`);
  const save = upsert(absences);
  const clear = run('DELETE FROM absences WHERE entity = $entity AND source_key = $key');
  const keysOf = values<string>('SELECT source_key FROM absences WHERE entity = $entity');
  return {
    absence: (entity: Entity, key: string) => find({ entity, key }),
    saveAbsence: (entity: Entity, key: string, absence: Absence) => save({ entity, sourceKey: key, ...absence }),
    clearAbsence(entity: Entity, keys: readonly string[]): void {
      for (const key of keys) clear({ entity, key });
    },
    absentKeys: (entity: Entity) => keysOf({ entity }),
  };
}

/** Ids of approvals, as JSON, that stay valid at least until a run has ended that can carry them out. */
const UNTIL_RUN = 'approvals.until_run';
/** Start of the last such run, in ISO 8601. */
const OFFERED = 'approvals.offered';

function createApprovals(orm: Orm, facts: ReturnType<typeof createNamedValues>) {
  const { id: ofId, changeId, at: givenAt, expiresAt, isHalf } = approvals;
  const { isHalf: _half, ...shown } = getTableColumns(approvals);
  const untilRun = (): readonly string[] => JSON.parse(facts.find(UNTIL_RUN) ?? '[]') as readonly string[];
  // Versions up to 0.2 identified a delivery by only the first digits of its digest.
  const isShort = sql`(${changeId} LIKE 'sources.%' AND substr(${changeId}, -13, 1) = ':')`;
  const isValid = (now: string): SQL => {
    const isAwaited = and(inArray(ofId, [...untilRun()]), gt(givenAt, facts.find(OFFERED) ?? ''));
    return sql`(${or(gt(expiresAt, now), isAwaited)} AND NOT ${isShort})`;
  };
  const readApprovals = (now: string, half: boolean): ReadonlyMap<string, Approval> => {
    const found = orm
      .select(shown)
      .from(approvals)
      .where(and(isValid(now), eq(isHalf, half)))
      .all();
    return new Map(found.map((one) => [one.changeId, one]));
  };
  return {
    /** @param half true for the first of two required approvals */
    approve(given: readonly NewApproval[], half = false): void {
      for (const one of given) {
        const row = { ...one, isHalf: half };
        orm.insert(approvals).values(row).onConflictDoUpdate({ target: changeId, set: row }).run();
      }
    },
    /** Keeps the approval valid until the end of the next run that can carry it out, even if it expires earlier. */
    keepUntilRun: (id: string) => facts.set(UNTIL_RUN, JSON.stringify([...untilRun(), id])),
    keptUntilRun: (): ReadonlySet<string> => new Set(untilRun()),
    /** Notes the end of a run that could carry out everything approved before `startedAt` (ISO 8601). */
    noteOffered(startedAt: string): void {
      facts.set(OFFERED, startedAt);
      const known = untilRun();
      if (known.length === 0) return;
      const isLater = and(inArray(ofId, [...known]), gt(givenAt, startedAt));
      const left = orm.selectDistinct({ id: ofId }).from(approvals).where(isLater).all();
      facts.set(UNTIL_RUN, JSON.stringify(left.map(({ id }) => id)));
    },
    /** Deletes an approval once its change is done. If the same change is derived again, it needs another approval. */
    spendApproval: (change: string) => void orm.delete(approvals).where(eq(changeId, change)).run(),
    /** Revokes a valid approval and returns the ids of the changes that it still covered. */
    revokeApproval: (id: string, now: string) =>
      orm
        .delete(approvals)
        .where(and(eq(ofId, id), isValid(now)))
        .returning({ change: changeId })
        .all()
        .map(({ change }) => change)
        .sort(),
    /** The valid complete approvals, by change. */
    approvalsAt: (now: string): ReadonlyMap<string, Approval> => readApprovals(now, false),
    /** Approvals by one person that still lack a second one, by change. */
    halfApprovalsAt: (now: string): ReadonlyMap<string, Approval> => readApprovals(now, true),
    /** The valid declines, by change. */
    declinedAt: (now: string): ReadonlyMap<string, Pick<Decline, 'who' | 'reason' | 'until' | 'guards'>> => {
      const { changeId: change, who, reason, until, guards } = declines;
      const isValidYet = or(isNull(until), gt(until, now));
      // If parts of a change were declined one after the other, only the last decline names the guards.
      const found = orm
        .select({ change, who, reason, until, guards })
        .from(declines)
        .where(isValidYet)
        .orderBy(asc(guards))
        .all();
      return new Map(found.map(({ change: id, ...one }) => [id, one]));
    },
    /** Approvals that expired before their changes were done. `isShort` means that they identify a delivery by 48 bits. */
    lapsedApprovals: (now: string): readonly LapsedApproval[] =>
      orm
        .select({ ...shown, isShort: sql<number>`${isShort}` })
        .from(approvals)
        .where(not(isValid(now)))
        .orderBy(asc(ofId), asc(changeId))
        .all()
        .map(({ isShort: short, ...one }) => ({ ...one, isShort: short === 1 })),
  };
}
