import type { Config } from '../../src/config/config.js';
import type { MapResult } from '../../src/mapping/map-result.js';
import { createMapper } from '../../src/mapping/mapper.js';
import type { Json } from '../../src/model/json.js';
import type { Cell, SourceRecord } from '../../src/model/source.js';
import { loadSample } from '../config/sample.js';

export const TODAY = new Date('2025-11-20T00:00:00Z');

export interface SampleInput {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly users?: Readonly<Record<string, unknown>>;
  readonly hr?: Readonly<Record<string, unknown>>;
  readonly idp?: Readonly<Record<string, unknown>>;
  readonly timezone?: string;
}

const TEXT = { type: 'string', optional: true };
const COLUMNS = {
  id: 'string',
  email: 'string',
  country: 'string',
  dept: 'string',
  s: TEXT,
  t: TEXT,
  phone: TEXT,
  i: { type: 'int', optional: true },
  n: { type: 'number', optional: true },
  b: { type: 'bool', optional: true },
  d: { type: 'date', optional: true },
  at: { type: 'datetime', optional: true },
  l: { type: 'list', optional: true },
  m: { type: 'map', optional: true },
};

/** A configuration of users from `hr`, enriched by `idp`. It is written in JSON, which is valid YAML. */
export function buildConfig({ fields, users, hr, idp, timezone }: SampleInput = {}): Config {
  return loadSample(
    JSON.stringify({
      service: { base_url: 'https://acme.example.com', api_key: { env: 'TALENT_API_KEY' } },
      state: './var',
      policy: 'sync',
      timezone: timezone ?? 'UTC',
      sources: {
        hr: { type: 'csv', drop: '.', pattern: '*.csv', key: 'id', columns: COLUMNS, ...hr },
        idp: { type: 'scim', base_url: 'https://idp.example.com', ...idp },
      },
      users: {
        existence: 'hr',
        enrich: { idp: { join: 'idp.externalId == hr.id' } },
        fields: {
          email: 'record.email',
          office: { country: 'record.country', name: 'record.dept' },
          ...fields,
        },
        ...users,
      },
    }),
  );
}

export function buildRecord(cells: Readonly<Record<string, Cell>> = {}, source = 'hr'): SourceRecord {
  const all = { id: '7', email: 'jane@example.com', country: 'NO', dept: 'Oslo', ...cells };
  return { key: '7', place: { source, at: '/drop/employees.csv', line: 3 }, cells: source === 'hr' ? all : cells };
}

export function mapUser(
  input: SampleInput,
  cells: Readonly<Record<string, Cell>> = {},
  idp: Readonly<Record<string, Cell>> | null | 'unknown' = null,
): MapResult {
  const row = idp === null || idp === 'unknown' ? idp : buildRecord(idp, 'idp');
  return createMapper(buildConfig(input), 'users').map(buildRecord(cells), { idp: row }, TODAY);
}

/** The values of a record; throws if it was not mapped. */
export function valuesOf(result: MapResult): Readonly<Record<string, Json>> {
  if (result.kind !== 'desired') throw new Error(JSON.stringify(result));
  return result.desired.values;
}
