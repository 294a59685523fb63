import type { BulkLoad } from '../../model/plan.js';
import { plural } from '../writers/style.js';

/** A first load by the service's own import in the words that every form of the report uses. */
export interface BulkLoadWords {
  readonly title: string;
  /** Why no import is used, although one is configured; null when it is used. */
  readonly refused: string | null;
  /** Those who are created by calls of their own, by reason. */
  readonly singly: readonly { readonly people: string; readonly reason: string; readonly examples: string }[];
}

export function tellBulkLoad({ batch, people, singly, refused }: BulkLoad): BulkLoadWords {
  const setting = batch.replace(/^import:/, '');
  return {
    title:
      refused === null
        ? `${plural(people, 'person goes', 'people go')} by one CSV import, setting "${setting}"`
        : 'No CSV import: everybody is created by a call of their own',
    refused,
    singly: singly.map(({ reason, people: count, examples }) => ({
      people: `${count} by ${count === 1 ? 'a call of its own' : 'calls of their own'}`,
      reason,
      examples: `${examples.join(', ')}${count > examples.length ? ', …' : ''}`,
    })),
  };
}
