import { formatMinute, plural } from '../report/sections/words.js';
import type { WaitingSource } from '../store/state/outbox-store.js';

/** What the sources were told and do not show yet, for `status`. */
export function renderOutbox(outbox: readonly WaitingSource[]): readonly string[] {
  return outbox.map(({ source, records, refused, lost, since }) => {
    const parts = [...(refused > 0 ? [`${refused} refused`] : []), ...(lost > 0 ? [`${lost} lost`] : [])];
    const bad = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
    return `${plural(records, 'record')} written back to ${source} and not shown by it yet${bad}, the oldest since ${formatMinute(since)}`;
  });
}
