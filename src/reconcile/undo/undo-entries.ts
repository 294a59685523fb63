import type { Json } from '../../model/json.js';
import {
  type Entry,
  type EntryChange,
  type EntryText,
  isSlotDone,
  readEntries,
  readOurs,
  readSlots,
  says,
} from '../fields/entries.js';

/**
 * Determines the entries that a list should have again. Only the slots that the run changed count; every other entry
 * stays.
 *
 * | the run                | the service holds now             | →                                       |
 * |------------------------|-----------------------------------|-----------------------------------------|
 * | created an entry       | the entry as it was created       | it is deleted                           |
 * | rewrote an entry       | the entry as it was rewritten     | it gets its earlier text                |
 * | deleted an entry       | none with that text               | it is created again                     |
 * | any of these           | the state before                  | nothing to do                           |
 * | created or rewrote one | the entry with another text       | not undone: others have moved it since  |
 *
 * @param written memory of the entries that we wrote
 */
export function judgeEntries(
  was: Json,
  wrote: Json,
  held: Json | undefined,
  written: Json | undefined,
): 'as before' | 'moved' | { readonly value: Json } {
  const there = readEntries(held);
  const ours = readOurs(written, wrote, there);
  const found: FoundEntries = { there, ours, dropped: new Set(), restored: new Map(), again: [] };
  for (const slot of readSlots(was, wrote)) if (!takeBack(slot, found)) return 'moved';
  const { dropped, restored, again } = found;
  if (dropped.size + restored.size + again.length === 0) return 'as before';
  const stays = there.filter(({ id }) => !dropped.has(id) && (restored.has(id) || ours[id] !== undefined));
  return {
    value: [...stays.map((entry) => restored.get(entry.id) ?? dropEmptyLabel(entry)), ...again] as unknown as Json,
  };
}

/** The existing entries, and the outcome for those that the run changed. */
interface FoundEntries {
  readonly there: readonly Entry[];
  /** Id → text of the entries that we wrote. */
  readonly ours: Readonly<Record<string, EntryText>>;
  readonly dropped: Set<string>;
  readonly restored: Map<string, EntryText>;
  readonly again: EntryText[];
}

/** Returns false if others have changed the entry since. */
function takeBack({ before, after }: EntryChange, { there, ours, dropped, restored, again }: FoundEntries): boolean {
  if (after === null) {
    if (before !== null && !there.some((entry) => isSame(entry, before))) again.push(dropEmptyLabel(before));
    return true;
  }
  if (before === null) {
    const made = there.find(({ id }) => !dropped.has(id) && ours[id] !== undefined && isSame(ours[id], after));
    if (made !== undefined && isSame(made, after)) dropped.add(made.id);
    return made === undefined || dropped.has(made.id);
  }
  const entry = there.find(({ id }) => id === before.id);
  if (entry === undefined) return false;
  if (isSame(entry, before)) return true;
  if (!isSlotDone(before, after, entry)) return false;
  restored.set(entry.id, dropEmptyLabel(before));
  return true;
}

function isSame(a: Partial<EntryText>, b: Partial<EntryText>): boolean {
  const [one, other] = [whole(a), whole(b)];
  return says(one, other) && says(other, one);
}

function whole({ value, label }: Partial<EntryText>): EntryText {
  return { value: value ?? {}, ...(label === undefined ? {} : { label }) };
}

/** The text without its id, and without an empty label. */
function dropEmptyLabel({ value, label }: EntryText): EntryText {
  return label === undefined || Object.keys(label).length === 0 ? { value } : { value, label };
}
