import { expect, test } from 'vitest';
import { mayRest } from '../../../src/config/may-rest.js';
import { loadSample, SAMPLE } from '../../config/sample.js';

const WRITTEN = loadSample(
  SAMPLE.replace('    drop: ./drop\n', '    drop: ./drop\n    write_back: { drop: ./back }\n'),
);
const READ = loadSample(SAMPLE);

test.each<[string, typeof READ, readonly (string | null)[] | undefined, boolean]>([
  ['a run of the schedule asks every source', READ, undefined, false],
  ['a source that has signalled is asked', READ, ['crm', 'hr'], false],
  ['one of whose streams another has signalled is asked', READ, ['hr.people'], false],
  ['other sources let it rest', READ, ['crm', 'idp'], true],
  ['a decision asks every source: it rests on all of them', READ, [null], false],
  ['so does one that came with the signal of another source', READ, ['crm', null], false],
  ['a source that is written back to is asked', WRITTEN, ['crm'], false],
])('%s', (_, config, sources, expected) => {
  expect(
    mayRest(
      'hr',
      config,
      sources?.map((source) => ({ source })),
    ),
  ).toBe(expected);
});
