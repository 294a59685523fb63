import { SyncError } from '../../base/errors.js';
import { createNaturalOrder } from '../../model/compare-texts.js';
import { type Entity, TRAITS, wordFor } from '../../model/entity.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { foldLoosely } from '../../model/raw-text.js';
import { typed } from '../../model/typed.js';
import { findKeys, notFound, type Selected } from '../../planning/only.js';
import { PERSONAL_ENTITIES } from '../../store/audit/people.js';
import type { Stores } from '../../store/open-stores.js';

/** A record that the words may refer to. */
interface NamedKey {
  readonly key: string;
  readonly label: string;
}

/** The object that the caller asks for. */
export interface MeantBy extends Pick<Selected, 'words' | 'asked'> {
  /** True if the caller sees pseudonyms, so that a name, or a part of a name, matches nobody. */
  readonly isVeiled: boolean;
}

/** Maximum number of candidates to show. */
const TOLD = 10;

/**
 * Finds the object by key, address, external id or name, or else by parts of these. Ignores case and accents. A
 * key wins over everything else.
 *
 * @throws SyncError SYNC_NOT_FOUND if none or several match; with several, each candidate is a problem of the error
 */
export function findOne(
  stores: Stores,
  entity: Entity,
  { words, asked, isVeiled }: MeantBy,
): { readonly key: string; readonly unlinked: Observed | null } {
  const { keys, inService, unlinked } = findKeys(stores, entity, words);
  const isUnnamed = isVeiled && PERSONAL_ENTITIES.has(entity);
  const exact = keys
    .filter((key) => !isUnnamed || isIdOf(stores, entity, { key, words }))
    .map((key) => ({ key, label: labelFor(stores, entity, key) }));
  const found = preferKey(exact.length > 0 || isUnnamed ? exact : findByPart(stores, entity, words), words, asked);
  const [one, ...others] = found;
  const kind = TRAITS[entity].singular;
  if (one === undefined) throw notFound(kind, asked, inService && !isUnnamed, 'explain');
  if (others.length === 0) return { key: one.key, unlinked: exact.length > 0 ? unlinked : null };
  throw tellCandidates(found, entity, asked);
}

/** A key wins over ids, names and parts of these, and the exact spelling over other capitals. */
function preferKey(found: readonly NamedKey[], words: string, asked: string): readonly NamedKey[] {
  const exact = found.filter(({ key }) => key === asked);
  const folded = found.filter(({ key }) => foldKey(key) === words);
  return [exact, folded].find((own) => own.length === 1) ?? found;
}

/** True if the words are the record's key, or one of its unique ids in the service or in its source. */
function isIdOf({ links, mirror, work }: Stores, entity: Entity, { key, words }: KeyAndWords): boolean {
  const id = links.find(entity, key)?.serviceId ?? null;
  const object = id === null ? null : mirror.get(entity, id);
  const sides = [object?.values, work.stagedByKey(entity, key)?.desired?.values];
  const ids = sides.flatMap((values) => [values?.email, values?.upn, values?.external_unique_id]);
  return [key, id, ...ids].some((one) => typeof one === 'string' && foldKey(one) === words);
}

interface KeyAndWords {
  readonly key: string;
  /** Case-folded. */
  readonly words: string;
}

function tellCandidates(found: readonly NamedKey[], entity: Entity, asked: string): SyncError {
  const compare = createNaturalOrder();
  const sorted = found.toSorted((a, b) => compare(a.key, b.key));
  const rest = sorted.length - TOLD;
  return new SyncError('SYNC_NOT_FOUND', {
    message: `${found.length} records match "${asked}"${rest > 0 ? `; these are the first ${TOLD}` : ''}.`,
    place: 'explain',
    problems: sorted.slice(0, TOLD).map(({ key, label }) => ({ place: key, message: label })),
    remedy: `Ask by key: \`talent-sync explain ${wordFor(entity)} ${typed(sorted[0]?.key ?? 'KEY')}\``,
  });
}

function labelFor({ links, mirror, work }: Stores, entity: Entity, key: string): string {
  const id = links.find(entity, key)?.serviceId ?? null;
  const object = id === null ? null : mirror.get(entity, id);
  return object?.label ?? work.stagedLabel(entity, key) ?? key;
}

/** Searches linked objects by their label in the service, and records by their values from the sources. */
function findByPart(stores: Stores, entity: Entity, words: string): readonly NamedKey[] {
  const parts = foldLoosely(words).split(' ');
  const found = new Map<string, string>();
  const look = (key: string, label: string, more: unknown): void => {
    const text = foldLoosely(`${key} ${label} ${String(more ?? '')}`);
    if (parts.every((part) => text.includes(part))) found.set(key, label);
  };
  for (const { id, label, values } of stores.mirror.all(entity)) {
    const key = stores.links.findByServiceId(entity, id)?.sourceKey;
    if (key !== undefined) look(key, label, values.email);
  }
  for (const { key, label, values } of stores.work.stagedRecords(entity)) look(key, label, values.email);
  return [...found].map(([key, label]) => ({ key, label }));
}
