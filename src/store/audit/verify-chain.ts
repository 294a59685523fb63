import type { AuditRow, AuditStore, Checkpoint } from '../state/audit-store.js';
import { chain, commit, GENESIS, parseRow } from './audit-log.js';

export interface Verification {
  readonly ok: boolean;
  /** Number of existing entries, excluding those before the checkpoint. */
  readonly entries: number;
  /** Hash of the last entry. If this hash is also noted elsewhere, truncation of the log can be detected. */
  readonly head: string;
  /** Number of entries whose salt and text were removed by an erasure. */
  readonly erased: number;
  readonly checkpoint: Checkpoint | null;
  /** The head to look for and the entry with that hash; null if no head was given. */
  readonly known: { readonly head: string; readonly seq: number } | null;
  /** Sequence number of the first entry that does not fit, with the reason. */
  readonly broken: { readonly seq: number; readonly reason: string } | null;
}

/** Statements of the log about itself, collected while it is read. */
interface Testimony {
  /** Entries without text, oldest first. */
  readonly erased: number[];
  /** Ranges that the entries about erasures name. */
  readonly announced: (readonly [number, number])[];
  /** The newest checkpoint that the log names. */
  checkpoint: { readonly seq: number; readonly hash: string } | null;
  /** Heads of logs that a restored backup has replaced. */
  readonly replaced: Map<string, string>;
}

/**
 * Verifies the entire chain, from its beginning or its checkpoint.
 *
 * | done to the file | found because |
 * |---|---|
 * | a cell edited, a row swapped, inserted or removed | hash, commitment or sequence number no longer follow |
 * | a text removed | no erasure entry names it |
 * | the oldest rows removed, the checkpoint edited | no entry of the log names that checkpoint |
 * | the newest rows removed | no entry has the hash `knownHead`, a head noted elsewhere |
 *
 * @param knownHead a head noted earlier, complete or at least its first 12 digits
 */
export function verifyChain(store: AuditStore, knownHead: string | null = null): Verification {
  return store.snapshot(() => {
    const walk = walkChain(store, knownHead);
    for (let step = walk.next(); ; step = walk.next()) if (step.done === true) return step.value;
  });
}

/** Like `verifyChain`, but yields to other work. The caller holds the run lock, so others can only append entries. */
export async function verifyChainInTurns(store: AuditStore, knownHead: string | null = null): Promise<Verification> {
  const walk = walkChain(store, knownHead);
  for (let step = walk.next(); ; step = walk.next()) {
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Like `verifyChain`, but others may write meanwhile. If the log appears broken, it is verified again in one snapshot. */
export async function verifyChainMeanwhile(store: AuditStore, knownHead: string | null): Promise<Verification> {
  const found = await verifyChainInTurns(store, knownHead);
  return found.ok ? found : verifyChain(store, knownHead);
}

/** Yields to other work after this number of entries. */
const TURN = 1_000;

function* walkChain(store: AuditStore, knownHead: string | null): Generator<undefined, Verification> {
  const checkpoint = store.checkpoint();
  const testimony: Testimony = { erased: [], announced: [], checkpoint: null, replaced: new Map() };
  let previous = checkpoint?.hash ?? GENESIS;
  let position = checkpoint?.seq ?? 0;
  let entries = 0;
  let knownAt = isHead(previous, knownHead) ? position : null;
  let broken: Verification['broken'] = null;
  for (const row of store.rows()) {
    position += 1;
    entries += 1;
    const reason = findFault(row, position, previous);
    if (reason !== null) {
      broken = { seq: row.seq, reason };
      break;
    }
    listen(row, testimony);
    previous = row.hash;
    if (isHead(previous, knownHead)) knownAt = row.seq;
    if (entries % TURN === 0) yield;
  }
  broken ??= findContradiction(testimony, checkpoint);
  if (broken === null && knownHead !== null && knownAt === null) {
    broken = { seq: position, reason: describeLostHead(knownHead, testimony) };
  }
  const known = knownHead === null || knownAt === null ? null : { head: knownHead, seq: knownAt };
  const erased = testimony.erased.length;
  return { ok: broken === null, entries, head: previous, erased, checkpoint, known, broken };
}

function isHead(hash: string, known: string | null): boolean {
  return known !== null && hash.startsWith(known);
}

function findFault(row: AuditRow, position: number, previous: string): string | null {
  if (row.seq !== position) return `entry ${position} is missing`;
  if (row.hash !== chain(previous, row.commitment)) return 'its hash does not follow from the entry before it';
  if (row.entry === null && row.salt === null) return null;
  const isWhole = row.entry !== null && row.salt !== null && row.commitment === commit(row.salt, row.entry);
  return isWhole ? null : 'its text does not match its commitment';
}

function listen(row: AuditRow, testimony: Testimony): void {
  const line = parseRow(row);
  if (line === null) testimony.erased.push(row.seq);
  else if (line.kind === 'person erased') testimony.announced.push(...line.erased);
  else if (line.kind === 'entries expired') testimony.checkpoint = line.checkpoint;
  else if (line.kind === 'state restored' && line.replaced?.head != null)
    testimony.replaced.set(line.replaced.head, line.at);
}

function findContradiction({ erased, announced, ...said }: Testimony, checkpoint: Checkpoint | null) {
  if (checkpoint?.seq !== said.checkpoint?.seq || checkpoint?.hash !== said.checkpoint?.hash) {
    return { seq: checkpoint?.seq ?? 0, reason: 'the checkpoint before it differs from the one in the log' };
  }
  const stretches = announced.toSorted(([a], [b]) => a - b);
  let at = 0;
  let reach = 0;
  for (const seq of erased) {
    for (let next = stretches[at]; next !== undefined && next[0] <= seq; next = stretches[at]) {
      reach = Math.max(reach, next[1]);
      at += 1;
    }
    if (seq > reach) return { seq, reason: 'its text was removed without a recorded erasure' };
  }
  return null;
}

function describeLostHead(head: string, { replaced }: Testimony): string {
  const at = [...replaced].find(([hash]) => isHead(hash, head))?.[1];
  if (at !== undefined) return `the head ${head} belongs to the log that a restored backup replaced at ${at}`;
  return `no entry has the head ${head}: since that head was noted, the log was truncated or rewritten`;
}
