import { type Json, textOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { accessFields } from '../../model/person-fields.js';
import { type Change, promotedKey } from '../../model/plan.js';
import { type Gain, withoutGained } from '../../model/power.js';
import { buildChange, idOfChange } from '../../reconcile/build-change.js';
import { pickFields } from '../../reconcile/fields/compare.js';

/** A change in two parts: the part that gives power, and the other part, which is null if it would be empty. */
export interface SplitChange {
  readonly rest: Change | null;
  readonly part: Change;
}

/** Separates the part that gives power from a change. A joiner is created without that part. */
export function splitPromotion(change: Change, gain: Gain, now: Values | null, configDigest: string): SplitChange {
  const { id: _id, power: _power, ...plain } = change;
  const gives = (name: string): boolean => gain.fields.includes(name);
  const kept = gives('roles') ? withoutGained(now, change.after.roles) : null;
  const lost: Values = kept === null ? {} : { roles: kept };
  const after = { ...pickFields(change.after, (name) => !gives(name)), ...lost };
  const rest = {
    ...plain,
    fields: Object.keys(after).sort(),
    before: pickFields(change.before, (name) => name in after),
    after,
  };
  const isLeft = change.action !== 'update' || rest.fields.length > 0;
  return {
    rest: isLeft ? buildChange(rest, configDigest) : null,
    part: buildPart(change, gain, { isAlone: !isLeft, lost, owner: namesOf(change, now), configDigest }),
  };
}

interface PartOf {
  readonly isAlone: boolean;
  readonly lost: Values;
  readonly owner: readonly string[];
  readonly configDigest: string;
}

/** The names that the account will have, each once, because a user name may equal the address. */
function namesOf({ after }: Change, now: Values | null): readonly string[] {
  const names = accessFields('identity').map((name) => foldKey(textOf(after[name] ?? now?.[name])));
  return [...new Set(names)].filter((name) => name !== '');
}

function buildPart(change: Change, gain: Gain, { isAlone, lost, owner, configDigest }: PartOf): Change {
  const { id: _id, batch: _batch, ...plain } = change;
  const { entity, key, needs, reason } = change;
  const pick = (values: Values): Values => pickFields(values, (name) => gain.fields.includes(name));
  const after = pick(change.after);
  // A joiner's account gets its id only when it is created, so the id is left out here. The same approval is then valid
  // before and after the creation. It applies to the person who was shown, not to another one who may have the row by
  // then.
  const identity: Json = [entity, 'promote', key, owner, after, configDigest];
  return {
    ...plain,
    id: idOfChange(identity),
    action: 'update',
    key: promotedKey(key),
    fields: [...gain.fields].sort(),
    before: { ...Object.fromEntries(gain.fields.map((name) => [name, null])), ...pick(change.before), ...lost },
    after,
    needs: isAlone ? needs : [...needs, `${entity}:${key}`].sort(),
    reason: { ...reason, text: `${reason.text}; ${gain.text}` },
    power: gain.power,
  };
}
