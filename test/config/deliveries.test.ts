import { describe, expect, it } from 'vitest';
import { change, loadSample, readProblems, SAMPLE, show } from './sample.js';

const REPORTS = `reports:
  skills:
    kind: cv
    type: technologies
    schedule: "0 6 * * 1"
    deliver: { drop: ./out }
  references:
    kind: reference
    filter: { stage: live }
    schedule: "0 7 * * *"
    deliver: { drop: ./out, name: refs.csv }
`;
const TEXT = `${SAMPLE}${REPORTS}schedule: { timezone: Europe/Oslo }\n`;

describe('reports', () => {
  it('fill in what they leave out', () => {
    const { reports, digest } = loadSample(TEXT);
    expect(reports).toEqual([
      {
        name: 'skills',
        at: 'reports.skills',
        kind: 'cv',
        type: 'technologies',
        format: 'csv',
        languages: [],
        offices: [],
        filter: { text: [], anyField: {}, skills: [], tags: [] },
        schedule: { every: '0 6 * * 1', timezone: 'Europe/Oslo' },
        place: { drop: expect.stringMatching(/^\/.+\/out$/), sftp: null },
        fileName: '{report}-{date}.csv',
      },
      expect.objectContaining({ name: 'references', stage: 'live', owned: false, fileName: 'refs.csv' }),
    ]);
    // Reports do not affect what is derived.
    expect(digest).toBe(loadSample(SAMPLE).digest);
  });

  it('accept one word or several in a filter', () => {
    const filter =
      'filter: { text: a, skills: [b, c], tags: { unit: north, level: [x, y] }, any_field: { name: Ann }, offices: [{ country: no }] }';
    const { reports } = loadSample(change('    type: technologies\n', `    type: technologies\n    ${filter}\n`, TEXT));
    expect(reports.find(({ name }) => name === 'skills')).toMatchObject({
      offices: [{ country: 'no', name: null }],
      filter: {
        text: ['a'],
        skills: ['b', 'c'],
        anyField: { name: 'Ann' },
        tags: [
          { category: 'unit', tag: 'north' },
          { category: 'level', tag: 'x' },
          { category: 'level', tag: 'y' },
        ],
      },
    });
  });

  it.each([
    ['    type: technologies\n', '', 'skills.type', '`reports.skills.type` is missing', 'Add `type:`'],
    [
      'type: technologies',
      'type: technology',
      'skills.type',
      '"technology" is not accepted',
      'Did you mean `technologies`?',
    ],
    ['kind: cv', 'kind: cvs', 'skills.kind', '"cvs" is not accepted', 'Did you mean `cv`?'],
    ['  skills:\n', '  my skills:\n', 'my skills', 'cannot be the name of a delivery', 'letters'],
    [
      'kind: reference\n',
      'kind: reference\n    type: courses\n',
      'references.type',
      'is only for CV reports',
      'Remove it.',
    ],
    [
      'kind: reference\n',
      'kind: reference\n    languages: [en]\n',
      'references.languages',
      'is only for CV reports',
      'Remove it.',
    ],
    ['stage: live', 'skills: [a]', 'references.filter.skills', 'is only for CV reports', 'Remove it.'],
    ['stage: live', 'offices: [{ country: no }]', 'references.filter.offices', 'is only for CV reports', 'Remove it.'],
    [
      'type: technologies',
      'type: technologies\n    filter: { owned: true }',
      'skills.filter.owned',
      'is only for reference reports',
      'Remove it.',
    ],
    [
      'type: technologies',
      'type: technologies\n    languages: [eng]',
      'skills.languages[0]',
      '"eng" is not a language code',
      'two small letters',
    ],
    ['"0 6 * * 1"', '"0 6 * *"', 'skills.schedule', 'not a cron expression of five fields', 'five fields'],
    ['"0 6 * * 1"', '"0 6 31 2 *"', 'skills.schedule', 'never occurs', 'Name a day'],
    ['    deliver: { drop: ./out }\n', '', 'skills.deliver', '`reports.skills.deliver` is missing', 'Add `deliver:`'],
    ['name: refs.csv', 'name: "refs-{day}.csv"', 'references.deliver.name', '{day} has no meaning here', '{date}'],
    [
      'name: refs.csv',
      'name: sub/refs.csv',
      'references.deliver.name',
      'cannot be the name of a delivered file',
      '`drop` names the folder',
    ],
    ['name: refs.csv', 'name: refs.xlsx', 'references.deliver.name', 'does not end with the format', '.csv'],
    [
      'name: refs.csv',
      'name: "skills-{date}.csv"',
      'references.deliver',
      '"skills" is delivered under the same name',
      'Give each its own file name',
    ],
    [
      '{ drop: ./out }',
      '{ drop: "sftp://h/x" }',
      'skills.deliver.drop',
      '`sftp` does not specify how to log in',
      'Add `sftp',
    ],
    ['{ drop: ./out }', '{ drop: "ftp://h/x" }', 'skills.deliver.drop', 'of an unsupported kind', 'sftp://'],
  ])('are rejected with %j → %j', (piece, by, path, message, remedy) => {
    const problems = show(readProblems(change(piece, by, TEXT)));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\d+:\d+ reports\./);
    for (const part of [`reports.${path} |`, message, remedy]) expect(problems[0]).toContain(part);
  });
});
