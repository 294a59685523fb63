import { loadDirectory } from '../../mirror/directory.js';
import { learnIndustries } from '../../mirror/industries.js';
import { observeFoundProject } from '../../mirror/observe.js';
import { currentRound, refreshProjects } from '../../mirror/refresh.js';
import type { Candidate } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import type { Entity } from '../../model/entity.js';
import { foldKey } from '../../model/observed.js';
import type { Stores } from '../../store/open-stores.js';
import type { DeriveContext, ReadingContext } from '../derive-context.js';
import { listTwins } from '../twins.js';
import { doubtList } from './doubt-list.js';
import { lookBeforeCreating } from './look-before-creating.js';
import { readProposals } from './read-proposals.js';
import { readScopes } from './read-scopes.js';

/** Entity → the reads that go beyond the lists of every run; made once it is known which records may change. */
const READS: Readonly<Partial<Record<Entity, (context: ReadingContext) => Promise<unknown>>>> = {
  async users(context) {
    if (context.usersFresh) await context.refused.attempt('users', () => doubtList('users', context));
    await context.refused.attempt('users', () => readScopes(context));
  },
  async customers(context) {
    await context.refused.attempt('customers', () => doubtList('customers', context));
    await context.refused.attempt('industries', () => readIndustries(context));
  },
  projects: (context) => context.refused.attempt('projects', () => readProjectsInScope(context)),
  staffing: (context) => context.refused.attempt('projects', () => readLinkedProjects(context)),
  proposals: (context) => context.refused.attempt('proposals', () => readProposals(context)),
};

/** Reads the additional data of an entity; rejected reads are recorded in `refused`. */
export async function readUnlisted(entity: Entity, context: ReadingContext): Promise<void> {
  await READS[entity]?.(context);
}

/** A full read also searches for unknown industries of customers that need no change, because the mirror may be new. */
async function readIndustries({ config, stores, refresh, usersFresh }: DeriveContext): Promise<void> {
  if (config.mappings.customers?.fields.industry === undefined) return;
  const { mirror, reader, signal } = refresh;
  const wanted = usersFresh ? stores.work.industriesOfStaged() : [];
  await learnIndustries({ mirror, reader, signal, wanted, configured: config.industries });
}

/**
 * Projects have no feed and are listed by customer, so only the customers of projects that may change are read. A full
 * read covers all customers that records name. The customers under which a project is already known are read too,
 * because nothing may be compared and written that this run has not read. A linked project that no customer lists may
 * have moved to another customer, so it is looked up (`look-up-linked.ts`).
 */
async function readProjectsInScope(context: ReadingContext): Promise<void> {
  const { stores, refresh, usersFresh } = context;
  const { work, mirror } = stores;
  const idOf = idOfIn(loadDirectory(mirror));
  const ids = new Set<string>();
  const addCustomer = (externalId: string): void => {
    const id = idOf('customers', externalId) ?? takerOf(externalId, work);
    if (id !== null) ids.add(id);
  };
  if (usersFresh) work.customersOfStaged().forEach(addCustomer);
  for (const candidate of context.moving()) {
    const { customer } = candidate.desired.values;
    if (typeof customer === 'string') addCustomer(customer);
    for (const id of knownAs(candidate, mirror)) {
      const customerId = mirror.get('projects', id)?.values.customer_id;
      if (typeof customerId === 'string') ids.add(customerId);
    }
  }
  for (const customerId of await lookAtTwins(context)) ids.add(customerId);
  await refreshProjects(refresh, [...ids]);
  await lookBeforeCreating(context);
}

/** The number of twins to look up in one run; further twins wait for the next full read. */
const MOST_TWINS = 10;

/**
 * Looks up twins as long as they exist, because a person has to delete one of the projects, and that deletion causes no
 * read of a list.
 *
 * @returns customers under which a linked project is missing
 */
async function lookAtTwins({ stores, refresh }: ReadingContext): Promise<readonly string[]> {
  const owners: string[] = [];
  for (const { external, linked, others } of listTwins('projects', stores).slice(0, MOST_TWINS)) {
    const found = await refresh.reader.projects.find(external, refresh.signal);
    const one = found?.kind === 'one' ? [found.project.id] : [];
    const there = found?.kind === 'several' ? found.projectIds : one;
    const gone = others.map(({ id }) => id).filter((id) => !there.includes(id));
    stores.mirror.remove('projects', gone);
    const { customer_id: owner } = linked.values;
    if (!there.includes(linked.id) && typeof owner === 'string') owners.push(owner);
  }
  return owners;
}

/** The project that a record is linked to, or those with its external id. */
function knownAs({ desired, linkedId }: Candidate, mirror: Stores['mirror']): readonly string[] {
  if (linkedId !== null) return [linkedId];
  const external = desired.values.external_unique_id;
  return typeof external === 'string' ? mirror.findIds('projects', 'external_unique_id', foldKey(external)) : [];
}

/**
 * Reads projects that people are linked to, but that no stream of projects delivers. A full read finds them by the
 * search, page by page, and saves only those that are named.
 */
async function readLinkedProjects({ stores, refresh, usersFresh }: DeriveContext): Promise<void> {
  const { work, mirror } = stores;
  if (!usersFresh) return;
  const { find } = loadDirectory(mirror);
  const unknown = work
    .projectsOfUnlinked()
    .filter((word) => find('projects', word).length === 0)
    .filter((word) => work.claimants('projects.external_unique_id', foldKey(word)).length === 0);
  const wanted = new Set(unknown.map(foldKey));
  if (wanted.size === 0) return;
  for await (const page of refresh.reader.projects.search({ signal: refresh.signal })) {
    const named = page.projects.filter(({ project }) => wanted.has(foldKey(project.external_unique_id ?? '')));
    mirror.save(
      named.map(({ project }) => observeFoundProject(project)),
      currentRound(mirror, 'projects'),
    );
  }
}

/** The customer that is about to get an external id. A customer adopted by name cannot be found by that id yet. */
function takerOf(externalId: string, work: Stores['work']): string | null {
  const [key] = work.claimants('customers.external_unique_id', foldKey(externalId));
  return key === undefined ? null : (work.planned(`customers:${key}`)?.target ?? null);
}
