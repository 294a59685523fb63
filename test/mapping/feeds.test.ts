import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { buildMappers, createMapper } from '../../src/mapping/mapper.js';
import { createProtector, describeUser, type ProtectedUser } from '../../src/mapping/protector.js';
import { buildWriteBackMappers } from '../../src/mapping/write-back.js';
import type { Cell, SourceRecord } from '../../src/model/source.js';
import { loadSample } from '../config/sample.js';
import { observedOf } from '../samples.js';
import { buildConfig, TODAY, valuesOf } from './sample.js';

function buildFeed(): Config {
  const text = { type: 'string', optional: true };
  const deals = {
    id: 'string',
    name: text,
    customer: text,
    stage: text,
    owners: { type: 'list', optional: true },
    currency: text,
    month: text,
  };
  return loadSample(
    JSON.stringify({
      service: { base_url: 'https://acme.example.com', api_key: { env: 'TALENT_API_KEY' } },
      state: './var',
      policy: 'sync',
      sources: {
        crm: {
          type: 'crm',
          drop: '.',
          streams: {
            companies: { pattern: 'a*.json', key: 'id', columns: { id: 'string', name: 'string' } },
            partners: { pattern: 'b*.json', key: 'id', columns: { id: 'string', name: text } },
            deals: { pattern: 'c*.json', key: 'id', columns: deals },
          },
        },
      },
      customers: {
        from: ['crm.companies', 'crm.partners'],
        fields: { external_unique_id: 'record.id', customer_name: { en: 'record.?name' } },
      },
      projects: {
        from: ['crm.deals'],
        scope: 'record.?stage.orValue("") != "lost"',
        fields: {
          external_unique_id: 'record.id',
          customer: 'record.?customer',
          project_name: { en: 'record.?name' },
          workflow_stage: 'record.?stage',
          owners: { value: 'record.?owners', when_empty: 'clear' },
          extent_currency: 'record.?currency',
          month_from: 'record.?month',
          offices: [{ country: '"no"', name: 'record.?name' }],
        },
      },
    }),
  );
}

function row(stream: string, cells: Readonly<Record<string, Cell>>): SourceRecord {
  return { key: '1', place: { source: stream, at: '/x.json', line: 2 }, cells: { id: '1', ...cells } };
}

describe('customers', () => {
  it('come from any of their streams, each with its own columns', () => {
    const mapper = createMapper(buildFeed(), 'customers');
    const values = { external_unique_id: '1', customer_name: { en: 'A' } };
    expect(valuesOf(mapper.map(row('crm.companies', { name: 'A' }), {}, TODAY))).toEqual(values);
    expect(valuesOf(mapper.map(row('crm.partners', { name: 'A' }), {}, TODAY))).toEqual(values);
    expect(valuesOf(mapper.map(row('crm.partners', {}), {}, TODAY))).toEqual({ external_unique_id: '1' });
  });
});

describe('a record of another stream', () => {
  const other = row('crm.deals', { name: 'A' });
  it('is mapped by the only mapping, and is an error if there are several', () => {
    const mapper = createMapper(buildFeed(), 'projects');
    expect(valuesOf(mapper.map({ ...other, place: { ...other.place, source: 'elsewhere' } }, {}, TODAY))).toMatchObject(
      {
        project_name: { en: 'A' },
      },
    );
    const several = createMapper(buildFeed(), 'customers');
    expect(() => several.map(other, {}, TODAY)).toThrow('no mapping of customers reads crm.deals');
  });
});

it('creates a mapper per mapped entity, and another one if the entity is written back', () => {
  expect(Object.keys(buildMappers(buildFeed())).toSorted()).toEqual(['customers', 'projects']);
  expect(Object.keys(buildWriteBackMappers(buildFeed()))).toEqual([]);
  const hr = { write_back: { drop: './to-hr' } };
  const config = buildConfig({ hr, users: { write_back: { hr: { phone: 'user.telephone' } } } });
  expect(Object.keys(buildMappers(config))).toEqual(['users']);
  expect(Object.keys(buildWriteBackMappers(config))).toEqual(['users']);
});

describe('projects', () => {
  const mapper = createMapper(buildFeed(), 'projects');
  it('convert owners, stages and codes to the service’s form', () => {
    const owners = [' A@x.no', 'a@x.no', 'b@x.no'];
    const cells = { name: 'P', customer: 'C', stage: 'LIVE', owners, currency: 'NOK', month: '09' };
    expect(valuesOf(mapper.map(row('crm.deals', cells), {}, TODAY))).toEqual({
      external_unique_id: '1',
      customer: 'C',
      project_name: { en: 'P' },
      workflow_stage: 'live',
      owners: ['A@x.no', 'b@x.no'],
      extent_currency: 'nok',
      month_from: '09',
      offices: [{ country: 'no', name: 'P' }],
    });
  });
  it('clear owners if configured', () => {
    expect(valuesOf(mapper.map(row('crm.deals', {}), {}, TODAY))).toEqual({ external_unique_id: '1', owners: null });
  });
  it.each([
    [{ stage: 'lvie' }, 'one of draft, ready_for_review, live'],
    [{ currency: 'kroner' }, 'currency code'],
    [{ month: '13' }, 'a month from 1 to 12'],
  ])('are held with %o', (cells, reason) => {
    const result = mapper.map(row('crm.deals', cells), {}, TODAY);
    expect(result).toMatchObject({
      kind: 'held',
      hold: { code: 'SYNC_MAP_VALUE', reason: expect.stringContaining(reason) },
    });
  });
  it('are left out if they are outside the scope', () => {
    expect(mapper.map(row('crm.deals', { stage: 'lost' }), {}, TODAY).kind).toBe('out_of_scope');
  });
});

describe('createProtector', () => {
  const user: ProtectedUser = {
    id: '1',
    email: 'jane@example.com',
    name: 'Jane',
    external_unique_id: '',
    upn: '',
    roles: ['consultant'],
    office_name: 'Oslo',
    country_code: 'no',
  };
  const board = 'user.email.endsWith("@board.example.com")';
  const managers = '"bidmanager" in user.roles';
  const fails = 'user.name.substring(50) == ""';
  it.each([
    [[], user, null],
    [[board, managers], user, null],
    [[board, managers], { ...user, email: 'a@board.example.com' }, board],
    [[board, managers], { ...user, roles: ['consultant', 'bidmanager'] }, managers],
    // An expression that fails protects.
    [[fails], user, fails],
  ])('applies the rules %o', (protect, account, expected) => {
    expect(createProtector(buildConfig({ users: { protect } }))(account)).toBe(expected);
  });

  it.each([
    [{ roles: ['consultant', 'bidmanager'], role: 'consultant' }, ['consultant', 'bidmanager']],
    [{ role: 'external' }, ['external']],
    [{}, []],
  ])('shows the roles of %o', (values, roles) => {
    const office = { country: 'no', name: 'Oslo' };
    const bare = { ...user, id: 'u1', email: 'a@x.no', name: '', roles };
    expect(describeUser(observedOf('u1', { ...values, email: 'a@x.no', office }))).toEqual(bare);
  });
});
