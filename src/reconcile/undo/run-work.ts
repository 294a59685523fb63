import type { Copy } from '../../model/copies.js';
import type { Action, Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { recordKeyOf, SOURCE_KEY } from '../../model/plan.js';
import { isKeyed } from '../fields/leaves.js';

/** What is known of one change of a run: an entry of the audit. */
export interface RunEntry {
  readonly change: string;
  readonly entity: string;
  readonly action: string;
  readonly key: string;
  readonly target: string | null;
  readonly label: string;
  readonly cause: { readonly kind: string };
  readonly before: Json;
  readonly after: Json;
  readonly result: string;
  readonly mailed?: true;
  readonly copies?: readonly Copy[];
  readonly undoes?: { readonly derived: boolean };
  /** Personal values were replaced before it was written. */
  readonly pseudonymised?: true;
}

/** All that a run did to one object, as one. */
export interface RunWork {
  readonly entity: Entity;
  readonly key: string;
  /** The service's id. */
  readonly target: string | null;
  readonly label: string;
  /** Ids of the changes, oldest first. */
  readonly changes: readonly string[];
  /** What became of the object's being there. */
  readonly turn: Exclude<Action, 'update' | 'relink'> | null;
  /** The keys that the object was linked to before the first change and after the last; null where no link moved. */
  readonly link: { readonly from: string | null; readonly to: string | null } | null;
  /** Fields before the first change and after the last. */
  readonly before: Values;
  readonly after: Values;
  /** Not all of it was taken, or sent: what is missing was never there. */
  readonly partial: boolean;
  /** It has no record of its own: another one referred to it. */
  readonly derived: boolean;
  /** An e-mail went out with it. */
  readonly mailed: boolean;
  /** What it has put into a proposal. */
  readonly copies: readonly Copy[];
  /** Pseudonyms stand for its values, and the journal has them no longer. */
  readonly pseudonymised: boolean;
  /** Paths of values before of which nothing but a pseudonym is left; `before` and `after` do not have them. */
  readonly lost: readonly string[];
}

/** Results after which the service holds something of the change by the run's own doing. */
const WRITTEN: ReadonlySet<string> = new Set(['done', 'not taken', 'in part']);

/**
 * Puts a run's changes of one object together: of two changes of a field the first value before and the last one after
 * count. What the service refused, what was lost, and what was so already, the run has not done.
 */
export function foldRun(entries: Iterable<RunEntry>): readonly RunWork[] {
  const objects = new Map<string, RunWork>();
  for (const entry of entries) {
    if (!WRITTEN.has(entry.result)) continue;
    const work = toWork(entry);
    const ref = `${work.entity}:${work.target ?? work.key}`;
    const earlier = objects.get(ref);
    objects.set(ref, earlier === undefined ? work : joinWork(earlier, work));
  }
  return [...objects.values()].filter(({ changes }) => changes.length > 0);
}

function toWork(entry: RunEntry): RunWork {
  const { entity, action, key, target, label, change, before, after, result, cause } = entry;
  const { deactivated: _was, [SOURCE_KEY]: from, ...fieldsBefore } = objectOf(before);
  const { deactivated, [SOURCE_KEY]: to, ...fieldsAfter } = objectOf(after);
  return {
    entity: entity as Entity,
    // What was put out of the way for a while belongs to the record that it was done for.
    key: recordKeyOf(key),
    target,
    label,
    changes: [change],
    turn: turnOf(action, deactivated),
    link: action === 'relink' ? { from: toKey(from), to: toKey(to) } : null,
    before: fieldsBefore,
    after: fieldsAfter,
    partial: result !== 'done',
    derived: cause.kind === 'referenced' || entry.undoes?.derived === true,
    mailed: entry.mailed === true,
    copies: entry.copies ?? [],
    pseudonymised: entry.pseudonymised === true,
    lost: [],
  };
}

function turnOf(action: string, deactivated: Json | undefined): RunWork['turn'] {
  if (action !== 'relink') return action === 'update' ? null : (action as RunWork['turn']);
  if (deactivated === undefined) return null;
  return deactivated === true ? 'deactivate' : 'reactivate';
}

/** One leaf of what a run wrote: a field, a language of it, a category, a name. */
export interface UndoLeaf {
  readonly path: string;
  readonly name: string;
  readonly part: string | null;
  readonly was: Json;
  readonly wrote: Json;
}

/** The leaves of one field, moved or not. */
export function listLeaves({ entity, before, after }: RunWork, name: string): readonly UndoLeaf[] {
  const [was, wrote] = [before[name] ?? null, after[name] ?? null];
  const field = FIELDS[entity][name];
  if (field === undefined || !isKeyed(field)) return [{ path: name, name, part: null, was, wrote }];
  const [old, next] = [objectOf(was), objectOf(wrote)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].map((part) => ({
    path: `${name}.${part}`,
    name,
    part,
    was: old[part] ?? null,
    wrote: next[part] ?? null,
  }));
}

/** Puts the value of a leaf into a tree of fields. */
export function setLeaf(
  tree: Record<string, Json>,
  { name, part }: Pick<UndoLeaf, 'name' | 'part'>,
  value: Json,
): void {
  tree[name] = part === null ? value : { ...objectOf(tree[name]), [part]: value };
}

function toKey(key: Json | undefined): string | null {
  return typeof key === 'string' ? key : null;
}

function joinWork(first: RunWork, second: RunWork): RunWork {
  const gone = first.turn === 'create' && second.turn === 'delete';
  return {
    ...second,
    key: second.link === null ? first.key : second.key,
    // Made and taken away again by the same run: nothing is left of it.
    changes: gone ? [] : [...first.changes, ...second.changes],
    turn: joinTurns(first.turn, second.turn),
    link:
      first.link === null || second.link === null
        ? (first.link ?? second.link)
        : { from: first.link.from, to: second.link.to },
    before: first.turn === 'create' ? {} : mergeFields(second.before, first.before, first.entity),
    after: mergeFields(first.after, second.after, first.entity),
    partial: second.partial,
    derived: first.derived,
    mailed: first.mailed || second.mailed,
    copies: [...first.copies, ...second.copies],
    pseudonymised: first.pseudonymised || second.pseudonymised,
  };
}

function joinTurns(first: RunWork['turn'], second: RunWork['turn']): RunWork['turn'] {
  if (second === null || first === 'create') return first;
  const opposite = first !== null && second !== 'delete';
  return opposite ? null : second;
}

/** `over` wins; of languages, categories and names each for itself. */
function mergeFields(under: Values, over: Values, entity: Entity): Values {
  const merged: Record<string, Json> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const field = FIELDS[entity][name];
    const old = merged[name];
    merged[name] =
      field !== undefined && isKeyed(field) && isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value;
  }
  return merged;
}
