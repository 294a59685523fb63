import { FIELDS } from '../../../model/fields.js';
import type { Values } from '../../../model/json.js';
import { inOwnWords } from '../../../model/people-meant.js';
import { declinedKey, editedKey, type Withheld } from '../../../model/plan.js';
import { EXISTENCE, LINK } from '../../../model/undo.js';
import { buildChange } from '../../build-change.js';
import { eachLeaf, eachMoved, hashLeaf, type Leaf, withoutLeaves } from '../leaves.js';
import { reportPinned } from '../pins.js';
import type { RecordDraft } from '../record-draft.js';
import { wordBefore } from '../word-before.js';
import { explain, labelOf } from './plan-change.js';

/**
 * Removes from a change the values that an operator has undone or declined, while the source asks for the same value. A
 * value is the same if the record has it, or if the change would write it, because unresolved names are not written. If
 * the configuration was edited since, any value of a declined leaf is removed, so that a person decides again.
 */
export function dropPinned(draft: RecordDraft): void {
  const { entity, key, desired, observed, after, ports } = draft;
  const pins = ports.memory.pins(entity, key);
  if (pins.length === 0) return;
  const wanted = hashesOf(desired, draft);
  const shown = observed?.values ?? {};
  const moved = [...eachMoved(entity, after, shown)];
  const found = moved.flatMap((leaf) => {
    if (observed === null && FIELDS[entity][leaf.field]?.required === true) return [];
    const forms = formsOf(leaf, draft);
    const pin = pins.find(({ path, value, declined }) => {
      const same = forms.filter((form) => form.path === path);
      if (same.length === 0) return false;
      return (
        declined?.isEdited === true ||
        wanted.get(path)?.has(value) ||
        same.some((form) => hashLeaf(form.value) === value)
      );
    });
    return pin === undefined ? [] : [{ leaf, pin }];
  });
  const undone = found.filter(({ pin }) => pin.declined === undefined);
  const paths = undone.map(({ leaf }) => inWords(leaf, draft).path).join(', ');
  if (paths !== '') reportPinned(draft, paths, ports, paths);
  const declined = found.flatMap(({ leaf, pin }) => (pin.declined === undefined ? [] : [{ leaf, ...pin.declined }]));
  draft.declined = [...draft.declined, ...declined];
  const dropped = found.map(({ leaf }) => leaf);
  draft.after = withoutLeaves(entity, after, dropped, shown);
}

/**
 * Removes the pin of a value that the source no longer asks for and that no change would write. A decline under an
 * edited configuration stays: a person has to decide about it.
 */
export function forgetPins(draft: RecordDraft): void {
  const { entity, key, desired, asked, after, ports } = draft;
  const { memory } = ports;
  const pins = memory.pins(entity, key).filter(({ path }) => path !== EXISTENCE && path !== LINK);
  if (pins.length === 0) return;
  const wanted = hashesOf(desired, draft);
  // Values that pins have already removed count as values that would be written.
  const written = [hashesOf(asked, draft), hashesOf(after, draft)];
  for (const { path, value, declined } of pins) {
    // A field that the record does not name counts as empty, so the record no longer asks for any other value.
    const isWanted = wanted.get(path)?.has(value) ?? hashLeaf(null) === value;
    const isWritten = written.some((hashes) => hashes.get(path)?.has(value) === true);
    if (!isWanted && !isWritten && declined?.isEdited !== true) memory.unpin(entity, key, path, declined?.id);
  }
}

/** Plans the declined part of a record as a change of its own, which is shown and never applied. */
export function planDeclined(draft: RecordDraft): void {
  const declined = draft.declined.filter(({ isEdited }) => !isEdited);
  const ids = [...new Set(declined.map(({ id }) => id))].sort();
  planPart(draft, declined, declinedKey(draft.key), { by: 'declined', name: ids.join(' + ') });
  const edited = draft.declined.filter(({ isEdited }) => isEdited);
  planPart(draft, edited, editedKey(draft.key), { by: 'guard', name: `${draft.entity}.declined` });
}

function planPart(draft: RecordDraft, leaves: RecordDraft['declined'], key: string, withheld: Withheld): void {
  const { entity, observed, asked, ports, candidate } = draft;
  if (leaves.length === 0) return;
  const shown = observed?.values ?? {};
  const own = new Set(leaves.map(({ leaf }) => leaf.path));
  const others = [...eachMoved(entity, asked, shown)].filter(({ path }) => !own.has(path));
  const after = withoutLeaves(entity, asked, others, shown);
  const fields = Object.keys(after).sort();
  const change = {
    entity,
    action: 'update',
    key,
    target: observed?.id ?? null,
    label: labelOf(draft),
    fields,
    before: Object.fromEntries(fields.map((name) => [name, wordBefore(name, draft)])),
    after,
    reason: explain(draft, fields),
    place: draft.place,
    observedHash: observed?.hash ?? null,
    desiredHash: candidate.desiredHash,
  } as const;
  ports.plan.add(buildChange(change, draft.settings.configDigest));
  ports.plan.setAside(`${entity}:${key}`, withheld);
}

/** Path → hashes of its values, in the words of the record and as they would be written. */
function hashesOf(values: Values, draft: RecordDraft): ReadonlyMap<string, ReadonlySet<string>> {
  const hashes = new Map<string, Set<string>>();
  for (const leaf of eachLeaf(draft.entity, values)) {
    for (const { path, value } of formsOf(leaf, draft))
      hashes.set(path, (hashes.get(path) ?? new Set()).add(hashLeaf(value)));
  }
  return hashes;
}

function formsOf(leaf: Leaf, draft: RecordDraft): readonly Leaf[] {
  const own = inWords(leaf, draft);
  return own === leaf ? [leaf] : [own, leaf];
}

/** Pins use the words of the record, which ids may have replaced; see `meanPeople`. */
function inWords(leaf: Leaf, { entity, candidate }: RecordDraft): Leaf {
  const { field, part, value } = leaf;
  if (candidate.ownWords === undefined || FIELDS[entity][field]?.to !== 'users') return leaf;
  const [own = leaf] = eachLeaf(entity, inOwnWords(candidate, { [field]: part === null ? value : [value] }));
  return own;
}
