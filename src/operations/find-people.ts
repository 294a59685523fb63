import { sortNaturally } from '../model/compare-texts.js';
import type { Entity } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import { foldLoosely } from '../model/raw-text.js';
import type { Stores } from '../store/open-stores.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

/** A person or object that may match. */
export interface MeantPerson {
  /** Null for a person or object without a record or link, which is therefore not managed. */
  readonly key: string | null;
  readonly label: string | null;
  /** State of the account or object in the service; null without one. */
  readonly active: boolean | null;
  /** State in the last read of the source: `desired`, `leaver`, `early`, `held`, `gone`; null if not delivered. */
  readonly state: string | null;
  /** ISO 8601: the first day of a person who starts later. */
  readonly starts: string | null;
}

export interface FoundPeople {
  readonly found: readonly MeantPerson[];
  /** True if there are more matches. */
  readonly more: boolean;
}

/** Number of objects to show, and number to check before yielding to other work. */
const MOST = 100;
const TURN = 500;

export interface PeopleQuestion {
  readonly entity: Entity;
  readonly words: string;
}

export const FIND_PEOPLE: TenantOperation<PeopleQuestion, FoundPeople> = {
  name: 'findPeople',
  needs: 'the mirror',
  perform: (context, question) => withStores(context, (stores) => findPeople(stores, question, context.isVeiled)),
};

/**
 * Finds records and objects by key, e-mail and parts of names, as last read. Ignores case and accents. Reads only the
 * state, in turns.
 *
 * @param isVeiled true for viewers of pseudonyms, who find people only by key or complete address
 */
export async function findPeople(
  stores: Stores,
  { entity, words }: PeopleQuestion,
  isVeiled = false,
): Promise<FoundPeople> {
  const isMeant = createMatch(words, isVeiled);
  const found = new Map<string, MeantPerson>();
  let looked = 0;
  for (const { name, text, email, about } of listCandidates(stores, entity)) {
    if (!found.has(name) && isMeant(name, text, email)) found.set(name, about());
    if (found.size > MOST) break;
    looked += 1;
    if (looked % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const sorted = sortNaturally([...found.values()], ({ key, label }) => key ?? label ?? '');
  return { found: sorted.slice(0, MOST), more: sorted.length > MOST };
}

interface FoundCandidate {
  /** The key, or the id if there is no key. */
  readonly name: string;
  readonly text: string | null;
  readonly email: unknown;
  readonly about: () => MeantPerson;
}

function* listCandidates({ links, mirror, work, waiting }: Stores, entity: Entity): Iterable<FoundCandidate> {
  function aboutKey(key: string, label: string | null): Pick<MeantPerson, 'key' | 'label' | 'active'> {
    const link = links.find(entity, key);
    const object = link === null ? null : mirror.get(entity, link.serviceId);
    return { key, label: object?.label ?? label, active: object?.active ?? null };
  }
  for (const { key, label, state, starts, values } of work.recordsBefore(entity)) {
    const about = (): MeantPerson => ({ ...aboutKey(key, label), state, starts });
    yield { name: key, text: label, email: values?.email, about };
  }
  for (const { id, label, active, values } of mirror.all(entity)) {
    const key = links.findByServiceId(entity, id)?.sourceKey ?? null;
    const about = (): MeantPerson => ({ key, label, active, state: null, starts: null });
    yield { name: key ?? id, text: label, email: values.email, about };
  }
  // An unusable row is known only from the text of its hold.
  for (const { entity: of, key, reason } of waiting.holds(new Date(0).toISOString())) {
    const about = (): MeantPerson => ({ ...aboutKey(key, null), state: 'held', starts: null });
    if (of === entity) yield { name: key, text: reason, email: null, about };
  }
}

function createMatch(words: string, isVeiled: boolean): (key: string, label: string | null, email: unknown) => boolean {
  const whole = foldKey(words);
  const parts = foldLoosely(words).split(' ');
  return (key, label, email) => {
    if (isVeiled) {
      const folded = foldKey(key);
      // A key that is an address names a person, so only the complete key matches.
      const isOfKey = folded.includes('@') ? folded === whole : folded.includes(whole);
      return isOfKey || (typeof email === 'string' && foldKey(email) === whole);
    }
    const text = foldLoosely(`${key} ${label ?? ''} ${typeof email === 'string' ? email : ''}`);
    return parts.every((part) => text.includes(part));
  };
}
