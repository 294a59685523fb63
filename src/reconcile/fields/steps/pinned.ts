import { FIELDS } from '../../../model/fields.js';
import type { Values } from '../../../model/json.js';
import { inOwnWords } from '../../../model/people-meant.js';
import { EXISTENCE, LINK } from '../../../model/undo.js';
import { eachLeaf, eachMoved, hashLeaf, type Leaf, withoutLeaves } from '../leaves.js';
import { reportPinned } from '../pins.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * Takes out of a change what an operator has undone, while the source wants the same. A value is the undone one as the
 * record has it, or as the change would write it: names that cannot be resolved are left out of what is written.
 */
export function dropPinned(draft: RecordDraft): void {
  const { entity, key, desired, observed, after, ports } = draft;
  const pins = new Map(ports.memory.pins(entity, key).map((pin) => [pin.path, pin.value]));
  if (pins.size === 0) return;
  const wanted = new Map(leavesOf(desired, draft).map(({ path, value }) => [path, value]));
  const shown = observed?.values ?? {};
  const dropped = [...eachMoved(entity, after, shown)].filter((leaf) => {
    const { path, field, value } = inWords(leaf, draft);
    const pin = pins.get(path);
    if (pin === undefined || (observed === null && FIELDS[entity][field]?.required === true)) return false;
    return hashLeaf(wanted.get(path)) === pin || hashLeaf(value) === pin;
  });
  const paths = dropped.map((leaf) => inWords(leaf, draft).path).join(', ');
  if (paths !== '') reportPinned(draft, paths, ports, paths);
  draft.after = withoutLeaves(entity, after, dropped, shown);
}

/** A pin of a value that the source does not want any more, and that nobody would write, has nothing left to keep off. */
export function forgetPins(draft: RecordDraft): void {
  const { entity, key, desired, asked, after, ports } = draft;
  const { memory } = ports;
  const pins = memory.pins(entity, key).filter(({ path }) => path !== EXISTENCE && path !== LINK);
  if (pins.length === 0) return;
  const hashesOf = (values: Values): ReadonlyMap<string, string> =>
    new Map(leavesOf(values, draft).map(({ path, value }) => [path, hashLeaf(value)]));
  const wanted = hashesOf(desired);
  // What pins have taken out already is something that would be written.
  const written = [hashesOf(asked), hashesOf(after)];
  for (const { path, value } of pins) {
    // A field that the record leaves empty is kept as it is: it wants nothing, so it wants something else than it did.
    const isWanted = (wanted.get(path) ?? hashLeaf(null)) === value;
    if (!isWanted && written.every((hashes) => hashes.get(path) !== value)) memory.unpin(entity, key, path);
  }
}

function leavesOf(values: Values, draft: RecordDraft): readonly Leaf[] {
  return [...eachLeaf(draft.entity, values)].map((leaf) => inWords(leaf, draft));
}

/** Pins go by the words of the record, in place of which ids may stand; see `meanPeople`. */
function inWords(leaf: Leaf, { entity, candidate }: RecordDraft): Leaf {
  const { field, part, value } = leaf;
  if (candidate.ownWords === undefined || FIELDS[entity][field]?.to !== 'users') return leaf;
  const [own = leaf] = eachLeaf(entity, inOwnWords(candidate, { [field]: part === null ? value : [value] }));
  return own;
}
