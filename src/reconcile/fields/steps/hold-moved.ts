import { isLink, TRAITS } from '../../../model/entity.js';
import { FIELDS } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import { idOfPlanned } from '../planned-places.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * What an object belongs to can be said on create only: the service has no call that gives a project to another customer.
 * Of one that means something within its owner alone nothing else is sent either: a name in Norway is none of an office in
 * Sweden, a course of one person none of another's.
 */
export function holdMoved(draft: RecordDraft): void {
  const { entity, desired, observed, base, ports } = draft;
  if (observed === null) return;
  const idOf = idOfPlanned(ports);
  for (const [name, { to, createOnly }] of Object.entries(FIELDS[entity])) {
    const word = desired[name];
    if (to === undefined || createOnly !== true || typeof word !== 'string') continue;
    const has = observed.values[`${name}_id`];
    const wanted = idOf(to, word);
    // Who is not seen may be the owner still, where both sides agreed on it. Else a word that means nothing yet is another
    // owner as well: this one's is known.
    const isAgreed = wanted === null && draft.candidate.linkedId === observed.id && base?.[name] === word;
    if (has === undefined || wanted === has || isAgreed) continue;
    draft.isMoved = true;
    if (TRAITS[entity].scope === name) draft.after = {};
    const [kind, owner] = [TRAITS[entity].singular, TRAITS[to].singular];
    const anew = isLink(entity) ? 'Leave' : `Deliver it as a new ${kind} under a new id, or leave`;
    const known = {
      reason: `${name}: the source gives it to ${word}, but the service cannot move it to another ${owner}.`,
      remedy: `${anew} it with its ${owner}.`,
    };
    const unknown = {
      reason: `${name}: the source gives it to "${word}". The service has no such ${owner} yet, and cannot move it to another one.`,
      remedy: `See to the ${owner} "${word}" first: if it is the one that this ${kind} has already, nothing moves. ${known.remedy}`,
    };
    holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { ...(wanted === null ? unknown : known), field: name }, ports);
  }
}
