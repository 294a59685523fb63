import { loadDirectory } from '../../mirror/directory.js';
import { settleOwned } from '../../mirror/look-up.js';
import { observeProject, observeUser, withValues } from '../../mirror/observe.js';
import { observeCvCopy, observeReferenceCopy } from '../../mirror/observe-copy.js';
import { describeContents, observeProposal } from '../../mirror/observe-proposal.js';
import { currentRound } from '../../mirror/refresh.js';
import type { Copy } from '../../model/copies.js';
import { idOfIn } from '../../model/directory.js';
import { isAccount } from '../../model/entity.js';
import type { RunWork } from '../../reconcile/undo/run-work.js';
import type { Stores } from '../../store/open-stores.js';
import type { RunContext } from '../derive-context.js';

export type UndoneReads = Pick<RunContext, 'stores' | 'refresh' | 'usersFresh' | 'refused'>;

/** Facts that no object in the mirror shows. */
export interface UndoneSeen {
  /** Projects that CVs are linked to. */
  readonly linked: ReadonlySet<string>;
  /** Proposal → the copies in it. */
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
}

/**
 * Reads by id the objects that the run changed and that no list of the current run shows completely. The feed does not
 * report roles and activation of people. Projects and proposals have no feed.
 */
export async function readUndone(reads: UndoneReads, works: readonly RunWork[]): Promise<UndoneSeen> {
  const linked = new Set<string>();
  const copies = new Map<string, readonly Copy[]>();
  const { refused } = reads;
  await refused.attempt('users', () => readPeople(reads, works));
  await refused.attempt('projects', () => readProjects(reads, works, linked));
  await refused.attempt('proposals', () => readProposals(reads, works, copies));
  return { linked, copies };
}

async function readPeople({ stores, refresh, usersFresh }: UndoneReads, works: readonly RunWork[]): Promise<void> {
  if (usersFresh) return;
  const { mirror } = stores;
  for (const { entity, target } of works) {
    if (!isAccount(entity) || target === null) continue;
    const user = await refresh.reader.users.get(target, refresh.signal);
    if (user === null) mirror.remove('users', [target]);
    else mirror.save([observeUser(user)], currentRound(mirror, 'users'));
  }
}

/**
 * Reads every project of the run, and all projects of the customers it created. Adds to `linked` the projects that CVs
 * are linked to.
 */
async function readProjects(reads: UndoneReads, works: readonly RunWork[], linked: Set<string>): Promise<void> {
  const { mirror } = reads.stores;
  const names = loadDirectory(mirror);
  const keep: KeepProject = (project, customerId) => {
    mirror.save([observeProject(project, customerId, names)], currentRound(mirror, 'projects'));
    if (project.has_linked_project_experiences === true) linked.add(project.id);
  };
  for (const work of works) {
    const { entity, target, turn } = work;
    if (target === null) continue;
    if (entity === 'customers' && turn === 'create') await readProjectsOf(target, reads, keep);
    if (entity === 'projects' && turn !== 'delete') await readProject(work, target, reads, keep);
  }
}

type KeepProject = (project: Parameters<typeof observeProject>[0], customerId: string) => void;

/** Projects are listed only by customer, so all projects of a new customer are read together. */
async function readProjectsOf(
  customerId: string,
  { stores: { mirror }, refresh }: UndoneReads,
  keep: KeepProject,
): Promise<void> {
  if (mirror.get('customers', customerId) === null) return;
  const shown = new Set<string>();
  for (const project of (await refresh.reader.projects.list(customerId, refresh.signal)) ?? []) {
    keep(project, customerId);
    shown.add(project.id);
  }
  const owned = { entity: 'projects', by: 'customer_id', owner: customerId, isGone: false } as const;
  await settleOwned({ mirror, lookUps: refresh.lookUps }, owned, shown, currentRound(mirror, 'projects'));
}

async function readProject(
  work: RunWork,
  id: string,
  { stores, refresh: { reader, signal } }: UndoneReads,
  keep: KeepProject,
): Promise<void> {
  const customerId = customerOf(work, stores);
  const project = customerId === null ? null : await reader.projects.get(customerId, id, { signal });
  if (project !== null && customerId !== null) keep(project, customerId);
  else stores.mirror.remove('projects', [id]);
}

function customerOf({ key, target, after }: RunWork, { mirror, links }: Stores): string | null {
  const known = target === null ? undefined : mirror.get('projects', target)?.values.customer_id;
  if (typeof known === 'string') return known;
  const word = after.customer ?? links.find('projects', key)?.base?.customer;
  return typeof word === 'string' ? idOfIn(loadDirectory(mirror))('customers', word) : null;
}

/** Reads each proposal of the run, and the kinds of contents that the run added or removed, with one call each. */
async function readProposals(
  reads: UndoneReads,
  works: readonly RunWork[],
  copies: Map<string, readonly Copy[]>,
): Promise<void> {
  const { mirror } = reads.stores;
  const { reader, signal } = reads.refresh;
  for (const work of works) {
    const { entity, target } = work;
    // No other entity contains copies that only its own calls show.
    if (entity !== 'proposals' || target === null) continue;
    const proposal = await reader.proposals.get(target, signal);
    if (proposal === null) mirror.remove('proposals', [target]);
    else {
      const contents = await readContents(work, target, reads);
      const shown = observeProposal(proposal);
      const values = { ...shown.values, ...describeContents(contents) };
      mirror.save([withValues(shown, values)], currentRound(mirror, 'proposals'));
      const { cvs = [], references = [] } = contents;
      copies.set(target, [...cvs.map(observeCvCopy), ...references.map(observeReferenceCopy)]);
    }
  }
}

/** A proposal that the run created is archived together with its contents, so the contents are not read. */
async function readContents(
  { turn, after }: RunWork,
  id: string,
  { refresh: { reader, signal } }: UndoneReads,
): Promise<Parameters<typeof describeContents>[0]> {
  const { proposals } = reader;
  const reads = (kind: string): boolean => turn !== 'create' && after[kind] !== undefined;
  return {
    ...(reads('collaborators') ? { collaborators: await proposals.listCollaborators(id, signal) } : {}),
    ...(reads('cvs') ? { cvs: await proposals.listCvs(id, signal) } : {}),
    ...(reads('references') ? { references: await proposals.listReferences(id, signal) } : {}),
  };
}
