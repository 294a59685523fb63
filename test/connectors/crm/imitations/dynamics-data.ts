import { randomUUID } from 'node:crypto';
import type { Now } from './vendor-server.js';

export type Cell = string | number | boolean | null;
export type Columns = Readonly<Record<string, Cell>>;

export type EntitySet = 'accounts' | 'opportunities' | 'contacts' | 'systemusers';

interface Entity {
  readonly name: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** By the name of the navigation: the column that holds the id, and the set it points to. */
  readonly navigation: Readonly<Record<string, readonly [column: string, set: EntitySet]>>;
}

const OWNER = { owninguser: ['_owninguser_value', 'systemusers'] } as const;
const OWNED = ['_ownerid_value', '_owninguser_value', 'createdon', 'modifiedon', 'statecode', 'statuscode'];

/** Accounts and contacts can be merged: the loser remains, inactive. */
const MERGED = ['merged', '_masterid_value'];

/** Columns from seeds are known in addition. */
export const ENTITIES: Readonly<Record<EntitySet, Entity>> = {
  accounts: {
    name: 'account',
    key: 'accountid',
    columns: [
      'name',
      'accountnumber',
      'telephone1',
      'websiteurl',
      'industrycode',
      '_parentaccountid_value',
      ...MERGED,
      ...OWNED,
    ],
    navigation: { ...OWNER, parentaccountid: ['_parentaccountid_value', 'accounts'] },
  },
  opportunities: {
    name: 'opportunity',
    key: 'opportunityid',
    columns: ['name', 'estimatedvalue', 'estimatedclosedate', 'description', '_parentaccountid_value', ...OWNED],
    navigation: {
      ...OWNER,
      parentaccountid: ['_parentaccountid_value', 'accounts'],
      customerid_account: ['_customerid_value', 'accounts'],
    },
  },
  contacts: {
    name: 'contact',
    key: 'contactid',
    columns: ['fullname', 'firstname', 'lastname', 'emailaddress1', '_parentcustomerid_value', ...MERGED, ...OWNED],
    navigation: OWNER,
  },
  systemusers: {
    name: 'systemuser',
    key: 'systemuserid',
    columns: ['fullname', 'firstname', 'lastname', 'internalemailaddress', 'isdisabled', 'createdon', 'modifiedon'],
    navigation: {},
  },
};

export interface DynamicsRow {
  readonly id: string;
  readonly columns: Columns;
  /** Grows with each write in the organization; the ETag and delta tokens are made from it. */
  readonly version: number;
}

export interface Deletion {
  readonly id: string;
  readonly version: number;
}

/** The edits that people make in Dynamics. A deleted row disappears immediately; only change tracking remembers it. */
export interface DynamicsData {
  create(set: EntitySet, columns: Columns): DynamicsRow;
  update(set: EntitySet, id: string, columns: Columns): DynamicsRow;
  remove(set: EntitySet, id: string): void;
  merge(set: 'accounts' | 'contacts', master: string, other: string): void;
  find(set: EntitySet, id: string): DynamicsRow | undefined;
  rows(set: EntitySet): readonly DynamicsRow[];
  deletions(set: EntitySet): readonly Deletion[];
  isColumn(set: EntitySet, name: string): boolean;
  readonly version: number;
}

export type DynamicsSeed = Readonly<Partial<Record<EntitySet, readonly Columns[]>>>;

export function createTables(seed: DynamicsSeed, now: Now): DynamicsData {
  const tables = new Map<EntitySet, Map<string, DynamicsRow>>();
  const deleted = new Map<EntitySet, Deletion[]>();
  const known = new Map<EntitySet, Set<string>>();
  let version = 1000;

  function table(set: EntitySet): Map<string, DynamicsRow> {
    const rows = tables.get(set) ?? new Map<string, DynamicsRow>();
    tables.set(set, rows);
    return rows;
  }

  function write(set: EntitySet, id: string, columns: Columns): DynamicsRow {
    version += 1;
    const names = known.get(set) ?? new Set([ENTITIES[set].key, ...ENTITIES[set].columns]);
    for (const name of Object.keys(columns)) names.add(name);
    known.set(set, names);
    // The imitation has only users as owners, so an owner appears under both names.
    const owner = columns._ownerid_value ?? columns._owninguser_value ?? null;
    const row = { id, columns: { ...columns, _ownerid_value: owner, _owninguser_value: owner }, version };
    table(set).set(id, row);
    return row;
  }

  /** Rounded down to seconds. */
  const time = (): string => new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');

  const data: DynamicsData = {
    create(set, columns) {
      const { key } = ENTITIES[set];
      const id = String(columns[key] ?? randomUUID());
      const state = set === 'systemusers' ? {} : { statecode: 0, statuscode: 1 };
      return write(set, id, { createdon: time(), modifiedon: time(), ...state, ...columns, [key]: id });
    },
    update(set, id, columns) {
      const row = data.find(set, id);
      if (row === undefined) throw new Error(`no ${set} ${id}`);
      return write(set, id, { ...row.columns, modifiedon: time(), ...columns });
    },
    remove(set, id) {
      version += 1;
      table(set).delete(id);
      deleted.set(set, [...(deleted.get(set) ?? []), { id, version }]);
    },
    merge(set, master, other) {
      data.update(set, other, { merged: true, _masterid_value: master, statecode: 1 });
      data.update(set, master, {});
    },
    find: (set, id) => table(set).get(id),
    rows: (set) => [...table(set).values()],
    deletions: (set) => deleted.get(set) ?? [],
    isColumn: (set, name) => (known.get(set) ?? new Set([ENTITIES[set].key, ...ENTITIES[set].columns])).has(name),
    get version() {
      return version;
    },
  };
  for (const set of Object.keys(ENTITIES) as EntitySet[]) {
    for (const columns of seed[set] ?? []) data.create(set, columns);
  }
  return data;
}
