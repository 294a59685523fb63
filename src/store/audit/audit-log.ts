import { randomUUID } from 'node:crypto';
import { hideSecretsInJson } from '../../base/secrets/secret.js';
import type { Copy } from '../../model/copies.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { type Change, isForGood } from '../../model/plan.js';
import { sha256 } from '../../model/sha256.js';
import type { AuditRow, AuditStore } from '../state/audit-store.js';
import type { AuditEvent } from './events.js';
import { pseudonymiseEntry, pseudonymiseEvent } from './pseudonyms.js';

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

/** Where a line is in the chain. */
export interface InChain {
  readonly seq: number;
  readonly hash: string;
}

/** Hash before the first entry. */
export const GENESIS = '0'.repeat(64);

/** The chain commits to H(salt ‖ entry), not to the entry: both can be erased later without breaking it. */
export function commit(salt: string, entry: string): string {
  return sha256(`${salt}\n${entry}`);
}

export function chain(previous: string, commitment: string): string {
  return sha256(`${previous}\n${commitment}`);
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

/** Appends one entry. Runs inside the caller's transaction, so that outcome and audit reach the disk together. */
export function appendEntry(store: AuditStore, entry: AuditEntry): void {
  const { pseudonymise } = store.policy;
  appendText(store, pseudonymise ? pseudonymiseEntry(store.makePseudonymKey(), entry) : entry);
}

/** @returns its sequence number */
export function appendEvent(store: AuditStore, event: AuditEvent): number {
  const { pseudonymise } = store.policy;
  return appendText(store, pseudonymise ? pseudonymiseEvent(store.makePseudonymKey(), event) : event);
}

function appendText(store: AuditStore, line: AuditEntry | AuditEvent): number {
  // No message carries one; should a later one do, the log is the last place that could take it back.
  const text = hideSecretsInJson(canonicalJson(line as unknown as Json));
  // 122 random bits, of which Node.js keeps a stock: so many bytes of their own took a third of the time of an entry.
  const salt = randomUUID().replaceAll('-', '');
  const commitment = commit(salt, text);
  return store.append((lastHash) => {
    const previous = lastHash ?? store.checkpoint()?.hash ?? GENESIS;
    return { salt, entry: text, commitment, hash: chain(previous, commitment) };
  });
}

/** What a row tells; null once erased. */
export function parseRow({ entry }: AuditRow): AuditEntry | AuditEvent | null {
  return entry === null ? null : (JSON.parse(entry) as AuditEntry | AuditEvent);
}

/**
 * The ends of changes, oldest first, with their place in the chain. Erased ones and events are left out; `readLog` tells
 * all. A pseudonymised entry stays so: `originalOf` gives its values while they are kept.
 */
export function* readEntries(store: AuditStore): Iterable<AuditEntry & InChain> {
  for (const row of store.rows()) {
    const line = parseRow(row);
    if (line?.kind === 'change') yield { seq: row.seq, hash: row.hash, ...line };
  }
}
