import type { BulkLoad } from '../../model/plan.js';
import { tellBulkLoad } from '../sections/bulk-load.js';
import { clip, type Style, wrapItems } from './style.js';

/** Who goes by the service's own import, and who does not, and why. */
export function renderBulkLoad(bulk: BulkLoad | null, style: Style, width: number): readonly string[] {
  if (bulk === null) return [];
  const { title, refused, singly } = tellBulkLoad(bulk);
  const fold = (text: string, indent: number): readonly string[] =>
    wrapItems(clip(text, 600).split(' '), ' ', width - indent).map((line) => ' '.repeat(indent) + line);
  return [
    ...(refused === null ? [style.bold(title)] : [style.warn(`! ${title}`), ...fold(refused, 4)]),
    ...singly.flatMap(({ people, reason, examples }) => [
      ...fold(`${people}: ${reason}`, 4),
      ...fold(examples, 6).map(style.dim),
    ]),
  ];
}
