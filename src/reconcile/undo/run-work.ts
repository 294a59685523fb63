import type { Copy } from '../../model/copies.js';
import type { Action, Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { recordKeyOf, SOURCE_KEY } from '../../model/plan.js';
import { isKeyed } from '../fields/leaves.js';

/** One change of a run, as an entry of the audit shows it. */
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
  /** Set if personal values were replaced by pseudonyms before the change was written. */
  readonly pseudonymised?: true;
}

/** All changes of a run to one object, combined. */
export interface RunWork {
  readonly entity: Entity;
  readonly key: string;
  /** The id of the object in the service. */
  readonly target: string | null;
  readonly label: string;
  /** Ids of the changes, oldest first. */
  readonly changes: readonly string[];
  /** How the object was created, removed, activated or deactivated; null if it was not. */
  readonly turn: Exclude<Action, 'update' | 'relink'> | null;
  /** The keys that the object was linked to before the first change and after the last; null if no link moved. */
  readonly link: { readonly from: string | null; readonly to: string | null } | null;
  /** Fields before the first change and after the last. */
  readonly before: Values;
  readonly after: Values;
  /** True if not all of it was accepted or sent; the missing parts never existed. */
  readonly partial: boolean;
  /** True if the object has no record of its own, because it was created when another record referred to it. */
  readonly derived: boolean;
  /** True if one of the changes sent an e-mail. */
  readonly mailed: boolean;
  /** Copies that the run has put into a proposal. */
  readonly copies: readonly Copy[];
  /** True if the values are pseudonyms, and the journal no longer has the originals. */
  readonly pseudonymised: boolean;
  /** Paths of earlier values that exist only as a pseudonym; `before` and `after` lack them. */
  readonly lost: readonly string[];
}

/** Results after which the service holds values that the run wrote. */
const WRITTEN: ReadonlySet<string> = new Set(['done', 'not taken', 'in part']);

/**
 * Combines a run's changes of one object. If a field has two changes, the first value before and the last value after
 * count. Changes that were rejected, lost or already in place are not the run's work.
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
    // A value that was moved out of the way belongs to the record that it was moved for.
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

/** One leaf that a run wrote: a field, or a language, category or name in it. */
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
    // The same run created the object and removed it again, so nothing is left to undo.
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

/** The values of `over` win; languages, categories and names are merged one by one. */
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
