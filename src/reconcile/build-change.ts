import { createHash } from 'node:crypto';
import type { Entity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../model/json.js';
import type { Change } from '../model/plan.js';
import { sha256 } from '../model/sha256.js';
import { isEmpty } from './fields/compare.js';

/**
 * Gives a change its id. Every run derives the same id for the same change of the same object, if the kind of reason
 * and the configuration are the same. So approvals and saved plans stay valid. The id ignores wording, place and
 * evidence. It also ignores values that are sent unchanged: a text is sent with all its languages, and languages
 * managed by others may change between plan and apply.
 */
export function buildChange(proposed: ProposedChange, configDigest: string): Change {
  const change = { needs: [], observedHash: null, desiredHash: null, ...proposed };
  const { entity } = change;
  const { before, after } = pickMoved(entity, change.before, change.after);
  const identity: Json = [
    entity,
    change.action,
    change.target ?? change.key,
    before,
    after,
    change.reason.kind,
    configDigest,
  ];
  return { id: idOfChange(identity), ...change };
}

/** Hashes the parts of a change that are the same in every run. */
export function idOfChange(identity: Json): string {
  return sha256(canonicalJson(identity)).slice(0, 32);
}

/** A change that may omit the changes it needs and the hashes it was derived from. */
export type ProposedChange = Omit<Change, 'id' | Unstated> & Partial<Pick<Change, Unstated>>;
type Unstated = 'needs' | 'observedHash' | 'desiredHash';

/**
 * Keeps only the parts that change in values by language, category or name. For lists that only grow, keeps the added
 * words, or else the removed ones.
 */
function pickMoved(entity: Entity, before: Values, after: Values): { readonly before: Values; readonly after: Values } {
  const old: Record<string, Json> = { ...before };
  const next: Record<string, Json> = { ...after };
  for (const [name, value] of Object.entries(after)) {
    const was = before[name];
    const field = FIELDS[entity][name];
    if (field === undefined) continue;
    if (field.additive === true && !isEmpty(value)) delete old[name];
    if (field.shape === 'office' || !isJsonObject(value)) continue;
    const held = objectOf(was);
    const keys = [...new Set([...Object.keys(held), ...Object.keys(value)])];
    const moved = keys.filter((key) => canonicalJson(held[key] ?? null) !== canonicalJson(value[key] ?? null));
    old[name] = Object.fromEntries(moved.map((key) => [key, held[key] ?? null]));
    next[name] = Object.fromEntries(moved.map((key) => [key, value[key] ?? null]));
  }
  return { before: old, after: next };
}

/** Hashes the ids in the order of application, which gives the plan's fingerprint. */
export function createFingerprint(): { add(changeId: string): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add: (id) => void hash.update(id).update('\n'),
    digest: () => hash.digest('hex'),
  };
}
