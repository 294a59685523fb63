import { describe, expect, it } from 'vitest';
import { oneIn } from '../depth.js';
import { catchError, change, ENV, readProblems, SAMPLE, show } from './sample.js';

const EMAIL = 'email: record.email';
const PHONE = 'telephone: record.?phone';

/** The replaced text, its replacement, and the one problem: place, part of the message, part of the remedy. */
const CASES: readonly (readonly [string, string, string, string, string])[] = [
  // Names
  [
    '    email: record.email',
    '    emial: record.email',
    '30:5 users.fields.emial',
    'is not known',
    'Did you mean `email`?',
  ],
  ['    columns:\n', '    colums:\n', '12:5 sources.hr.colums', 'is not known', 'Did you mean `columns`?'],
  ['policy: sync', 'policy: snyc', '5:9 policy', '"snyc" is not accepted', 'Did you mean `sync`?'],
  ['policy: sync\n', '', '1:1 policy', '`policy` is missing', 'There is no default'],
  ['type: csv', 'type: cvs', '8:11 sources.hr.type', '"cvs" is not a type of source', 'csv, json, hris, scim, crm'],
  ['type: csv', 'type: json', '10:14 sources.hr.pattern', 'CSV files by their name', 'type: csv'],
  ['    type: csv\n', '', '7:3 sources.hr.type', 'is missing', 'type: csv'],
  ['    key: id\n', '', '7:3 sources.hr.key', 'is missing', 'Add `key:`'],
  ['key: id', 'key: di', '11:10 sources.hr.key', 'not a declared column', 'Did you mean `id`?'],
  ['id: string\n', 'id: strnig\n', '13:11 sources.hr.columns.id', '"strnig" is not accepted', 'Did you mean `string`?'],
  [
    '{ type: int, optional: true }',
    '{ type: int, optinal: true }',
    '18:26 sources.hr.columns.year.optinal',
    'is not known',
    'Did you mean `optional`?',
  ],
  [
    '{ type: int, optional: true }',
    '{ type: itn, optional: true }',
    '18:21 sources.hr.columns.year.type',
    '"itn" is not accepted',
    'Did you mean `int`?',
  ],
  [
    '{ type: int, optional: true }',
    '{ type: int, optional: true, format: yyyy }',
    '18:42 sources.hr.columns.year.format',
    'has no effect',
    'date and datetime',
  ],
  ['existence: hr', 'existence: hx', '23:14 users.existence', 'no source `hx`', 'Did you mean `hr`?'],
  [
    'match: [external_unique_id, email]',
    'match: [emali]',
    '26:11 users.match[0]',
    'cannot be matched by `emali`',
    'Did you mean `email`?',
  ],
  [
    'match: [external_unique_id, email]',
    'match: [[email, upn]]',
    '26:19 users.match[0][1]',
    '`upn` is not mapped',
    'users.fields',
  ],
  [
    'match: [external_unique_id, email]',
    'match: [{ fields: [emali] }]',
    '26:22 users.match[0].fields[0]',
    'cannot be matched by `emali`',
    'Did you mean `email`?',
  ],
  [
    'match: [external_unique_id, email]',
    'match: [email, { fields: [email], compare: { case: exakt } }]',
    '26:54 users.match[1].compare.case',
    '"exakt" is not accepted',
    'Did you mean `exact`? Accepted: fold, exact.',
  ],
  [
    'match: [external_unique_id, email]',
    'match: [{ fields: [email], compare: { blanks: trim } }]',
    '26:41 users.match[0].compare.blanks',
    'is not known',
    'Accepted here: case, unicode, whitespace.',
  ],
  [
    'match: [external_unique_id, email]',
    'match: [{ compare: { case: exact } }]',
    '26:11 users.match[0].fields',
    '`users.match[0].fields` is missing',
    'Add `fields:`',
  ],
  [PHONE, 'twitter: record.?phone', '32:5 users.fields.twitter', 'no call sets it', 'Remove it'],
  // Features that this version lacks
  ['drop: ./drop', 'drop: sftp://host/x', '9:11 sources.hr.drop', 'how to log in', 'Add `sftp'],
  ['drop: ./drop', 'drop: ftp://host/x', '9:11 sources.hr.drop', 'of an unsupported kind', 'sftp://sftp.example.com'],
  ['state: ./var', 'state: ./var\nwrite_back: {}', '5:1 write_back', 'is not known', 'Accepted here'],
  [
    PHONE,
    'telephone: { value: record.?phone, authority: servise }',
    '32:51 users.fields.telephone.authority',
    'is not accepted',
    'Did you mean `service`?',
  ],
  [
    PHONE,
    'telephone: { value: record.?phone, authority: service, write_back: true }',
    '32:72 users.fields.telephone.write_back',
    '`hr` may not be written to',
    'Add `write_back:` to `sources.hr`.',
  ],
  [
    PHONE,
    'telephone: { value: record.?phone, authority: newest }',
    '28:3 users.fields',
    'no setting says when a record changed',
    'Add `users.modified: …`',
  ],
  // Values
  ['state: ./var', 'state: 5', '4:8 state', 'expected a text, found 5', 'quotes'],
  [
    'state: ./var',
    'state: ./var\nplan: { expires: 1 week }',
    '5:18 plan.expires',
    'expected a length of time',
    'Write `7d`.',
  ],
  [
    'state: ./var',
    'state: ./var\ntimezone: Europe/Olso',
    '5:11 timezone',
    'not a time zone',
    'Did you mean `Europe/Oslo`?',
  ],
  ['state: ./var', 'state: ./var\nschedule: { every: "* * *" }', '5:20 schedule.every', 'five fields', '*/15'],
  ['state: ./var', 'state: ./var\nschedule: { every: "0 3 30 2 *" }', '5:20 schedule.every', 'never occurs', 'a day'],
  [
    'state: ./var',
    'state: ./var\nschedule: { every: "*/15 * * * *", spread: 15m }',
    '5:44 schedule.spread',
    'shortest pause',
    'a tenth',
  ],
  [
    'state: ./var',
    'state: ./var\nschedule: { full_read: "99 * * * *" }',
    '5:24 schedule.full_read',
    'not a cron expression',
    '*/15',
  ],
  [
    'state: ./var',
    'state: ./var\nguards: { users: { deactivate: { mx: 1 } } }',
    '5:34 guards.users.deactivate.mx',
    'is not known',
    'Did you mean `max`?',
  ],
  [
    '    type: csv\n',
    '    type: csv\n    encoding: utf-99\n',
    '9:15 sources.hr.encoding',
    'not an encoding',
    'windows-1252',
  ],
  // Secrets
  ['{ env: TALENT_API_KEY }', 'sk-123', '3:12 service.api_key', 'must not be in the configuration', '{ env: NAME }'],
  ['{ env: TALENT_API_KEY }', '{ env: ABSENT }', '3:12 service.api_key', 'ABSENT is not set', 'Set ABSENT'],
  ['{ env: TALENT_API_KEY }', '{ file: ./absent }', '3:12 service.api_key', 'ENOENT', 'Mount or create'],
  // Columns in expressions, in each way of reading them
  [EMAIL, 'email: record.emial', '30:12 users.fields.email', 'no column `emial`', 'Did you mean `record.email`?'],
  [EMAIL, 'email: record.?emial', '30:12 users.fields.email', 'no column `emial`', 'Did you mean `record.email`?'],
  [EMAIL, 'email: record[?"emial"]', '30:12 users.fields.email', 'no column `emial`', 'Did you mean `record.email`?'],
  [
    EMAIL,
    'email: \'has(record.emial) ? "a" : "b"\'',
    '30:17 users.fields.email',
    'no column `emial`',
    'Did you mean `record.email`?',
  ],
  [
    EMAIL,
    'email: record[record.id]',
    '30:12 users.fields.email',
    'chosen while the expression runs',
    'Name the column itself',
  ],
  [PHONE, 'telephone: dyn(record).x', '32:20 users.fields.telephone', 'a complete record', 'record.id'],
  [PHONE, 'telephone: record.phone', '32:16 users.fields.telephone', 'can be absent', 'Write `record.?phone`'],
  ['{ en: idp.?title }', '{ en: idp.title }', '34:18 users.fields.title.en', 'can be absent', 'Write `idp.?title`'],
  // Other parts of expressions
  [EMAIL, 'email: recrod.email', '30:12 users.fields.email', '`recrod` is not known', 'Did you mean `record`?'],
  [EMAIL, 'email: record.email.lowerAsci()', '30:25 users.fields.email', 'type error', 'Did you mean `lowerAscii`?'],
  [EMAIL, 'email: record.email +', '30:26 users.fields.email', 'cannot be read', 'CEL'],
  [EMAIL, 'email: record.?phone.lowerAscii()', '30:26 users.fields.email', 'type error', 'orValue'],
  [EMAIL, 'email: \'record.id == "1" ? null : "x"\'', '30:13 users.fields.email', 'type error', 'optional.none()'],
  [EMAIL, 'email: record.id + 1', '30:12 users.fields.email', 'type error', 'string('],
  [
    'born_year: record.?year',
    'born_year: record.email',
    '33:16 users.fields.born_year',
    'whole number is needed',
    'int(record.email)',
  ],
  [
    PHONE,
    'telephone: record.?year',
    '32:16 users.fields.telephone',
    'a text is needed',
    'record.?year.optMap(v, string(v))',
  ],
  [PHONE, 'telephone: 5', '32:16 users.fields.telephone', 'is not an expression', '"5"'],
  [
    PHONE,
    'telephone: { value: record.?phone, when_empty: clera }',
    '32:52 users.fields.telephone.when_empty',
    '"clera" is not accepted',
    'Did you mean `clear`?',
  ],
  [
    EMAIL,
    'email: { value: record.email, when_empty: clear }',
    '30:21 users.fields.email.value',
    'cannot be cleared',
    'Remove',
  ],
  ['scope: record.dept != "x"', 'scope: record.dept', '25:10 users.scope', 'true or false is needed', ''],
  ['record.?left.orValue(false)', 'record.?left', '27:19 users.leaver.when', 'can be absent', 'orValue(false)'],
  [
    PHONE,
    'telephone: \'record.id.matches("(a)(?=b)") ? "a" : ""\'',
    '32:35 users.fields.telephone',
    'is not a pattern that `matches` can run',
    'RE2 syntax',
  ],
  // Languages
  ['{ en: idp', '{ se: idp', '34:14 users.fields.title.se', 'older code', 'Write `sv`'],
  ['{ en: idp', '{ int: idp', '34:14 users.fields.title.int', 'older code', 'Write `en`'],
  ['{ en: idp', '{ xx: idp', '34:14 users.fields.title.xx', 'not a language code', 'ISO 639-1'],
  // Joins
  [
    "'idp.externalId == hr.id'",
    "'idp.externalId == hr.idd'",
    '24:45 users.enrich.idp.join',
    'no column `idd`',
    'Did you mean `hr.id`?',
  ],
  ["'idp.externalId == hr.id'", "'idp.externalId != hr.id'", '24:27 users.enrich.idp.join', 'does not compare', '=='],
  ["'idp.externalId == hr.id'", "'idp.externalId == hr.year'", '24:27 users.enrich.idp.join', 'never equal', 'string('],
  ["'idp.externalId == hr.id'", '\'idp.externalId == "1"\'', '24:27 users.enrich.idp.join', 'does not compare', '=='],
  ['enrich: { idp:', 'enrich: { idq:', '24:13 users.enrich.idq', 'no source `idq`', 'Did you mean `idp`?'],
  // First loads by file
  ['  fields:\n', '  bulk_load: {}\n  fields:\n', '28:3 users.bulk_load.missing', 'is missing', 'There is no default'],
  [
    '  fields:\n',
    '  bulk_load: { missing: delete }\n  fields:\n',
    '28:25 users.bulk_load.missing',
    '"delete" is not accepted',
    'keep, deactivate, remove',
  ],
  [
    '  fields:\n',
    '  bulk_load: { missing: keep, language: english }\n  fields:\n',
    '28:41 users.bulk_load.language',
    'or `native`',
    'Correct',
  ],
  [
    '  fields:\n',
    '  bulk_load: { missing: keep, tag_columns: { unit: Unit } }\n  fields:\n',
    '28:46 users.bulk_load.tag_columns.unit',
    'the category `unit` is not mapped',
    'users.fields.tags',
  ],
  [
    '    title: { en: idp.?title }',
    '    tags: { unit: idp.?title }\n  bulk_load: { missing: keep, tag_columns: { unit: Title } }',
    '35:52 users.bulk_load.tag_columns.unit',
    'a column of the import itself',
    'the import setting maps',
  ],
  [
    'users:\n  existence: hr',
    'notify_people: { create: true }\nusers:\n  existence: hr\n  bulk_load: { missing: keep }',
    '25:3 users.bulk_load',
    'sends no e-mail',
    'Remove one of the two',
  ],
  [
    'users:\n  existence: hr',
    '  app: { type: scim-push, tokens: [{ env: IDP_TOKEN }], columns: { email: string } }\nusers:\n  existence: hr',
    '22:68 sources.app.columns.email',
    'is a column of every SCIM source',
    'another name',
  ],
  // YAML
  ['state: ./var', 'state: ./var\nstate: x', '5:1', '`state` is written twice: it is also in line 4', 'Keep one'],
];

describe('a configuration with one mistake', () => {
  it.each(oneIn(1 / 2, CASES))('reports %s → %s', (piece, by, place, message, remedy) => {
    const problems = readProblems(change(piece, by));
    // An unreadable source hides its dependents too, but the mistake itself is still reported with its place.
    const found = problems.find((problem) => problem.place === `talent-sync.yaml:${place}`);
    expect(found, show(problems).join('\n')).toBeDefined();
    expect(found?.message).toContain(message);
    expect(found?.remedy).toContain(remedy);
  });

  const separate = CASES.filter(([piece]) => !piece.includes('columns'));
  it.each(oneIn(1, separate))('reports %s → %s as one problem', (piece, by) => {
    expect(show(readProblems(change(piece, by)))).toHaveLength(1);
  });
});

describe('a configuration with many mistakes', () => {
  it('reports all of them in file order', () => {
    let text = change('policy: sync', 'polcy: sync');
    text = change('{ type: int, optional: true }', '{ type: int, optinal: true }', text);
    text = change(EMAIL, 'email: record.emial', text);
    text = change('{ env: IDP_TOKEN }', '{ env: ABSENT }', text);
    text = change("hr.id'", "hr.di'", text);
    const places = readProblems(text).map(({ place }) => place.replace(/^talent-sync.yaml:/, ''));
    expect(places).toEqual([
      '5:1 polcy',
      '18:26 sources.hr.columns.year.optinal',
      '21:76 sources.idp.auth.bearer',
      '24:45 users.enrich.idp.join',
      '30:12 users.fields.email',
    ]);
  });

  it('never shows a secret', () => {
    const text = change('{ env: TALENT_API_KEY }', 'hunter2', change('{ env: IDP_TOKEN }', '[hunter2]'));
    expect(JSON.stringify(catchError(text).problems)).not.toContain('hunter2');
  });
});

describe('the code of the error', () => {
  it.each([
    ['SYNC_CONFIG_SECRET', SAMPLE, {}],
    ['SYNC_CONFIG_INVALID', change('policy: sync', 'policy: x'), {}],
    ['SYNC_CONFIG_INVALID', change('{ env: TALENT_API_KEY }', 'sk'), ENV],
    ['SYNC_CONFIG_INVALID', '', ENV],
    ['SYNC_CONFIG_INVALID', '- a list', ENV],
  ])('is %s', (code, text, env) => {
    expect(catchError(text, env).code).toBe(code);
  });
});
