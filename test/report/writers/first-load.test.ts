import { describe, expect, it } from 'vitest';
import type { BulkLoad } from '../../../src/model/plan.js';
import type { UnderstoodEntity } from '../../../src/model/understood.js';
import { listAdoption, listBulkLoad } from '../../../src/report/sections/first-contact.js';
import { renderExport } from '../../../src/report/texts/export-text.js';
import { createStyle } from '../../../src/report/writers/style.js';
import { renderSection } from '../../../src/report/writers/terminal.js';
import { ADOPTION, EVIL } from '../sample-report.js';

const LOOK = { style: createStyle(false), width: 60 };
const BULK: BulkLoad = { batch: 'import:hr', people: 950, singly: [], refused: null, calls: {} };

describe('the first load', () => {
  it('shows nothing without an import', () => {
    expect(renderSection(listBulkLoad(null), LOOK)).toEqual([]);
  });

  it('lists people of the file, and the others by reason', () => {
    const singly = [{ reason: 'external: …', people: 4, examples: ['A', 'B', 'C'] }];
    expect(renderSection(listBulkLoad({ ...BULK, singly }), LOOK)).toEqual([
      '950 people are created by one CSV import, setting "hr"',
      '  People               Why          For example',
      '  4 by separate calls  external: …  A, B, C, …',
    ]);
  });

  it('says why nobody goes by file', () => {
    expect(renderSection(listBulkLoad({ ...BULK, people: 0, refused: '3 in the service' }), LOOK)).toEqual([
      '! No CSV import: each person is created by a separate call',
      '    3 in the service',
    ]);
  });
});

describe('the first contact', () => {
  it('shows nothing without adopted pairs', () => {
    expect(renderSection(listAdoption(null, new Set(), null), LOOK)).toEqual([]);
  });

  it('shows the numbers, people on one side only, and the most frequent differences first', () => {
    expect(renderSection(listAdoption([ADOPTION], new Set(), null), LOOK)).toEqual([
      'First contact: 181 users of the service match and are',
      'managed from now on',
      '  Matched: 120 by external_unique_id, 61 by email. 102 of',
      '  them are equal, and 79 differ.',
      '  3 doubtful matches are held: see what is held.',
      '  Differences: 2 fields',
      '    Field      Pairs  For example',
      '    title         70  Jane <j@example.com>',
      '      title.en  "Consultant" → "Senior <b>"',
      '      title.no  (empty) → "A|B"',
      '    telephone      9',
      '  Only in the source: 7, to be created',
      '    Kari <k@example.com>',
      `    ${EVIL}`,
      '    … and 5 more',
    ]);
  });
});

describe('the first contact under the summary of the sources', () => {
  const users: UnderstoodEntity = {
    ...{ entity: 'users', sources: ['hr'], rows: 188, unusable: 0, out_of_scope: 0, in_account: 181, new: 7 },
    ...{ matched_by: {}, ambiguous: 3, start_later: 0, doubtful: 0, reactivated: 0, not_understood: [], warnings: [] },
    left: { people: 0, not_in_account: 0, left_alone: 0, because: [] },
    fields: [
      {
        ...{ field: 'title', from: ['title'], compared: 181, equal: 111, would_change: 70, would_fill: 0, kept: 0 },
        examples: [],
      },
    ],
  };
  const renderUnder = (one: UnderstoodEntity): readonly string[] =>
    renderSection(listAdoption([ADOPTION], new Set(), { account: null, entities: [one] }), LOOK);

  it('leaves out matches and new people that the summary shows', () => {
    expect(renderUnder(users)).toEqual([
      'First contact: the users that match are managed from now on',
      '  102 of them are equal, and 79 differ.',
      '  3 doubtful matches are held: see what is held.',
      '  Differences: 2 fields',
      '    Field      Pairs  For example',
      '    title         70  Jane <j@example.com>',
      '      title.en  "Consultant" → "Senior <b>"',
      '      title.no  (empty) → "A|B"',
      '    telephone      9',
    ]);
  });

  it('shows everything if the summary has not searched the account', () => {
    const alone = renderSection(listAdoption([ADOPTION], new Set(), null), LOOK);
    expect(renderUnder({ ...users, in_account: null, new: null })).toEqual(alone);
  });
});

describe('renderExport', () => {
  const summary = {
    rows: 2,
    columns: ['email'],
    columns_left_out: ['landline'],
    language: 'en',
    left_out: Array.from({ length: 14 }, (_, at) => ({
      key: `E${at}`,
      place: 'hr x.csv:2',
      reason: 'held: no office',
    })),
    not_carried: [{ field: 'title', reason: 'no is not in it', people: 7, examples: ['E1', 'E2'] }],
    guarded: 0,
    emails_changed: 1,
    deactivated: 2,
    not_in_file: { active: 3, external: 1 },
    guards: [{ guard: 'users.create', limit: 0, found: 2, cause: 'real events' as const, detail: '', held: 2 }],
  };

  it('lists dangers for people before missing values', () => {
    expect(renderExport(summary, '/x/people.csv', false).split('\n')).toEqual([
      '2 people in /x/people.csv: email',
      '! 3 active people (1 external) of the service are not in the file:',
      '    an import setting that deactivates or removes missing people also applies to them',
      '! 1 e-mail address would change: the import e-mails these people',
      '! 2 people in the file are deactivated in the service: the import setting decides whether they are reactivated',
      '! there is no column country_code: the import setting needs a default for it',
      '! there is no column office_name: the import setting needs a default for it',
      '! nobody has a value, so there is no column: landline',
      '! the guard users.create holds 2 of these changes (limit 0): the import does not check guards',
      'Missing values of people in the file:',
      '  title: no is not in it (7 people: E1, E2, …)',
      'Left out (14):',
      ...Array.from({ length: 12 }, (_, at) => `  E${at} (hr x.csv:2): held: no office`),
      '  … and 2 more; --json shows them',
      '',
    ]);
  });

  it('says if nobody is missing', () => {
    const whole = { ...summary, not_in_file: { active: 0, external: 0 } };
    expect(renderExport(whole, null, false)).toContain('Every active person in the service is in the file.');
  });
});
