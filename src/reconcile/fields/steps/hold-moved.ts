import { type Entity, isLink, TRAITS } from '../../../model/entity.js';
import { FIELDS } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import { isEmpty } from '../compare.js';
import { idOfPlanned } from '../planned-places.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * Holds a record that names another owner, because the owner is set only on create and no call moves a project to
 * another customer. If an object has meaning only within its owner, no other field is sent either. For example, a name
 * in Norway says nothing about an office in Sweden, and one person's course nothing about another's.
 */
export function holdMoved(draft: RecordDraft): void {
  const { entity, desired, observed, ports } = draft;
  if (observed === null) return;
  const idOf = idOfPlanned(ports);
  for (const [name, { to, createOnly }] of Object.entries(FIELDS[entity])) {
    const word = desired[name];
    if (to === undefined || createOnly !== true || typeof word !== 'string') continue;
    const has = observed.values[`${name}_id`];
    const wanted = idOf(to, word);
    if (has === undefined || wanted === has || (wanted === null && mayBeCalledSo(draft, name, to))) continue;
    draft.isMoved = true;
    if (TRAITS[entity].scope === name) draft.after = {};
    holdRecord(
      draft,
      'SYNC_CHANGE_BLOCKED',
      { ...describeMoved(entity, { name, word, to, wanted }), field: name },
      ports,
    );
  }
}

/**
 * True if the owner may still be the agreed one, because it is not shown, or has no word. Otherwise the owner is known,
 * so an unresolved word means another owner.
 */
function mayBeCalledSo({ candidate, desired, observed, base, ports }: RecordDraft, name: string, to: Entity): boolean {
  if (observed === null || candidate.linkedId !== observed.id || base?.[name] !== desired[name]) return false;
  const owner = ports.service.observed(to, String(observed.values[`${name}_id`]));
  return (TRAITS[to].words ?? []).every((word) => isEmpty(owner?.values[word]));
}

interface OtherOwner {
  readonly name: string;
  readonly word: string;
  readonly to: Entity;
  readonly wanted: string | null;
}

function describeMoved(entity: Entity, { name, word, to, wanted }: OtherOwner): { reason: string; remedy: string } {
  const [kind, owner] = [TRAITS[entity].singular, TRAITS[to].singular];
  const again = isLink(entity) ? 'Leave' : `Deliver it as a new ${kind} under a new id, or leave`;
  const remedy = `${again} it with its ${owner}.`;
  if (wanted !== null) {
    const reason = `${name}: the source assigns it to ${word}, but the service cannot move it to another ${owner}.`;
    return { reason, remedy };
  }
  return {
    reason: `${name}: the source assigns it to "${word}". The service has no such ${owner} yet, and cannot move it to another one.`,
    remedy: `Resolve the ${owner} "${word}" first: if this ${kind} already has it, nothing moves. ${remedy}`,
  };
}
