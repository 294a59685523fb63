import { loadDirectory } from '../../mirror/directory.js';
import { observeProject, observeUser, withValues } from '../../mirror/observe.js';
import { observeCvCopy, observeReferenceCopy } from '../../mirror/observe-copy.js';
import { describeContents, observeProposal } from '../../mirror/observe-proposal.js';
import { currentRound } from '../../mirror/refresh.js';
import type { Copy } from '../../model/copies.js';
import { idOfIn } from '../../model/directory.js';
import { isAccount } from '../../model/entity.js';
import type { RunWork } from '../../reconcile/undo/run-work.js';
import type { Stores } from '../../store/open-stores.js';
import type { RunContext } from '../derive-plan.js';

export type UndoneReads = Pick<RunContext, 'stores' | 'refresh' | 'usersFresh' | 'refused'>;

/** What no object in the mirror tells. */
export interface UndoneSeen {
  /** Projects that CVs are linked to. */
  readonly linked: ReadonlySet<string>;
  /** Proposal → the copies that are in it. */
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
}

/**
 * Objects of the run whose state no list of this run shows, read by id: of people the feed is silent about roles and
 * activation, and projects and proposals have none.
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

/** Every project of the run as it is now, and all of the customers it made; `linked` takes those that CVs are linked to. */
async function readProjects(
  { stores, refresh }: UndoneReads,
  works: readonly RunWork[],
  linked: Set<string>,
): Promise<void> {
  const { mirror } = stores;
  const { reader, signal } = refresh;
  const names = loadDirectory(mirror);
  const keep = (project: Parameters<typeof observeProject>[0], customerId: string): void => {
    mirror.save([observeProject(project, customerId, names)], currentRound(mirror, 'projects'));
    if (project.has_linked_project_experiences === true) linked.add(project.id);
  };
  for (const work of works) {
    const { entity, target, turn } = work;
    if (target === null) continue;
    // Projects are listed by customer alone, so that those of a new one are all read with it.
    if (entity === 'customers' && turn === 'create' && mirror.get('customers', target) !== null) {
      for (const project of (await reader.projects.list(target, signal)) ?? []) keep(project, target);
    }
    if (entity !== 'projects' || turn === 'delete') continue;
    const customerId = customerOf(work, stores);
    const project = customerId === null ? null : await reader.projects.get(customerId, target, { signal });
    if (project !== null && customerId !== null) keep(project, customerId);
    else mirror.remove('projects', [target]);
  }
}

function customerOf({ key, target, after }: RunWork, { mirror, links }: Stores): string | null {
  const known = target === null ? undefined : mirror.get('projects', target)?.values.customer_id;
  if (typeof known === 'string') return known;
  const word = after.customer ?? links.find('projects', key)?.base?.customer;
  return typeof word === 'string' ? idOfIn(loadDirectory(mirror))('customers', word) : null;
}

/** Each proposal of the run, and of what is in it the kinds that the run put in or took out: one call each. */
async function readProposals(
  { stores: { mirror }, refresh: { reader, signal } }: UndoneReads,
  works: readonly RunWork[],
  copies: Map<string, readonly Copy[]>,
): Promise<void> {
  for (const { entity, target, turn, after } of works) {
    // No other entity holds copies that only its own calls show.
    if (entity !== 'proposals' || target === null) continue;
    const proposal = await reader.proposals.get(target, signal);
    if (proposal === null) {
      mirror.remove('proposals', [target]);
      continue;
    }
    // One that the run created is archived with all that is in it.
    const reads = (kind: string): boolean => turn !== 'create' && after[kind] !== undefined;
    const collaborators = reads('collaborators') ? await reader.proposals.listCollaborators(target, signal) : null;
    const cvs = reads('cvs') ? await reader.proposals.listCvs(target, signal) : null;
    const references = reads('references') ? await reader.proposals.listReferences(target, signal) : null;
    const contents = describeContents({
      ...(collaborators === null ? {} : { collaborators }),
      ...(cvs === null ? {} : { cvs }),
      ...(references === null ? {} : { references }),
    });
    const known = mirror.get('proposals', target)?.values ?? {};
    const shown = observeProposal(proposal);
    mirror.save([withValues(shown, { ...known, ...shown.values, ...contents })], currentRound(mirror, 'proposals'));
    copies.set(target, [...(cvs ?? []).map(observeCvCopy), ...(references ?? []).map(observeReferenceCopy)]);
  }
}
