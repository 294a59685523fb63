import { expect, it } from 'vitest';
import { describeSharedKey } from '../../src/model/shared-key.js';

it('lists rows with the same key in file order, in whatever order they were read', () => {
  const rows = [10, 9].map((line) => ({ source: 'hr', at: 'drop/a.csv', line }));
  expect(describeSharedKey('E9', rows)).toMatchObject({
    place: 'hr a.csv:9 and hr a.csv:10',
    reason: 'The key "E9" is in several rows (hr a.csv:9, hr a.csv:10); none of them is used.',
  });
});
