import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SyncError } from '../src/base/errors.js';
import { type MatchKey, USUAL } from '../src/model/comparison.js';
import type { Desired } from '../src/model/desired.js';
import type { Directory } from '../src/model/directory.js';
import type { Entity } from '../src/model/entity.js';
import type { Values } from '../src/model/json.js';
import type { Observed } from '../src/model/observed.js';
import { correlationKeys, foldKey } from '../src/model/observed.js';
import type { Change } from '../src/model/plan.js';
import type { ReadEvidence } from '../src/model/source.js';
import type { Finder } from '../src/reconcile/match/correlate.js';
import { openStores, type Stores } from '../src/store/open-stores.js';
import { closeAfterTest } from './closing.js';

/* Plain data that the tests of the stages share. A test gives the values that matter to it, and the rest is filled in. */

export function desiredOf(key: string, values: Values = {}, more: Partial<Desired> = {}): Desired {
  return {
    entity: 'users',
    key,
    place: { source: 'hr', at: '/drop/hr/employees.csv', line: 2 },
    values,
    leaver: false,
    preference: null,
    ...more,
  };
}

export function observedOf(id: string, values: Values = {}, more: Partial<Observed> = {}): Observed {
  return { entity: 'users', id, values, active: true, label: `label of ${id}`, hash: `h-${id}`, ...more };
}

/** Searches objects by their keys, like the mirror. */
export function finderOf(objects: readonly Observed[]): Finder {
  return {
    ids: (name, value) =>
      objects
        .filter((one) => correlationKeys(one).some((key) => key.name === name && key.value === value))
        .map(({ id }) => id),
    values: (id) => objects.find((one) => one.id === id)?.values ?? null,
  };
}

/** Entries of `match` that compare by the default rule. */
export function matchBy(...entries: readonly (readonly string[])[]): readonly MatchKey[] {
  return entries.map((fields) => ({ fields, compare: USUAL }));
}

export function changeOf(entity: Entity, key: string, more: Partial<Change> = {}): Change {
  return {
    id: `id-${entity}-${key}`,
    entity,
    action: 'create',
    key,
    target: null,
    label: key,
    fields: [],
    before: {},
    after: {},
    reason: { kind: 'joined', text: 'in hr, not in the service' },
    place: 'hr employees.csv:2',
    needs: [],
    observedHash: null,
    desiredHash: null,
    ...more,
  };
}

export function evidenceOf(more: Partial<ReadEvidence> = {}): ReadEvidence {
  return {
    source: 'hr',
    delivery: 'employees-1.csv 100 1',
    kind: 'drop',
    at: '/drop/hr/employees-1.csv',
    readAt: '2026-11-20T08:00:00.000Z',
    rows: 100,
    rejected: 0,
    complete: true,
    digest: 'd1',
    ...more,
  };
}

export interface Names {
  readonly countries?: readonly string[];
  /** `no/Oslo` */
  readonly offices?: readonly string[];
  readonly categories?: readonly string[];
  /** `unit/north` */
  readonly tags?: readonly string[];
  readonly customers?: readonly string[];
  readonly emails?: readonly string[];
  readonly projects?: readonly string[];
  readonly industries?: readonly string[];
  /** Name → type. */
  readonly customFields?: Readonly<Record<string, string>>;
}

/** A directory of the given names. An id is the name, prefixed with a letter for its kind. */
export function directoryOf(names: Names): Directory {
  const find = (list: readonly string[] | undefined, name: string, kind: string): string | null =>
    list?.some((one) => foldKey(one) === foldKey(name)) === true ? `${kind}:${foldKey(name)}` : null;
  return {
    hasCountry: (code) => find(names.countries, code, 'c') !== null,
    countryId: (code) => find(names.countries, code, 'c'),
    officeId: (country, name) => find(names.offices, `${country}/${name}`, 'o'),
    categoryId: (category) => find(names.categories, category, 'g'),
    tagId: (category, tag) => find(names.tags, `${category}/${tag}`, 't'),
    find(to, word) {
      const kinds = {
        countries: 'c',
        tag_categories: 'g',
        customers: 'k',
        users: 'u',
        projects: 'p',
        industries: 'i',
      } as const;
      const lists = { ...names, tag_categories: names.categories, users: names.emails };
      const kind = to in kinds ? (to as keyof typeof kinds) : null;
      const id = kind === null ? null : find(lists[kind], word, kinds[kind]);
      return id === null ? [] : [id];
    },
    showsTags: () => true,
    showsUserTags: true,
    customFields: () => names.customFields ?? null,
    known(what, within = '') {
      if (what === 'countries' || what === 'categories') return names[what] ?? [];
      const prefix = `${within}/`;
      return (names[what] ?? []).filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
    },
    digest: 'directory',
  };
}

/** A folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}

let empty: string | null = null;

/** A folder with empty stores. Copying them takes less time than all migrations. */
function copyEmpty(): string {
  if (empty === null) {
    // The tests of this process share it. It is removed with everything else after the last test.
    empty = mkdtempSync(join(tmpdir(), 'talent-sync-empty-'));
    openStores(empty).close();
  }
  const folder = makeFolder();
  cpSync(empty, folder, { recursive: true });
  return folder;
}

/** Stores of a folder, closed after the test. */
export function openTestStores(folder: string = copyEmpty()): Stores {
  const stores = openStores(folder);
  closeAfterTest({ close: () => stores.close() });
  return stores;
}

/** Links a record to an object that the mirror holds. */
export function linkTo(stores: Stores, entity: Entity, key: string, object: Observed): void {
  stores.mirror.save([{ ...object, entity }], 1);
  stores.links.link({
    entity,
    sourceKey: key,
    serviceId: object.id,
    origin: 'created',
    run: 'r1',
    at: '2026-11-20T08:00:00.000Z',
  });
}

/** The SyncError that `work` throws. Any other error, or no error, fails the test. */
export function catchError(work: () => unknown): SyncError {
  try {
    work();
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The key that seals plans in tests. */
export const PLAN_KEY = '5ea1'.repeat(16);
