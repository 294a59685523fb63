import { loadDirectory } from '../../mirror/directory.js';
import { observeCustomer, observeUser } from '../../mirror/observe.js';
import { currentRound, type RefreshContext, readAllUsers, refreshCustomers } from '../../mirror/refresh.js';
import type { Desired } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import type { Observed } from '../../model/observed.js';
import { spread } from '../../model/spread.js';
import { correlate } from '../../reconcile/match/correlate.js';
import type { ReadingContext } from '../derive-context.js';
import { finderOf } from '../match-objects.js';

/** Up to this many objects are created without a check; before more are created, this many are looked up. */
const FEW = 3;
/** At most this many unlinked records are compared; they are spread over all of them. */
const MOST_COMPARED = 1_000;

type ListedEntity = 'users' | 'customers';

/** Reads the list of an entity again, and finds one object without the list; null if the record has no value to search by. */
interface ListLook {
  read(context: RefreshContext): Promise<unknown>;
  find(record: Desired, context: RefreshContext): Promise<Observed | null> | null;
}

const LOOKS: Readonly<Record<ListedEntity, ListLook>> = {
  users: {
    read: readAllUsers,
    find({ values: { email } }, { reader, signal }) {
      if (typeof email !== 'string') return null;
      return reader.users.find({ email }, signal).then((user) => (user === null ? null : observeUser(user)));
    },
  },
  customers: {
    read: refreshCustomers,
    find({ values: { external_unique_id: external } }, { reader, mirror, signal }) {
      if (typeof external !== 'string') return null;
      const names = loadDirectory(mirror);
      return reader.customers
        .find(external, signal)
        .then((customer) => (customer === null ? null : observeCustomer(customer, names)));
    },
  },
};

/**
 * Checks the list of an entity before many objects are created. A service that returns fewer rows per page than
 * requested ends its list early, with 200 and without a notice. Everyone left out would be created again. So if more
 * than three objects would be created after a complete list, three of them are looked up first. If one of them exists,
 * the list is read a second time. If the second list lacks it too, nothing of the kind is created in this run.
 */
export async function doubtList(entity: ListedEntity, context: ReadingContext): Promise<void> {
  const { refresh } = context;
  const { mirror, lookUps } = refresh;
  const { read, find } = LOOKS[entity];
  const isUnlisted = (found: Observed | null): found is Observed =>
    found !== null && mirror.get(entity, found.id) === null;
  const hits: Observed[] = [];
  // A run that may create only a few objects needs no check.
  const fresh = refresh.callsLeft() > FEW ? listNew(entity, context) : [];
  for (const record of fresh.length > FEW ? spread(fresh) : []) {
    const found = (await find(record, refresh)) ?? null;
    if (isUnlisted(found)) hits.push(found);
  }
  if (hits.length === 0) return;
  await read(refresh);
  const lacking = hits.filter(isUnlisted);
  mirror.save(lacking, currentRound(mirror, entity));
  const [first] = lacking;
  if (first !== undefined) lookUps.lack(entity, first.label);
}

/** Records without a match in the list, which would be created. */
function listNew(entity: ListedEntity, { config, stores }: ReadingContext): readonly Desired[] {
  const { work, mirror } = stores;
  const { count, keys } = work.unlinkedKeys(entity, MOST_COMPARED);
  if (count <= FEW) return [];
  const match = config.mappings[entity]?.match ?? [];
  const [finder, idOf] = [finderOf(entity, stores), idOfIn(loadDirectory(mirror))];
  return keys.flatMap((key) => {
    const desired = work.stagedByKey(entity, key)?.desired ?? null;
    return desired !== null && correlate(desired, match, finder, idOf).kind === 'none' ? desired : [];
  });
}
