import { expect, test } from 'vitest';
import { mayRest } from '../../../src/config/may-rest.js';
import { loadSample, SAMPLE } from '../../config/sample.js';

const WRITTEN = loadSample(
  SAMPLE.replace('    drop: ./drop\n', '    drop: ./drop\n    write_back: { drop: ./back }\n'),
);
const READ = loadSample(SAMPLE);

test.each<[string, typeof READ, readonly (string | null)[] | undefined, boolean]>([
  ['a scheduled run reads every source', READ, undefined, false],
  ['reads a source that has signalled', READ, ['crm', 'hr'], false],
  ['reads a source if another source has signalled one of its streams', READ, ['hr.people'], false],
  ['skips the other sources', READ, ['crm', 'idp'], true],
  ['a decision reads every source, because it depends on all of them', READ, [null], false],
  ["also reads every source if the decision came with another source's signal", READ, ['crm', null], false],
  ['reads a source that is written back to', WRITTEN, ['crm'], false],
])('%s', (_, config, sources, expected) => {
  expect(
    mayRest(
      'hr',
      config,
      sources?.map((source) => ({ source })),
    ),
  ).toBe(expected);
});
