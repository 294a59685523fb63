import type { Copy } from '../../model/copies.js';
import type { Json } from '../../model/json.js';
import { type Change, isForGood } from '../../model/plan.js';

/** One call of a change, as it can be shown to the service's support. */
export interface AuditedCall {
  readonly call: string;
  readonly status: number | null;
  readonly request_id: string | null;
  /** Set where there was no answer: the reading that showed that it happened. */
  readonly proved_by?: string;
}

/** What became of a change, of the service or of a source. */
export interface EndOfChange {
  readonly run: string;
  readonly at: string;
  readonly change: string;
  readonly entity: string;
  readonly key: string;
  readonly label: string;
  /** Who let it pass a guard, and why; spent when the change is `done`. null where no guard asked. */
  readonly approval: string | null;
  readonly before: Json;
  readonly after: Json;
  readonly error: string | null;
}

/** The end of one change of the service. Everything else that the log tells is an event (`events.ts`). */
export interface AuditEntry extends EndOfChange {
  readonly kind: 'change';
  readonly action: string;
  readonly target: string | null;
  /** Why: kind and sentence of the plan. */
  readonly cause: { readonly kind: string; readonly text: string };
  /** Source row. */
  readonly place: string;
  readonly calls: readonly AuditedCall[];
  /** `in part`: of several calls the first went through and a later one did not. */
  readonly result: 'done' | 'already so' | 'not taken' | 'in part' | 'refused' | 'lost';
  /** Set when the service has sent an e-mail with it. */
  readonly mailed?: true;
  /** Set on what cannot be undone. */
  readonly for_good?: true;
  /** What it put into a proposal, by ids alone: an undo takes out these and no others. */
  readonly copies?: readonly Copy[];
  /** Set on what takes changes of another run back; `derived`: no source has a record of the object. */
  readonly undoes?: { readonly run: string; readonly changes: readonly string[]; readonly derived: boolean };
  /** Set when personal values were replaced before it was written (`pseudonyms.ts`). */
  readonly pseudonymised?: true;
}

export function buildEntry(
  change: Change,
  more: Pick<AuditEntry, 'run' | 'at' | 'calls' | 'result' | 'error' | 'target' | 'approval' | 'mailed' | 'copies'>,
): AuditEntry {
  const { entity, action, key, label, place, before, after, undoes } = change;
  const cause = { kind: change.reason.kind, text: describeCause(change) };
  const isDone = more.result === 'done' || more.result === 'already so';
  const entry = {
    kind: 'change',
    change: change.id,
    entity,
    action,
    key,
    label,
    place,
    before,
    after,
    cause,
    ...more,
    ...(isDone && isForGood(change) ? { for_good: true as const } : {}),
  } as const;
  if (undoes === undefined) return entry;
  const { run, changes, derived } = undoes;
  return { ...entry, undoes: { run, changes, derived } };
}

/** In a plan the run is enough; in the log each change names the ones it takes back. */
function describeCause({ reason, undoes }: Change): string {
  if (undoes === undefined) return reason.text;
  const { run, changes } = undoes;
  const what = `${changes.length === 1 ? 'change' : 'changes'} ${changes.join(', ')}`;
  return reason.text.replace(`undoes run ${run}`, `undoes ${what} of run ${run}`);
}
