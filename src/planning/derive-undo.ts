import { readEntries } from '../audit/audit-log.js';
import { originalOf } from '../audit/pseudonyms.js';
import type { Config } from '../config/config.js';
import { SyncError } from '../errors.js';
import { loadDirectory } from '../mirror/directory.js';
import { observeProject, observeUser } from '../mirror/observe.js';
import { currentRound, type RefreshContext } from '../mirror/refresh.js';
import { idOfIn } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { PARENTS } from '../model/entity-keys.js';
import { FIELDS } from '../model/fields.js';
import { isJsonObject, type Json, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import type { EntitySettings } from '../reconcile/ports.js';
import { foldRun, type RunEntry, type RunWork } from '../reconcile/run-work.js';
import { planUndo } from '../reconcile/undo.js';
import type { UndoPorts } from '../reconcile/undo-ports.js';
import type { Stores } from '../store/open-stores.js';
import { type Derivation, settingsOf } from './derive-plan.js';
import type { Leavers } from './leavers.js';
import { matchesOnly } from './only.js';
import { digestMapping } from './pins.js';
import { createReconcilePorts } from './reconcile-ports.js';

/** Which run is to be taken back, and why. */
export interface UndoRequest {
  readonly run: string;
  /** Blank for none given. */
  readonly reason: string;
}

export interface UndoContext {
  readonly config: Config;
  readonly stores: Stores;
  readonly refresh: RefreshContext;
  readonly protectedBy: (user: Observed) => string | null;
  /** ISO 8601. */
  readonly now: string;
  /** True when this run has read every user of the account. */
  readonly usersFresh: boolean;
}

/** So many people are read one by one at most; for more, the whole account takes fewer calls (500 a page). */
export function isFullReadCheaper(works: readonly RunWork[], known: number): boolean {
  const people = works.filter(({ entity }) => entity === 'users').length;
  return people > Math.floor(known / 500) + 1;
}

/**
 * What the run did, object by object.
 *
 * @param only `user:jane@example.com`: what it did to that object, and nothing else
 * @throws SyncError SYNC_NOT_FOUND when no run, or nothing of it, goes by that name
 */
export function findWorks(stores: Stores, run: string, only: string | null): readonly RunWork[] {
  const told = [...readEntries(stores.audit)].filter((entry) => entry.run === run);
  // As long as the journal keeps the values behind the pseudonyms, they can be put back.
  const ofRun = told.map((entry) => originalOf(stores, entry) ?? entry);
  if (ofRun.length === 0 && stores.history.findRun(run) === null) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `There is no run ${run}, neither in the history nor in the audit.`,
      place: 'undo',
      remedy: '`talent-sync runs` lists the runs that are kept.',
    });
  }
  if (only === null) return foldRun(ofRun);
  const matches = matchesOnly(only);
  const chosen = ofRun.filter((entry) => matches(entry as unknown as Change));
  if (chosen.length > 0) return foldRun(chosen);
  throw new SyncError('SYNC_NOT_FOUND', {
    message: `The run ${run} did nothing to ${only}.`,
    place: '--only',
    remedy: `\`talent-sync audit list --run ${run}\` shows what it did.`,
  });
}

/**
 * Derives the plan that takes a run back: what the audit says it did, held against what the service holds now. Objects
 * whose state no list of this run shows are read by id: of people the feed is silent about roles and activation.
 */
export async function deriveUndo(
  context: UndoContext,
  request: UndoRequest,
  works: readonly RunWork[],
): Promise<Derivation> {
  const { config, stores } = context;
  await readPeople(context, works);
  const linked = await readProjects(context, works);
  const ports = createUndoPorts(context, request, linked);
  stores.work.together(() => planUndo(works, ports));
  stores.work.dropUnneeded();
  const cause = { configurationChanged: false, rowsBefore: null, rowsNow: 0, undoes: request.run };
  return {
    leavers: NO_LEAVERS,
    contextOf: () => config.digest,
    stopped: [],
    evidenceOf: () => cause,
  };
}

const NOBODY = { due: false, text: 'the sources are not asked' };
const NO_LEAVERS: Leavers = {
  explicit: () => NOBODY,
  gone: () => NOBODY,
  absent: () => NOBODY,
  outOfScope: () => NOBODY,
  toAsk: () => [],
  proof: () => null,
  save: () => undefined,
};

async function readPeople({ stores, refresh, usersFresh }: UndoContext, works: readonly RunWork[]): Promise<void> {
  if (usersFresh) return;
  const { mirror } = stores;
  for (const { entity, target } of works) {
    if (entity !== 'users' || target === null) continue;
    const user = await refresh.reader.users.get(target, refresh.signal);
    if (user === null) mirror.remove('users', [target]);
    else mirror.save([observeUser(user)], currentRound(mirror, 'users'));
  }
}

/** Every project of the run as it is now, and all of the customers it made; answers the ones that CVs are linked to. */
async function readProjects({ stores, refresh }: UndoContext, works: readonly RunWork[]): Promise<ReadonlySet<string>> {
  const { mirror } = stores;
  const { reader, signal } = refresh;
  const linked = new Set<string>();
  const names = loadDirectory(mirror);
  const keep = (project: Parameters<typeof observeProject>[0], customerId: string): void => {
    mirror.save([observeProject(project, customerId, names)], currentRound(mirror, 'projects'));
    if (project.has_linked_project_experiences === true) linked.add(project.id);
  };
  for (const work of works) {
    const { entity, target, turn } = work;
    if (target === null) continue;
    if (entity === 'customers' && turn === 'create' && mirror.get('customers', target) !== null) {
      for (const project of await reader.projects.list(target, signal)) keep(project, target);
    }
    if (entity !== 'projects' || turn === 'delete') continue;
    const customerId = customerOf(work, stores);
    const project = customerId === null ? null : await reader.projects.get(customerId, target, { signal });
    if (project !== null && customerId !== null) keep(project, customerId);
    else mirror.remove('projects', [target]);
  }
  return linked;
}

function customerOf({ key, target, after }: RunWork, { mirror, links }: Stores): string | null {
  const known = target === null ? undefined : mirror.get('projects', target)?.values.customer_id;
  if (typeof known === 'string') return known;
  const word = after.customer ?? links.find('projects', key)?.agreed?.customer;
  return typeof word === 'string' ? idOfIn(loadDirectory(mirror))('customers', word) : null;
}

/** Lists that every run reads whole, whatever is mapped. */
const ALWAYS_READ: ReadonlySet<Entity> = new Set(['countries', 'offices', 'tag_categories', 'tags']);

function createUndoPorts(context: UndoContext, { run, reason }: UndoRequest, linked: ReadonlySet<string>): UndoPorts {
  const { config, stores, protectedBy, now } = context;
  const { mirror, links } = stores;
  const ports = createReconcilePorts({
    stores,
    directory: loadDirectory(mirror),
    contextOf: () => config.digest,
    explicitLeaver: () => NOBODY,
    goneLeaver: () => NOBODY,
    absentLeaver: () => NOBODY,
    outOfScopeLeaver: () => NOBODY,
    unownedProof: () => NOBODY,
    now,
    protectedBy,
    pins: () => [],
  });
  return {
    ...ports,
    run,
    reason,
    parking: { email: config.users?.parkingEmail ?? null, configDigest: config.digest },
    link: (entity, key) => links.find(entity, key),
    settings: (entity) => settingsForUndo(config, entity),
    isRead: (entity) => ALWAYS_READ.has(entity) || config.mappings[entity] !== undefined,
    digestMapping: (entity, path) => digestMapping(config, entity, path),
    belonging: (entity, to) =>
      mirror.findIds(entity, PARENTS[entity] ?? '', to).flatMap((id) => ports.observed(entity, id) ?? []),
    usersIn: (officeId) => [...mirror.all('users')].filter(({ values }) => values.office_id === officeId),
    isLinkedToCvs: (projectId) => linked.has(projectId),
    tagged: (category, tag) => findTagged(context, run, category, tag),
  };
}

/** Nothing that is missing is created for the sake of an undo: the names it puts back were there. */
function settingsForUndo(config: Config, entity: Entity): EntitySettings {
  const settings = settingsOf(config, entity) ?? {
    entity,
    policy: config.policy,
    drift: config.drift,
    conflicts: config.conflicts,
    match: [],
    rules: {},
    outOfScope: 'keep',
    unowned: 'keep',
    removes: false,
    createMissingOffices: false,
    createMissingTags: false,
    configDigest: config.digest,
  };
  return { ...settings, createMissingOffices: false, createMissingTags: false };
}

/** To whom other runs have given a tag, and nobody has given another one since; runs are asked by the audit. */
function findTagged({ stores }: UndoContext, run: string, category: string, tag: string): readonly string[] {
  const holders = new Map<string, boolean>();
  for (const entry of readEntries(stores.audit)) {
    const names = tagsOf(entry, category);
    if (names !== null) holders.set(`${entry.entity}:${entry.key}`, names.includes(tag) && entry.run !== run);
  }
  return [...holders].flatMap(([ref, holds]) => (holds ? [ref] : [])).sort();
}

/** The tags of a category that a change wrote; null when it did not touch the category. */
function tagsOf({ entity, after, result }: RunEntry, category: string): readonly string[] | null {
  if (result === 'refused' || result === 'lost' || !isJsonObject(after)) return null;
  const fields = FIELDS[entity as Entity];
  for (const [name, value] of Object.entries(after as Values)) {
    const shape = fields[name]?.shape;
    if ((shape !== 'tags' && shape !== 'tag_sets') || !isJsonObject(value) || !(category in value)) continue;
    const item: Json = value[category] ?? null;
    return Array.isArray(item) ? (item as readonly Json[]).map(String) : item === null ? [] : [String(item)];
  }
  return null;
}
