import { EXISTENCE, LINK } from '../../../model/undo.js';
import { eachLeaf, hashLeaf } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/** A pin of a value that the source does not want any more, and that nobody would write, has nothing left to keep off. */
export function forgetPins({ entity, key, desired, after, ports: { memory } }: RecordDraft): void {
  const pins = memory.pins(entity, key).filter(({ path }) => path !== EXISTENCE && path !== LINK);
  if (pins.length === 0) return;
  const wanted = new Map([...eachLeaf(entity, desired)].map((leaf) => [leaf.path, hashLeaf(leaf.value)]));
  const written = new Map([...eachLeaf(entity, after)].map((leaf) => [leaf.path, hashLeaf(leaf.value)]));
  for (const { path, value } of pins) {
    // A field that the record leaves empty is kept as it is: it wants nothing, so it wants something else than it did.
    if ((wanted.get(path) ?? hashLeaf(null)) !== value && written.get(path) !== value) memory.unpin(entity, key, path);
  }
}
