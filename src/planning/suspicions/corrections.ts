import { canonicalJson } from '../../model/json.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';

const DAY_MS = 86_400_000;
/** The longest time until a wrong delivery is noticed: the next day, or after the weekend. */
const LONGEST_DAYS = 3;

const factOf = (source: string): string => `corrections.${source}`;

/** Digests of contents that took part in a correction; neither of the two counts as a correction again. */
function listCorrected({ history }: Pick<Stores, 'history'>, source: string): readonly string[] {
  return JSON.parse(history.fact(factOf(source)) ?? '[]') as readonly string[];
}

/**
 * Explains why a content that came back does not correct the content that replaced it; null if it does.
 *
 * | the content that came back                                                   | →                             |
 * |------------------------------------------------------------------------------|-------------------------------|
 * | is that before the last one, which was active for three days at most         | a correction                  |
 * | several others came in between                                               | an old file                   |
 * | the one in between was active for longer                                     | an old file                   |
 * | it, or the one in between, was part of a correction before                   | two exporters that take turns |
 */
export function findNoCorrection(
  { source, replaced, digest, readAt }: ReadEvidence,
  stores: Pick<Stores, 'history'>,
): string | null {
  if (replaced?.by === undefined) return 'several other deliveries came in between';
  if (Date.parse(readAt) - Date.parse(replaced.at) > LONGEST_DAYS * DAY_MS)
    return `the delivery in between was active for more than ${LONGEST_DAYS} days`;
  const corrected = listCorrected(stores, source);
  return [digest, replaced.by].some((content) => corrected.includes(content))
    ? 'this content, or the one in between, was part of a correction before'
    : null;
}

/** Called after a run that used the content, so that the content corrects another one only once. */
export function rememberCorrection(stores: Pick<Stores, 'history'>, evidence: ReadEvidence): void {
  const { source, digest, replaced } = evidence;
  if (replaced?.by === undefined || findNoCorrection(evidence, stores) !== null) return;
  const corrected = [...new Set([...listCorrected(stores, source), digest, replaced.by])];
  stores.history.setFact(factOf(source), canonicalJson(corrected));
}
