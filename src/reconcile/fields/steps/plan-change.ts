import { CALLED } from '../../../model/called.js';
import { isAccount, isLink, TRAITS } from '../../../model/entity.js';
import { FIELDS, mayBeUnshown } from '../../../model/fields.js';
import { isJsonObject, type Json } from '../../../model/json.js';
import { nameSection } from '../../../model/label.js';
import { listSharedParts, readPersonName } from '../../../model/person-name.js';
import { type Change, type Reason, SOURCE_KEY } from '../../../model/plan.js';
import { buildChange } from '../../build-change.js';
import { claimValues } from '../claim-values.js';
import { isEmpty, isSameValue } from '../compare.js';
import { batchOfLink } from '../cv-rules.js';
import type { RecordDraft } from '../record-draft.js';
import { wordBefore } from '../word-before.js';

/** Plans the remaining change, with the reason in words, and claims its values. */
export function planChange(draft: RecordDraft): void {
  const { entity, action, key, observed, after, relink, ports } = draft;
  const fields = Object.keys(after).sort();
  const before = Object.fromEntries(fields.map((name) => [name, wordBefore(name, draft)]));
  const link = relink === null ? null : describeRelink(draft, relink);
  ports.plan.add(
    buildChange(
      {
        entity,
        action: link === null ? action : 'relink',
        key,
        target: observed?.id ?? null,
        label: labelOf(draft),
        fields: [...fields, ...Object.keys(link?.after ?? {})].sort(),
        before: { ...before, ...link?.before },
        after: { ...after, ...link?.after },
        reason: link?.reason ?? explain(draft, fields),
        place: draft.place,
        needs: draft.needs,
        observedHash: observed?.hash ?? null,
        desiredHash: draft.candidate.desiredHash,
        ...(isLink(entity) && action === 'create' ? { batch: batchOfLink(after) } : {}),
      },
      draft.settings.configDigest,
    ),
  );
  claimValues(draft, { ...draft.desired, ...observed?.values, ...after }, ports.plan);
}

/** Describes what a relink moves in addition to the fields: the link, and the activation of an account that is reactivated. */
function describeRelink(
  { action, key }: RecordDraft,
  { from, text, sinceEdit }: NonNullable<RecordDraft['relink']>,
): Pick<Change, 'before' | 'after' | 'reason'> {
  const isBack = action === 'reactivate';
  return {
    before: { [SOURCE_KEY]: from, ...(isBack ? { deactivated: true } : {}) },
    after: { [SOURCE_KEY]: key, ...(isBack ? { deactivated: false } : {}) },
    reason: { kind: sinceEdit ? 'relinked_since_edit' : 'relinked', text },
  };
}

/** Explains in words why a change is proposed. */
export function explain(draft: RecordDraft, fields: readonly string[]): Reason {
  const { kind, text } = findReason(draft, fields);
  return { kind, text: isAccount(draft.entity) ? text + noteUnshown(draft, fields) : text + noteOther(draft, fields) };
}

/**
 * Adds a note if the new name of an id shares no word with the old one, because the id then most likely means another
 * customer, project or tag.
 */
function noteOther({ entity, key, observed, desired }: RecordDraft, fields: readonly string[]): string {
  const name = CALLED[entity];
  if (name === undefined || observed === null || !fields.includes(name)) return '';
  // Only the languages of the record count, because languages that no source manages keep the old name in any case.
  const [before, now] = [textsOf(observed.values[name]), textsOf(desired[name])];
  const isLeft = before.some((old) => now.some((one) => sharesWord(old, one)));
  if (isLeft || before.length === 0 || now.length === 0) return '';
  return `; the new name shares no word with "${before[0]}": ${key} may now be another ${TRAITS[entity].singular}`;
}

/** The texts of a name, in all its languages. */
function textsOf(name: Json | undefined): readonly string[] {
  return (isJsonObject(name) ? Object.values(name) : [name]).filter(
    (text) => typeof text === 'string' && text !== '',
  ) as string[];
}

function sharesWord(a: string, b: string): boolean {
  return listSharedParts(readPersonName(a), readPersonName(b)).length > 0;
}

function findReason(
  { entity, action, candidate, desired, observed, adoptedBy, base }: RecordDraft,
  fields: readonly string[],
): Reason {
  const { source } = candidate.desired.place;
  if (observed === null) {
    return candidate.linkedId === null
      ? { kind: 'joined', text: `in ${source}, not in the service` }
      : { kind: 'drifted', text: `in ${source}; the service's object was deleted by somebody else` };
  }
  if (action === 'reactivate') {
    return candidate.sourceUnchanged
      ? { kind: 'drifted', text: `active in ${source}, deactivated in the service by somebody else` }
      : { kind: 'returned', text: `active in ${source} again, deactivated in the service` };
  }
  if (adoptedBy !== null)
    return { kind: 'first_contact', text: `matched by ${adoptedBy}; differs in ${fields.join(', ')}` };
  if (base === null) return { kind: 'first_contact', text: `not agreed on yet; differs in ${fields.join(', ')}` };
  const moved = fields.filter((name) => {
    const field = FIELDS[entity][name];
    return field === undefined || !isSameValue(field, desired[name], base[name]);
  });
  if (moved.length > 0) return { kind: 'changed', text: `${moved.join(', ')} changed in ${source}` };
  return candidate.serviceUnchanged === true
    ? { kind: 'configured', text: `the edited configuration writes ${fields.join(', ')}` }
    : { kind: 'drifted', text: `${fields.join(', ')} changed in the service by somebody else` };
}

/** Names the fields that are compared with the last written value, because the service does not show them. */
function noteUnshown({ entity, observed, after }: RecordDraft, fields: readonly string[]): string {
  // For a new object, nothing was written before.
  if (observed === null) return '';
  const unshown = fields.filter((name) => mayBeUnshown(FIELDS[entity][name]) && observed.values[name] === undefined);
  const some = unshown.filter((name) => !isEmpty(after[name]));
  return some.length === 0
    ? ''
    : ` (${some.join(', ')}: the service does not show it, so it was compared with the last written value)`;
}

/** The name that people use for the object of a change. */
export function labelOf({ key, desired, observed }: RecordDraft): string {
  if (observed !== null) return observed.label;
  if (typeof desired.user === 'string') {
    if (typeof desired.project === 'string') return `${desired.user} on ${desired.project}`;
    return `${nameSection(desired) ?? key} of ${desired.user}`;
  }
  const words = wordsOf(
    desired.name ?? desired.customer_name ?? desired.project_name ?? desired.values ?? desired.code,
  );
  const { email } = desired;
  return [words ?? key, email === undefined ? null : `<${String(email)}>`].filter((part) => part !== null).join(' ');
}

/** A plain name, or the name in one language. */
function wordsOf(name: Json | undefined): Json | undefined {
  return isJsonObject(name) ? Object.values(name)[0] : name;
}
