import { createHash } from 'node:crypto';
import type { Config } from '../config/config.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { ReadEvidence } from '../model/source.js';
import { type AbsenceRecord, observeAbsence, observeLeaver } from '../reconcile/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';

/** Judges who has left. Remembers what it saw, and writes it down only when told to: a dry run counts for nothing. */
export interface Leavers {
  explicit(key: string): LeaverVerdict;
  absent(key: string): LeaverVerdict;
  /** Moves the counters on disk: of those missing or leaving now, and of those who are back. */
  save(): void;
}

export function createLeavers(config: Config, stores: Stores, evidence: ReadEvidence | null, now: string): Leavers {
  const { history, work } = stores;
  const rule = config.users?.leaver ?? { afterMissingReads: 0, missingIntervalMs: 0, graceMs: 0 };
  const context = digestOf(config);
  const seen = new Map<string, AbsenceRecord>();

  function remember(key: string, next: AbsenceRecord | null): void {
    if (next !== null) seen.set(key, next);
  }

  return {
    explicit(key) {
      const source = config.users?.existence ?? '';
      const before = history.absence('users', key);
      const { next, due, text } = observeLeaver(
        before,
        source,
        config.users?.leaver.when ?? '',
        evidence?.delivery ?? '',
        rule,
        context,
        now,
      );
      remember(key, next);
      return { due, text };
    },
    absent(key) {
      if (evidence === null) return { due: false, text: 'the source was not read' };
      const { next, due, text } = observeAbsence(history.absence('users', key), evidence, rule, context, now);
      remember(key, next);
      return { due, text };
    },
    save() {
      stores.state.transaction(() => {
        for (const [key, record] of seen) history.saveAbsence('users', key, record);
        const back = history.absentKeys('users').filter((key) => !seen.has(key) && work.isStaged('users', key));
        history.clearAbsence('users', back);
      });
    },
  };
}

/** A counter under another source, filter, scope or join starts again: what is missing then may have been filtered out. */
function digestOf(config: Config): string {
  const { users, sources } = config;
  const existence = users === null ? null : sources[users.existence];
  const shape = existence === null || existence === undefined ? null : shapeOf(existence);
  const parts: Json = [users?.existence ?? null, shape, users?.scope ?? null, (users?.enrich ?? {}) as unknown as Json];
  return createHash('sha256').update(canonicalJson(parts)).digest('hex');
}

/** What a source reads, without where and with which secret: a moved folder or a new password is the same source. */
function shapeOf(source: Config['sources'][string]): Json {
  if (source.type === 'csv') return [source.type, source.pattern, source.key];
  return source.type === 'scim' ? [source.type, source.baseUrl, source.key] : [source.type];
}
