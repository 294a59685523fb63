import { breathe, goInSteps } from '../base/clock.js';
import type { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { loadDirectory } from '../mirror/directory.js';
import { createCvReads } from '../mirror/refresh-cvs.js';
import type { RefusedReads } from '../mirror/refused-reads.js';
import { listQuestions } from '../model/config-question.js';
import type { Candidate } from '../model/desired.js';
import { ENTITIES, type Entity, isAccount, isLink, liesOnCv } from '../model/entity.js';
import { FIELDS, type FieldShape } from '../model/fields.js';
import { canonicalJson, type Json } from '../model/json.js';
import { plural } from '../model/plural.js';
import { shortHash } from '../model/sha256.js';
import type { ReadEvidence } from '../model/source.js';
import { listMoving } from '../reconcile/fields/list-moving.js';
import type { CauseEvidence } from '../reconcile/guard-cause.js';
import { holdUnanswered } from '../reconcile/hold-unanswered.js';
import { planUnowned } from '../reconcile/leavers/plan-unowned.js';
import { settleDeletions } from '../reconcile/leavers/settle-deletions.js';
import { suspectSamePersons } from '../reconcile/match/same-person.js';
import { orderAlikeNames, orderInSteps } from '../reconcile/order/order.js';
import type { Parking } from '../reconcile/order/park.js';
import type { EntitySettings, PassedRow } from '../reconcile/ports.js';
import { reconcileInSteps } from '../reconcile/reconcile.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import { countedFact } from './absence-book.js';
import type { DeriveContext } from './derive-context.js';
import { CONFIG_FACT, rowsFact } from './guard-facts.js';
import { createLeavers, type Leavers } from './leavers.js';
import { noteMissingPeople } from './missing-people.js';
import { loadPins } from './pins.js';
import { evidences } from './reads/evidence.js';
import { lookUpLinked } from './reads/look-up-linked.js';
import { readCvsFor } from './reads/read-cvs.js';
import { readUnlisted } from './reads/read-unlisted.js';
import { readUserTags } from './reads/read-user-tags.js';
import { areaOf, findRefusal, listUnread, listUnreadFields, type Unread } from './reads/unread.js';
import { createReconcilePorts } from './reconcile-ports.js';
import { listRemapped } from './remapped.js';
import type { StagedEntity } from './staging/stage-sources.js';
import { holdDrift } from './suspicions/engine-drift.js';
import { createSourceHolder } from './suspicions/hold-sources.js';
import { holdTwins } from './twins.js';
import { holdRespelled } from './vocabulary.js';

export interface Derivation {
  /** ISO 8601: the time used as now. */
  readonly now: string;
  /** The reads of this run. A source that is held completely counts as not read. */
  readonly staged: readonly StagedEntity[];
  readonly leavers: Leavers;
  readonly contextOf: ContextOf;
  /**
   * Entities for which nothing was derived, because their sources, or the data that they depend on in the service,
   * could not be read.
   */
  readonly stopped: readonly { readonly entity: Entity; readonly error: SyncError }[];
  /** Rows of leavers whose objects stay because of other records. */
  readonly passed: readonly PassedRow[];
  /** Reads that the service rejected, with everything that was left unchanged because of them. */
  readonly unread: readonly Unread[];
  readonly evidenceOf: (entity: Entity) => CauseEvidence;
  /** The settings that were used to reconcile an entity; null if nothing was derived for it. */
  readonly settingsOf: (entity: Entity) => EntitySettings | null;
}

/**
 * Matches and compares entity by entity, customers and people before the projects that refer to them. An entity whose
 * deciding source failed is left alone, because a missing file must not look like a company without people. So is an
 * entity that the key may not read from the service.
 */
export async function derivePlan(context: DeriveContext): Promise<Derivation> {
  const { config, stores, now, refused } = context;
  const pause = (): Promise<void> => breathe(context.refresh.signal);
  await pause();
  await goInSteps(stores.work.takeInSteps(), context.refresh.signal);
  const holder = createSourceHolder(config, stores, context);
  const { staged } = holder;
  const mayRead = context.serviceRead !== true;
  if (mayRead) await refused.attempt('cvs', () => readUserTags(context, loadDirectory(stores.mirror)));
  const shared = shareAll(context, holder);
  const stopped: { entity: Entity; error: SyncError }[] = [];
  const used = new Map<Entity, EntitySettings>();
  const { signal } = context.refresh;
  if (mayRead && context.isChecked === true) await goInSteps(holdDrift(context, shared.contextOf), signal);
  await goInSteps(judgeInSteps(holder), signal);
  for (const entity of ENTITIES) {
    if (config.mappings[entity] === undefined) continue;
    const { settings, error } = await deriveEntity(entity, context, shared);
    if (settings !== null) used.set(entity, settings);
    if (error !== null) stopped.push({ entity, error });
  }
  holder.holdEarlier();
  const judged = noteMissingPeople(staged(), shared.leavers.missingPeople(), context);
  stores.work.together(() => settleDeletions(shared.ports));
  stores.work.dropUnneeded();
  await pause();
  return {
    now,
    staged: judged,
    leavers: shared.leavers,
    contextOf: shared.contextOf,
    stopped,
    passed: shared.passed.filter((row) => used.has(row.entity)),
    unread: listUnread(config, refused),
    evidenceOf: (entity) => causeEvidence(entity, config, stores, judged),
    settingsOf: (entity) => used.get(entity) ?? null,
  };
}

/** Judges the sources by their rows, before anything is derived from them. */
function* judgeInSteps(holder: Shared['holder']): Generator<void, void> {
  for (const entity of ENTITIES) {
    holder.hold((yield* holder.judge(entity, 'staged')) ?? []);
    yield;
  }
}

/** Data shared by the derivations of all entities. */
interface Shared {
  readonly holder: ReturnType<typeof createSourceHolder>;
  readonly leavers: Leavers;
  readonly contextOf: ContextOf;
  readonly ports: ReturnType<typeof createReconcilePorts>;
  readonly cvReads: ReturnType<typeof createCvReads>;
  readonly remapped: ReturnType<typeof listRemapped>;
  readonly passed: readonly PassedRow[];
}

function shareAll(context: DeriveContext, holder: Shared['holder']): Shared {
  const { config, stores, now, protectedBy, refresh } = context;
  const evidenceOf = (entity: Entity): ReadEvidence | null => {
    const evidence = decidingEvidence(readOf(holder.staged(), entity));
    if (evidence === null || context.signalled !== true) return evidence;
    return { ...evidence, signalled: { countedAt: stores.history.fact(countedFact(entity)) } };
  };
  const directory = loadDirectory(stores.mirror);
  const contextOf = buildContexts(config, directory.digest);
  const leavers = createLeavers(config, stores, evidenceOf, now);
  const passed: PassedRow[] = [];
  const ports = createReconcilePorts({
    passed,
    stores,
    directory,
    contextOf,
    leavers,
    protectedBy,
    pins: loadPins(config, stores, now),
    existence: config.users?.existence ?? null,
    isDoubted: refresh.lookUps.isDoubted,
    lackOf: refresh.lookUps.lackOf,
    unownedProof: () => proveUnowned(evidenceOf('users'), context.usersFresh, stores),
    now,
    timezone: config.timezone,
    // A second derivation, which is only for comparison, reports no progress.
    onProgress: context.serviceRead === true ? undefined : refresh.onProgress,
  });
  const cvReads = createCvReads(refresh, directory);
  return { holder, leavers, contextOf, ports, cvReads, remapped: listRemapped(config, stores), passed };
}

/** The settings that were used to reconcile an entity, or the reason why nothing is derived for it. */
interface EntityDerived {
  readonly settings: EntitySettings | null;
  readonly error: SyncError | null;
}

async function deriveEntity(entity: Entity, context: DeriveContext, shared: Shared): Promise<EntityDerived> {
  const { stores, refresh } = context;
  const { holder, leavers, ports, remapped } = shared;
  await goInSteps(stores.work.takeInUnderSteps(entity, shared.contextOf(entity)), refresh.signal);
  const error = await readFor(entity, context, shared);
  if (error !== null) return { settings: null, error };
  const settings = settingsFor(context, entity, remapped(entity));
  await breathe(refresh.signal);
  const steps = deriveInSteps(settings, ports, () => holder.judge(entity, 'derived'));
  const doubtful = await stores.work.unlessInSteps(steps, () => breathe(refresh.signal));
  if (doubtful === null) {
    holdRespelled(context.config, entity, stores.work);
    holdTwins(entity, stores);
    return { settings, error: null };
  }
  holder.hold(doubtful);
  leavers.forget(entity);
  return { settings: null, error: doubtful[0].error };
}

/** Reads everything about an entity that no list shows; returns the reason to leave the entity alone, or null. */
async function readFor(
  entity: Entity,
  context: DeriveContext,
  { holder, contextOf, cvReads, ports, remapped }: Shared,
): Promise<SyncError | null> {
  const { config, refused } = context;
  const failed = readOf(holder.staged(), entity)?.deciding.find((read) => read.error !== null)?.error;
  if (failed) return failed;
  if (context.serviceRead !== true && findRefusal(config, entity, refused) === null) {
    const settings = settingsFor(context, entity, remapped(entity));
    const moving = (): Iterable<Candidate> =>
      listMoving(context.stores.work.candidates(entity, contextOf(entity)), settings, ports);
    const reading = { ...context, moving };
    await refused.attempt('cvs', () => readCvsFor(entity, reading, cvReads));
    await readUnlisted(entity, reading);
    await refused.attempt(areaOf(entity), () => lookUpLinked(entity, context));
  }
  return findRefusal(config, entity, refused);
}

/** Returns the doubts about the derived changes, which are then discarded. */
function* deriveInSteps<T>(
  settings: EntitySettings,
  ports: ReturnType<typeof createReconcilePorts>,
  judge: () => Generator<void, T>,
): Generator<void, T> {
  const { entity, parkingEmail, configDigest } = settings;
  yield* reconcileInSteps(settings, ports);
  if (isAccount(entity)) planUnowned(settings, ports);
  yield;
  const isAsked = settings.questions !== undefined;
  if (isAsked) {
    // This comes before joiners are set aside, because one of them may be a leaver.
    if (isAccount(entity)) yield* suspectSamePersons(ports);
    // This comes before the ordering, because a change that waits neither gives up an address nor takes one.
    yield* holdUnanswered(settings, ports);
  }
  yield* orderInSteps(entity, { email: parkingEmail, configDigest, ...spellingOf(settings.match) }, ports);
  yield;
  orderAlikeNames(entity, ports);
  yield;
  if (isAccount(entity) && !isAsked) yield* suspectSamePersons(ports);
  yield;
  return yield* judge();
}

/** How external ids are compared, if `match` declares that they are case-sensitive. */
function spellingOf(match: EntitySettings['match']): Pick<Parking, 'spelling'> {
  const entry = match.find(({ fields }) => fields.join() === 'external_unique_id');
  return entry?.compare.case === 'exact' ? { spelling: entry.compare } : {};
}

/** Proof that an account is unowned. It is null unless the entire account and every row were read, and every row was usable. */
function proveUnowned(existence: ReadEvidence | null, usersFresh: boolean, { work }: Stores): string | null {
  if (!usersFresh || existence?.complete !== true || existence.keyless === true) return null;
  // A delivery that is corrected shortly afterwards must not cost anyone the account.
  if (existence.signalled !== undefined) return null;
  if (work.unreadableUnlinked('users') > 0) return null;
  return `talent-sync neither created nor adopted it, and none of the ${plural(existence.rows, 'row')} of ${existence.source} matches it`;
}

/** Combines the reads that decide existence; if one of several streams is missing, nothing counts as absent. */
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
 * Builds the context under which a pair was found equal, in addition to its values. It consists of the rules of
 * reconciliation. If a mapping names offices or tags, it includes these too, because a name may get another meaning.
 * The effect of an expression shows in the values. Only references depend on the mapping of other objects. A different
 * context makes every pair a candidate again.
 */
function buildContexts(config: Config, directoryDigest: string): ContextOf {
  const contexts = new Map<Entity, string>();
  return (entity) => {
    const known = contexts.get(entity) ?? hashContext(config, entity, directoryDigest);
    contexts.set(entity, known);
    return known;
  };
}

function hashContext(config: Config, entity: Entity, directoryDigest: string): string {
  const fields = Object.keys(config.mappings[entity]?.fields ?? {}).map((name) => FIELDS[entity][name]);
  const isNaming = fields.some((field) => NAMING.has(field?.shape ?? 'text'));
  const isReferring = isLink(entity) || liesOnCv(entity) || fields.some((field) => field?.to !== undefined);
  const rules = { ...rulesOf(config, entity), protect: config.users?.protect, industries: config.industries };
  const parts = [rules, isNaming && directoryDigest, isReferring && config.digest];
  return shortHash(canonicalJson(JSON.parse(JSON.stringify(parts)) as Json));
}

const NAMING: ReadonlySet<FieldShape> = new Set(['office', 'offices', 'tags', 'tag_sets']);

function readOf(staged: readonly StagedEntity[], entity: Entity): StagedEntity | undefined {
  return staged.find((one) => one.entity === entity);
}

export function settingsOf(
  config: Config,
  entity: Entity,
  refused: RefusedReads,
  remapped: ReadonlySet<string>,
): EntitySettings {
  const unread = listUnreadFields(config, entity, refused);
  return { ...rulesOf(config, entity), configDigest: config.digest, unread, saysLeft: new Set(), remapped };
}

function settingsFor(
  { config, refused, mappers }: DeriveContext,
  entity: Entity,
  remapped: ReadonlySet<string>,
): EntitySettings {
  const saysLeft = new Set(mappers[entity]?.saysLeft ?? []);
  return { ...settingsOf(config, entity, refused, remapped), saysLeft };
}

function rulesOf(
  config: Config,
  entity: Entity,
): Omit<EntitySettings, 'configDigest' | 'unread' | 'saysLeft' | 'remapped'> {
  const mapping = config.mappings[entity];
  const { policy, drift, conflicts, tags } = config;
  return {
    entity,
    policy,
    drift,
    conflicts,
    match: mapping?.match ?? [],
    rules: mapping?.rules ?? {},
    writeBack: mapping?.writeBack ?? [],
    outOfScope: mapping !== undefined && 'outOfScope' in mapping ? mapping.outOfScope : 'keep',
    unowned: mapping !== undefined && 'unowned' in mapping ? mapping.unowned : 'keep',
    relinkWithinMs: isAccount(entity) ? (config.users?.relinkWithinMs ?? null) : null,
    purgeAfterMs: isAccount(entity) ? (config.users?.leaver.purge?.afterMs ?? null) : null,
    removes: mapping !== undefined && mapping.leaver !== null,
    ...(mapping?.leaver?.placeholderDates === true ? { placeholderDates: true } : {}),
    createMissingOffices: config.users?.createMissingOffices ?? false,
    createMissingTags: tags.createMissing,
    parkingEmail: config.users?.parkingEmail ?? null,
    ...questionsOf(config, entity),
  };
}

/** Left out if there are none, so that answering all questions does not make everyone a candidate again. */
function questionsOf({ mappings }: Config, entity: Entity): Pick<EntitySettings, 'questions'> {
  const mapping = mappings[entity];
  const questions = mapping === undefined ? [] : listQuestions(entity, mapping);
  return questions.length === 0 ? {} : { questions };
}

function causeEvidence(entity: Entity, config: Config, stores: Stores, staged: readonly StagedEntity[]): CauseEvidence {
  const reads = evidences(readOf(staged, entity)?.deciding);
  const before = reads.map(({ source }) => stores.history.fact(rowsFact(source)));
  const known = before.length > 0 && before.every((rows) => rows !== null);
  const digest = stores.history.fact(CONFIG_FACT);
  const broken = reads.filter(({ complete }) => !complete);
  const notWhole = broken.map(({ source, partial, incompleteBecause }) =>
    partial === true
      ? `${source} delivered only its changes`
      : `${source}: ${incompleteBecause ?? 'the reason is unknown'}`,
  );
  const [missing] = reads.flatMap((read) => (read.missing === undefined ? [] : [read.missing]));
  return {
    ...(missing === undefined ? {} : { missing }),
    ...(notWhole.length === 0 ? {} : { notWhole: notWhole.join('; ') }),
    configurationChanged: digest !== null && digest !== config.digest,
    rowsBefore: known ? before.reduce((sum, rows) => sum + Number(rows), 0) : null,
    rowsNow: reads.reduce((sum, { rows }) => sum + rows, 0),
  };
}
