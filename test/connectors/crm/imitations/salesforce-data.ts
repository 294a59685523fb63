import type { Value } from './soql.js';
import type { Now } from './vendor-server.js';

export type Sobject = 'Account' | 'Opportunity' | 'Contact' | 'User';

export type SalesforceRow = Readonly<Record<string, Value>> & { readonly Id: string; readonly IsDeleted: boolean };

export type Fields = Readonly<Record<string, Value>>;

interface SobjectKind {
  /** The first characters of its ids. */
  readonly prefix: string;
  readonly fields: readonly string[];
  /** By the name of the relationship: the field that holds the id, and the table of the parent. */
  readonly parents: Readonly<Record<string, readonly [field: string, table: Sobject]>>;
}

const OWNER = ['OwnerId', 'User'] as const;
const ACCOUNT = ['AccountId', 'Account'] as const;

/** Fields from seeds are known in addition. */
export const SOBJECTS: Readonly<Record<Sobject, SobjectKind>> = {
  Account: {
    prefix: '001',
    fields: [
      'Name',
      'MasterRecordId',
      'AccountNumber',
      'Industry',
      'Website',
      'Type',
      'OwnerId',
      'ParentId',
      'BillingCountry',
    ],
    parents: { Owner: OWNER, Parent: ['ParentId', 'Account'] },
  },
  Opportunity: {
    prefix: '006',
    fields: ['Name', 'StageName', 'Amount', 'CloseDate', 'IsClosed', 'IsWon', 'AccountId', 'OwnerId', 'Description'],
    parents: { Owner: OWNER, Account: ACCOUNT },
  },
  Contact: {
    prefix: '003',
    fields: ['Name', 'MasterRecordId', 'FirstName', 'LastName', 'Email', 'AccountId', 'OwnerId'],
    parents: { Owner: OWNER, Account: ACCOUNT },
  },
  User: {
    prefix: '005',
    fields: ['Name', 'FirstName', 'LastName', 'Email', 'Username', 'IsActive', 'EmployeeNumber'],
    parents: {},
  },
};

export const SYSTEM_FIELDS = ['Id', 'IsDeleted', 'CreatedDate', 'LastModifiedDate', 'SystemModstamp'];
export const TIME_FIELDS = ['CreatedDate', 'LastModifiedDate', 'SystemModstamp'];

/** The edits that people make in Salesforce; each stamps the row with the current second. */
export interface SalesforceData {
  create(table: Sobject, fields: Fields): SalesforceRow;
  update(table: Sobject, id: string, fields: Fields): SalesforceRow;
  /** Moves a row into the recycle bin, where queryAll still sees it. */
  remove(table: Sobject, id: string): SalesforceRow;
  /** Merges one record into another, which is stamped too. */
  merge(table: 'Account' | 'Contact', master: string, other: string): SalesforceRow;
  restore(table: Sobject, id: string): SalesforceRow;
  /** Removes a row from the recycle bin, so that nothing sees it any more. */
  purge(table: Sobject, id: string): void;
  find(table: Sobject, id: string): SalesforceRow | undefined;
  rows(table: Sobject): readonly SalesforceRow[];
  isField(table: Sobject, name: string): boolean;
}

export type SalesforceSeed = Readonly<Partial<Record<Sobject, readonly Fields[]>>>;

export function createSobjectStore(seed: SalesforceSeed, now: Now): SalesforceData {
  const tables = new Map<Sobject, Map<string, SalesforceRow>>();
  const known = new Map<Sobject, Set<string>>();
  let lastNumber = 0;

  function put(table: Sobject, row: SalesforceRow): SalesforceRow {
    const rows = tables.get(table) ?? new Map<string, SalesforceRow>();
    tables.set(table, rows.set(row.Id, row));
    const names = known.get(table) ?? new Set([...SYSTEM_FIELDS, ...SOBJECTS[table].fields]);
    for (const name of Object.keys(row)) names.add(name);
    known.set(table, names);
    return row;
  }

  function change(table: Sobject, id: string, fields: Fields): SalesforceRow {
    const row = data.find(table, id);
    if (row === undefined) throw new Error(`no ${table} ${id}`);
    const time = formatTime(now());
    return put(table, { ...row, LastModifiedDate: time, SystemModstamp: time, ...fields });
  }

  const data: SalesforceData = {
    create(table, fields) {
      lastNumber += 1;
      const time = formatTime(now());
      const Id = `${SOBJECTS[table].prefix}Qz${String(lastNumber).padStart(10, '0')}AAC`;
      const times = { CreatedDate: time, LastModifiedDate: time, SystemModstamp: time };
      return put(table, { Id, IsDeleted: false, ...times, ...fields });
    },
    update: change,
    remove: (table, id) => change(table, id, { IsDeleted: true }),
    merge(table, master, other) {
      change(table, other, { IsDeleted: true, MasterRecordId: master });
      return change(table, master, {});
    },
    restore: (table, id) => change(table, id, { IsDeleted: false }),
    purge: (table, id) => void tables.get(table)?.delete(id),
    find: (table, id) => tables.get(table)?.get(id),
    rows: (table) => [...(tables.get(table)?.values() ?? [])],
    isField: (table, name) => (known.get(table) ?? new Set([...SYSTEM_FIELDS, ...SOBJECTS[table].fields])).has(name),
  };
  for (const table of Object.keys(SOBJECTS) as Sobject[]) {
    for (const fields of seed[table] ?? []) data.create(table, fields);
  }
  return data;
}

/** Rounds down to seconds, and writes the zone without a colon. */
function formatTime(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace('Z', '+0000');
}
