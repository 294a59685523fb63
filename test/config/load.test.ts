import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { Secret } from '../../src/base/secrets/secret.js';
import { parseDuration } from '../../src/base/settings/duration.js';
import { loadConfig } from '../../src/config/load.js';
import { ENTITIES } from '../../src/model/entity.js';
import { tries } from '../depth.js';
import { matchBy } from '../samples.js';
import { change, ENV, loadSample, readProblems, SAMPLE, writeSample } from './sample.js';

describe('loadConfig', () => {
  it('resolves defaults, secrets, paths and rules', () => {
    const file = writeSample(SAMPLE);
    const config = loadConfig(file, ENV);
    expect(config.service.apiKey.reveal()).toBe('key');
    expect(config.service).toEqual({
      baseUrl: 'https://acme.example.com',
      apiKey: new Secret('key'),
      rateLimit: { requestsPerSecond: null, perMinute: null, concurrency: 4 },
      giveUpAfterMs: 900_000,
      tls: null,
      proxy: null,
      unusedProxy: null,
      timeoutMs: 30_000,
      maxAnswerBytes: null,
    });
    expect(config.state).toBe(join(dirname(file), 'var'));
    expect(config.users?.leaver).toEqual({
      when: 'record.?left.orValue(false)',
      afterMissingReads: 3,
      missingIntervalMs: 12 * 3_600_000,
      graceMs: 0,
      purge: null,
    });
    expect(config.users?.match).toEqual(matchBy(['external_unique_id'], ['email']));
    expect(config.users?.rules['title.en']).toEqual({
      path: 'title.en',
      apply: 'always',
      whenEmpty: 'keep',
      authority: 'source',
    });
    expect(config).toMatchObject({
      callBudget: null,
      drift: 'correct',
      timezone: 'UTC',
      plan: { expiresMs: 86_400_000 },
      approvals: { fourEyes: false, expiresMs: 7 * 86_400_000 },
    });
    expect(config.schedule).toEqual({ fullRead: '0 3 * * *', timezone: 'UTC' });
  });

  it('reads how the entries of `match` compare, with defaults for what is left out', () => {
    const usual = { case: 'fold', unicode: 'nfc', whitespace: 'collapse' };
    const long = `match:
    - [external_unique_id, email]
    - { fields: [external_unique_id], compare: { case: exact, unicode: nfkc } }
    - { fields: [email] }`;
    expect(loadSample(change('match: [external_unique_id, email]', long)).users?.match).toEqual([
      { fields: ['external_unique_id', 'email'], compare: usual },
      { fields: ['external_unique_id'], compare: { ...usual, case: 'exact', unicode: 'nfkc' } },
      { fields: ['email'], compare: usual },
    ]);
  });

  it('reads rules around a field, a language and a tree', () => {
    const fields = `title: { value: { en: idp.?title, no: { value: idp.?title, apply: empty } }, when_empty: clear }
    tags: { value: record.dept, unit: { value: record.dept, apply: create } }
    role_allowed_offices: { value: [{ country: record.country, name: record.dept }], apply: create }`;
    const users = loadSample(change('title: { en: idp.?title }', fields)).users;
    expect(users?.fields).toMatchObject({
      title: { en: 'idp.?title', no: 'idp.?title' },
      tags: { value: 'record.dept', unit: 'record.dept' },
      role_allowed_offices: [{ country: 'record.country', name: 'record.dept' }],
    });
    expect(users?.rules).toMatchObject({
      'title.en': { apply: 'always', whenEmpty: 'clear' },
      'title.no': { apply: 'empty', whenEmpty: 'clear' },
      'tags.value': { apply: 'always' },
      'tags.unit': { apply: 'create' },
      role_allowed_offices: { apply: 'create' },
    });
  });

  it('reads secrets from files, without the line end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'talent-sync-'));
    writeFileSync(join(folder, 'secret'), 'from-file\n');
    writeFileSync(join(folder, 'c.yaml'), change('{ env: TALENT_API_KEY }', '{ file: ./secret }'));
    expect(loadConfig(join(folder, 'c.yaml'), ENV).service.apiKey.reveal()).toBe('from-file');
  });

  it('says when the file cannot be read', () => {
    expect(() => loadConfig('/absent/talent-sync.yaml', ENV)).toThrow(
      expect.objectContaining({ code: 'SYNC_CONFIG_UNREADABLE', place: '/absent/talent-sync.yaml' }),
    );
  });

  it('fills in guards per action, and none for `off`', () => {
    const day = { max: null, maxPercent: null, percent: null, min: null, withinMs: 86_400_000 };
    const fields = { '*': { ...day, percent: 50, min: 50 } };
    const guards =
      'state: ./var\nguards: { users: { deactivate: { max: 5 }, update: off }, offices: { create: { max: 1 } } }';
    const create = { ...day, percent: 20, min: 20, afterFirstLoad: true };
    const update = { ...day, percent: 30, min: 20 };
    const usual = { ...day, max: 10, percent: 2, min: 3 };
    const resolved = loadSample(change('state: ./var', guards)).guards;
    expect(resolved).toMatchObject({
      offices: { create: { ...day, max: 1 }, delete: usual },
      // They come in waves, so each run is counted separately.
      staffing: { delete: { ...usual, withinMs: 0 } },
      customers: { create, update, delete: usual, fields },
      projects: { create, update, delete: usual, fields },
      proposals: { create, delete: usual },
    });
    expect(resolved.users).toEqual({
      create,
      promote: { other: { ...day, max: 3 }, countrymanager: { ...day, max: 0 } },
      deactivate: { ...day, max: 5 },
      reactivate: { ...day, percent: 1, min: 3 },
      relink: { ...day, percent: 1, min: 3 },
      delete: { ...day, max: 5, maxPercent: 0.25, percent: 1, min: 1 },
      fields,
    });
    // Everything that can be removed, if only by an undo, has its own guard.
    expect(ENTITIES.filter((entity) => resolved[entity]?.delete === undefined)).toEqual([]);
    expect(loadSample().guards.users).toMatchObject({ deactivate: { max: 10, maxPercent: 0.25, percent: 2, min: 3 } });
  });

  it('adds the limits of named fields to the limit of all others, and removes one for `off`', () => {
    const guards = 'state: ./var\nguards: { users: { fields: { title: { max: 5, within: 2h }, telephone: off } } }';
    expect(loadSample(change('state: ./var', guards)).guards.users?.fields).toEqual({
      '*': { max: null, maxPercent: null, percent: 50, min: 50, withinMs: 86_400_000 },
      title: { max: 5, maxPercent: null, percent: null, min: null, withinMs: 7_200_000 },
      telephone: null,
    });
    expect(readProblems(change('state: ./var', 'state: ./var\nguards: { users: { fields: { titel: off } } }'))).toEqual(
      [expect.objectContaining({ message: 'users have no field `titel`', remedy: 'Did you mean `title`?' })],
    );
  });
});

it('reads quiet hours as time ranges, and names an invalid one', () => {
  const quiet = (text: string) => change('state: ./var', `state: ./var\nquiet_hours: ["22:00-06:00", "${text}"]`);
  expect(loadSample(quiet('Sat-Sun 00:00-24:00')).quietHours.map(({ text }) => text)).toEqual([
    '22:00-06:00',
    'Sat-Sun 00:00-24:00',
  ]);
  expect(readProblems(quiet('22-06'))).toEqual([
    expect.objectContaining({
      place: expect.stringContaining('quiet_hours'),
      message: '"22-06" is not a period of time',
    }),
  ]);
});

describe('the digest', () => {
  const before = loadSample().digest;
  it.each([
    ['an expression', 'telephone: record.?phone', 'telephone: record.id', true],
    ['the policy', 'policy: sync', 'policy: create-only', true],
    ['a column', 'name: string', 'name: { type: string, optional: true }', true],
    ['a rule', 'telephone: record.?phone', 'telephone: { value: record.?phone, apply: create }', true],
    ['a folder', './drop', './elsewhere', false],
    ['the address', 'acme', 'other', false],
    ['the way people are sent', '  leaver:', '  bulk_load: { missing: keep }\n  leaver:', false],
    ['a limit', 'state: ./var', 'state: ./var\ncall_budget: 5\nguards: { users: { update: off } }', false],
  ])('changes only for what affects the plan: %s', (_what, piece, by, moves) => {
    expect(loadSample(change(piece, by)).digest !== before).toBe(moves);
  });

  it('does not depend on the secrets', () => {
    expect(loadSample(SAMPLE, { TALENT_API_KEY: 'a', IDP_TOKEN: 'b' }).digest).toBe(before);
  });
});

describe('parseDuration', () => {
  it.each([
    ['60s', 60_000],
    ['1.5h', 5_400_000],
    ['0d', 0],
    ['250ms', 250],
    ['5m', 300_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  it.each(['', '5', '5 m', '-1s', '1w'])('rejects %j', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  });
});

it('accepts any content or rejects it with places, and never crashes', () => {
  const keys = ['service', 'state', 'policy', 'sources', 'users', 'fields', 'hr', 'columns', 'type', 'value', 'x'];
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('csv', 'sync', 'record.x', 1, true, null, ''),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(tree.node, (value) => {
      try {
        loadSample(JSON.stringify(value));
      } catch (error) {
        if (!(error instanceof SyncError) || !error.code.startsWith('SYNC_CONFIG')) throw error;
        expect(error.problems.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: tries(150) },
  );
});
