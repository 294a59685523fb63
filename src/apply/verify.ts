import type { TakenOut } from '../model/copies.js';
import type { IdOf } from '../model/entity.js';
import { FIELDS, type Field } from '../model/fields.js';
import { canonicalJson, isJsonObject, itemsOf, type Json, listOf, objectOf, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { diffValues } from '../reconcile/fields/diff.js';
import { areSlotsDone, readEntries, readSlots } from '../reconcile/fields/entries.js';
import type { RefusedField } from './step.js';

/** A field with a value in the answer that differs from the sent value. */
export interface Untaken {
  readonly field: string;
  readonly sent: Json;
  readonly got: Json;
}

/**
 * Compares the service's answer with the desired values. The service silently drops unknown attributes and invalid
 * language keys (spec, Conventions 2 and 4), so a 200 alone proves nothing. Fields that the answer does not show are not
 * compared.
 */
export function findUntaken(change: Change, observed: Observed, idOf: IdOf): readonly Untaken[] {
  const { entity, after } = change;
  const { deactivated, ...fields } = after;
  const shapeOf = (name: string): string | undefined => FIELDS[entity][name]?.shape;
  const plain = Object.fromEntries(Object.entries(fields).filter(([name]) => shapeOf(name) !== 'entries'));
  // A cleared field reads as empty, so it is compared as a value that must be gone.
  const difference = diffValues({
    entity,
    desired: plain,
    observed: withoutOthersTags(change, observed.values),
    written: after,
    rules: {},
    idOf,
  });
  // If the service did not accept roles, their scope differs too, but no answer shows the scope.
  const untaken = difference.fields.flatMap((field): Untaken[] => {
    const got = observed.values[field];
    if (got === undefined) return [];
    if (shapeOf(field) === 'custom_fields') return [...listParts(field, difference.after[field], got)];
    return [{ field, sent: after[field] ?? null, got }];
  });
  const entries = Object.keys(fields).filter((name) => {
    const there = observed.values[name];
    const isJudged = shapeOf(name) === 'entries' && there !== undefined;
    return isJudged && !areSlotsDone(readSlots(change.before[name], after[name]), readEntries(there));
  });
  for (const name of entries)
    untaken.push({ field: name, sent: after[name] ?? null, got: observed.values[name] ?? null });
  return isActiveAsWanted(change, observed)
    ? untaken
    : [...untaken, { field: 'deactivated', sent: deactivated ?? false, got: !observed.active }];
}

/** Leaves out tags that were neither known nor sent. Others added these tags, and the next plan removes them. */
function withoutOthersTags({ entity, before, after }: Change, shown: Values): Values {
  const names = Object.keys(after).filter((name) => FIELDS[entity][name]?.shape === 'tag_sets');
  const sets = names.flatMap((name) => (isJsonObject(shown[name]) ? [[name, shown[name]] as const] : []));
  const judged = sets.map(([name, set]) => {
    const known = (category: string): readonly Json[] =>
      [before, after].flatMap((values) => itemsOf(objectOf(values[name])[category]));
    const moved = Object.keys(objectOf(after[name])).filter((category) => set[category] !== undefined);
    const left = moved.map((category) => [
      category,
      itemsOf(set[category]).filter((tag) => known(category).includes(tag)),
    ]);
    return [name, { ...set, ...Object.fromEntries(left) }];
  });
  return { ...shown, ...Object.fromEntries(judged) };
}

function isActiveAsWanted({ action, after: { deactivated } }: Change, { active }: Observed): boolean {
  return deactivated === undefined ? action !== 'reactivate' || active : active !== deactivated;
}

/** Compares each custom field separately, because a rejected field does not affect the others. */
function listParts(field: string, sent: Json | undefined, got: Json): readonly Untaken[] {
  return Object.entries(objectOf(sent)).map(([name, value]) => ({
    field: `${field}.${name}`,
    sent: value,
    got: (isJsonObject(got) ? got[name] : null) ?? null,
  }));
}

/**
 * Adds the rejected fields to the differing fields, even if no answer shows them. A custom field that the service does
 * not know (404) is left out. The next plan knows the definitions and sends the field once it is defined.
 */
export function withRefusals(
  untaken: readonly Untaken[],
  refusals: readonly RefusedField[],
  change: Change,
  observed: Observed,
): readonly Untaken[] {
  const unknown = new Set(refusals.filter(({ error }) => error.status === 404).map(({ field }) => field));
  const known = new Set([...untaken.map(({ field }) => field), ...unknown]);
  const others = refusals.filter(({ field, leftOut }) => leftOut !== true && !known.has(field));
  return [
    ...untaken.filter(({ field }) => !unknown.has(field)),
    ...others.map(({ field }) => ({ field, sent: valueAt(change.after, field), got: valueAt(observed.values, field) })),
  ];
}

/** Returns the value at a path such as `custom_fields.headcount`. */
function valueAt(values: Values, path: string): Json {
  const [field = '', ...rest] = path.split('.');
  const value = values[field] ?? null;
  return rest.length === 0 ? value : (objectOf(value)[rest.join('.')] ?? null);
}

export function formatUntaken(untaken: readonly Untaken[]): string {
  return untaken
    .map(({ field, sent, got }) => `${field}: sent ${canonicalJson(sent)}, answered ${canonicalJson(got)}`)
    .join('; ');
}

/** The parts of a change that must not be remembered because they were rejected, never sent, or removed from a list. */
interface Unremembered {
  /** Fields of `after` that were rejected or never sent. */
  readonly unsent: readonly string[];
  readonly takenOut?: readonly TakenOut[];
}

/** The values to remember because the answer does not show them, such as tags and scopes. */
export function unreadableParts(
  written: Values | null,
  after: Values,
  observed: Observed,
  how: Unremembered = { unsent: [] },
): Values {
  const kept: Record<string, Json> = { ...written };
  for (const [name, value] of Object.entries(after)) {
    const field = FIELDS[observed.entity][name];
    const seen = observed.values[name];
    // Only the CV shows these fields, so without a CV the outcome of the call is unknown.
    if (field?.onCv === true && seen === undefined) continue;
    if (field?.additive === true && field.shape !== 'roles') {
      kept[name] = addWords(written?.[name], value, wordsTakenOut(name, how));
      continue;
    }
    const isSent = !how.unsent.some((path) => path.split('.')[0] === name);
    const hidden = isSent ? hiddenPart(name, field, value, seen) : undefined;
    if (hidden === undefined) continue;
    kept[name] = isJsonObject(hidden) && isJsonObject(kept[name]) ? { ...kept[name], ...hidden } : hidden;
  }
  return kept;
}

/** Keeps keys even if the answer shows them, because a copy in the service may later stop showing its original. */
function addWords(before: Json | undefined, added: Json, gone: ReadonlySet<Json>): Json {
  return [...new Set([...listOf(before), ...listOf(added)])].filter((word) => !gone.has(word));
}

function wordsTakenOut(name: string, { takenOut = [] }: Unremembered): ReadonlySet<Json> {
  return new Set(takenOut.flatMap(({ field, word }) => (field === name ? [word] : [])));
}

/** The part of a sent value that no read shows; undefined if reads show all of it. */
function hiddenPart(name: string, field: Field | undefined, value: Json, seen: Json | undefined): Json | undefined {
  if (name === 'deactivated' || field?.shape === 'entries') return undefined;
  // Tags are remembered even if an answer shows them, because later answers may omit them.
  return seen === undefined || field?.unreadable === true || field?.shape === 'tag_sets' ? value : undefined;
}
