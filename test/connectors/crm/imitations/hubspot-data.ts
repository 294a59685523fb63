import type { Json, Now } from './vendor-server.js';

export const OBJECT_TYPES = ['companies', 'deals', 'contacts'] as const;
export type ObjectType = (typeof OBJECT_TYPES)[number];

export const SINGULAR: Readonly<Record<ObjectType, string>> = {
  companies: 'company',
  deals: 'deal',
  contacts: 'contact',
};

/** The property with the time of a record’s last change; contacts keep the name from the first API. */
export const MODIFIED: Readonly<Record<ObjectType, string>> = {
  companies: 'hs_lastmodifieddate',
  deals: 'hs_lastmodifieddate',
  contacts: 'lastmodifieddate',
};

export interface HubspotRow {
  /** A string of digits. */
  readonly id: string;
  /** HubSpot stores each value as text. */
  readonly properties: Readonly<Record<string, string | null>>;
  /** Ids of the associated records; the first company of a deal is the primary one. */
  readonly associations: Readonly<Partial<Record<ObjectType, readonly string[]>>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
}

export interface HubspotOwner {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly archived: boolean;
}

export type RowSeed = Partial<HubspotRow>;

export interface HubspotSeed {
  readonly companies?: readonly RowSeed[];
  readonly deals?: readonly RowSeed[];
  readonly contacts?: readonly RowSeed[];
  readonly owners?: readonly HubspotOwner[];
}

/** The edits that people make in HubSpot; each sets the time of change. */
export interface HubspotData {
  owners: readonly HubspotOwner[];
  create(type: ObjectType, seed: RowSeed | Json): HubspotRow;
  update(type: ObjectType, id: string, properties: HubspotRow['properties'], rest?: RowSeed): HubspotRow;
  archive(type: ObjectType, id: string): HubspotRow;
  restore(type: ObjectType, id: string): HubspotRow;
  /** Erases a record permanently: it disappears from every list, even that of archived records. */
  erase(type: ObjectType, id: string): void;
  /** Merges two records into one with a new id; the old ids lead to it. */
  merge(type: ObjectType, primary: string, other: string): HubspotRow;
  find(type: ObjectType, id: string): HubspotRow | undefined;
  /** All rows by id, including archived ones. */
  rows(type: ObjectType): readonly HubspotRow[];
  /** The rows in their state at that time. */
  rowsAt(type: ObjectType, time: number): readonly HubspotRow[];
}

interface Version {
  readonly row: HubspotRow;
  readonly writtenAt: number;
}

export function createObjectStore(seed: HubspotSeed, now: Now): HubspotData {
  const tables = new Map(OBJECT_TYPES.map((type) => [type, new Map<string, Version[]>()]));
  const sorted = new Map<ObjectType, readonly HubspotRow[]>();
  const moved = new Map<string, string>();
  let lastId = 1000;

  function table(type: ObjectType): Map<string, Version[]> {
    return tables.get(type) ?? new Map();
  }

  function write(type: ObjectType, row: HubspotRow, writtenAt: number): HubspotRow {
    const versions = table(type).get(row.id);
    if (versions === undefined) table(type).set(row.id, [{ row, writtenAt }]);
    else versions.push({ row, writtenAt });
    sorted.delete(type);
    return row;
  }

  function build(given: RowSeed): HubspotRow {
    const time = new Date(now()).toISOString();
    const id = given.id ?? String(lastId + 1);
    lastId = Math.max(lastId, Number(id));
    return {
      id,
      properties: given.properties ?? {},
      associations: given.associations ?? {},
      createdAt: given.createdAt ?? time,
      updatedAt: given.updatedAt ?? given.createdAt ?? time,
      archived: given.archived ?? false,
      archivedAt: given.archivedAt ?? (given.archived ? time : null),
    };
  }

  function change(type: ObjectType, id: string, fields: (row: HubspotRow, time: string) => RowSeed): HubspotRow {
    const row = data.find(type, id);
    if (row === undefined) throw new Error(`no ${type} ${id}`);
    return write(type, { ...row, ...fields(row, new Date(now()).toISOString()) }, now());
  }

  const data: HubspotData = {
    owners: seed.owners ?? [],
    create: (type, given) => write(type, build(given), now()),
    update: (type, id, properties, rest = {}) =>
      change(type, id, (row, time) => ({
        updatedAt: time,
        ...rest,
        properties: { ...row.properties, ...properties },
      })),
    archive: (type, id) => change(type, id, (_, time) => ({ archived: true, archivedAt: time })),
    restore: (type, id) => change(type, id, (_, time) => ({ archived: false, archivedAt: null, updatedAt: time })),
    erase(type, id) {
      table(type).delete(id);
      sorted.delete(type);
    },
    merge(type, primary, other) {
      const [one, two] = [data.find(type, primary), data.find(type, other)];
      if (one === undefined || two === undefined) throw new Error(`no ${type} ${primary} or ${other}`);
      const properties = { ...two.properties, ...one.properties, hs_merged_object_ids: `${one.id};${two.id}` };
      const row = data.create(type, { properties, associations: one.associations });
      for (const { id } of [one, two]) {
        data.erase(type, id);
        moved.set(`${type} ${id}`, row.id);
      }
      return row;
    },
    find(type, id) {
      const now = moved.get(`${type} ${id}`);
      return now === undefined ? table(type).get(id)?.at(-1)?.row : data.find(type, now);
    },
    rows(type) {
      const kept = sorted.get(type);
      if (kept !== undefined) return kept;
      const rows = [...table(type).values()].flatMap((versions) => versions.at(-1)?.row ?? []);
      rows.sort((a, b) => Number(a.id) - Number(b.id));
      sorted.set(type, rows);
      return rows;
    },
    rowsAt: (type, time) =>
      [...table(type).values()].flatMap((versions) => versions.findLast((one) => one.writtenAt <= time)?.row ?? []),
  };
  for (const type of OBJECT_TYPES) {
    for (const given of seed[type] ?? []) write(type, build(given), Number.NEGATIVE_INFINITY);
  }
  return data;
}
