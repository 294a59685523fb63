import type { Authority, Conflicts } from '../../model/write-back.js';

/** One leaf of a mapping (a field, a language, a category, a custom field) of a linked pair, where the two sides differ. */
export interface MergeInput {
  readonly authority: Authority;
  readonly conflicts: Conflicts;
  readonly drift: 'correct' | 'report';
  /** True if the two sides have ever agreed on the leaf. */
  readonly agreed: boolean;
  /**
   * The source's side: a value, an empty value that clears (`when_empty: clear`), or `silent` (any other empty cell, or
   * a source that could not be read).
   */
  readonly source: 'value' | 'empty' | 'silent';
  /** The service's side; `hidden` if no read shows it. */
  readonly service: 'value' | 'empty' | 'hidden';
  readonly sourceMoved: boolean;
  readonly serviceMoved: boolean;
  /** The later change if both sides moved; null if that is unknown, or if both came at the same time. */
  readonly newer: 'source' | 'service' | null;
}

/**
 * `to_service`, `to_source`: that side gets the other's value · `leave`: both keep their values · `conflict`: both keep
 * their values until a person decides · `drift`: like `conflict`, but the side that changed has no authority.
 */
export type Merged = 'to_service' | 'to_source' | 'leave' | 'conflict' | 'drift';

/**
 * Merges one leaf that differs, three ways. The base holds the last agreed values, and "moved" means changed since the
 * base. An empty table cell stands for any value, "says" means a value or an empty value that clears, and "shown" means
 * not hidden.
 *
 * | #  | authority      | source | service | agreed | moved            | newer   | drift   | conflicts      | →          |
 * |----|----------------|--------|---------|--------|------------------|---------|---------|----------------|------------|
 * | 1  |                | silent | hidden  |        |                  |         |         |                | leave      |
 * | 2  | source, newest | says   | hidden  |        |                  |         |         |                | to_service |
 * | 3  | service        | says   | hidden  | no     |                  |         |         |                | to_service |
 * | 4  | service        | says   | hidden  | yes    |                  |         |         |                | leave      |
 * | 5  | source         | silent | shown   |        |                  |         |         |                | leave      |
 * | 6  | source         | says   | shown   | no     |                  |         |         |                | to_service |
 * | 7  | source         | says   | shown   | yes    | source, neither  |         |         |                | to_service |
 * | 8  | source         | says   | shown   | yes    | service          |         | correct |                | to_service |
 * | 9  | source         | says   | shown   | yes    | service          |         | report  |                | drift      |
 * | 10 | source         | says   | shown   | yes    | both             |         |         | owner, source  | to_service |
 * | 11 | source         | says   | shown   | yes    | both             |         |         | service        | to_source  |
 * | 12 | source         | says   | shown   | yes    | both             |         |         | hold           | conflict   |
 * | 13 | service        |        | value   | no     |                  |         |         |                | to_source  |
 * | 14 | service        | value  | empty   | no     |                  |         |         |                | to_service |
 * | 15 | service        |        | shown   | yes    | service, neither |         |         |                | to_source  |
 * | 16 | service        | says   | shown   | yes    | source           |         | correct |                | to_source  |
 * | 17 | service        | says   | shown   | yes    | source           |         | report  |                | drift      |
 * | 18 | service        | says   | shown   | yes    | both             |         |         | owner, service | to_source  |
 * | 19 | service        | says   | shown   | yes    | both             |         |         | source         | to_service |
 * | 20 | service        | says   | shown   | yes    | both             |         |         | hold           | conflict   |
 * | 21 | newest         | silent | shown   |        |                  |         |         |                | to_source  |
 * | 22 | newest         | value  | empty   | no     |                  |         |         |                | to_service |
 * | 23 | newest         | empty  | value   | no     |                  |         |         |                | to_source  |
 * | 24 | newest         | value  | value   | no     |                  |         |         | source         | to_service |
 * | 25 | newest         | value  | value   | no     |                  |         |         | service        | to_source  |
 * | 26 | newest         | value  | value   | no     |                  |         |         | owner, hold    | conflict   |
 * | 27 | newest         | says   | shown   | yes    | source           |         |         |                | to_service |
 * | 28 | newest         | says   | shown   | yes    | service          |         |         |                | to_source  |
 * | 29 | newest         | says   | shown   | yes    | both             | source  |         |                | to_service |
 * | 30 | newest         | says   | shown   | yes    | both             | service |         |                | to_source  |
 * | 31 | newest         | says   | shown   | yes    | both             | unknown |         | source         | to_service |
 * | 32 | newest         | says   | shown   | yes    | both             | unknown |         | service        | to_source  |
 * | 33 | newest         | says   | shown   | yes    | both             | unknown |         | owner, hold    | conflict   |
 * | 34 | newest         | says   | shown   | yes    | neither          |         |         |                | leave      |
 *
 * Two empty values do not differ, and a silent source has not moved. A leaf without an agreement has no newer side,
 * because nobody saw either change (24 to 26). If a source shows the value that it was sent (exactly or nearly), or its
 * value from the time of sending, the changed side is known, which counts as an agreement. An empty value in the
 * service is written back only with `write_back: { when_empty: clear }`. A leaf that cannot be written to its source
 * stays unchanged instead (`leave`).
 */
export function mergeLeaf(leaf: MergeInput): Merged {
  const { authority, source, service, agreed } = leaf;
  if (service === 'hidden') return source === 'silent' || (authority === 'service' && agreed) ? 'leave' : 'to_service';
  if (authority === 'source') return source === 'silent' ? 'leave' : mergeSourceOwned(leaf);
  if (authority === 'service') return mergeServiceOwned(leaf);
  if (source === 'silent') return 'to_source';
  return mergeNewest(leaf);
}

function mergeSourceOwned({ agreed, sourceMoved, serviceMoved, drift, conflicts }: MergeInput): Merged {
  if (!agreed || !serviceMoved) return 'to_service';
  if (!sourceMoved) return drift === 'report' ? 'drift' : 'to_service';
  if (conflicts === 'hold') return 'conflict';
  return conflicts === 'service' ? 'to_source' : 'to_service';
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
  if (!agreed) return service === 'empty' ? 'to_service' : 'to_source';
  if (!sourceMoved || source === 'silent') return 'to_source';
  if (!serviceMoved) return drift === 'report' ? 'drift' : 'to_source';
  if (conflicts === 'hold') return 'conflict';
  return conflicts === 'source' ? 'to_service' : 'to_source';
}

function mergeNewest({ agreed, source, service, sourceMoved, serviceMoved, newer, conflicts }: MergeInput): Merged {
  if (!agreed && source !== service) return source === 'value' ? 'to_service' : 'to_source';
  if (agreed && sourceMoved !== serviceMoved) return sourceMoved ? 'to_service' : 'to_source';
  if (agreed && !sourceMoved) return 'leave';
  const winner = agreed && newer !== null ? newer : conflicts;
  if (winner === 'source') return 'to_service';
  return winner === 'service' ? 'to_source' : 'conflict';
}
