import { type Entity, isAccount } from '../model/entity.js';
import { isAnswerOnly } from '../model/identity-guards.js';
import type { Values } from '../model/json.js';
import { FORMER_MS, IDENTITY, personalFields } from '../model/person-fields.js';
import type { Change } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';

interface ChangedIdentity {
  readonly change: Change;
  readonly entity: Entity;
  /** The values that both sides agreed on before the change. */
  readonly base: Values | null;
  readonly approval: string | null;
  readonly at: string;
}

/**
 * Remembers the person's identity before a series of changes, because small changes can add up to another person. The
 * former identity is kept for a while, or until someone confirms the new one.
 */
export function rememberFormer(
  { links, history }: Pick<Stores, 'links' | 'history'>,
  { change: { id, key, fields }, entity, base, approval, at }: ChangedIdentity,
): void {
  if (!isAccount(entity) || base?.name === undefined || !IDENTITY.some((name) => fields.includes(name))) return;
  const guard = approval === null ? null : (history.approvalsAt(at).get(id)?.guard ?? null);
  const was = links.find(entity, key)?.was ?? null;
  if (guard !== null && isAnswerOnly(guard)) links.rememberWas(entity, key, null);
  else if (was === null || Date.parse(was.at) < Date.parse(at) - FORMER_MS) {
    const values = Object.fromEntries(WHO.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
    links.rememberWas(entity, key, { at, values });
  }
}

const WHO = personalFields('name', 'address', 'trait');
