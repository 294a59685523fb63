import { naturalKey, officeKey, tagKey } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Stores } from '../store/open-stores.js';

type Word = (name: string) => string;

/** The names by which records refer to objects that may exist without a row of their own; '' for no name. */
const NAMES: Readonly<Partial<Record<Entity, (word: Word, stores: Pick<Stores, 'mirror'>) => string>>> = {
  countries: (word) => word('code'),
  offices: (word) => officeKey(word('country'), word('name')),
  tag_categories: (word) => word('external_unique_id'),
  tags(word, { mirror }) {
    if (word('external_unique_id') === '') return '';
    const category = mirror.get('tag_categories', word('category_id'))?.values.external_unique_id;
    return tagKey(String(category ?? word('category_id')), word('external_unique_id'));
  },
};

export function isNamed(entity: Entity): boolean {
  return NAMES[entity] !== undefined;
}

/** `no`, `no/Oslo`, `business_unit`, `business_unit/cloud`; the id if an object has no such name. */
export function naturalKeyOf(stores: Pick<Stores, 'mirror'>, { entity, id, values }: Observed): string {
  return NAMES[entity]?.((name) => String(values[name] ?? ''), stores) || id;
}

export interface NaturalMatches {
  /** Source keys of the records with this name, or linked to an object with this name. */
  readonly records: readonly string[];
  /** Objects of the service with this name that no record is linked to. */
  readonly objects: readonly Observed[];
  /** Keys of objects that are about to be created because records name them. */
  readonly derived: readonly string[] | null;
}

const NOTHING: NaturalMatches = { records: [], objects: [], derived: null };

/** Finds a country, office, category or tag by its name. For an office and a tag, the last part of the name is enough. */
export function findNatural(stores: Stores, entity: Entity, words: string): NaturalMatches {
  if (!isNamed(entity)) return NOTHING;
  const { work, mirror, links } = stores;
  const part = words.slice(words.indexOf('/') + 1);
  const isCalled = (name: string): boolean => foldKey(name) === words || foldKey(name).endsWith(`/${words}`);
  const staged = work.findStaged(entity, part).filter((key) => {
    const values = work.stagedByKey(entity, key)?.desired?.values;
    return values !== undefined && isCalled(naturalKey(entity, values) ?? '');
  });
  const objects = [...mirror.all(entity)].filter((object) => isCalled(naturalKeyOf(stores, object)));
  const linked = objects.flatMap(({ id }) => links.keyOf(entity, id) ?? []);
  const planned = [...work.plannedOf(entity)].filter(
    ({ key, reason }) => reason.kind === 'referenced' && isCalled(key),
  );
  return {
    records: [...new Set([...staged, ...linked])],
    objects: objects.filter(({ id }) => links.keyOf(entity, id) === null),
    derived: planned.length === 0 ? null : planned.map(({ key }) => key),
  };
}
