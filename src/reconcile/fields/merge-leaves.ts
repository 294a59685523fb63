import type { Candidate, Stretch } from '../../model/desired.js';
import type { Entity, IdOf } from '../../model/entity.js';
import { BASE_ROLES, FIELDS, type Field, mayBeUnshown } from '../../model/fields.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { sha256 } from '../../model/sha256.js';
import type { Authority, SentValue, WriteBackColumn } from '../../model/write-back.js';
import type { EntitySettings, MemoryPort } from '../ports.js';
import { isEmpty, isSameValue } from './compare.js';
import { diffValues, shownIdOf } from './diff.js';
import { eachLeaf, eachMoved, hashLeaf, isSameLeaf, type Leaf, valueAt } from './leaves.js';
import { type Merged, type MergeInput, mergeLeaf } from './merge.js';
import { isNearCell, isSameCell } from './same-cell.js';

export type MergePorts = Pick<MemoryPort, 'pins' | 'resolution' | 'seenAt' | 'sight' | 'sent' | 'now'>;

/** Both sides of a leaf, and the side that decides. */
interface LeafSides {
  readonly was: Json | undefined;
  readonly source: Json | undefined;
  readonly service: Json | undefined;
  /** Id of the question, which is the same while both sides keep their values. */
  readonly question: string;
  /** The side whose changes win. */
  readonly authority: Authority;
}

/** The result of merging one leaf. */
export interface MergedLeaf extends LeafSides {
  readonly verdict: Merged;
  /** For a list that both sides changed: the list with the additions of both, and without the words that either removed. */
  readonly union?: Json;
}

export type Pair = Pick<Candidate, 'desired' | 'base' | 'written'>;

/** The sides on which a leaf has changed. */
interface Moves {
  readonly source: boolean;
  readonly service: boolean;
  /** True if the values sent to the source show which side changed, even without a base. */
  readonly isTold: boolean;
  /** True if the source still asks for a value that an operator has undone, which does not count as a change. */
  readonly isUndone: boolean;
}

interface LeafFacts {
  readonly sides: LeafSides;
  readonly moved: Moves;
  /** The column that the leaf is written back to. */
  readonly column: WriteBackColumn | undefined;
}

type LeafAt = Pick<Leaf, 'path' | 'field' | 'part'>;

/** A linked pair, and everything needed to merge its leaves. */
export interface MergedPair {
  readonly pair: Pair & { readonly observed: Observed };
  readonly settings: Pick<EntitySettings, 'conflicts' | 'drift' | 'rules' | 'writeBack'>;
  readonly ports: MergePorts;
  readonly idOf: IdOf;
}

/** Merges the leaves of a linked pair against their base, each leaf independently. The rules are above `mergeLeaf`. */
export class LeafMerge {
  private readonly of: MergedPair;
  private readonly base: ReadonlyMap<string, Json>;
  private readonly wanted: ReadonlyMap<string, Json>;
  private drifted: ReadonlySet<string> | null = null;

  constructor(of: MergedPair) {
    const { desired, base } = of.pair;
    this.of = of;
    this.base = leavesOf(desired.entity, base ?? {});
    this.wanted = leavesOf(desired.entity, desired.values);
  }

  merge(leaf: LeafAt): MergedLeaf {
    const column = this.of.settings.writeBack.find((one) => one.leaf === leaf.path);
    const sides = this.readSides(leaf);
    const moved = this.findMoves(leaf, sides, column);
    // A value that an undo has restored stays, and the source keeps its own value.
    if (moved.isUndone && !moved.service) return { ...sides, verdict: 'leave' };
    return this.judge(leaf, { sides, moved, column });
  }

  private judge(leaf: LeafAt, { sides, moved, column }: LeafFacts): MergedLeaf {
    const { pair, settings, ports } = this.of;
    const { desired, observed } = pair;
    const { path, field } = leaf;
    const { source, service, question, authority } = sides;
    const union = moved.source && moved.service ? mergeLists(leaf, sides, pair) : undefined;
    // Roles grant rights, so if a person has to decide, a role that only one side granted is not merged in.
    const asked = authority === 'newest' || (settings.conflicts === 'hold' && field !== 'roles');
    if (authority === 'newest' && moved.service) ports.sight(desired.entity, desired.key, path, hashLeaf(service));
    if (union !== undefined && asked) return { ...sides, ...settleLists(union, source, service), union };
    const kind = FIELDS[desired.entity][field];
    const verdict = mergeLeaf({
      authority,
      conflicts: settings.conflicts,
      drift: settings.drift,
      agreed: moved.isUndone || this.base.has(path) || moved.isTold,
      source: source === undefined ? 'silent' : fillingOf(source),
      service: isHidden(kind, observed.values[field]) ? 'hidden' : fillingOf(service),
      sourceMoved: moved.source,
      serviceMoved: moved.service,
      newer: authority === 'newest' ? this.findNewer(path, service) : null,
    });
    const final = resolve(verdict, question, ports);
    const isStuck = final === 'to_source' && !canWriteBack(column, desired.writeBack, service);
    return { ...sides, verdict: isStuck ? 'leave' : final };
  }

  private readSides(leaf: LeafAt): LeafSides {
    const { pair, settings } = this.of;
    const { entity, key } = pair.desired;
    const { path, field } = leaf;
    const [was, source, service] = [this.base.get(path), this.wanted.get(path), valueAt(pair.observed.values, leaf)];
    const authority = (settings.rules[path] ?? settings.rules[field])?.authority ?? 'source';
    const question = sha256(canonicalJson([entity, key, path, hashLeaf(source), hashLeaf(service)]));
    return { was, source, service, question, authority };
  }

  /** Finds the changes of each side since the last agreement: an undo, a value sent to a source, or else the base. */
  private findMoves(leaf: LeafAt, sides: LeafSides, column: WriteBackColumn | undefined): Moves {
    const { was, source, service, authority } = sides;
    const { pair, ports } = this.of;
    const { desired } = pair;
    const sent = column === undefined ? null : readEvidence(column, desired.writeBack, authority, ports);
    const sourceMoved = sent?.sourceMoved ?? !hasSameValue(desired.entity, leaf, source, was);
    const isUndone = this.isUndone(leaf.path, source);
    // If an undo has emptied a field that the base lacks, a value in the service is a change.
    const isFilled = isUndone && was === undefined && !isEmpty(service);
    return {
      isUndone,
      source: source !== undefined && sourceMoved && !isUndone,
      service: sent?.serviceMoved(hashLeaf(service)) ?? (isFilled || this.hasDrifted(leaf.path)),
      isTold: sent?.isTold === true,
    };
  }

  private isUndone(path: string, source: Json | undefined): boolean {
    const { pair, ports } = this.of;
    const { entity, key } = pair.desired;
    return ports.pins(entity, key).some((pin) => pin.path === path && pin.value === hashLeaf(source));
  }

  private hasDrifted(path: string): boolean {
    if (this.drifted === null) {
      const { desired, base, written, observed } = this.of.pair;
      const { entity } = desired;
      const sides = { entity, desired: base ?? {}, observed: observed.values, written, rules: {}, idOf: this.of.idOf };
      const moved = [...eachMoved(entity, diffValues(sides).after, observed.values)];
      this.drifted = new Set(moved.map((leaf) => leaf.path));
    }
    return this.drifted.has(path);
  }

  private findNewer(path: string, service: Json | undefined): MergeInput['newer'] {
    const { pair, ports } = this.of;
    const { entity, key, writeBack } = pair.desired;
    const seenAt = ports.seenAt(entity, key, path, hashLeaf(service)) ?? ports.now;
    return newerOf(writeBack?.modified ?? null, seenAt, ports.now);
  }
}

function fillingOf(value: Json | undefined): 'empty' | 'value' {
  return isEmpty(value) ? 'empty' : 'value';
}

/** Applies the answer of a person, if there is one. */
function resolve(verdict: Merged, question: string, ports: Pick<MergePorts, 'resolution'>): Merged {
  const decided = verdict === 'conflict' || verdict === 'drift' ? ports.resolution(question) : null;
  if (decided === null) return verdict;
  return decided === 'source' ? 'to_service' : 'to_source';
}

/** True for a field that reads may not show, and that this read does not show. */
function isHidden(kind: Field | undefined, shown: Json | undefined): boolean {
  return mayBeUnshown(kind) && shown === undefined;
}

function canWriteBack(
  column: WriteBackColumn | undefined,
  back: Pair['desired']['writeBack'],
  service: Json | undefined,
): boolean {
  if (column === undefined || back?.records[column.source] === undefined) return false;
  return !isEmpty(service) || column.whenEmpty === 'clear';
}

/** True if a source shows the value that was written to it, exactly or in a form of its own. */
export function isTaken(cell: Json | undefined, { value, status }: SentValue): boolean {
  return status !== 'refused' && (isSameCell(cell, value) || isNearCell(cell, value));
}

/** How a source reacted to a value that was written to it. */
interface SourceEvidence {
  readonly sourceMoved: boolean;
  /** Returns null if only the base can show whether the service has changed. */
  readonly serviceMoved: (hash: string) => boolean | null;
  /**
   * True if the source has shown the sent value, or still shows the value from the time of sending. The changed side is
   * then known without a base.
   */
  readonly isTold: boolean;
}

/**
 * Finds the changes since a value was written to a source, because that is later than the base; null if only the base
 * shows them.
 *
 * | the source shows                        | source moved | service moved                        |
 * |-----------------------------------------|--------------|--------------------------------------|
 * | what was written                        | no           | since then                           |
 * | what it showed before that              | no           | yes, or nothing would have been sent |
 * | another value, after taking the first   | yes          | since then                           |
 * | another value, without taking the first | yes          | by the base                          |
 */
function readEvidence(
  { source, column }: WriteBackColumn,
  back: Pair['desired']['writeBack'],
  authority: MergedLeaf['authority'],
  ports: Pick<MergePorts, 'sent'>,
): SourceEvidence | null {
  const record = back?.records[source];
  const sent = record === undefined ? null : ports.sent(source, record.record, column);
  if (record === undefined || sent === null) return null;
  const cell = record.cells[column];
  const sinceTold = (hash: string): boolean => hash !== sent.serviceHash;
  if (isTaken(cell, sent)) return { sourceMoved: false, serviceMoved: sinceTold, isTold: true };
  // A source-owned field is written back only if the service won a conflict, and the base decides that.
  if (authority === 'source') return null;
  if (isSameCell(cell, sent.shown)) return { sourceMoved: false, serviceMoved: () => true, isTold: true };
  const taken = isTaken(sent.shown, sent);
  return { sourceMoved: true, serviceMoved: taken ? sinceTold : () => null, isTold: taken };
}

/** The clock of a source may be ahead by this much. */
const SKEW_MS = 300_000;

/** The later of two changes; null if they overlap, or if the source gives no time, or a time in the future. */
function newerOf(modified: Stretch | null, seenAt: string, now: string): 'source' | 'service' | null {
  if (modified === null) return null;
  const [from, to, seen] = [modified.from, modified.to, seenAt].map((text) => Date.parse(text)) as [
    number,
    number,
    number,
  ];
  if (from > Date.parse(now) + SKEW_MS) return null;
  if (from > seen) return 'source';
  return to < seen ? 'service' : null;
}

/**
 * Merges lists that both sides changed. Each word was added or removed by one of them, so this is not a conflict.
 * Different words may mean the same person or project.
 */
function mergeLists(
  { field }: LeafAt,
  { was, source, service }: LeafSides,
  { desired, observed }: MergedPair['pair'],
): Json | undefined {
  const kind = FIELDS[desired.entity][field];
  if (!Array.isArray(source) || !Array.isArray(service) || !Array.isArray(was)) return undefined;
  if (kind === undefined || !LISTS.has(kind.shape)) return undefined;
  const nameOf = (word: Json): string => shownIdOf(observed.values, field, String(word)) ?? foldKey(String(word));
  const words = new Map(
    [...(service as readonly Json[]), ...(source as readonly Json[])].map((word) => [nameOf(word), word]),
  );
  const namesIn = (list: Json): ReadonlySet<string> => new Set((list as readonly Json[]).map(nameOf));
  const [before, here, there] = [namesIn(was), namesIn(source), namesIn(service)];
  const isKept = (name: string): boolean => !before.has(name) || (here.has(name) && there.has(name));
  const union = [...words].flatMap(([name, word]) => (isKept(name) ? [word] : []));
  // A list of roles without exactly one base role is not valid.
  const bases = union.filter((word) => BASE_ROLES.some((role) => role === word));
  return field === 'roles' && bases.length !== 1 ? undefined : union;
}

const LISTS: ReadonlySet<Field['shape']> = new Set(['names', 'references', 'tag_sets']);

/** Decides which side still lacks words of the merged list: first the service, then the source. */
function settleLists(union: Json, source: Json | undefined, service: Json | undefined): Pick<MergedLeaf, 'verdict'> {
  const same = (list: Json | undefined): boolean => isSameLeaf(list, union);
  if (!same(service)) return { verdict: 'to_service' };
  return { verdict: same(source) ? 'leave' : 'to_source' };
}

function leavesOf(entity: Entity, values: Values): ReadonlyMap<string, Json> {
  return new Map([...eachLeaf(entity, values)].map(({ path, value }) => [path, value]));
}

function hasSameValue(
  entity: Entity,
  { field, part }: Pick<Leaf, 'field' | 'part'>,
  a: Json | undefined,
  b: Json | undefined,
): boolean {
  const kind = FIELDS[entity][field];
  return part === null && kind !== undefined ? isSameValue(kind, a, b) : isSameLeaf(a, b);
}
