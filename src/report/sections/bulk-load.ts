import type { BulkLoad } from '../../model/plan.js';
import { blocksOf, code, prose, type ReportSection } from './section.js';
import { plural } from './words.js';

/** How a first load travels: who goes by the service's own import, and who by a call of their own, and why. */
export function listBulkLoad(bulk: BulkLoad | null): ReportSection | null {
  if (bulk === null) return null;
  const { batch, people, singly, refused } = bulk;
  const setting = batch.replace(/^import:/, '');
  const rows = singly.map(({ reason, people: count, examples }) => [
    `${count} by ${count === 1 ? 'a call of its own' : 'calls of their own'}`,
    prose(reason),
    code(`${examples.join(', ')}${count > examples.length ? ', …' : ''}`),
  ]);
  return {
    id: 'bulk-load',
    title: 'First load',
    blocks: [
      {
        kind: 'card',
        tone: refused === null ? 'plain' : 'warn',
        title:
          refused === null
            ? `${plural(people, 'person goes', 'people go')} by one CSV import, setting "${setting}"`
            : 'No CSV import: everybody is created by a call of their own',
        blocks: blocksOf(
          refused === null ? null : { kind: 'text', text: prose(refused) },
          rows.length === 0
            ? null
            : { kind: 'table', columns: ['People', 'Why', 'For example'].map((name) => ({ name })), rows },
        ),
      },
    ],
  };
}
