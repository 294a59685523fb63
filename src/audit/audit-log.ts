import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.js';
import type { Change } from '../model/plan.js';
import type { AuditRow, AuditStore } from '../store/audit-store.js';

/** One call of a change, as it can be shown to the service's support. */
export interface AuditedCall {
  readonly call: string;
  readonly status: number | null;
  readonly request_id: string | null;
}

export interface AuditEntry {
  readonly run: string;
  readonly at: string;
  readonly change: string;
  readonly entity: string;
  readonly action: string;
  readonly key: string;
  readonly target: string | null;
  readonly label: string;
  /** Why: kind and sentence of the plan. */
  readonly cause: { readonly kind: string; readonly text: string };
  /** Source row. */
  readonly place: string;
  readonly approval: string | null;
  readonly before: Json;
  readonly after: Json;
  readonly calls: readonly AuditedCall[];
  /** `in part`: of several calls the first went through and a later one did not. */
  readonly result: 'done' | 'already so' | 'not taken' | 'in part' | 'refused' | 'lost';
  readonly error: string | null;
  /** Set when the service has sent an e-mail with it. */
  readonly mailed?: true;
  /** Set on what takes changes of another run back; `derived`: the object has no record of its own. */
  readonly undoes?: { readonly run: string; readonly changes: readonly string[]; readonly derived: boolean };
}

export interface Verification {
  readonly ok: boolean;
  readonly entries: number;
  /** Hash of the last entry: note it elsewhere, and a log cut at its end is found out too. */
  readonly head: string;
  /** Sequence number of the first entry that does not fit, and why. */
  readonly broken: { readonly seq: number; readonly reason: string } | null;
}

const GENESIS = '0'.repeat(64);

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The chain commits to H(salt ‖ entry), not to the entry: both can be erased later without breaking it. */
function commit(salt: string, entry: string): string {
  return sha256(`${salt}\n${entry}`);
}

function chain(previous: string, commitment: string): string {
  return sha256(`${previous}\n${commitment}`);
}

export function buildEntry(
  change: Change,
  more: Pick<AuditEntry, 'run' | 'at' | 'calls' | 'result' | 'error' | 'target' | 'approval' | 'mailed'>,
): AuditEntry {
  const { entity, action, key, label, place, before, after, undoes } = change;
  const cause = { kind: change.reason.kind, text: describeCause(change) };
  const entry = { change: change.id, entity, action, key, label, place, before, after, cause, ...more };
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
  const text = canonicalJson(entry as unknown as Json);
  const salt = randomBytes(16).toString('hex');
  const commitment = commit(salt, text);
  const previous = store.last()?.hash ?? GENESIS;
  store.append({ salt, entry: text, commitment, hash: chain(previous, commitment) });
}

/** Walks the whole chain: order, links, and each entry against its commitment. */
export function verifyChain(store: AuditStore): Verification {
  let previous = GENESIS;
  let entries = 0;
  for (const row of eachRow(store)) {
    entries += 1;
    const reason = findFault(row, entries, previous);
    if (reason !== null) return { ok: false, entries, head: previous, broken: { seq: row.seq, reason } };
    previous = row.hash;
  }
  return { ok: true, entries, head: previous, broken: null };
}

function findFault(row: AuditRow, position: number, previous: string): string | null {
  if (row.seq !== position) return `entry ${position} is missing`;
  if (row.hash !== chain(previous, row.commitment)) return 'its hash does not follow from the entry before it';
  if (row.entry === null || row.salt === null) return null;
  return row.commitment === commit(row.salt, row.entry) ? null : 'its text is not the one that was committed to';
}

function* eachRow(store: AuditStore): Iterable<AuditRow> {
  for (let seq = 0; ; ) {
    const rows = store.page(seq, 500);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    seq = last.seq;
  }
}

/** Entries oldest first, with their place in the chain. Erased ones are left out. */
export function* readEntries(
  store: AuditStore,
): Iterable<AuditEntry & { readonly seq: number; readonly hash: string }> {
  for (const { seq, hash, entry } of eachRow(store)) {
    if (entry !== null) yield { seq, hash, ...(JSON.parse(entry) as AuditEntry) };
  }
}
