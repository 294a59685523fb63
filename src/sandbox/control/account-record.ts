import { randomBytes } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import { KeySettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { FIXTURE_PLACE, type Fixture, parseFixture } from '../fixture/fixture.js';
import type { FixtureParts } from '../fixture/fixture-parts.js';
import { createId, type Store } from '../store/store.js';

/**
 * The version of the form of stored documents. It is increased with each change, so that older state files and dumps are
 * rejected.
 */
export const STATE_FORM = 3;

/** An account without its content. */
export interface AccountRecord extends Pick<World, 'account' | 'customFields' | 'secret'> {
  readonly form: number;
  readonly keys: readonly KeySettings[];
}

interface FixtureRecord extends AccountRecord {
  /** The fixture without its lists, for filling an empty store. */
  readonly seed?: Fixture;
}

/** Reads the account from the state file, or else from the fixture. */
export function readAccount(store: Store, fixture: FixtureParts): FixtureRecord {
  const kept = store.readMeta('account');
  if (kept !== undefined) return readKept(kept);
  const seed = parseFixture(fixture.readFrame(), FIXTURE_PLACE);
  const key = randomBytes(24).toString('base64url');
  return {
    account: seed.account,
    form: STATE_FORM,
    secret: randomBytes(24).toString('base64url'),
    keys:
      seed.keys.length > 0
        ? seed.keys
        : [KeySettings.parse({ key, name: 'Administrator', role: 'internationalmanager' })],
    customFields: seed.custom_fields.map((field) => ({
      ...field,
      id: createId(),
      option_ids: Object.fromEntries(field.options.map((option) => [option.external_unique_id, createId()])),
    })),
    seed,
  };
}

function readKept(text: string): AccountRecord {
  const kept = JSON.parse(text) as AccountRecord;
  if (kept.form === STATE_FORM) return kept;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: `The state file has format ${String(kept.form ?? 1)}; this sandbox reads format ${STATE_FORM}.`,
    place: '--state',
    remedy: 'Use another file, or start again from the fixture.',
  });
}

export function writeAccount(store: Store, { form, account, keys, customFields, secret }: AccountRecord): void {
  store.writeMeta('account', JSON.stringify({ form, account, keys, customFields, secret }));
}
