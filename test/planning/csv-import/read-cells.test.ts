import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { keepHeld, listCleared } from '../../../src/planning/csv-import/keep-held.js';
import { type FileForm, readCells, refusePerson } from '../../../src/planning/csv-import/read-cells.js';
import { formatHeader, formatRows, orderColumns } from '../../../src/planning/csv-import/write-rows.js';

const FORM: FileForm = {
  language: 'en',
  tagColumns: { unit: 'Business unit' },
  nativeLanguage: (country) => ({ no: 'no', se: 'sv' })[country] ?? null,
};
const OSLO = { country: 'no', name: 'Oslo' };

describe('readCells', () => {
  const cases: readonly (readonly [Values, Readonly<Record<string, string>>, readonly string[]])[] = [
    [{ email: 'a@x.no', born_year: 1980, upn: null, name: '' }, { email: 'a@x.no', born_year: '1980' }, []],
    [{ office: OSLO }, { country_code: 'no', office_name: 'Oslo' }, []],
    [{ roles: ['countrymanager', 'bidmanager'] }, { roles: 'consultant bidmanager countrymanager' }, []],
    [{ roles: ['bidmanager', 'consultant'] }, { roles: 'consultant bidmanager' }, []],
    [{ roles: ['limited_access'] }, { roles: 'limited_access' }, []],
    [{ roles: [] }, {}, []],
    [{ title: { en: 'Lead', no: '' } }, { title: 'Lead' }, []],
    [
      { title: { en: 'Lead', sv: 'Chef', no: 'Sjef' } },
      { title: 'Lead' },
      ['title: the column holds one language (en): no, sv are not in it'],
    ],
    [{ nationality: { no: 'norsk' } }, {}, ['nationality: the column holds one language (en): no is not in it']],
    [{ tags: { unit: 'north' } }, { 'Business unit': 'north' }, []],
    [
      { tags: { grade: 'g1', unit: null } },
      {},
      ['tags.grade: no column is mapped to it (`users.bulk_load.tag_columns`)'],
    ],
    [{ name_multilang: { en: 'A' } }, {}, ['name_multilang: the import has no column for it']],
    [{ place_of_residence: { en: 'Oslo' } }, { place_of_residence: 'Oslo' }, []],
    [{ telephone: ['1', '2'] }, {}, ['telephone: the column takes one text only']],
    [{ role_allowed_offices: [OSLO] }, {}, []],
  ];

  it.each(cases)('reads the cells of %j', (values, cells, losses) => {
    const read = readCells(values, FORM);
    expect(Object.fromEntries(read.cells)).toEqual(cells);
    expect(read.losses.map(({ field, reason }) => `${field}: ${reason}`)).toEqual(losses);
  });

  it('uses the native language of the country, and reports if it or the declaration is missing', () => {
    const native = { ...FORM, language: 'native' };
    const read = (values: Values, form: FileForm) => readCells({ title: { sv: 'Chef' }, ...values }, form);
    expect(read({ office: { country: 'se', name: 'Kista' } }, native).cells.get('title')).toBe('Chef');
    expect(read({ office: { country: 'dk', name: 'Aarhus' } }, native).losses).toMatchObject([
      { reason: 'the native language of the country is not known' },
    ]);
    expect(read({}, native).losses).toHaveLength(1);
    expect(read({ office: OSLO }, { ...FORM, language: null }).losses).toMatchObject([
      { reason: expect.stringContaining('users.bulk_load.language') },
    ]);
  });
});

describe('refusePerson', () => {
  it.each([
    [['consultant'], null],
    [[], null],
    [['consultant', 'countrymanager', 'bidmanager'], null],
    [['external'], 'external'],
    [['consultant', 'departmentmanager'], 'departmentmanager'],
  ] as const)('for %j, rejects %s', (roles, refused) => {
    expect(refusePerson(roles)?.split(':')[0] ?? null).toBe(refused);
  });
});

describe('keepHeld', () => {
  const rule = (path: string, apply: 'always' | 'create' | 'empty') => ({
    [path]: { path, apply, whenEmpty: 'keep' as const, authority: 'source' as const },
  });
  const held = { name: 'Old', telephone: '1', upn: null, title: { en: 'A', no: 'B' }, role: 'consultant' };

  it.each([
    [{ name: 'New' }, rule('name', 'always'), { name: 'New' }],
    [{ telephone: '2' }, rule('telephone', 'empty'), { telephone: '1' }],
    [{ upn: 'u' }, rule('upn', 'empty'), { upn: 'u' }],
    [{ name: 'New' }, rule('name', 'create'), { name: 'Old' }],
    [{}, rule('name', 'always'), { name: 'Old' }],
    [{ title: { en: 'C' } }, rule('title.en', 'create'), { title: { en: 'A', no: 'B' } }],
    [{ title: { en: 'C' } }, rule('title.en', 'always'), { title: { en: 'C', no: 'B' } }],
    [{ tags: { unit: 'x' } }, rule('tags.unit', 'always'), { tags: { unit: 'x' } }],
  ] as const)('merges %j under %j', (wanted, rules, expected) => {
    expect(keepHeld(wanted, held, rules)).toMatchObject({ roles: ['consultant'], ...expected });
  });

  it('leaves out a field that is to be cleared, and reports it', () => {
    const wanted = { telephone: null, upn: null, title: { no: null, sv: null } };
    const kept = keepHeld(wanted, held, {});
    expect(kept).not.toHaveProperty('telephone');
    expect(kept.title).toEqual({ en: 'A' });
    expect(listCleared(wanted, held)).toEqual(['telephone', 'title.no']);
  });
});

describe('the file', () => {
  it('has its columns in the order of the spec, then tags, and quotes separators and quotes in cells', () => {
    const columns = orderColumns(new Set(['Business unit', 'name', 'email']), FORM.tagColumns);
    expect(columns).toEqual(['email', 'name', 'Business unit']);
    const rows = [
      new Map([
        ['name', 'Åse "Bo"; Li,\nJr'],
        ['email', 'a@x.no'],
      ]),
      new Map([['Business unit', '=1+1']]),
    ];
    expect(formatHeader({ columns, separator: ';' })).toBe('email;name;Business unit\n');
    expect(formatRows(rows, { columns, separator: ';' })).toBe('a@x.no;"Åse ""Bo""; Li,\nJr";\n;;=1+1\n');
    expect(formatRows([], { columns, separator: ',' })).toBe('');
  });
});
