import type { Authority, Conflicts } from '../model/write-back.js';

/** One leaf of a mapping (a field, a language, a category, a custom field) of a linked pair, where the two sides differ. */
export interface MergeInput {
  readonly authority: Authority;
  readonly conflicts: Conflicts;
  readonly drift: 'correct' | 'report';
  /** Whether the two sides ever agreed on it. */
  readonly agreed: boolean;
  /**
   * What the source has: a value, an emptiness that means to clear (`when_empty: clear`), or nothing that says anything (an
   * empty cell otherwise, or a source that could not be read).
   */
  readonly source: 'value' | 'empty' | 'silent';
  /** What the service has; `hidden`: no read shows it. */
  readonly service: 'value' | 'empty' | 'hidden';
  readonly sourceMoved: boolean;
  readonly serviceMoved: boolean;
  /** Which change came last, where both moved; null where that cannot be told, or both at once. */
  readonly newer: 'source' | 'service' | null;
}

/**
 * `to_service`, `to_source`: that side gets the other's value · `leave`: both keep what they have · `conflict`: both keep it
 * until a person decides · `drift`: the same, and the one that moved was not the owner.
 */
export type Merged = 'to_service' | 'to_source' | 'leave' | 'conflict' | 'drift';

/**
 * The three-way merge of one leaf that differs. The base is what both sides last agreed on; "moved" is said against it.
 *
 * | #  | authority | source | service | agreed | moved           | policy                  | →          |
 * |----|-----------|--------|---------|--------|-----------------|-------------------------|------------|
 * | 1  | any       | says   | hidden |        |                 |                         | to_service |
 * | 2  | service   | any    | hidden | yes    |                 |                         | leave      |
 * | 3  | source    | silent | any     |        |                 |                         | leave      |
 * | 4  | source    | says   | any     | no     |                 |                         | to_service |
 * | 5  | source    | says   | any     | yes    | source          |                         | to_service |
 * | 6  | source    | says   | any     | yes    | service         | drift: correct          | to_service |
 * | 7  | source    | says   | any     | yes    | service         | drift: report           | drift      |
 * | 8  | source    | says   | any     | yes    | both            | conflicts: owner/source | to_service |
 * | 9  | source    | says   | any     | yes    | both            | conflicts: service      | to_source  |
 * | 10 | source    | says   | any     | yes    | both            | conflicts: hold         | conflict   |
 * | 11 | source    | says   | any     | yes    | neither         |                         | to_service |
 * | 12 | service   | any    | value   | no     |                 |                         | to_source  |
 * | 13 | service   | value  | empty   | no     |                 |                         | to_service |
 * | 14 | service   | any    | any     | yes    | service/neither |                         | to_source  |
 * | 15 | service   | any    | any     | yes    | source          | drift: correct          | to_source  |
 * | 16 | service   | any    | any     | yes    | source          | drift: report           | drift      |
 * | 17 | service   | says   | any     | yes    | both            | conflicts: owner/service| to_source  |
 * | 18 | service   | says   | any     | yes    | both            | conflicts: source       | to_service |
 * | 19 | service   | says   | any     | yes    | both            | conflicts: hold         | conflict   |
 * | 20 | newest    | silent | any     |        |                 |                         | to_source  |
 * | 21 | newest    | value  | empty   | no     |                 |                         | to_service |
 * | 22 | newest    | empty  | value   | no     |                 |                         | to_source  |
 * | 23 | newest    | value  | value   | no     |                 | as in 27                |            |
 * | 24 | newest    | says   | any     | yes    | source          |                         | to_service |
 * | 25 | newest    | says   | any     | yes    | service         |                         | to_source  |
 * | 26 | newest    | says   | any     | yes    | both            | newer is known          | that one's |
 * | 27 | newest    | says   | any     | yes    | both, at once   | conflicts: source       | to_service |
 * |    |           |        |         |        |                 | conflicts: service      | to_source  |
 * |    |           |        |         |        |                 | conflicts: owner/hold   | conflict   |
 * | 28 | newest    | says   | any     | yes    | neither         |                         | leave      |
 *
 * "says" is a value or an emptiness that clears. What is empty in the service travels to a source only where the mapping
 * says so (`write_back: { when_empty: clear }`); a leaf with no way to its source stays as it is instead (`leave`).
 */
export function mergeLeaf(leaf: MergeInput): Merged {
  const { authority, source, service, agreed } = leaf;
  if (service === 'hidden')
    return authority === 'service' && agreed ? 'leave' : source === 'silent' ? 'leave' : 'to_service';
  if (authority === 'source') return source === 'silent' ? 'leave' : mergeSourceOwned(leaf);
  if (authority === 'service') return mergeServiceOwned(leaf);
  if (source === 'silent') return 'to_source';
  return mergeNewest(leaf);
}

function mergeSourceOwned({ agreed, sourceMoved, serviceMoved, drift, conflicts }: MergeInput): Merged {
  if (!agreed || !serviceMoved) return 'to_service';
  if (!sourceMoved) return drift === 'report' ? 'drift' : 'to_service';
  return conflicts === 'hold' ? 'conflict' : conflicts === 'service' ? 'to_source' : 'to_service';
}

function mergeServiceOwned({
  agreed,
  source,
  service,
  sourceMoved,
  serviceMoved,
  drift,
  conflicts,
}: MergeInput): Merged {
  if (!agreed) return service === 'empty' && source === 'value' ? 'to_service' : 'to_source';
  if (!sourceMoved || source === 'silent') return 'to_source';
  if (!serviceMoved) return drift === 'report' ? 'drift' : 'to_source';
  return conflicts === 'hold' ? 'conflict' : conflicts === 'source' ? 'to_service' : 'to_source';
}

function mergeNewest({ agreed, source, service, sourceMoved, serviceMoved, newer, conflicts }: MergeInput): Merged {
  if (!agreed && source !== service) return source === 'value' ? 'to_service' : 'to_source';
  if (agreed && !sourceMoved && !serviceMoved) return 'leave';
  if (agreed && !serviceMoved) return 'to_service';
  if (agreed && !sourceMoved) return 'to_source';
  const winner = newer ?? (conflicts === 'source' || conflicts === 'service' ? conflicts : null);
  if (winner === null) return 'conflict';
  return winner === 'source' ? 'to_service' : 'to_source';
}
