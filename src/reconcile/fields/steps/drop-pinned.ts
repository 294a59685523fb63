import { FIELDS } from '../../../model/fields.js';
import { eachLeaf, eachMoved, hashLeaf, withoutLeaves } from '../leaves.js';
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
  const wanted = new Map([...eachLeaf(entity, desired)].map((leaf) => [leaf.path, leaf.value]));
  const shown = observed?.values ?? {};
  const dropped = [...eachMoved(entity, after, shown)].filter(({ path, field, value }) => {
    const pin = pins.get(path);
    if (pin === undefined || (observed === null && FIELDS[entity][field]?.required === true)) return false;
    return hashLeaf(wanted.get(path)) === pin || hashLeaf(value) === pin;
  });
  if (dropped.length > 0) reportPinned(draft, dropped.map(({ path }) => path).join(', '), ports);
  draft.after = withoutLeaves(entity, after, dropped, shown);
}
