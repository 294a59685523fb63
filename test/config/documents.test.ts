import { describe, expect, it } from 'vitest';
import { change, loadSample, readProblems, SAMPLE, show } from './sample.js';

const TEXT = `${SAMPLE}deliveries:
  cvs:
    kind: cv_documents
    language: en
    deliver: { drop: ./out }
  references:
    kind: reference_documents
    format: pptx
    language: en
    template: t1
    schedule: "0 5 * * *"
    deliver: { drop: ./out, name: "{customer}/{name}.pptx" }
  people:
    kind: cv
    type: user_report
    schedule: "0 6 * * *"
    deliver: { drop: ./out }
`;

describe('documents', () => {
  it('fill in what they leave out, next to reports', () => {
    const { documents, reports, digest } = loadSample(TEXT);
    expect(documents).toMatchObject([
      {
        name: 'cvs',
        at: 'deliveries.cvs',
        format: 'pdf',
        template: null,
        schedule: null,
        atMost: 100,
        gone: 'keep',
        fileName: '{name} ({id}).pdf',
      },
      { name: 'references', template: 't1', stage: 'all', fileName: '{customer}/{name}.pptx' },
    ]);
    expect(reports).toMatchObject([{ name: 'people', at: 'deliveries.people' }]);
    expect(digest).toBe(loadSample(SAMPLE).digest);
  });

  it.each([
    ['language: en\n    deliver', 'deliver', 'cvs.language', 'is missing', 'Add `language:`'],
    ['    template: t1\n', '', 'references.template', 'is missing', 'Add `template:`'],
    ['    schedule: "0 5 * * *"\n', '', 'references.schedule', 'is missing', 'Add `schedule:`'],
    ['format: pptx', 'format: csv', 'references.format', '"csv" is not a format of this kind', 'pdf or docx or pptx'],
    [
      'language: en\n    deliver',
      'language: eng\n    deliver',
      'cvs.language',
      '"eng" is not a language code',
      'two small letters',
    ],
    [
      'kind: cv_documents\n',
      'kind: cv_documents\n    type: courses\n',
      'cvs.type',
      'is only for CV reports',
      'Remove it.',
    ],
    [
      'type: user_report\n',
      'type: user_report\n    gone: keep\n',
      'people.gone',
      'is only for documents of CVs',
      'Remove it.',
    ],
    [
      '{ drop: ./out }\n  ref',
      '{ drop: ./out, name: "{nme}.pdf" }\n  ref',
      'cvs.deliver.name',
      '{nme} has no meaning here',
      '{name}',
    ],
    [
      '{ drop: ./out }\n  ref',
      '{ drop: ./out, name: "cv.pdf" }\n  ref',
      'cvs.deliver.name',
      'would give all documents the same name',
      '{name}',
    ],
    [
      '{ drop: ./out }\n  ref',
      '{ drop: ./out, name: "../{name}.pdf" }\n  ref',
      'cvs.deliver.name',
      'cannot be the name of a delivered file',
      'do not start with a dot',
    ],
    [
      '{ drop: ./out }\n  ref',
      '{ drop: ./out, name: "/{name}.pdf" }\n  ref',
      'cvs.deliver.name',
      'cannot be the name of a delivered file',
      'do not start with a dot',
    ],
    [
      '{ drop: ./out }\n  ref',
      '{ drop: ./out, name: "{name}.doc" }\n  ref',
      'cvs.deliver.name',
      'does not end with the format',
      '.pdf',
    ],
    ['  people:\n', '  people:\n    at_most: 3\n', 'people.at_most', 'is only for documents of CVs', 'Remove it.'],
  ])('are rejected with %j → %j', (piece, by, path, message, remedy) => {
    const problems = show(readProblems(change(piece, by, TEXT)));
    expect(problems).toHaveLength(1);
    for (const part of [`deliveries.${path}`, message, remedy]) expect(problems[0]).toContain(part);
  });

  it('are rejected if reports use the same name', () => {
    const twice = `${TEXT}reports:\n  people: { kind: reference, schedule: "0 6 * * *", deliver: { drop: ./other } }\n`;
    expect(show(readProblems(twice))).toEqual([expect.stringContaining('"people" is in `deliveries` too')]);
  });
});
