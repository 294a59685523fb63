import { asSyncError, SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { Values } from '../model/json.js';
import { keyValues } from '../model/observed.js';
import { askingNames } from '../model/person-fields.js';
import { plural } from '../model/plural.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { Stores } from '../store/open-stores.js';
import { forgetFullRead } from './refresh.js';
import { findWitness, noteWitness } from './witness.js';

/** Number of links to look up per entity. */
const SAMPLES = { users: 20, customers: 10 } as const;
/**
 * Minimum number found of every ten. The others may have been deleted since they were linked. One may be missing even
 * of fewer than five, if another one is found.
 */
const FOUND_OF_TEN = 8;

/** Result of looking up a sample of linked people and customers. */
export interface AccountProof {
  readonly users: number;
  readonly customers: number;
  /** Number found with the same id and the same external id, address or name. */
  readonly found: number;
}

type Reader = Pick<ServiceReader, 'users' | 'customers'>;
type ProvenStores = Pick<Stores, 'links' | 'mirror'>;
type SampledEntity = keyof typeof SAMPLES;

interface LinkedSample {
  readonly entity: SampledEntity;
  readonly id: string;
  readonly known: readonly Values[];
}

/** The account to verify, and the parts of the message for an account that fails. */
export interface ProvenAccount {
  /** The account's address. */
  readonly to: string;
  readonly place: string;
  readonly remedy: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Looks up linked people and customers in an account by their ids.
 *
 * @throws SyncError SYNC_STATE_OTHER_ACCOUNT when none is found, or several are missing and fewer than eight of ten are found
 */
export async function proveAccount(
  stores: ProvenStores,
  reader: Reader,
  { signal, ...account }: ProvenAccount,
): Promise<AccountProof> {
  const samples = (['users', 'customers'] as const).flatMap((entity) => listSamples(stores, entity));
  const lacking: LinkedSample[] = [];
  for (const sample of samples) if (!(await isThere(sample, reader, signal))) lacking.push(sample);
  const found = samples.length - lacking.length;
  const count = (of: SampledEntity): number => samples.filter(({ entity }) => entity === of).length;
  const proof = { users: count('users'), customers: count('customers'), found };
  const required = Math.min((samples.length * FOUND_OF_TEN) / 10, Math.max(samples.length - 1, 1));
  if (found < required) throw otherAccountError(proof, lacking, account);
  return proof;
}

/** An account that another one at the same address may have replaced. */
export interface ReplacedAccount {
  readonly config: Pick<Config, 'service' | 'state'>;
  readonly reader: Reader;
  readonly signal: AbortSignal | undefined;
}

/**
 * Checks that the account was not replaced by another one with the same host name. If it was, the person last seen in
 * a read of changes, or created since then, is missing. Only in that case are linked people looked up.
 *
 * @throws SyncError SYNC_STATE_OTHER_ACCOUNT
 */
export async function checkReplaced(stores: ProvenStores, { config, reader, signal }: ReplacedAccount): Promise<void> {
  const witness = findWitness(stores.mirror);
  if (witness === null || (await reader.users.get(witness, signal).catch(asRefusal)) !== null) return;
  await proveAccount(stores, reader, {
    ...{ to: config.service.baseUrl, place: 'service.base_url', signal },
    remedy: `If the account was set up again, or a sandbox was started again without \`--state\`: move ${config.state} away, and plan again. Everyone is then matched as on the first day. If the address is wrong, correct \`service.base_url\`.`,
  });
}

/**
 * Runs `checkReplaced` after a read of people. Afterwards, a missing witness proves nothing.
 *
 * @throws SyncError SYNC_STATE_OTHER_ACCOUNT
 */
export async function settleWitness(stores: ProvenStores, account: ReplacedAccount): Promise<void> {
  try {
    await checkReplaced(stores, account);
  } catch (error) {
    forgetFullRead(stores.mirror);
    throw error;
  }
  noteWitness(stores.mirror, null);
}

/** Customers can only be found by external id, so customers without one are not sampled. */
function listSamples({ links, mirror }: ProvenStores, entity: SampledEntity): readonly LinkedSample[] {
  const all = links.sample(entity, SAMPLES[entity]).map(({ serviceId: id, base }): LinkedSample => {
    const values = [base, mirror.get(entity, id)?.values ?? null];
    return { entity, id, known: values.filter((one) => one !== null) };
  });
  return entity === 'users' ? all : all.filter((one) => externalIdOf(one) !== null);
}

function externalIdOf({ known }: LinkedSample): string | null {
  const [id] = known.flatMap((values) => values.external_unique_id ?? []);
  return typeof id === 'string' ? id : null;
}

async function isThere(
  sample: LinkedSample,
  { users, customers }: Reader,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { entity, id, known } = sample;
  const there =
    entity === 'users'
      ? await users.get(id, signal).catch(asRefusal)
      : await customers.find(externalIdOf(sample) ?? '', signal).catch(asRefusal);
  if (there === null || there.id !== id) return false;
  if (entity === 'customers' || known.length === 0) return true;
  const shown = there as unknown as Values;
  return askingNames().some((name) => {
    const now = keyValues(shown[name]);
    return known.some((values) => keyValues(values[name]).some((value) => now.includes(value)));
  });
}

/** The service rejects ids that belong to another account. */
function asRefusal(error: unknown): null {
  if (asSyncError(error).code === 'SYNC_SERVICE_REFUSED') return null;
  throw error;
}

function otherAccountError(
  { users, customers, found }: AccountProof,
  lacking: readonly LinkedSample[],
  { to, place, remedy }: Omit<ProvenAccount, 'signal'>,
): SyncError {
  const [first] = lacking;
  const looked = [
    plural(users, 'linked person', 'linked people'),
    ...(customers === 0 ? [] : [plural(customers, 'linked customer')]),
  ].join(' and ');
  const example = first === undefined ? '' : `, among them ${first.entity} ${first.id}`;
  return new SyncError('SYNC_STATE_OTHER_ACCOUNT', {
    message: `${to} is another account: ${looked} were looked up there by their ids, and ${found} of them ${found === 1 ? 'has' : 'have'} the same external id, address or name there${example}. At least ${FOUND_OF_TEN} of 10, or all but one of several, must match.`,
    place,
    remedy,
  });
}
