import { isInAnswer, type UntakenField } from '../../model/desired.js';
import type { Entity, IdOf } from '../../model/entity.js';
import { FIELDS, type Field } from '../../model/fields.js';
import { canonicalJson, type Json, objectOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { lackingRoles } from '../../model/staffing.js';
import { wordsOf } from '../fields/compare.js';
import { diffValues, shownIdOf } from '../fields/diff.js';
import { wordPath } from '../fields/leaves.js';
import { listLeaves, type RunWork, setLeaf, type UndoLeaf } from './run-work.js';
import { judgeEntries } from './undo-entries.js';

/** The current object, and the data needed to read it. */
export interface Present {
  readonly entity: Entity;
  readonly values: Values;
  /** Last written values of fields that the service never shows. */
  readonly written: Values | null;
  /** Values that both sides last agreed on, which the source asks for. */
  readonly base: Values | null;
  /** Fields that came back different from the values sent; a value returned by the answer is also the run's work. */
  readonly untaken: Readonly<Record<string, Pick<UntakenField, 'got' | 'times'>>>;
  readonly idOf: IdOf;
}

export interface MovedLeaf {
  readonly path: string;
  readonly was: Json;
  readonly wrote: Json;
  readonly holds: Json;
}

export interface UndoneLeaf {
  readonly path: string;
  /** The pin: the value that the run had written, in the words of the source. */
  readonly value: Json;
  /** The restored value, if the values before do not show it. */
  readonly now?: Json;
}

export interface Restoring {
  /** The values to restore, leaf by leaf. */
  readonly wanted: Values;
  /** The leaves that are restored. */
  readonly undone: readonly UndoneLeaf[];
  /** Leaves that others have changed since. */
  readonly moved: readonly MovedLeaf[];
}

/**
 * Finds the parts of a run's work on one object that can be restored:
 *
 * | the service holds now      | →                                               |
 * |----------------------------|-------------------------------------------------|
 * | what the run wrote         | the value before                                |
 * | the value before           | nothing to do                                   |
 * | something else             | not undone: others have moved it since          |
 *
 * The contents of proposals are judged elsewhere (`undo-contents.ts`). Lists (tags of a category, owners) are judged
 * word by word: the undo removes words that the run added, restores those that it removed, and keeps those of others.
 */
export function findRestorable(work: RunWork, now: Present): Restoring {
  const wanted: Record<string, Json> = {};
  const undone: UndoneLeaf[] = [];
  const moved: MovedLeaf[] = [];
  for (const { leaf, field } of eachMoved(work)) {
    const verdict = judgeLeaf(leaf, field, now);
    if (verdict === 'as before') continue;
    if (verdict === 'moved') {
      moved.push({ path: leaf.path, was: leaf.was, wrote: leaf.wrote, holds: readLeaf(leaf, field, now) });
      continue;
    }
    setLeaf(wanted, leaf, verdict.value);
    if (field.shape === 'entries')
      undone.push({ path: leaf.path, value: wantedEntries(work, leaf, now), now: verdict.value });
    else if (field.additive !== true || field.to === undefined) undone.push({ path: leaf.path, value: leaf.wrote });
    // Undoing an undo adds words again that the undo had removed without writing a value.
    else for (const word of wordsOf(leaf.was)) undone.push({ path: wordPath(leaf.name, word), value: null });
  }
  return { wanted, undone, moved };
}

/** A change names the entries that move, but a source names the complete list. After a partial change nothing shows that list. */
function wantedEntries({ partial }: RunWork, { name, wrote }: UndoLeaf, { base }: Present): Json {
  return partial || base === null || !(name in base) ? wrote : (base[name] ?? null);
}

function* eachMoved(work: RunWork): Iterable<{ readonly leaf: UndoLeaf; readonly field: Field }> {
  for (const name of Object.keys(work.after)) {
    const field = FIELDS[work.entity][name];
    // The contents of a proposal are judged one by one, because others may have edited the copies.
    if (field === undefined || field.createOnly === true || isPutIn(work, name)) continue;
    for (const leaf of listLeaves(work, name))
      if (leaf.part === null || canonicalJson(leaf.was) !== canonicalJson(leaf.wrote)) yield { leaf, field };
  }
}

function judgeLeaf(leaf: UndoLeaf, field: Field, now: Present): 'as before' | 'moved' | { readonly value: Json } {
  if (field.shape === 'entries') {
    return judgeEntries(leaf.was, leaf.wrote, now.values[leaf.name], now.written?.[leaf.name]);
  }
  if (field.shape === 'tag_sets' || field.shape === 'references') return judgeWords(leaf, field, now);
  if (field.shape === 'roles') return judgeRoles(leaf, field, now);
  if (holds(leaf.wrote, leaf, now) || isOwnAnswer(leaf, now)) {
    return holds(leaf.was, leaf, now) ? 'as before' : { value: leaf.was };
  }
  return holds(leaf.was, leaf, now) ? 'as before' : 'moved';
}

/** True if the object already holds the value, by the usual comparison. */
function holds(value: Json, leaf: UndoLeaf, now: Present): boolean {
  const desired: Record<string, Json> = {};
  setLeaf(desired, leaf, value);
  const { entity, values: observed, written, idOf } = now;
  return diffValues({ entity, desired, observed, written, rules: {}, idOf }).fields.length === 0;
}

/** The comparison accepts additional roles, so this checks whether the roles that the run added are gone. */
function judgeRoles(leaf: UndoLeaf, field: Field, now: Present): 'as before' | { readonly value: Json } {
  const added = lackingRoles(leaf.wrote, leaf.was);
  const gone = lackingRoles(added, readLeaf(leaf, field, now));
  return gone.length === added.length ? 'as before' : { value: leaf.was };
}

function isOwnAnswer({ name }: UndoLeaf, { untaken, values }: Present): boolean {
  const answer = untaken[name];
  return isInAnswer(answer) && canonicalJson(answer.got) === canonicalJson(values[name] ?? null);
}

function judgeWords(leaf: UndoLeaf, field: Field, now: Present): 'as before' | { readonly value: Json } {
  const idOf = (word: string): string => {
    const shown = shownIdOf(now.values, leaf.name, word);
    if (shown !== null) return shown;
    return field.to === undefined ? word : (now.idOf(field.to, word) ?? foldKey(word));
  };
  const ids = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(idOf));
  const [was, wrote, held] = [wordsOf(leaf.was), wordsOf(leaf.wrote), wordsOf(readLeaf(leaf, field, now))];
  const [before, after, there] = [ids(was), ids(wrote), ids(held)];
  const added = (id: string): boolean => after.has(id) && !before.has(id);
  const lost = was.filter((word) => !after.has(idOf(word)) && !there.has(idOf(word)));
  const stays = held.filter((word) => !added(idOf(word)));
  if (stays.length === held.length && lost.length === 0) return 'as before';
  return { value: [...stays, ...lost] };
}

/** The value for a comparison. A field or category that is not shown counts as last written. */
function readLeaf({ name, part }: UndoLeaf, field: Field, { values, written }: Present): Json {
  const pick = (whole: Json | undefined): Json => (part === null ? whole : objectOf(whole)[part]) ?? null;
  const isWhole = values[name] !== undefined && field.shape !== 'tag_sets';
  return pick(values[name]) ?? (isWhole ? null : pick(written?.[name]));
}

/** True if a change adds something to a list that only grows. A change that removes something has no value in `after`. */
export function isPutIn({ entity, after }: Pick<RunWork, 'entity' | 'after'>, name: string): boolean {
  const field = FIELDS[entity][name];
  return field?.additive === true && field.to !== undefined && wordsOf(after[name]).length > 0;
}
