import { formatPlace } from '../model/place.js';
import { listTexts } from '../model/raw-text.js';
import type { RejectedRow, SourceRecord } from '../model/source.js';
import { holdsSecret } from '../secrets/secret.js';

/**
 * A record of which a value holds a secret of ours, as the row that it is then: it is not used, so the secret goes nowhere,
 * and neither does `[secret]`, which would be written to the service in its place. null for every other record.
 */
export function rejectSecret(record: SourceRecord): RejectedRow | null {
  for (const column in record.cells) {
    const cell = record.cells[column];
    if (!(typeof cell === 'string' ? holdsSecret(cell) : typeof cell === 'object' && listTexts(cell).some(holdsSecret)))
      continue;
    const { key, place, raw, cells } = record;
    return {
      key,
      place,
      code: 'SYNC_ROW_SECRET',
      reason: `${formatPlace(place)}: column "${column}" holds a secret that talent-sync logs in with.`,
      remedy: 'Take it out of the source, and issue a new one: everybody who reads the source knows it.',
      raw: raw ?? [key, ...listTexts(cells)],
    };
  }
  return null;
}
