import { holdsSecret } from '../../base/secrets/secret.js';
import { formatPlace } from '../../model/place.js';
import { listTexts } from '../../model/raw-text.js';
import type { Cell, RejectedRow, SourceRecord } from '../../model/source.js';

/**
 * Rejects a record with a value that contains one of our secrets; null for every other record. The record is not used,
 * so neither the secret nor the text `[secret]` can be written to the service.
 */
export function rejectSecret(record: SourceRecord): RejectedRow | null {
  const bad = Object.keys(record.cells).filter((column) => isSecret(record.cells[column]));
  if (bad.length === 0) return null;
  const { key, place, raw, cells } = record;
  const others = Object.entries(cells).filter(([column]) => !bad.includes(column));
  return {
    key,
    place,
    code: 'SYNC_ROW_SECRET',
    reason: `${formatPlace(place)}: column "${bad[0]}" holds a secret that talent-sync uses to log in.`,
    remedy: 'Remove it from the source, and issue a new one: everyone who reads the source knows it.',
    raw: raw ?? [key, ...listTexts(cells)],
    ...(holdsSecret(key) ? {} : { readable: { cells: Object.fromEntries(others), bad } }),
  };
}

function isSecret(cell: Cell | undefined): boolean {
  return typeof cell === 'string' ? holdsSecret(cell) : typeof cell === 'object' && listTexts(cell).some(holdsSecret);
}
