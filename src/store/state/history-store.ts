import { and, asc, desc, eq, gt, gte, inArray, lte, max, min, ne } from 'drizzle-orm';
import type { Entity } from '../../model/entity.js';
import type { ReadEvidence, ReplacedContent } from '../../model/source.js';
import type { Orm } from '../sqlite.js';
import { absences, approvals, facts, reads, runs } from './state-schema.js';

export interface Approval {
  readonly id: string;
  readonly changeId: string;
  readonly guard: string;
  readonly who: string;
  readonly reason: string;
  readonly at: string;
  readonly expiresAt: string;
}

export interface Absence {
  readonly kind: 'absent' | 'left' | 'edited' | 'out';
  readonly observations: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastDelivery: string;
  readonly context: string;
}

export interface Run {
  readonly id: string;
  readonly command: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly plan: string | null;
  readonly configDigest: string;
  readonly exitCode: number | null;
  readonly result: string | null;
}

export interface CompleteRead {
  readonly delivery: string;
  readonly at: string;
  readonly readAt: string;
  readonly rows: number;
  readonly digest: string;
}

/** What earlier runs did and saw: runs, reads, absences, approvals, single facts. */
export interface HistoryStore {
  startRun(run: Pick<Run, 'id' | 'command' | 'startedAt' | 'configDigest'>): void;
  endRun(id: string, end: { endedAt: string; plan: string | null; exitCode: number; result: string }): void;
  lastRuns(limit: number): readonly Run[];
  findRun(id: string): Run | null;
  /** When the newest run ended that went through (exit code 0, 3 or 4); ISO 8601. */
  lastGoodRunAt(): string | null;
  recordRead(run: string, evidence: ReadEvidence): void;
  /** The newest complete read of a source, or null. */
  lastCompleteRead(source: string): ReadEvidence | null;
  /** Complete reads of a source since a moment, oldest first, the newest of each delivery. */
  completeReadsSince(source: string, since: string): readonly CompleteRead[];
  /** Whether a run read that source whole. */
  wasReadWhole(run: string, source: string): boolean;
  /** @param digest of the content, where that must be the same too */
  wasRead(source: string, delivery: string, digest?: string): boolean;
  /** ISO 8601: the oldest of the reads without a break that found this content; null when the last one found another. */
  sameContentSince(source: string, digest: string): string | null;
  /** A content that was used, and that another one has replaced since; null when it is new, or the last one. */
  replacedContent(source: string, digest: string): ReplacedContent | null;
  absence(entity: Entity, key: string): Absence | null;
  saveAbsence(entity: Entity, key: string, absence: Absence): void;
  clearAbsence(entity: Entity, keys: readonly string[]): void;
  absentKeys(entity: Entity): readonly string[];
  approve(approvals: readonly Approval[]): void;
  /** An approval is spent by the change it let pass: the same change derived anew asks again. */
  spendApproval(changeId: string): void;
  /** Takes an approval back that is in force; answers the ids of the changes it had left. */
  revokeApproval(id: string, now: string): readonly string[];
  approvalsAt(now: string): ReadonlyMap<string, Approval>;
  /** Those that ran out without having let anything pass. */
  lapsedApprovals(now: string): readonly Approval[];
  fact(name: string): string | null;
  setFact(name: string, value: string): void;
}

const ABSENCES = ['absent', 'left', 'edited', 'out'] as const;

export function createHistoryStore(orm: Orm): HistoryStore {
  return {
    startRun: (run) => void orm.insert(runs).values(run).run(),
    endRun: (id, end) => void orm.update(runs).set(end).where(eq(runs.id, id)).run(),
    lastRuns: (limit) => orm.select().from(runs).orderBy(desc(runs.startedAt), desc(runs.id)).limit(limit).all(),
    findRun: (id) => orm.select().from(runs).where(eq(runs.id, id)).get() ?? null,
    lastGoodRunAt: () =>
      orm
        .select({ at: max(runs.endedAt) })
        .from(runs)
        .where(and(inArray(runs.exitCode, [0, 3, 4]), inArray(runs.command, ['sync', 'apply', 'daemon'])))
        .get()?.at ?? null,
    recordRead: (run, e) =>
      void orm
        .insert(reads)
        .values({
          source: e.source,
          run,
          delivery: e.delivery,
          at: e.at,
          readAt: e.readAt,
          rows: e.rows,
          rejected: e.rejected,
          complete: e.complete,
          because: e.incompleteBecause ?? null,
          digest: e.digest,
        })
        .run(),
    lastCompleteRead(source) {
      const row = orm
        .select()
        .from(reads)
        .where(and(eq(reads.source, source), eq(reads.complete, true)))
        .orderBy(desc(reads.seq))
        .limit(1)
        .get();
      if (row === undefined) return null;
      const { delivery, at, readAt, rows, rejected, digest } = row;
      return { source, delivery, kind: 'drop', at, readAt, rows, rejected, complete: true, digest };
    },
    completeReadsSince(source, since) {
      const { delivery, at, readAt, rows, digest } = reads;
      const found = orm
        .select({ delivery, at, readAt, rows, digest })
        .from(reads)
        .where(and(eq(reads.source, source), eq(reads.complete, true), gte(reads.readAt, since)))
        .orderBy(reads.seq)
        .all();
      return [...new Map(found.map((read) => [read.delivery, read])).values()];
    },
    wasReadWhole: (run, source) =>
      orm
        .select({ seq: reads.seq })
        .from(reads)
        .where(and(eq(reads.run, run), eq(reads.source, source), eq(reads.complete, true)))
        .limit(1)
        .get() !== undefined,
    wasRead: (source, delivery, digest) =>
      orm
        .select({ seq: reads.seq })
        .from(reads)
        .where(
          and(
            eq(reads.source, source),
            eq(reads.delivery, delivery),
            digest === undefined ? undefined : eq(reads.digest, digest),
          ),
        )
        .limit(1)
        .get() !== undefined,
    sameContentSince(source, digest) {
      const last = orm
        .select({ seq: max(reads.seq) })
        .from(reads)
        .where(and(eq(reads.source, source), ne(reads.digest, digest)))
        .get();
      const first = orm
        .select({ at: min(reads.readAt) })
        .from(reads)
        .where(and(eq(reads.source, source), eq(reads.digest, digest), gt(reads.seq, last?.seq ?? 0)))
        .get();
      return first?.at ?? null;
    },
    replacedContent(source, digest) {
      const { seq, readAt } = reads;
      const ofSource = eq(reads.source, source);
      const used = orm
        .select({ seq, readAt })
        .from(reads)
        .where(and(ofSource, eq(reads.digest, digest)))
        .orderBy(desc(seq))
        .limit(1)
        .get();
      if (used === undefined) return null;
      const next = orm
        .select({ readAt })
        .from(reads)
        .where(and(ofSource, gt(seq, used.seq)))
        .orderBy(seq)
        .limit(1)
        .get();
      return next === undefined ? null : { usedAt: used.readAt, at: next.readAt };
    },
    absence(entity, key) {
      const row = orm
        .select()
        .from(absences)
        .where(and(eq(absences.entity, entity), eq(absences.sourceKey, key)))
        .get();
      return row === undefined ? null : { ...row, kind: ABSENCES.find((kind) => kind === row.kind) ?? 'absent' };
    },
    saveAbsence: (entity, key, absence) =>
      void orm
        .insert(absences)
        .values({ entity, sourceKey: key, ...absence })
        .onConflictDoUpdate({ target: [absences.entity, absences.sourceKey], set: absence })
        .run(),
    clearAbsence(entity, keys) {
      for (let i = 0; i < keys.length; i += 500) {
        orm
          .delete(absences)
          .where(and(eq(absences.entity, entity), inArray(absences.sourceKey, keys.slice(i, i + 500))))
          .run();
      }
    },
    absentKeys: (entity) =>
      orm
        .select({ key: absences.sourceKey })
        .from(absences)
        .where(eq(absences.entity, entity))
        .all()
        .map((row) => row.key),
    approve(given) {
      for (const a of given) {
        orm.insert(approvals).values(a).onConflictDoUpdate({ target: approvals.changeId, set: a }).run();
      }
    },
    spendApproval: (changeId) => void orm.delete(approvals).where(eq(approvals.changeId, changeId)).run(),
    revokeApproval: (id, now) =>
      orm
        .delete(approvals)
        .where(and(eq(approvals.id, id), gt(approvals.expiresAt, now)))
        .returning({ changeId: approvals.changeId })
        .all()
        .map(({ changeId }) => changeId)
        .sort(),
    approvalsAt: (now) =>
      new Map(
        orm
          .select()
          .from(approvals)
          .where(gt(approvals.expiresAt, now))
          .all()
          .map((a) => [a.changeId, a]),
      ),
    lapsedApprovals: (now) =>
      orm
        .select()
        .from(approvals)
        .where(lte(approvals.expiresAt, now))
        .orderBy(asc(approvals.id), asc(approvals.changeId))
        .all(),
    fact: (name) => orm.select().from(facts).where(eq(facts.name, name)).get()?.value ?? null,
    setFact: (name, value) =>
      void orm.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } }).run(),
  };
}
