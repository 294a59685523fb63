import { createHash } from 'node:crypto';
import type { Config } from '../config/config.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { GuardTrip, ReasonKind } from '../model/plan.js';
import type { ReadEvidence } from '../model/source.js';
import {
  type AbsenceObservation,
  type AbsenceRecord,
  observeAbsence,
  observeLeaver,
  observeOutOfScope,
} from '../reconcile/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';

/** Judges who has left. Remembers what it saw, and writes it down only when told to: a dry run counts for nothing. */
export interface Leavers {
  explicit(key: string): LeaverVerdict;
  absent(key: string): LeaverVerdict;
  outOfScope(key: string): LeaverVerdict;
  /** Kinds of leaving that wait for a person whatever the limits, because an edit of the configuration made them. */
  toAsk(): readonly ReasonKind[];
  /** The reads that count as proof for those who are absent and due; null when nobody is. */
  proof(): Json;
  /** Moves the counters on disk: of those missing or leaving now, and of those who are back. */
  save(run?: { readonly guards: readonly GuardTrip[]; readonly only: string | null }): void;
}

/** Under which source, key, filter, scope and join the last complete read was made. */
const CONTEXT_FACT = 'absence.context';
/** The same, of the last run in which being out of scope was a leaving and nobody was left to be asked about; else `keep`. */
const SCOPE_FACT = 'guards.scope';

export function createLeavers(config: Config, stores: Stores, evidence: ReadEvidence | null, now: string): Leavers {
  const { history, work } = stores;
  const { users } = config;
  const rule = users?.leaver ?? { afterMissingReads: 0, missingIntervalMs: 0, graceMs: 0 };
  const context = digestOf(config);
  const edited = ![null, context].includes(history.fact(CONTEXT_FACT));
  const scope = users?.outOfScope === 'deactivate' ? context : 'keep';
  const seen = new Map<string, AbsenceRecord>();
  const due = { people: 0, since: now };
  const unread = { due: false, text: 'the source was not read' };

  function judge(key: string, { next, due: isDue, text, sinceEdit }: AbsenceObservation): LeaverVerdict {
    if (next !== null) seen.set(key, next);
    return { due: isDue, text, ...(sinceEdit === true ? { sinceEdit } : {}) };
  }

  return {
    explicit(key) {
      const before = history.absence('users', key);
      const [source, when] = [users?.existence ?? '', users?.leaver.when ?? ''];
      return judge(key, observeLeaver(before, source, when, evidence?.delivery ?? '', rule, context, now));
    },
    absent(key) {
      if (evidence === null) return unread;
      const observed = observeAbsence(history.absence('users', key), evidence, rule, context, now, edited);
      if (observed.due && observed.next !== null && observed.next.kind !== 'left') {
        due.people += 1;
        if (observed.next.firstAt < due.since) due.since = observed.next.firstAt;
      }
      return judge(key, observed);
    },
    outOfScope(key) {
      if (evidence === null) return unread;
      const before = history.absence('users', key);
      return judge(key, observeOutOfScope(before, evidence, users?.scope ?? '', rule, context, now));
    },
    toAsk: () => [
      'absent_since_edit',
      ...(history.fact(SCOPE_FACT) === scope ? [] : (['out_of_scope'] satisfies ReasonKind[])),
    ],
    proof() {
      if (evidence === null || due.people === 0) return null;
      const { source, delivery, at, rows, digest, kind } = evidence;
      const earlier = history
        .completeReadsSince(source, due.since)
        .filter((read) => kind === 'live' || read.delivery !== delivery)
        .map((read): Json => ({ at: read.at, read_at: read.readAt, rows: read.rows, digest: read.digest }));
      // Of this read the time is left out: the same input must give the same plan.
      return { source, people: due.people, reads: [...earlier, { at, read_at: null, rows, digest }] };
    },
    save(run = { guards: [], only: null }) {
      stores.state.transaction(() => {
        for (const [key, record] of seen) history.saveAbsence('users', key, record);
        const back = history.absentKeys('users').filter((key) => !seen.has(key) && work.isStaged('users', key));
        history.clearAbsence('users', back);
        if (evidence?.complete === true) history.setFact(CONTEXT_FACT, context);
        const waits = run.guards.some(({ guard }) => guard === 'users.out_of_scope');
        if (evidence?.complete === true && run.only === null && !waits) history.setFact(SCOPE_FACT, scope);
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

/**
 * What a source reads, without where and with which secret: a moved folder or a new password is the same source. The type
 * of the key, the separator and the encoding belong to it: `007` and `7` are two keys.
 */
function shapeOf(source: Config['sources'][string]): Json {
  if (source.type === 'crm') return [source.type];
  const keyType = source.columns[source.key]?.type ?? null;
  if (source.type === 'scim') return [source.type, source.baseUrl, source.key, keyType];
  return [source.type, source.pattern, source.key, keyType, source.separator, source.encoding];
}
