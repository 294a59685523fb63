import { createHmac, randomBytes } from 'node:crypto';
import { foldKey } from '../../../model/observed.js';
import type { ErasedPerson } from '../../erasure-store.js';
import type { Stores } from '../../open-stores.js';
import { EMAIL } from '../pseudonyms.js';
import { buildStranger, findMarkedPerson } from './find-person.js';
import type { Person } from './person.js';

/**
 * The list of erasures, which must survive `state restore`. An older backup brings an erased person back, but the name
 * must not be stored. So each erasure leaves marks: HMACs of source keys and service ids, with a separate salt. A
 * reader of state.db can test a known person against the marks, but cannot derive a name from them. The list is in
 * state.db, outside the audit log, so no export contains it.
 */
type MarkKind = 'key' | 'id' | 'email';

function markOf(salt: string, kind: MarkKind, value: string): string {
  return createHmac('sha256', salt)
    .update(`${kind}\n${foldKey(value)}`)
    .digest('hex')
    .slice(0, 32);
}

/** An address may be reassigned to a successor, so it only counts if nothing else identifies the person. */
function* eachMark({ keys, ids, texts }: Person, salt: string): Iterable<string> {
  for (const key of keys) yield markOf(salt, 'key', key);
  for (const id of ids) yield markOf(salt, 'id', id);
  if (keys.length + ids.length > 0) return;
  for (const text of texts) if (text.includes('@')) yield markOf(salt, 'email', text);
}

/** Call it in the transaction that erases the person from state.db. A repeated erasure adds the marks that it finds. */
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

/**
 * Adds the erasures that a restored backup lacks. They stay due until they have been repeated.
 *
 * @returns the added erasures
 */
export function takeOverErased({ erasure }: Stores, replaced: readonly ErasedPerson[]): readonly ErasedPerson[] {
  const here = new Set(erasure.erased().map((one) => one.erasure));
  const lacking = replaced.filter((one) => !here.has(one.erasure));
  for (const one of lacking) erasure.remember({ ...one, due: true });
  return lacking;
}

/** Finds the person of an erasure in this state; null if the state contains nothing about them. */
export function findErased(stores: Stores, { salt, marks }: ErasedPerson): Person | null {
  const wanted = new Set(marks);
  const isMarked = (kind: MarkKind, value: string): boolean => wanted.has(markOf(salt, kind, value));
  const user = findMarkedPerson(stores, isMarked);
  if (user !== null) return user;
  for (const address of listAddresses(stores)) if (isMarked('email', address)) return buildStranger(stores, address);
  return null;
}

/** Lists addresses of people without an account, which appear in changes to other objects. */
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
