import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMapper } from '../../src/mapping/mapper.js';
import type { Cell, SourceRecord } from '../../src/model/source.js';
import { buildConfig, buildRecord, mapUser, TODAY, valuesOf } from './sample.js';

type Cells = Readonly<Record<string, Cell>>;

describe('a text field', () => {
  /** Expression, cells, value; undefined leaves the field unchanged. */
  const cases: readonly (readonly [string, Cells, string | undefined])[] = [
    // One per column type
    ['record.?s', { s: ' padded ' }, 'padded'],
    ['record.?s', {}, undefined],
    ['record.?s', { s: '  ' }, undefined],
    ['has(record.i) ? string(record.i) : ""', { i: 12n }, '12'],
    ['has(record.i) ? string(record.i) : ""', {}, undefined],
    ['string(record.?n.orValue(0.0))', { n: 1.5 }, '1.5'],
    ['record.?b.orValue(false) ? "yes" : "no"', { b: true }, 'yes'],
    ['record.?b.orValue(false) ? "yes" : "no"', {}, 'no'],
    ['has(record.d) ? string(record.d) : ""', { d: new Date('2025-02-03T00:00:00Z') }, '2025-02-03'],
    ['string(record.?at.orValue(today))', { at: new Date('2025-02-03T23:00:00Z') }, '2025-02-03'],
    ['record.?l.orValue([]).join(", ")', { l: ['a', 'b'] }, 'a, b'],
    ['record.?l.orValue([""])[0]', { l: ['a', 'b'] }, 'a'],
    ['record.?m.?city', { m: { city: 'Oslo' } }, 'Oslo'],
    ['record.?m.?city', { m: { city: null } }, undefined],
    ['record.?m.?a.?b', { m: { a: { b: 'deep' } } }, 'deep'],
    // Functions
    ['record.email.replace("jane", "$&")', {}, '$&@example.com'],
    ['record.email.split("@")[0].upperAscii()', {}, 'JANE'],
    ['record.?s.orValue("ØYA").lower()', {}, 'øya'],
    ['string(today.year()) + "/" + string(today.month()) + "/" + string(today.day())', {}, '2025/11/20'],
    // Ways to be empty
    ['record.dept == "Oslo" ? optional.of("x") : optional.none()', {}, 'x'],
    ['record.dept == "Oslo" ? optional.none() : optional.of("x")', {}, undefined],
    ['record.?s.or(record.?t)', { t: 'second' }, 'second'],
    ['hr.?s', { s: 'by name' }, 'by name'],
    ['record["dept"]', {}, 'Oslo'],
  ];
  it.each(cases)('maps %s of %o to %s', (expression, cells, value) => {
    expect(valuesOf(mapUser({ fields: { telephone: expression } }, cells)).telephone).toBe(value);
  });

  it('is cleared by an empty value only if configured', () => {
    const fields = { telephone: { value: 'record.?s', when_empty: 'clear' }, landline: 'record.?s' };
    expect(valuesOf(mapUser({ fields }))).toEqual({
      email: 'jane@example.com',
      office: { country: 'no', name: 'Oslo' },
      telephone: null,
    });
  });

  it('shows dates in the configured zone', () => {
    const fields = { telephone: 'string(today) + " " + string(today.year())' };
    const mapper = createMapper(buildConfig({ fields, timezone: 'Europe/Oslo' }), 'users');
    const midnight = new Date('2024-12-31T23:00:00Z');
    expect(valuesOf(mapper.map(buildRecord(), {}, midnight)).telephone).toBe('2025-01-01 2025');
  });
});

it('shows an unusable day as the day in the configured zone', () => {
  const mapper = createMapper(
    buildConfig({ fields: { telephone: 'record.?m.?born' }, timezone: 'Europe/Oslo' }),
    'users',
  );
  const held = (born: string): unknown => mapper.map(buildRecord({ m: { born: new Date(born) } }), {}, TODAY);
  expect(held('2026-11-20T23:00:00Z')).toMatchObject({
    hold: { reason: expect.stringContaining('telephone is 2026-11-21, expected a text') },
  });
  expect(held('2026-11-20T23:30:00Z')).toMatchObject({
    hold: { reason: expect.stringContaining('telephone is 2026-11-20T23:30:00.000Z, expected a text') },
  });
});

describe('a field of another type', () => {
  const cases: readonly (readonly [string, unknown, Cells, unknown])[] = [
    ['born_year', 'record.?i', { i: 1980n }, 1980],
    ['title', { en: 'record.?s', no: 'record.?t' }, { s: 'Engineer' }, { en: 'Engineer' }],
    ['title', { en: 'record.?s', no: 'record.?t' }, {}, undefined],
    ['title', { en: 'record.?s', no: { value: 'record.?t', when_empty: 'clear' } }, { s: 'E' }, { en: 'E', no: null }],
    ['tags', { unit: 'record.?s', level: 'record.?t' }, { s: 'cloud' }, { unit: 'cloud' }],
    [
      'office',
      { country: 'record.country', name: 'record.dept' },
      { country: ' SE ', dept: 'Lund' },
      { country: 'se', name: 'Lund' },
    ],
    ['office', { country: 'record.country', name: 'record.dept' }, { dept: '' }, undefined],
    ['roles', '["countrymanager", "consultant", "countrymanager"]', {}, ['consultant', 'countrymanager']],
    ['roles', '["bidmanager"]', {}, ['consultant', 'bidmanager']],
    ['roles', '"internationalmanager"', {}, ['internationalmanager']],
    ['roles', 'record.?l', { l: ['External '] }, ['external']],
    ['roles', 'record.?l', { l: [] }, undefined],
    [
      'role_allowed_offices',
      [
        { country: '"no"', name: 'record.dept' },
        { country: '"NO"', name: 'record.dept' },
        { country: '"no"', name: 'record.dept.upperAscii()' },
      ],
      {},
      [{ country: 'no', name: 'Oslo' }],
    ],
    ['role_allowed_offices', [{ country: '"no"', name: 'record.?s' }], {}, undefined],
  ];
  it.each(cases)('maps %s: %o of %o to %o', (name, source, cells, value) => {
    expect(valuesOf(mapUser({ fields: { [name]: source } }, cells))[name]).toEqual(value);
  });
});

describe('a held record', () => {
  const cases: readonly (readonly [string, unknown, Cells, string, string])[] = [
    ['email', 'record.email', { email: 'jane@' }, 'SYNC_MAP_VALUE', 'email is "jane@", expected an e-mail address'],
    ['email', 'record.email', { email: 'ja ne@x.no' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: 'a@b@c.no' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: 'jane@localhost' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: 'mailto:jane@x.no' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: '<jane@x.no>' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: 'jane@x.no;' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: '"jane"@x.no' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: 'jane@x.no,post@x' }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: `${'j'.repeat(250)}@x.no` }, 'SYNC_MAP_VALUE', 'expected an e-mail address'],
    ['email', 'record.email', { email: '' }, 'SYNC_MAP_VALUE', 'email is empty'],
    ['born_year', 'record.?i', { i: 19n }, 'SYNC_MAP_VALUE', 'born_year is 19, expected a year'],
    ['roles', '"countrymanger"', {}, 'SYNC_MAP_VALUE', 'roles is "countrymanger"'],
    ['roles', '["consultant", "external"]', {}, 'SYNC_MAP_VALUE', 'only one of'],
    ['office', { country: '"Norway"', name: 'record.dept' }, {}, 'SYNC_MAP_VALUE', 'office.country is "Norway"'],
    [
      'role_allowed_offices',
      [
        { country: '"no"', name: 'record.dept' },
        { country: 'record.?s', name: 'record.dept' },
      ],
      { s: 'Norge' },
      'SYNC_MAP_VALUE',
      'role_allowed_offices[1].country is "Norge"',
    ],
    ['telephone', 'record.?m.?x', { m: { x: 5n } }, 'SYNC_MAP_VALUE', 'telephone is 5, expected a text'],
    ['telephone', 'record.email.substring(99)', {}, 'SYNC_MAP_EXPRESSION', '`record.email.substring(99)` failed'],
    ['telephone', 'string(int(record.email))', {}, 'SYNC_MAP_EXPRESSION', 'cannot convert to int'],
    ['telephone', 'record.?l.orValue([])[3]', {}, 'SYNC_MAP_EXPRESSION', 'index out of bounds'],
  ];
  it.each(cases)('is held for %s: %o of %o', (name, source, cells, code, reason) => {
    const result = mapUser({ fields: { [name]: source } }, cells);
    expect(result).toMatchObject({
      kind: 'held',
      hold: { entity: 'users', key: '7', place: 'hr employees.csv:3', code, reason: expect.stringContaining(reason) },
    });
    expect(result.kind === 'held' && result.hold.remedy).not.toBe('');
  });

  it('suggests the role that was probably meant', () => {
    const result = mapUser({ fields: { roles: '"countrymanger"' } });
    expect(result.kind === 'held' && result.hold.remedy).toContain('"countrymanager"');
  });
});

describe('scope and leaver', () => {
  it('leaves out records outside the scope', () => {
    const users = { scope: 'record.dept != "Oslo"' };
    expect(mapUser({ users })).toMatchObject({
      kind: 'out_of_scope',
      until: null,
      key: '7',
      place: buildRecord().place,
    });
    expect(mapUser({ users }, { dept: 'Bergen' }).kind).toBe('desired');
  });

  it.each([
    ['2025-11-19', true],
    ['2025-11-20', false],
    [null, false],
  ])('for the end date %s, sets leaver to %s', (date, leaver) => {
    const users = { leaver: { when: 'has(record.d) && record.d < today' } };
    const result = mapUser({ users }, date === null ? {} : { d: new Date(`${date}T00:00:00Z`) });
    expect(result).toMatchObject({ kind: 'desired', desired: { leaver, key: '7' } });
  });

  it('shows the values of a record outside the scope, so that its account is known', () => {
    const users = { scope: 'record.dept != "Oslo"' };
    const out = { kind: 'out_of_scope', key: '7' };
    expect(mapUser({ users })).toMatchObject({ ...out, values: { email: 'jane@example.com' } });
    expect(mapUser({ users }, { email: 'jane@' })).toMatchObject({ ...out, values: null });
  });

  const left = { leaver: { when: 'record.?s.orValue("") == "left"' } };

  it.each([
    ['out of scope', { scope: 'record.dept != "Oslo"' }, {}, false],
    ['with an invalid e-mail address', {}, { email: 'jane@' }, true],
  ])('treats a person who has left as a leaver %s', (_, users, cells, isFaulty) => {
    const result = mapUser({ users: { ...left, ...users } }, { s: 'left', ...cells });
    expect(result).toMatchObject({ kind: 'desired', desired: { leaver: true, key: '7', preference: null } });
    expect('faulty' in result).toBe(isFaulty);
    expect(mapUser({ users: { ...left, ...users } }, { s: 'here', ...cells }).kind).not.toBe('desired');
  });

  it('lists the words of a record by which it decides, as far as they can be read', () => {
    const users = {
      ...{ scope: 'record.dept != "Board" && record.email.substring(90) != "x"' },
      leaver: { when: 'record.?s.orValue("") == "left"' },
    };
    const mapper = createMapper(buildConfig({ users }), 'users');
    const wordsOf = (cells: Cells, idp: 'unknown' | null) =>
      Object.fromEntries(mapper.wordsOf(buildRecord(cells), { idp }, TODAY));
    expect(mapper.vocabulary.map(({ operand }) => operand)).toContain('record.dept');
    expect(wordsOf({ s: 'Left' }, null)).toMatchObject({ 'record.dept': 'Oslo', 'record.?s.orValue("")': 'Left' });
    expect(wordsOf({ s: 'Left' }, null)).not.toHaveProperty(['record.email.substring(90)']);
    expect(createMapper(buildConfig(), 'users').wordsOf(buildRecord(), {}, TODAY)).toEqual([]);
  });

  it('holds a record whose scope fails', () => {
    const result = mapUser({ users: { scope: 'int(record.dept) > 1' } });
    expect(result).toMatchObject({
      kind: 'held',
      hold: { code: 'SYNC_MAP_EXPRESSION', reason: expect.stringContaining('scope:') },
    });
  });
});

describe('enriching sources', () => {
  const fields = { title: { en: 'idp.?title', no: 'record.?s' }, telephone: 'record.?phone', upn: 'idp.?userName' };

  it('add values that the existence source lacks', () => {
    const values = valuesOf(mapUser({ fields }, { s: 'Ingeniør' }, { title: 'Engineer', phone: '5', userName: 'j' }));
    expect(values).toMatchObject({ title: { en: 'Engineer', no: 'Ingeniør' }, telephone: '5', upn: 'j' });
  });

  it('give way to the existence source where both have a value', () => {
    expect(valuesOf(mapUser({ fields }, { phone: '4' }, { phone: '5' })).telephone).toBe('4');
  });

  it('leave their fields unchanged without a row', () => {
    expect(valuesOf(mapUser({ fields }))).not.toHaveProperty('upn');
  });

  it('when unknown, leave out exactly the values that depend on them', () => {
    const clear = {
      upn: { value: 'idp.?userName', when_empty: 'clear' },
      telephone: fields.telephone,
      title: fields.title,
    };
    const unknown = valuesOf(mapUser({ fields: clear }, { s: 'Ingeniør', phone: '4' }, 'unknown'));
    expect(unknown).toMatchObject({ title: { no: 'Ingeniør' }, telephone: '4' });
    expect(unknown).not.toHaveProperty('upn');
    expect(valuesOf(mapUser({ fields: clear }, {}, 'unknown'))).not.toHaveProperty('telephone');
    expect(valuesOf(mapUser({ fields: clear })).upn).toBeNull();
  });

  it('when unknown, keep a value that does not depend on them', () => {
    const expression = 'record.dept == "Oslo" ? record.dept : idp.?title.orValue("none")';
    expect(valuesOf(mapUser({ fields: { telephone: expression } }, {}, 'unknown')).telephone).toBe('Oslo');
    expect(valuesOf(mapUser({ fields: { telephone: expression } }, { dept: 'Lund' }, 'unknown'))).not.toHaveProperty(
      'telephone',
    );
  });

  it('when unknown, do not clear the e-mail address', () => {
    expect(valuesOf(mapUser({ fields: { email: 'idp.?userName' } }, {}, 'unknown'))).not.toHaveProperty('email');
  });

  it.each([
    ['scope', { scope: 'idp.?active.orValue(true)' }],
    ['leaver.when', { leaver: { when: '!idp.?active.orValue(true)' } }],
  ])('when unknown, hold a record whose %s depends on them', (path, users) => {
    const result = mapUser({ users }, {}, 'unknown');
    expect(result).toMatchObject({ kind: 'held', hold: { code: 'SYNC_MAP_EXPRESSION' } });
    expect(result.kind === 'held' && result.hold.reason).toContain(`${path}:`);
    expect(result.kind === 'held' && result.hold.reason).toContain('idp, whose read is incomplete');
    expect(mapUser({ users }, {}, { active: true }).kind).toBe('desired');
  });
});

describe('the values of a record that are kept for write-back', () => {
  const hr = { write_back: { drop: './to-hr' } };
  const users = {
    write_back: { hr: { phone: 'user.telephone' }, idp: { title: 'user.name' } },
    modified: 'record.?at',
  };
  const config = buildConfig({ hr, users, timezone: 'Europe/Oslo', idp: { write_back: true } });
  const mapper = createMapper(config, 'users');
  const keptOf = (cells: Cells, idp: SourceRecord | null | 'unknown') => {
    const found = mapper.map(buildRecord(cells), { idp }, TODAY);
    if (found.kind !== 'desired') throw new Error(JSON.stringify(found));
    return found.desired.writeBack;
  };

  it('are the written columns of each source with a row, and the time of the last change', () => {
    const of7 = { record: '7', cells: { phone: '5' } };
    expect(keptOf({ phone: '5' }, null)).toEqual({ records: { hr: of7 }, modified: null });
    expect(keptOf({ phone: '5' }, 'unknown')).toEqual({ records: { hr: of7 }, modified: null });
    const row = { ...buildRecord({ title: 'Lead', userName: 'j' }, 'idp'), key: 'i1' };
    expect(keptOf({ at: new Date('2025-11-19T23:00:00Z') }, row)).toEqual({
      records: { hr: { record: '7', cells: {} }, idp: { record: 'i1', cells: { title: 'Lead' } } },
      modified: { from: '2025-11-19T23:00:00.000Z', to: '2025-11-20T22:59:59.999Z' },
    });
  });

  it('are absent if nothing is written back', () => {
    const plain = createMapper(buildConfig(), 'users');
    expect(plain.map(buildRecord(), {}, TODAY)).not.toHaveProperty('desired.writeBack');
    expect([plain.kept, mapper.kept]).toEqual(['[[]]', expect.stringContaining('"phone"')]);
  });
});

describe('joinKeys', () => {
  const idp = (cells: Cells) => buildRecord(cells, 'idp');
  const cases: readonly (readonly [string, Cells, Cells, string | null, string | null])[] = [
    ['idp.externalId == hr.id', {}, { externalId: '7' }, '7', '7'],
    ['hr.id == idp.externalId', {}, {}, '7', null],
    [
      'hr.email.lowerAscii() == idp.userName.lowerAscii()',
      { email: 'A@x.no' },
      { userName: 'a@X.no' },
      'a@x.no',
      'a@x.no',
    ],
    ['idp.?email.orValue("") == hr.email', {}, {}, 'jane@example.com', null],
    [
      'idp.externalId == hr.id && hr.dept == idp.department',
      {},
      { externalId: '7', department: 'Oslo' },
      '["7","Oslo"]',
      '["7","Oslo"]',
    ],
    ['idp.externalId == hr.id && hr.dept == idp.department', {}, { externalId: '7' }, '["7","Oslo"]', null],
    ['string(hr.i) == idp.externalId', { i: 12n }, { externalId: '12' }, '12', '12'],
    ['(hr.country + "-") + hr.id == idp.externalId', {}, { externalId: 'NO-7' }, 'NO-7', 'NO-7'],
  ];
  it.each(cases)('joins by %s', (join, cells, row, left, right) => {
    const keys = createMapper(buildConfig({ users: { enrich: { idp: { join } } } }), 'users').joinKeys('idp');
    expect([keys?.ofExistence(buildRecord(cells)), keys?.ofEnriching(idp(row))]).toEqual([left, right]);
  });

  it('returns null for a source that does not enrich', () => {
    expect(createMapper(buildConfig(), 'users').joinKeys('hr')).toBeNull();
  });
});

describe('prefer', () => {
  const cases: readonly (readonly [string, Cells, number | string | null])[] = [
    ['record.?b', { b: true }, 1],
    ['record.?b', { b: false }, 0],
    ['record.?b', {}, null],
    ['hr.?i', { i: 4n }, 4],
    ['record.?n', { n: 0.5 }, 0.5],
    ['record.?s', { s: 'z' }, 'z'],
    ['record.?d', { d: TODAY }, TODAY.getTime()],
  ];
  it.each(cases)('reads %s of %o as %s', (prefer, cells, preference) => {
    expect(mapUser({ hr: { prefer } }, cells)).toMatchObject({ kind: 'desired', desired: { preference } });
  });
  it('is null if not configured', () => {
    expect(mapUser({})).toMatchObject({ kind: 'desired', desired: { preference: null } });
  });
});

describe('trace', () => {
  it('shows every expression, its value and the sources it depends on', () => {
    const config = buildConfig({
      fields: { telephone: 'record.?phone', upn: 'idp.?userName', landline: 'record.email.substring(99)' },
      users: { scope: 'record.dept == "Oslo"' },
    });
    const trace = createMapper(config, 'users').trace(buildRecord(), { idp: 'unknown' }, TODAY);
    expect(trace.scope).toMatchObject({ path: 'scope', result: { kind: 'value', value: true }, depends: ['hr'] });
    expect(trace.leaver).toBeNull();
    const fields = Object.fromEntries(trace.fields.map((step) => [step.path, step]));
    expect(fields.email?.result).toEqual({ kind: 'value', value: 'jane@example.com' });
    expect(fields['office.country']?.result).toEqual({ kind: 'value', value: 'NO' });
    expect(fields.telephone).toMatchObject({ result: { kind: 'unknown', source: 'idp' }, depends: ['hr', 'idp'] });
    expect(fields.upn).toMatchObject({ expression: 'idp.?userName', depends: ['idp'] });
    expect(fields.landline?.result.kind).toBe('error');
  });
});

it('carries nothing over from one record to the next', () => {
  const mapper = createMapper(
    buildConfig({ fields: { telephone: 'record.?phone', title: { en: 'idp.?title' } } }),
    'users',
  );
  const cells = fc.record({ phone: fc.string(), s: fc.string() }, { requiredKeys: [] });
  const row = fc.oneof(
    fc.constant(null),
    fc.constant('unknown' as const),
    fc.record({ title: fc.string() }, { requiredKeys: [] }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(cells, row), { minLength: 1 }), (inputs) => {
      for (const [own, idp] of inputs) {
        const record = buildRecord(own);
        const enriching = { idp: idp === null || idp === 'unknown' ? idp : buildRecord(idp, 'idp') };
        const alone = createExpected(own, idp);
        expect(valuesOf(mapper.map(record, enriching, TODAY))).toEqual(alone);
      }
    }),
    { numRuns: 50 },
  );

  function createExpected(own: Cells, idp: Cells | null | 'unknown'): Record<string, unknown> {
    const phone = typeof own.phone === 'string' ? own.phone.trim() : '';
    const title = idp !== null && idp !== 'unknown' && typeof idp.title === 'string' ? idp.title.trim() : '';
    return {
      email: 'jane@example.com',
      office: { country: 'no', name: 'Oslo' },
      ...(phone === '' ? {} : { telephone: phone }),
      ...(title === '' ? {} : { title: { en: title } }),
    };
  }
});
