import type { BulkLoad } from '../model/plan.js';
import { plural, type Style } from './style.js';

/** Who goes by the service's own import, and who does not, and why. */
export function renderBulkLoad(bulk: BulkLoad | null, style: Style): readonly string[] {
  if (bulk === null) return [];
  const setting = bulk.batch.replace(/^import:/, '');
  const lines =
    bulk.refused === null
      ? [`${style.bold(plural(bulk.people, 'person', 'people'))} go by one import, setting "${setting}"`]
      : [style.warn(`! no import: ${bulk.refused}`), '  everybody is created by a call of their own'];
  for (const { reason, people, examples } of bulk.singly) {
    const more = people > examples.length ? ', …' : '';
    lines.push(`  ${people} by ${people === 1 ? 'a call of its own' : 'calls of their own'}: ${reason}`);
    lines.push(style.dim(`      ${examples.join(', ')}${more}`));
  }
  return lines;
}
