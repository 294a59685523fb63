import { type Entity, isAccount } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { labelOf } from '../../model/label.js';
import { identityFields, listTexts } from '../../model/raw-text.js';
import type { RejectedRow } from '../../model/source.js';

/** A row without a key, with its known values; `isNamed` if they identify its person. */
export interface KeylessRow {
  readonly row: RejectedRow;
  readonly isNamed: boolean;
}

/**
 * Finds the possible owners of a row without a key. They are all records with the key, e-mail, external id or name of
 * the row, and no others (docs/engineering/decisions/0005). If the row has none of these, it may belong to anyone at
 * all.
 *
 * @param values the mapped values of the other cells of the row; null if there are none
 */
export function nameKeyless(entity: Entity, row: RejectedRow, values: Values | null): KeylessRow {
  const label = values === null ? '' : labelOf(entity, '', values);
  const isNamed = values !== null && identifies(entity, values);
  const until = isNamed ? 'no record that it may be about counts as missing' : 'this read proves no absence';
  return { row: rowWithWords(row, label === '' ? findAddress(row) : label, until), isNamed };
}

/** Does the same for a row that completes those of another source; only an address identifies its person. */
export function nameKeylessCompanion(row: RejectedRow): KeylessRow {
  if (row.key !== null || row.code !== 'SYNC_ROW_KEY') return { row, isNamed: false };
  const address = findAddress(row);
  const isNamed = address !== '';
  const whose = isNamed ? 'for those it may be about' : 'for everyone without a row';
  return { row: rowWithWords(row, address, `the values of this source ${whose} stay unchanged`), isNamed };
}

function findAddress({ raw }: RejectedRow): string {
  return raw.find((cell) => ADDRESS.test(cell.trim())) ?? '';
}

function rowWithWords(row: RejectedRow, called: string, until: string): RejectedRow {
  const about = called === '' ? '' : ` It is about "${called.replaceAll('"', "'")}".`;
  return { ...row, reason: `${row.reason}${about}`, remedy: `${row.remedy} Until then ${until}.` };
}

/** Recognises an address, and a name with at least two known parts. */
const PERSONAL: Readonly<Record<string, RegExp>> = { email: /\S@\S/, name: /\S\s+\S/ };
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** A value made from the key alone does not count, nor does a single word of a person's name. */
function identifies(entity: Entity, values: Values): boolean {
  return identityFields(entity).some((name) => {
    if (name === 'external_unique_id') return false;
    const pattern = (isAccount(entity) ? PERSONAL[name] : undefined) ?? /\S/;
    return listTexts(values[name]).some((text) => pattern.test(text));
  });
}
