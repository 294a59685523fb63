import { takeEach } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Entity } from '../model/entity.js';
import { asksWhoIsWho } from '../model/identity-guards.js';
import type { PlanDocument } from '../planning/saved/plan-document.js';
import { type ChangeChoice, isWho, type SavedChange } from './choose-changes.js';

/** @throws SyncError SYNC_DECLINE_IDENTITY for an identity question, which can be answered but not declined */
export async function refuseIdentity(
  chosen: readonly SavedChange[],
  { guard, who }: ChangeChoice,
  open: () => Promise<Pick<PlanDocument, 'holds' | 'file'>>,
): Promise<void> {
  const asking = chosen.find(({ action, withheld }) => {
    const names = withheld?.by === 'guard' ? withheld.name.split(' + ') : [];
    return action === 'relink' || names.some(asksWhoIsWho);
  });
  if (asking !== undefined) throw refused(asking.label);
  if (guard?.split(',').some((name) => asksWhoIsWho(name.trim())) === true) throw refused(guard);
  if (chosen.length > 0 || who === undefined) return;
  const { holds } = await open();
  await takeEach(holds(), ({ code, entity, key }) => {
    if (code === 'SYNC_MATCH_CLAIMED' && isWho({ entity: entity as Entity, key, label: key }, who)) throw refused(key);
  });
}

function refused(what: string): SyncError {
  return new SyncError('SYNC_DECLINE_IDENTITY', {
    message: `${what}: this is a question of identity, and cannot be declined.`,
    place: 'decline',
    remedy:
      'Answer it: `talent-sync holds resolve ID --same` or `--new`. Or acknowledge it with `talent-sync holds ack ID`; until then neither side changes.',
  });
}
