import type { Candidate } from '../../model/desired.js';
import { typed, typedName } from '../../model/typed.js';
import { type DeclinedPin, EXISTENCE, type Existence, LINK } from '../../model/undo.js';
import { holdRecord, type RecordAt } from '../hold-record.js';
import type { HoldPorts, MemoryPort } from '../ports.js';
import { hashLeaf } from './leaves.js';

/**
 * True if an operator has undone the state that the record asks for: an existing account, or a removed one.
 *
 * | pinned | the record | →                                             |
 * |--------|------------|-----------------------------------------------|
 * | here   | is here    | no create, no reactivation                    |
 * | gone   | has left   | no deactivation, no deletion                  |
 * | other  | other      | the source has moved: the pin is removed      |
 *
 * A decline ends in the same way but prevents nothing here: its change is planned, and set aside as declined
 * (`hold-declined.ts`).
 */
export function isExistencePinned(
  { entity, key }: Pick<RecordAt, 'entity' | 'key'>,
  wants: Existence,
  ports: { readonly memory: Pick<MemoryPort, 'pins' | 'unpin'> },
): boolean {
  const pins = ports.memory.pins(entity, key).filter(({ path }) => path === EXISTENCE);
  for (const { value, declined } of pins)
    if (value !== hashLeaf(wants) && declined?.isEdited !== true)
      ports.memory.unpin(entity, key, EXISTENCE, declined?.id);
  return pins.some(({ value, declined }) => declined === undefined && value === hashLeaf(wants));
}

/** The decline of an object's creation or removal; null if there is none. */
export function findDeclined(
  { entity, key }: Pick<RecordAt, 'entity' | 'key'>,
  wants: Existence,
  ports: { readonly memory: Pick<MemoryPort, 'pins'> },
): DeclinedPin | null {
  const pins = ports.memory.pins(entity, key);
  const pin = pins.find(({ path, value, declined }) => {
    return path === EXISTENCE && declined !== undefined && value === hashLeaf(wants);
  });
  return pin?.declined ?? null;
}

/** True if an operator removed the link of a key, so that it is not matched again automatically; holds the record. */
export function isLinkPinned(
  candidate: Candidate,
  ports: HoldPorts & { readonly memory: Pick<MemoryPort, 'pins'> },
): boolean {
  const { entity, key } = candidate.desired;
  const pin = ports.memory.pins(entity, key).find(({ path }) => path === LINK);
  if (pin === undefined) return false;
  const reason = `An operator removed its link to ${pin.value}, so it is not matched again automatically.`;
  const remedy = `Link it: \`talent-sync link ${entity} ${typed(key)} ID\`; or allow a new match: \`talent-sync undo --unpin ${typedName(entity, key)}\``;
  holdRecord(candidate.desired, 'SYNC_UNDONE_PINNED', { reason, remedy }, ports);
  return true;
}

/**
 * Holds pinned values without counting them as a fault, because an operator decided on them.
 *
 * @param field the pinned field, if the other fields of the record are planned; absent if existence is pinned
 */
export function reportPinned(record: RecordAt, what: string, ports: HoldPorts, field?: string): void {
  const [until, first] =
    field === undefined
      ? ['until the source says the opposite', 'Allow']
      : ['while the source and the mapping stay the same', 'Change it in the source, or allow'];
  const reason = `${what}: undone by an operator, and not repeated ${until}.`;
  const remedy = `${first} it again: \`talent-sync undo --unpin ${typedName(record.entity, record.key)}\``;
  holdRecord(record, 'SYNC_UNDONE_PINNED', { reason, remedy, ...(field === undefined ? {} : { field }) }, ports);
}
