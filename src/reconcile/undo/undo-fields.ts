import type { Entity, IdOf } from '../../model/entity.js';
import { FIELDS, type Field } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { isEmpty } from '../fields/compare.js';
import { diffValues } from '../fields/diff.js';
import { isKeyed, wordPath } from '../fields/leaves.js';
import type { RunWork } from './run-work.js';
import { judgeEntries } from './undo-entries.js';

/** One leaf of what a run wrote: a field, a language of it, a category, a name. */
interface UndoLeaf {
  readonly path: string;
  readonly name: string;
  readonly part: string | null;
  readonly was: Json;
  readonly wrote: Json;
}

/** The object as it is now, and what helps to read it. */
export interface Present {
  readonly entity: Entity;
  readonly values: Values;
  /** Last written values of fields that the service never shows. */
  readonly written: Values | null;
  /** Fields that came back otherwise than they were sent: what came back is the run's doing too. */
  readonly untaken: Readonly<Record<string, { readonly got: Json }>>;
  readonly idOf: IdOf;
}

export interface MovedLeaf {
  readonly path: string;
  readonly was: Json;
  readonly wrote: Json;
  readonly holds: Json;
}

export interface Restoring {
  /** What the fields are to be again, leaf by leaf. */
  readonly wanted: Values;
  /** The leaves that are put back, and what the run had written there. */
  readonly undone: readonly { readonly path: string; readonly value: Json }[];
  /** Leaves that others have moved since. */
  readonly moved: readonly MovedLeaf[];
}

/**
 * Finds what of a run's work on one object can be put back:
 *
 * | the service holds now      | →                                               |
 * |----------------------------|-------------------------------------------------|
 * | what the run wrote         | the value before                                |
 * | the value before           | nothing: it is so already                       |
 * | something else             | refused: others have moved it since             |
 *
 * What was put into proposals is judged elsewhere (`undo-contents.ts`). Lists (tags of a category, owners) are taken word by word: what the run added goes, what it took off comes back, and
 * words of somebody else stay.
 */
export function findRestorable(work: RunWork, now: Present): Restoring {
  const wanted: Record<string, Json> = {};
  const undone: { path: string; value: Json }[] = [];
  const moved: MovedLeaf[] = [];
  for (const leaf of eachLeaf(work)) {
    const field = FIELDS[work.entity][leaf.name];
    // What was put into a proposal is judged one by one, as copies of which others may have made something.
    if (field === undefined || field.createOnly === true || isPutIn(work, leaf.name)) continue;
    const verdict = judge(leaf, field, now);
    if (verdict === 'as before') continue;
    if (verdict === 'moved') {
      moved.push({ path: leaf.path, was: leaf.was, wrote: leaf.wrote, holds: readLeaf(leaf, field, now) ?? null });
      continue;
    }
    setLeaf(wanted, leaf, verdict.value);
    if (field.additive !== true || field.to === undefined) undone.push({ path: leaf.path, value: leaf.wrote });
    // What an undo took out comes back: the run had nothing there.
    else for (const word of wordsOf(leaf.was)) undone.push({ path: wordPath(leaf.name, word), value: null });
  }
  return { wanted, undone, moved };
}

function* eachLeaf({ entity, before, after }: RunWork): Iterable<UndoLeaf> {
  for (const [name, wrote] of Object.entries(after)) {
    const field = FIELDS[entity][name];
    const was = before[name] ?? null;
    if (field === undefined) continue;
    if (!isKeyed(field)) {
      yield { path: name, name, part: null, was, wrote };
      continue;
    }
    const [old, next] = [objectOf(was), objectOf(wrote)];
    for (const part of new Set([...Object.keys(old), ...Object.keys(next)])) {
      const leaf = { path: `${name}.${part}`, name, part, was: old[part] ?? null, wrote: next[part] ?? null };
      if (canonicalJson(leaf.was) !== canonicalJson(leaf.wrote)) yield leaf;
    }
  }
}

function judge(leaf: UndoLeaf, field: Field, now: Present): 'as before' | 'moved' | { readonly value: Json } {
  if (field.shape === 'entries') {
    return judgeEntries(leaf.was, leaf.wrote, now.values[leaf.name], now.written?.[leaf.name]);
  }
  if (field.shape === 'tag_sets' || field.shape === 'references') return judgeWords(leaf, field, now);
  if (holds(leaf.wrote, leaf, field, now) || isOwnAnswer(leaf, now)) {
    return holds(leaf.was, leaf, field, now) ? 'as before' : { value: leaf.was };
  }
  return holds(leaf.was, leaf, field, now) ? 'as before' : 'moved';
}

/** Asked as every comparison is: would anything have to change for the object to hold the value? */
function holds(value: Json, leaf: UndoLeaf, field: Field, now: Present): boolean {
  // A comparison never clears what no read shows, the tags of a person: an empty one would look like any.
  if (field.unreadable === true) return canonicalJson(value) === canonicalJson(readLeaf(leaf, field, now) ?? null);
  const desired: Record<string, Json> = {};
  setLeaf(desired, leaf, value);
  const { entity, values: observed, written, idOf } = now;
  return diffValues({ entity, desired, observed, written, rules: {}, idOf }).fields.length === 0;
}

function isOwnAnswer({ name }: UndoLeaf, { untaken, values }: Present): boolean {
  const answer = untaken[name];
  return answer !== undefined && canonicalJson(answer.got) === canonicalJson(values[name] ?? null);
}

function judgeWords(leaf: UndoLeaf, field: Field, now: Present): 'as before' | { readonly value: Json } {
  const idOf = (word: string): string => {
    const shown = now.values[`${leaf.name}_ids`];
    const id = isJsonObject(shown) ? shown[foldKey(word)] : undefined;
    if (typeof id === 'string') return id;
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

function readLeaf({ name, part }: UndoLeaf, field: Field, { values, written }: Present): Json | undefined {
  const pick = (whole: Json | undefined): Json | undefined => (part === null ? whole : objectOf(whole)[part]);
  const shown = field.unreadable === true ? undefined : pick(values[name]);
  return shown ?? (values[name] === undefined || part !== null ? pick(written?.[name]) : undefined) ?? shown;
}

function setLeaf(tree: Record<string, Json>, { name, part }: UndoLeaf, value: Json): void {
  const whole = tree[name];
  tree[name] = part === null ? value : { ...objectOf(whole), [part]: value };
}

/** Of a list that only grows a change names what it puts in; one that takes out names nothing after. */
export function isPutIn({ entity, after }: Pick<RunWork, 'entity' | 'after'>, name: string): boolean {
  const field = FIELDS[entity][name];
  return field?.additive === true && field.to !== undefined && wordsOf(after[name]).length > 0;
}

export function wordsOf(value: Json | undefined): readonly string[] {
  if (isEmpty(value)) return [];
  return (Array.isArray(value) ? (value as readonly Json[]) : [value]).map(String);
}
