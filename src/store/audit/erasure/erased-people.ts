import { createHmac, randomBytes } from 'node:crypto';
import { foldKey } from '../../../model/observed.js';
import type { ErasedPerson } from '../../erasure-store.js';
import type { Stores } from '../../open-stores.js';
import { EMAIL } from '../pseudonyms.js';
import { buildStranger, findMarkedPerson } from './find-person.js';
import type { Person } from './person.js';

/**
 * The list of erasures, which outlives `state restore`. A backup that is older than an erasure brings the person back, and
 * nobody may have kept whom it was about. So each erasure leaves marks: source keys and service ids under an HMAC with a
 * salt of its own. A reader of state.db can try whether a known person is meant, and cannot read from it who is. The
 * list is in state.db, not in the audit: it is in no export.
 */
type MarkKind = 'key' | 'id' | 'email';

function markOf(salt: string, kind: MarkKind, value: string): string {
  return createHmac('sha256', salt)
    .update(`${kind}\n${foldKey(value)}`)
    .digest('hex')
    .slice(0, 32);
}

/** An address may be given to a successor: it counts only for somebody of whom nothing else is known. */
function* eachMark({ keys, ids, texts }: Person, salt: string): Iterable<string> {
  for (const key of keys) yield markOf(salt, 'key', key);
  for (const id of ids) yield markOf(salt, 'id', id);
  if (keys.length + ids.length > 0) return;
  for (const text of texts) if (text.includes('@')) yield markOf(salt, 'email', text);
}

/** Runs inside the transaction that takes the person out of state.db. What an erasure made again finds is added. */
export function rememberErased(
  { erasure }: Stores,
  person: Person,
  order: Pick<ErasedPerson, 'erasure' | 'at' | 'by' | 'reason'>,
): void {
  const known = erasure.erased().find((one) => one.erasure === order.erasure);
  const salt = known?.salt ?? randomBytes(16).toString('hex');
  const marks = [...new Set([...(known?.marks ?? []), ...eachMark(person, salt)])].sort();
  erasure.remember({ ...order, salt, marks, due: false });
}

/** The erasures that a restored backup does not have; they are due again, and stay so until they are made. */
export function takeOverErased({ erasure }: Stores, replaced: readonly ErasedPerson[]): readonly ErasedPerson[] {
  const here = new Set(erasure.erased().map((one) => one.erasure));
  const lacking = replaced.filter((one) => !here.has(one.erasure));
  for (const one of lacking) erasure.remember({ ...one, due: true });
  return lacking;
}

/** Whom an erasure was about, as this state knows them; null when it knows nothing of them. */
export function findErased(stores: Stores, { salt, marks }: ErasedPerson): Person | null {
  const wanted = new Set(marks);
  const isMarked = (kind: MarkKind, value: string): boolean => wanted.has(markOf(salt, kind, value));
  const user = findMarkedPerson(stores, isMarked);
  if (user !== null) return user;
  for (const address of listAddresses(stores)) if (isMarked('email', address)) return buildStranger(stores, address);
  return null;
}

/** Of people who have no account: they are in what was done to others. */
function listAddresses({ audit, erasure }: Stores): ReadonlySet<string> {
  const addresses = new Set<string>();
  const note = (text: unknown): void => {
    if (typeof text === 'string') for (const [address] of text.matchAll(EMAIL)) addresses.add(address);
  };
  for (const { entry } of audit.rows()) note(entry);
  for (const table of ['links', 'journal', 'runs']) {
    for (const row of erasure.rows('state', table)) for (const value of Object.values(row)) note(value);
  }
  return addresses;
}
