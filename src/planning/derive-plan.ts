import { createHash } from 'node:crypto';
import type { Config } from '../config/config.js';
import type { SyncError } from '../errors.js';
import { loadDirectory } from '../mirror/directory.js';
import { learnIndustries } from '../mirror/industries.js';
import { observeFoundProject } from '../mirror/observe.js';
import { currentRound, type RefreshContext, refreshProjects } from '../mirror/refresh.js';
import { createCvReads } from '../mirror/refresh-cvs.js';
import type { StagedEntity, StreamRead } from '../mirror/stage-sources.js';
import type { Candidate } from '../model/desired.js';
import { idOfIn } from '../model/directory.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { FIELDS, type FieldShape } from '../model/fields.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { ReadEvidence } from '../model/source.js';
import type { CauseEvidence } from '../reconcile/guard-cause.js';
import { orderAlikeNames, orderUniqueValues } from '../reconcile/order.js';
import { planUnowned } from '../reconcile/plan-unowned.js';
import type { EntitySettings, LeaverVerdict } from '../reconcile/ports.js';
import { reconcileEntity } from '../reconcile/reconcile.js';
import { suspectSamePersons } from '../reconcile/same-person.js';
import { settleDeletions } from '../reconcile/settle-deletions.js';
import type { ContextOf } from '../store/link-store.js';
import type { Stores } from '../store/open-stores.js';
import { createLeavers, type Leavers } from './leavers.js';
import { loadPins } from './pins.js';
import { readCvsFor } from './read-cvs.js';
import { readProposals } from './read-proposals.js';
import { readUserTags } from './read-user-tags.js';
import { createReconcilePorts } from './reconcile-ports.js';

export interface Derivation {
  readonly leavers: Leavers;
  readonly contextOf: ContextOf;
  /** Entities whose sources could not be read: nothing was derived for them. */
  readonly stopped: readonly { readonly entity: Entity; readonly error: SyncError }[];
  readonly evidenceOf: (entity: Entity) => CauseEvidence;
}

export interface DeriveContext {
  readonly config: Config;
  readonly stores: Stores;
  readonly refresh: RefreshContext;
  readonly staged: readonly StagedEntity[];
  readonly protectedBy: (user: Observed) => string | null;
  /** ISO 8601; grace and intervals are counted to it. */
  readonly now: string;
  /** True when this run has asked the service for all it needs: a second derivation asks it nothing. */
  readonly serviceRead?: boolean;
  /** True when this run has read every user of the account; every project in scope is read then too, not only those that seem to change. */
  readonly usersFresh: boolean;
}

/**
 * Correlates and compares entity by entity, customers and people before the projects that refer to them. An entity whose
 * deciding source failed is left alone: a missing file must not look like a company without people.
 */
export async function derivePlan(context: DeriveContext): Promise<Derivation> {
  const { config, stores, staged, now } = context;
  if (context.serviceRead !== true) await readUserTags(context, loadDirectory(stores.mirror));
  const directory = loadDirectory(stores.mirror);
  const cvReads = createCvReads(context.refresh, directory);
  const contextOf = buildContexts(config, directory.digest);
  const leavers = createLeavers(config, stores, (entity) => decidingEvidence(readOf(staged, entity)), now);
  const ports = createReconcilePorts({
    stores,
    directory,
    contextOf,
    explicitLeaver: leavers.explicit,
    goneLeaver: leavers.gone,
    absentLeaver: leavers.absent,
    outOfScopeLeaver: leavers.outOfScope,
    protectedBy: context.protectedBy,
    pins: loadPins(config, stores),
    unownedProof: () => proveUnowned(decidingEvidence(readOf(staged, 'users')), context.usersFresh, stores),
    now,
  });
  const stopped: { entity: Entity; error: SyncError }[] = [];
  for (const entity of ENTITIES) {
    const settings = settingsOf(config, entity);
    if (settings === null) continue;
    const failed = readOf(staged, entity)?.deciding.find((read) => read.error !== null)?.error;
    if (failed) {
      stopped.push({ entity, error: failed });
      continue;
    }
    if (context.serviceRead !== true) {
      await readCvsFor(entity, context, contextOf(entity), cvReads);
      await READS[entity]?.(context, contextOf(entity));
    }
    stores.work.together(() => {
      reconcileEntity(settings, ports);
      if (entity === 'users') planUnowned(settings, ports);
      orderUniqueValues(entity, { email: config.users?.parkingEmail ?? null, configDigest: config.digest }, ports);
      orderAlikeNames(entity, ports);
      if (entity === 'users') suspectSamePersons(ports);
    });
  }
  stores.work.together(() => settleDeletions(ports));
  stores.work.dropUnneeded();
  return { leavers, contextOf, stopped, evidenceOf: (entity) => causeEvidence(entity, config, stores, staged) };
}

/** That nobody stands for an account is known when the whole account and every row were seen, and every row could be read. */
function proveUnowned(existence: ReadEvidence | null, usersFresh: boolean, { work }: Stores): LeaverVerdict {
  if (!usersFresh) return { due: false, text: 'the account was not read whole in this run' };
  if (existence?.complete !== true) return { due: false, text: 'the source was not read whole' };
  if (work.unreadableUnlinked('users') > 0) return { due: false, text: 'a row that cannot be used may stand for it' };
  const text = `talent-sync neither created nor adopted it, and none of the ${existence.rows} rows of ${existence.source} matches it`;
  return { due: true, text };
}

/** What of an entity the service shows in no list that every run reads; read once it is known what may change. */
const READS: Readonly<Partial<Record<Entity, (context: DeriveContext, contextHash: string) => Promise<void>>>> = {
  customers: readIndustries,
  projects: readProjectsInScope,
  staffing: readLinkedProjects,
  proposals: ({ stores, refresh, usersFresh }, contextHash) => readProposals(stores, refresh, usersFresh, contextHash),
};

/** All the reads that decide what exists as one: of several streams, none may be missing for something to be absent. */
function decidingEvidence(staged: StagedEntity | undefined): ReadEvidence | null {
  const reads = evidences(staged?.deciding);
  const [first] = reads;
  if (first === undefined || reads.length < (staged?.deciding.length ?? 0)) return null;
  if (reads.length === 1) return first;
  const broken = reads.find(({ complete }) => !complete);
  return {
    ...(broken ?? first),
    source: reads.map(({ source }) => source).join(' and '),
    delivery: reads.map(({ delivery }) => delivery).join('; '),
    rows: reads.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/**
 * Under what a pair was found equal: the configuration, and where a mapping names offices or tags also these, since they
 * may come to stand for others. Another context makes every pair a candidate once more.
 */
function buildContexts(config: Config, directoryDigest: string): ContextOf {
  const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
  const [naming, others] = [hash(`${config.digest}\n${directoryDigest}`), hash(config.digest)];
  const names = new Set(
    ENTITIES.filter((entity) => {
      const fields = Object.keys(config.mappings[entity]?.fields ?? {});
      return fields.some((name) => NAMING.has(FIELDS[entity][name]?.shape ?? 'text'));
    }),
  );
  return (entity) => (names.has(entity) ? naming : others);
}

const NAMING: ReadonlySet<FieldShape> = new Set(['office', 'tags', 'tag_sets']);

function readOf(staged: readonly StagedEntity[], entity: Entity): StagedEntity | undefined {
  return staged.find((one) => one.entity === entity);
}

export function settingsOf(config: Config, entity: Entity): EntitySettings | null {
  const mapping = config.mappings[entity];
  if (mapping === undefined) return null;
  const { policy, drift, conflicts, tags, digest } = config;
  return {
    entity,
    policy,
    drift,
    conflicts,
    match: mapping.match,
    rules: mapping.rules,
    outOfScope: 'outOfScope' in mapping ? mapping.outOfScope : 'keep',
    unowned: 'unowned' in mapping ? mapping.unowned : 'keep',
    removes: mapping.leaver !== null,
    createMissingOffices: config.users?.createMissingOffices ?? false,
    createMissingTags: tags.createMissing,
    configDigest: digest,
  };
}

/** Industries that the candidates name; the service is searched for unknown ones at a full read only. */
async function readIndustries(
  { config, stores, refresh, usersFresh }: DeriveContext,
  contextHash: string,
): Promise<void> {
  if (config.mappings.customers?.fields.industry === undefined) return;
  const wanted = new Set<string>();
  for (const { desired } of eachCandidate(stores, 'customers', contextHash)) {
    const { industry } = desired.values;
    if (typeof industry === 'string') wanted.add(industry);
  }
  const { mirror, reader, signal } = refresh;
  await learnIndustries({ mirror, reader, signal, wanted, configured: config.industries, mayRead: usersFresh });
}

/**
 * Projects have no feed and are listed customer by customer, so only the customers of projects that may change are read,
 * and all in scope when a full read is due. Besides the customer that a record names these are the ones under which its
 * project is known: nothing is compared, and then written, that this run has not read. A linked project that no customer
 * lists may have moved to another: it is looked up before it is taken for deleted.
 */
async function readProjectsInScope({ stores, refresh, usersFresh }: DeriveContext, contextHash: string): Promise<void> {
  const { work, mirror } = stores;
  const directory = loadDirectory(mirror);
  const externalIds = usersFresh ? work.customersOfStaged() : work.customersOfCandidates(contextHash);
  const ids = new Set(externalIds.flatMap((id) => idOfIn(directory)('customers', id) ?? takerOf(id, work) ?? []));
  for (const candidate of eachCandidate(stores, 'projects', contextHash)) {
    for (const id of knownAs(candidate, mirror)) {
      const customerId = mirror.get('projects', id)?.values.customer_id;
      if (typeof customerId === 'string') ids.add(customerId);
    }
  }
  await refreshProjects(refresh, [...ids]);
  for (const { desired, linkedId } of eachCandidate(stores, 'projects', contextHash)) {
    const external = desired.values.external_unique_id;
    if (linkedId === null || mirror.get('projects', linkedId) !== null || typeof external !== 'string') continue;
    const found = await refresh.reader.projects.find(external, refresh.signal);
    if (found?.kind !== 'one') continue;
    // Found without its custom fields, which only its customer's list shows.
    const customerId = found.project.company_customer_id ?? '';
    if (!ids.has(customerId)) await refreshProjects(refresh, [customerId]);
    ids.add(customerId);
  }
}

/** The project a record is linked to, or those that have its external id. */
function knownAs({ desired, linkedId }: Candidate, mirror: Stores['mirror']): readonly string[] {
  if (linkedId !== null) return [linkedId];
  const external = desired.values.external_unique_id;
  return typeof external === 'string' ? mirror.findIds('projects', 'external_unique_id', foldKey(external)) : [];
}

function* eachCandidate({ work }: Stores, entity: Entity, contextHash: string): Iterable<Candidate> {
  for (let row = 0; ; ) {
    const page = work.candidates(entity, contextHash, row, 500);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    row = last.row;
  }
}

/**
 * Projects that people are linked to, but that no feed of projects delivers: found by the search, page by page, when
 * everything is read, and only those that are named.
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

/** The customer that is about to get an external id: one adopted by its name has its projects under no id that is known yet. */
function takerOf(externalId: string, work: Stores['work']): string | null {
  const [key] = work.claimants('customers.external_unique_id', foldKey(externalId));
  return key === undefined ? null : (work.planned(`customers:${key}`)?.target ?? null);
}

/** Facts about the last run that went through without a guard: what a trip is compared with. */
export const CONFIG_FACT = 'guards.config';
/** JSON: the deciding parts of its configuration. */
export const MAPPING_FACT = 'guards.mapping';
export const RUN_FACT = 'guards.run';
export function rowsFact(source: string): string {
  return `guards.rows.${source}`;
}

function causeEvidence(entity: Entity, config: Config, stores: Stores, staged: readonly StagedEntity[]): CauseEvidence {
  const reads = evidences(readOf(staged, entity)?.deciding);
  const before = reads.map(({ source }) => stores.history.fact(rowsFact(source)));
  const known = before.length > 0 && before.every((rows) => rows !== null);
  const digest = stores.history.fact(CONFIG_FACT);
  return {
    configurationChanged: digest !== null && digest !== config.digest,
    rowsBefore: known ? before.reduce((sum, rows) => sum + Number(rows), 0) : null,
    rowsNow: reads.reduce((sum, { rows }) => sum + rows, 0),
  };
}

export function evidences(reads: readonly StreamRead[] | undefined): readonly ReadEvidence[] {
  return (reads ?? []).flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
}
