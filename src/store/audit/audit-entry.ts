import type { Copy } from '../../model/copies.js';
import type { Json } from '../../model/json.js';
import { type Change, isForGood } from '../../model/plan.js';
import type { Undoes } from '../../model/undo.js';

/** One call of a change, in a form that the service's support team can use. */
export interface AuditedCall {
  readonly call: string;
  readonly status: number | null;
  readonly request_id: string | null;
  /** The read that proved that the service carried out the call; set only if there was no answer. */
  readonly proved_by?: string;
}

/** The outcome of a change, in the service or in a source. */
export interface EndOfChange {
  readonly run: string;
  readonly at: string;
  readonly change: string;
  readonly entity: string;
  readonly key: string;
  readonly label: string;
  /** Who approved the change past a guard, and why. A `done` change has used up its approval. Null if no guard held it. */
  readonly approval: string | null;
  readonly before: Json;
  readonly after: Json;
  readonly error: string | null;
}

/** The outcome of one change in the service. All other entries of the log are events (`events.ts`). */
export interface AuditEntry extends EndOfChange {
  readonly kind: 'change';
  readonly action: string;
  readonly target: string | null;
  /** The reason for the change: its kind and its sentence from the plan. */
  readonly cause: { readonly kind: string; readonly text: string };
  /** The place of the source row. */
  readonly place: string;
  readonly calls: readonly AuditedCall[];
  /** `in part`: the first of several calls succeeded, and a later one failed. */
  readonly result: 'done' | 'already so' | 'not taken' | 'in part' | 'refused' | 'lost';
  /** Set if the service sent an e-mail because of the change. */
  readonly mailed?: true;
  /** Set if the change cannot be undone. */
  readonly for_good?: true;
  /** Ids of the copies that the change added to a proposal. An undo removes only these copies. */
  readonly copies?: readonly Copy[];
  /** Set if the change undoes changes of another run. `derived` means that no source has a record of the object. */
  readonly undoes?: Omit<Undoes, 'records'>;
  /** Set if personal values were replaced before the entry was written (`pseudonyms.ts`). */
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
  const { records: _records, ...ofUndo } = undoes;
  return { ...entry, undoes: ofUndo };
}

/** A plan only names the run that it undoes. In the log, each change also names the changes that it undoes. */
function describeCause({ reason, undoes }: Change): string {
  if (undoes === undefined) return reason.text;
  const { run, changes } = undoes;
  const what = `${changes.length === 1 ? 'change' : 'changes'} ${changes.join(', ')}`;
  return reason.text.replace(`undoes run ${run}`, `undoes ${what} of run ${run}`);
}
