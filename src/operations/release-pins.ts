import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { type Entity, wordFor } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import { findKeys } from '../planning/only.js';
import { appendEvent } from '../store/audit/audit-log.js';
import type { Stores } from '../store/open-stores.js';
import type { StoredPin } from '../store/state/pin-store.js';
import type { TenantOperation } from './operation.js';
import { decide } from './with-stores.js';

/** Undone values of one object that the next run may write again. */
export interface PinRelease {
  readonly entity: Entity;
  /** Source key, or another name of the object: id, e-mail, external id. */
  readonly key: string;
  /** `title.no`, or `existence`. Without a path, all pins of the object are released. */
  readonly path?: string | null;
  readonly reason: string;
}

/** The document of `undo --unpin --json`. Times are ISO 8601. */
export interface ReleasedPins {
  readonly unpinned: readonly Pick<StoredPin, 'entity' | 'key' | 'path' | 'undone' | 'run' | 'at'>[];
  readonly who: string;
  readonly reason: string;
}

/**
 * Releases the undone values of an object, so that the next run writes the values from the sources again, through the
 * guards.
 *
 * @throws SyncError SYNC_NOT_FOUND if the object has no such pin
 */
export const RELEASE_PINS: TenantOperation<PinRelease, ReleasedPins> = {
  name: 'releasePins',
  needs: 'a word',
  async perform(context, release) {
    const { by: who, clock } = context;
    const { reason } = release;
    const at = isoNow(clock);
    let found: readonly StoredPin[] = [];
    await decide(context, (stores) => {
      found = findPins(stores, release);
      for (const { entity, key, path } of found) stores.pins.unpin(entity, key, path);
      for (const key of new Set(found.map((pin) => pin.key))) {
        const fields = found.filter((pin) => pin.key === key).map(({ path }) => path);
        appendEvent(stores.audit, { kind: 'pins released', at, by: who, entity: release.entity, key, fields, reason });
      }
    });
    const unpinned = found.map(({ entity, key, path, undone, run, at: since }) => {
      return { entity, key, path, undone, run, at: since };
    });
    return { unpinned, who, reason };
  },
};

/** Finds pins by the key as it was written, or else by another name of the object. */
function findPins(stores: Stores, { entity, key: asked, path = null }: PinRelease): readonly StoredPin[] {
  const all = stores.pins.all();
  const words = foldKey(asked);
  const keyed = all.filter((pin) => pin.entity === entity && foldKey(pin.key) === words);
  const known = keyed.length > 0 ? [] : findKeys(stores, entity, words).keys;
  const ofObject = [...keyed, ...known.flatMap((key) => stores.pins.ofRecord(entity, key))];
  const found = ofObject.filter((pin) => path === null || pin.path === path);
  if (found.length > 0) return found;
  const names = new Set(
    ofObject.length > 0 ? ofObject.map((pin) => pin.path) : all.map((pin) => `${wordFor(pin.entity)}:${pin.key}`),
  );
  const what = path === null ? '' : ` ${path}`;
  throw new SyncError('SYNC_NOT_FOUND', {
    message: `Nothing of ${entity}:${asked}${what} is pinned.`,
    place: '--unpin',
    remedy: names.size === 0 ? 'Nothing is pinned.' : `Pinned: ${[...names].slice(0, 10).join(', ')}.`,
  });
}
