import { SyncError } from '../../base/errors.js';
import { cleanLine } from '../../model/clean-text.js';
import { compareNames } from './file-names.js';
import type { Newest } from './resolve-file-rules.js';

/**
 * Finds the parts of the newest delivery, in order.
 *
 * @param names file names, from the oldest to the newest
 * @param pattern a pattern such as `employees-{drop}-part{part}of{parts}.csv`; only the number of parts shows that no
 * part is missing
 * @throws SyncError SYNC_SOURCE_UNSETTLED while a part is missing
 */
export function findParts(names: readonly string[], pattern: string, at: string, newestBy: Newest): readonly string[] {
  const source = pattern.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  const wanted = new RegExp(
    `^${source.replace('{drop}', '(?<drop>.+)').replace('{parts}', '(?<parts>\\d{1,4})').replace('{part}', '(?<part>\\d{1,4})')}$`,
  );
  const found = names.flatMap((name) => {
    const { drop = '', part, parts } = wanted.exec(name)?.groups ?? {};
    return part === undefined ? [] : [{ name, drop, part: Number(part), parts: Number(parts) }];
  });
  const drops = found.map(({ drop }) => drop);
  const newest = (newestBy === 'name' ? drops.sort(compareNames) : drops).at(-1);
  const all = found.filter(({ drop }) => drop === newest).sort((a, b) => a.part - b.part);
  if (all.length === 0) return [];
  const total = all[0]?.parts ?? 0;
  if (all.every(({ part, parts }, index) => part === index + 1 && parts === total) && all.length === total) {
    return all.map(({ name }) => name);
  }
  throw new SyncError('SYNC_SOURCE_UNSETTLED', {
    message: `The delivery "${cleanLine(newest ?? '')}" is not complete: found ${all.map(({ name }) => cleanLine(name)).join(', ')}.`,
    place: at,
    remedy: 'Wait for the next run; each part from 1 to the number of parts must exist once.',
  });
}
