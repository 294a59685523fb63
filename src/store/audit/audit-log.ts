import { randomUUID } from 'node:crypto';
import { hideSecretsInJson } from '../../base/secrets/secret.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import type { AuditRow, AuditStore } from '../state/audit-store.js';
import type { AuditEntry } from './audit-entry.js';
import type { AuditEvent } from './events.js';
import { pseudonymiseEntry, pseudonymiseEvent } from './pseudonyms.js';

/** The position of an entry in the chain. */
export interface InChain {
  readonly seq: number;
  readonly hash: string;
}

/** The hash before the first entry. */
export const GENESIS = '0'.repeat(64);

/**
 * The chain contains H(salt ‖ entry) instead of the entry. So salt and entry can be erased later without breaking the
 * chain.
 */
export function commit(salt: string, entry: string): string {
  return sha256(`${salt}\n${entry}`);
}

export function chain(previous: string, commitment: string): string {
  return sha256(`${previous}\n${commitment}`);
}

/** Appends one entry. Call it inside the transaction of the outcome, so that both reach the disk together. */
export function appendEntry(store: AuditStore, entry: AuditEntry): void {
  const { pseudonymise } = store.policy;
  appendText(store, pseudonymise ? pseudonymiseEntry(store.makePseudonymKey(), entry) : entry);
}

/** @returns the entry's sequence number */
export function appendEvent(store: AuditStore, event: AuditEvent): number {
  const { pseudonymise } = store.policy;
  return appendText(store, pseudonymise ? pseudonymiseEvent(store.makePseudonymKey(), event) : event);
}

function appendText(store: AuditStore, line: AuditEntry | AuditEvent): number {
  // Messages should not contain secrets. A secret in the log could not be removed later, so known secrets are hidden
  // here.
  const text = hideSecretsInJson(canonicalJson(line as unknown as Json));
  // 122 random bits. Node.js generates UUIDs in batches; generating bytes separately took a third of the time per
  // entry.
  const salt = randomUUID().replaceAll('-', '');
  const commitment = commit(salt, text);
  return store.append((lastHash) => {
    const previous = lastHash ?? store.checkpoint()?.hash ?? GENESIS;
    return { salt, entry: text, commitment, hash: chain(previous, commitment) };
  });
}

/** Returns the content of a row; null if it was erased. */
export function parseRow({ entry }: AuditRow): AuditEntry | AuditEvent | null {
  return entry === null ? null : (JSON.parse(entry) as AuditEntry | AuditEvent);
}

/**
 * Yields the outcomes of changes, oldest first, with their positions in the chain. It omits erased entries and events,
 * which `readLog` includes. Pseudonymised entries keep their pseudonyms. `originalOf` returns their values while these
 * are stored.
 */
export function* readEntries(store: AuditStore): Iterable<AuditEntry & InChain> {
  for (const row of store.rows()) {
    const line = parseRow(row);
    if (line?.kind === 'change') yield { seq: row.seq, hash: row.hash, ...line };
  }
}
