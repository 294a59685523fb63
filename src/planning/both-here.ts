import type { Stores } from '../store/open-stores.js';

/**
 * True if the rows of two people were both active in one complete read. The read is that of the run which linked the
 * later of the two people. The other person must not have been missing, or reported as having left, by then.
 */
export function wereBothHere({ links, history }: Stores, existence: string | null, a: string, b: string): boolean {
  const pair = [links.findByServiceId('users', a), links.findByServiceId('users', b)];
  const [one, other] = pair;
  if (existence === null || one == null || other == null) return false;
  const later = one.at > other.at ? one : other;
  if (!history.wasReadWhole(later.run, existence)) return false;
  return pair.every((link) => {
    const absence = link == null ? null : history.absence('users', link.sourceKey);
    return absence === null || absence.firstAt > later.at;
  });
}
