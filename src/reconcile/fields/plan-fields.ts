import type { Candidate } from '../../model/desired.js';
import { type Action, type IdOf, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import { type Change, type Reason, SOURCE_KEY } from '../../model/plan.js';
import { buildChange } from '../build-change.js';
import { holdRecord } from '../hold-record.js';
import type { FoundObject } from '../match/find-object.js';
import type { Relink } from '../match/judge-relink.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { agreeInPart } from './agree-in-part.js';
import { claimValues } from './claim-values.js';
import { isSameValue } from './compare.js';
import { batchOfLink, dropInherited, dropUnclearable, noteUnshown, reportOtherKind } from './cv-rules.js';
import { diffValues } from './diff.js';
import { mergeChange } from './drop-disputed.js';
import { dropFrozen, forgetDeletedTags, forgetReadableTags } from './drop-fields.js';
import { dropGarbled } from './drop-garbled.js';
import { withoutLeaves } from './leaves.js';
import { dropScopeless, joinCompanion, splitCompanion } from './manager-scope.js';
import { dropPinned, forgetPins } from './pins.js';
import { idOfPlanned, ignoreRenamedOffices, plannedIdOf } from './planned-places.js';
import { guardProtected } from './protect.js';
import { type ResolvedReferences, resolveNames } from './references.js';

/**
 * Plans a create, update or reactivation: the fields that differ, less those that drift, protection or missing references
 * take out again, each of which is said. A pair with nothing left to do is noted as equal.
 */
export function planFields(
  candidate: Candidate,
  observed: Observed | null,
  action: Action,
  { adoptedBy, relink }: Pick<FoundObject, 'adoptedBy' | 'relink'>,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const { entity, rules } = settings;
  const { desired } = candidate;
  const written = forgetReadableTags(
    entity,
    forgetDeletedTags(candidate.written, ports.service.directory),
    ports.service.directory,
  );
  const idOf = plannedIdOf(ports);
  const found = diffValues({
    entity,
    desired: desired.values,
    observed: observed?.values ?? null,
    written,
    rules,
    idOf,
    agreed: candidate.agreed,
  });
  const difference = ignoreRenamedOffices(found, candidate.agreed, observed, ports);
  const readable = Object.entries(difference.after).filter(([name]) => !settings.unread.has(name));
  const { own, companion } = splitCompanion(Object.fromEntries(readable), { ...written, ...observed?.values });
  const lasting = dropFrozen(candidate, dropPinned(candidate, own, observed, ports), observed, settings, ports);
  const staying = dropGarbled(candidate, lasting, observed, ports);
  const merged = mergeChange(candidate, staying, observed, settings, ports, idOfPlanned(ports));
  const moved = observed !== null && reportMoved(candidate, observed, idOfPlanned(ports), ports);
  const allowed = guardProtected(candidate, observed, merged.after, action, ports);
  // A link is ours: it moves although nothing of the account may.
  const guarded = allowed === 'held' && relink !== null && action === 'update' ? {} : allowed;
  if (guarded === 'held') return;
  const place = formatPlace(desired.place);
  const resolved = resolveNames(joinCompanion(guarded, companion), {
    entity,
    key: desired.key,
    place,
    settings,
    ports,
    observed: observed?.values ?? null,
  });
  for (const { field, reason, remedy } of resolved.unresolved) {
    holdRecord(candidate, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy }, ports);
  }
  const settled = dropSettled(resolved, observed, written, settings, idOf);
  const clearable = dropUnclearable(candidate, settled, observed, ports);
  const writable = dropInherited(candidate, clearable, observed, ports);
  const after = dropScopeless(dropPinned(candidate, writable, observed, ports), candidate, ports);
  forgetPins(candidate, writable, ports);
  if (observed !== null) reportOtherKind(candidate, observed, ports);
  const fields = Object.keys(after).sort();
  if (action === 'create' && !hasRequired(candidate, after, resolved.unresolved.length > 0, settings, ports)) return;
  if (action === 'update' && fields.length === 0 && relink === null) {
    const asked = withoutLeaves(entity, difference.after, merged.left, observed?.values ?? {});
    const whole = !moved && resolved.unresolved.length === 0 && sameKeys(asked, after);
    if (observed !== null && whole) ports.memory.agree(candidate, observed);
    else if (observed !== null) agreeOnTheRest(candidate, observed, { written, idOf }, ports);
    return;
  }
  const known = explain(candidate, observed, action, fields, adoptedBy, settings);
  const reason = entity === 'users' ? { ...known, text: known.text + noteUnshown(fields, observed, after) } : known;
  const before = Object.fromEntries(fields.map((name) => [name, difference.before[name] ?? null]));
  const link = relink === null ? null : describeRelink(relink, desired.key, action);
  ports.plan.add(
    buildChange(
      {
        entity,
        action: link === null ? action : 'relink',
        key: desired.key,
        target: observed?.id ?? null,
        label: labelOf(desired.values, observed, desired.key),
        fields: [...fields, ...Object.keys(link?.after ?? {})].sort(),
        before: { ...before, ...link?.before },
        after: { ...after, ...link?.after },
        reason: link?.reason ?? reason,
        place,
        needs: resolved.needs,
        observedHash: observed?.hash ?? null,
        desiredHash: candidate.desiredHash,
        ...(entity === 'staffing' && action === 'create' ? { batch: batchOfLink(after) } : {}),
      },
      settings.configDigest,
    ),
  );
  claimValues(entity, desired.key, after, { ...desired.values, ...observed?.values, ...after }, ports.plan);
}

/** What a relink moves besides the fields: the link, and the activation of an account that is taken into use again. */
function describeRelink(
  { from, text, sinceEdit }: Relink,
  key: string,
  action: Action,
): Pick<Change, 'before' | 'after' | 'reason'> {
  const isBack = action === 'reactivate';
  return {
    before: { [SOURCE_KEY]: from, ...(isBack ? { deactivated: true } : {}) },
    after: { [SOURCE_KEY]: key, ...(isBack ? { deactivated: false } : {}) },
    reason: { kind: sinceEdit ? 'relinked_since_edit' : 'relinked', text },
  };
}

/** What is held keeps the pair from being equal; what both sides hold alike is agreed on all the same. */
function agreeOnTheRest(
  candidate: Candidate,
  observed: Observed,
  known: { readonly written: Values | null; readonly idOf: IdOf },
  ports: ReconcilePorts,
): void {
  const { desired, agreed, sourceUnchanged } = candidate;
  const pair = { ...known, entity: desired.entity, desired: desired.values, observed: observed.values, rules: {} };
  const rest = agreeInPart(pair, agreed);
  if (!sourceUnchanged || canonicalJson(rest) !== canonicalJson(agreed)) ports.memory.agreeInPart(candidate, rest);
}

/** What an object belongs to can be said on create only: the service has no call that gives a project to another customer. */
function reportMoved(candidate: Candidate, observed: Observed, idOf: IdOf, ports: ReconcilePorts): boolean {
  const { entity, values } = candidate.desired;
  let moved = false;
  for (const [name, { to, createOnly }] of Object.entries(FIELDS[entity])) {
    const word = values[name];
    if (to === undefined || createOnly !== true || typeof word !== 'string') continue;
    const wanted = idOf(to, word);
    const has = observed.values[`${name}_id`];
    // A word that means nothing yet is another owner as well: this one's is known.
    if (has === undefined || wanted === has) continue;
    moved = true;
    const kind = TRAITS[entity].singular;
    holdRecord(
      candidate,
      'SYNC_CHANGE_BLOCKED',
      {
        reason: `${name}: the source gives it to ${word}, but the service cannot move a ${kind} to another ${TRAITS[to].singular}.`,
        remedy: `Deliver it as a new ${kind} under a new id, or leave it with its ${TRAITS[to].singular}.`,
      },
      ports,
    );
  }
  return moved;
}

/** What is left of a field without the names that cannot be resolved may be what the service already holds. */
function dropSettled(
  { after, unresolved }: ResolvedReferences,
  observed: Observed | null,
  written: Values | null,
  { entity, rules }: EntitySettings,
  idOf: IdOf,
): Values {
  if (observed === null || unresolved.length === 0) return after;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ entity, desired: after, observed: observed.values, written, rules, idOf });
  return Object.fromEntries(
    Object.entries(after).filter(([name]) => !partial.has(name) || again.fields.includes(name)),
  );
}

function sameKeys(a: Values, b: Values): boolean {
  return Object.keys(a).length === Object.keys(b).length;
}

function hasRequired(
  candidate: Candidate,
  after: Values,
  explained: boolean,
  settings: EntitySettings,
  ports: ReconcilePorts,
): boolean {
  const lacking = Object.entries(FIELDS[settings.entity])
    .filter(([name, field]) => field.required === true && after[name] === undefined)
    .map(([name]) => name);
  if (lacking.length === 0) return true;
  if (!explained) {
    holdRecord(
      candidate,
      'SYNC_MAP_VALUE',
      {
        reason: `Cannot be created without ${lacking.join(' and ')}, which ${lacking.length === 1 ? 'is' : 'are'} empty in the source.`,
        remedy: 'Fill the value in the source, or map the field from a column that has it.',
      },
      ports,
    );
  }
  return false;
}

function explain(
  { desired, agreed, linkedId, sourceUnchanged }: Candidate,
  observed: Observed | null,
  action: Action,
  fields: readonly string[],
  adoptedBy: string | null,
  { entity }: EntitySettings,
): Reason {
  const source = desired.place.source;
  if (observed === null) {
    return linkedId === null
      ? { kind: 'joined', text: `in ${source}, not in the service` }
      : { kind: 'drifted', text: `in ${source}; the service's object was deleted by other hands` };
  }
  if (action === 'reactivate') {
    return sourceUnchanged
      ? { kind: 'drifted', text: `active in ${source}, deactivated in the service by other hands` }
      : { kind: 'returned', text: `active in ${source} again, deactivated in the service` };
  }
  if (adoptedBy !== null)
    return { kind: 'first_contact', text: `matched by ${adoptedBy}; differs in ${fields.join(', ')}` };
  if (agreed === null) return { kind: 'first_contact', text: `never agreed yet; differs in ${fields.join(', ')}` };
  const moved = fields.filter((name) => {
    const field = FIELDS[entity][name];
    return field === undefined || !isSameValue(field, desired.values[name], agreed[name]);
  });
  return moved.length > 0
    ? { kind: 'changed', text: `${moved.join(', ')} changed in ${source}` }
    : { kind: 'drifted', text: `${fields.join(', ')} changed in the service by other hands` };
}

/** A name, or one of its languages. */
function wordsOf(name: Json | undefined): Json | undefined {
  return isJsonObject(name) ? Object.values(name)[0] : name;
}

function labelOf(values: Values, observed: Observed | null, key: string): string {
  if (observed !== null) return observed.label;
  if (typeof values.user === 'string') {
    if (typeof values.project === 'string') return `${values.user} on ${values.project}`;
    return `${String(wordsOf(values.name ?? Object.values(values).find(isJsonObject)) ?? key)} of ${values.user}`;
  }
  const words = wordsOf(values.name ?? values.customer_name ?? values.project_name ?? values.values ?? values.code);
  const email = values.email;
  return [words ?? key, email === undefined ? null : `<${String(email)}>`].filter((part) => part !== null).join(' ');
}
