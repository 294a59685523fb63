import { expect, it } from 'vitest';
import type { KnownRow, KnownRows } from '../../../src/connectors/connector.js';
import type { MergeSign } from '../../../src/connectors/listed/merges.js';
import { rememberMerges } from '../../../src/connectors/listed/remember-merges.js';
import type { ListedRow } from '../../../src/connectors/listing/listed-connector.js';
import type { JsonObject } from '../../../src/model/json.js';
import type { MergedRow } from '../../../src/model/source.js';

const SIGN: MergeSign = {
  objects: null,
  properties: [],
  read: ({ from }) => (Array.isArray(from) ? { from: from.map(String) } : null),
};

/** Imitates the known rows: records only burials and marks. */
function openKnown(marks = new Map<string, string>()) {
  const buried: string[] = [];
  const rows = {
    keep: () => {},
    bury: (ids: readonly string[]) => void buried.push(...ids),
    mark: (name: string) => marks.get(name) ?? null,
    setMark: (name: string, text: string) => void marks.set(name, text),
  } as Partial<KnownRows> as KnownRows;
  const merges = rememberMerges(rows, SIGN);
  const list = (row: JsonObject & { readonly id: string }): void => {
    const made = { record: { key: row.id } } as unknown as ListedRow['made'];
    merges.note(row, { id: row.id, made, print: '' });
  };
  const told = (): readonly MergedRow[] => {
    const all: MergedRow[] = [];
    merges.take(({ merged }) => void all.push(...(merged ?? [])));
    return all;
  };
  const keep = (): void => merges.rows.keep([] as readonly KnownRow[], 1);
  return { buried, marks, list, keep, told };
}

it('remembers a merge with the rows that report it, and removes the merged records once', () => {
  const known = openKnown();
  known.list({ id: 'c', from: ['a', 'b'] });
  expect([known.buried, known.marks.size]).toEqual([[], 0]);
  known.keep();
  expect(known.buried).toEqual(['a', 'b']);
  // A run after an interruption here still knows it.
  const next = openKnown(known.marks);
  expect(next.told()).toEqual([
    { from: 'a', into: 'c' },
    { from: 'b', into: 'c' },
  ]);
  next.list({ id: 'c', from: ['a', 'b'] });
  next.keep();
  expect(next.buried).toEqual([]);
});

it('forgets the merge of a record that is listed again', () => {
  const known = openKnown();
  known.list({ id: 'c', from: ['a'] });
  known.keep();
  known.list({ id: 'a' });
  known.keep();
  expect([known.told(), openKnown(known.marks).told()]).toEqual([[], []]);
});
