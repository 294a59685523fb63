import { loadDirectory } from '../../mirror/directory.js';
import { observe, observeProject } from '../../mirror/observe.js';
import { currentRound, noteCustomFields, type RefreshContext } from '../../mirror/refresh.js';
import type { Desired } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import { foldKey } from '../../model/observed.js';
import { correlate } from '../../reconcile/match/correlate.js';
import type { Stores } from '../../store/open-stores.js';
import type { ReadingContext } from '../derive-context.js';
import { finderOf } from '../match-objects.js';

/**
 * Searches all customers for each project that would be created, by its external id (spec, projects/find). The project
 * may exist under a customer that no record names, or the customer's list was too short. The service would accept a
 * second project with the same external id. A project that is found is then matched like any other.
 */
export async function lookBeforeCreating(context: ReadingContext): Promise<void> {
  const { refresh } = context;
  for (const word of await pickTaken(listWanted(context), refresh)) await lookFor(word, refresh);
}

/** External ids of records that have no link and no match in anything read so far, and whose customer exists or will be created. */
function listWanted({ config, stores, moving }: ReadingContext): readonly string[] {
  const { work, mirror } = stores;
  const match = config.mappings.projects?.match ?? [];
  const finder = finderOf('projects', stores);
  const idOf = idOfIn(loadDirectory(mirror));
  const isPlaced = ({ values: { customer } }: Desired): boolean =>
    typeof customer === 'string' &&
    (idOf('customers', customer) !== null ||
      work.claimants('customers.external_unique_id', foldKey(customer)).length > 0);
  const wanted = new Set<string>();
  for (const { desired, linkedId } of moving()) {
    const external = desired.values.external_unique_id;
    const isThere = linkedId !== null && mirror.get('projects', linkedId) !== null;
    if (isThere || desired.leaver || typeof external !== 'string' || !isPlaced(desired)) continue;
    const isNew = correlate(desired, match, finder, idOf).kind === 'none';
    if (isNew || areUnplaced(external, mirror)) wanted.add(external);
  }
  return [...wanted];
}

/** True if an earlier look-up found several projects with this id, but not their customers. A customer may exist by now. */
function areUnplaced(external: string, mirror: Stores['mirror']): boolean {
  const ids = mirror.findIds('projects', 'external_unique_id', foldKey(external));
  return ids.length > 0 && ids.every((id) => typeof mirror.get('projects', id)?.values.customer_id !== 'string');
}

/** Above this number, the first page of a search is worth reading, because it shows how many pages there are. */
const FEW = 10;

/**
 * Keeps the words that the search shows, if the search has fewer pages than there are words. So a first load reads
 * pages instead of single projects.
 */
async function pickTaken(
  words: readonly string[],
  { reader, signal }: Pick<RefreshContext, 'reader' | 'signal'>,
): Promise<readonly string[]> {
  if (words.length <= FEW) return words;
  const shown = new Set<string>();
  for await (const { projects, total } of reader.projects.search({ stage: 'all', signal })) {
    if (total === null || total > words.length * projects.length) return words;
    for (const { project } of projects) shown.add(foldKey(project.external_unique_id ?? ''));
  }
  return words.filter((word) => shown.has(foldKey(word)));
}

async function lookFor(word: string, { reader, mirror, signal }: RefreshContext): Promise<void> {
  const found = await reader.projects.find(word, signal);
  mirror.remove('projects', mirror.findIds('projects', 'external_unique_id', foldKey(word)));
  if (found === null) return;
  const round = currentRound(mirror, 'projects');
  if (found.kind === 'several') {
    // Saved with only their ids, without a customer, which is enough to know that a person has to choose.
    const values = { external_unique_id: word };
    mirror.save(
      found.projectIds.map((id) => observe('projects', id, null, values)),
      round,
    );
    return;
  }
  const customerId = found.project.company_customer_id ?? '';
  const project = (await reader.projects.get(customerId, found.project.id, { signal })) ?? found.project;
  noteCustomFields(mirror, [project]);
  mirror.save([observeProject(project, customerId, loadDirectory(mirror))], round);
}
