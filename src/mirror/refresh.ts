import { Cron } from 'croner';
import type { Clock } from '../base/clock.js';
import type { Config } from '../config/config.js';
import type { TagNames } from '../model/directory.js';
import { ENTITIES, type Entity, isAccount } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import type { Observed } from '../model/observed.js';
import type { OnProgress } from '../model/progress.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { WireProject } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { CUSTOM_FIELDS_MARK, loadDirectory } from './directory.js';
import { createCursor, cursorAfter, type FeedContext, isClockSetBack, noteAhead } from './feed-cursor.js';
import { type LookUps, MOST_LOOKUPS, settleOwned, settleUnseen } from './look-up.js';
import {
  observeCategory,
  observeCountry,
  observeCustomer,
  observeOffice,
  observeProject,
  observeTag,
  observeUser,
} from './observe.js';
import { readDefinitions } from './observe-parts.js';
import { contradict, type RefusedReads } from './refused-reads.js';
import { findWitness, noteWitness } from './witness.js';

export interface RefreshContext extends FeedContext {
  readonly config: Config;
  readonly reader: ServiceReader;
  readonly clock: Clock;
  /** Number of calls that the run may still send; infinite without a budget. */
  readonly callsLeft: () => number;
  readonly signal: AbortSignal | undefined;
  readonly lookUps: LookUps;
  /** Reads to make only once per run, even if several callers need them. */
  readonly once: Map<string, Promise<void>>;
  /** Called for each long step. */
  readonly onProgress?: OnProgress | undefined;
}

/** How the mirror was updated in this run. */
export interface MirrorEvidence {
  readonly users: 'full read' | 'feed' | 'not read';
  /** Users that the feed or full read returned. */
  readonly usersRead: number;
  /** Set if the read did not show a person whom the account must contain, so it may be another account. */
  readonly lacksWitness?: true;
}

/**
 * Updates the mirror. Every run reads `users/changes`. This feed does not report deactivation, reactivation, roles or
 * deletion (spec, User). So the entire account is also read at an interval, or if there is no cursor yet. `refused`
 * collects rejected reads; the mirror then keeps its earlier data.
 */
export async function refreshMirror(
  context: RefreshContext,
  full: boolean,
  refused: RefusedReads,
): Promise<MirrorEvidence> {
  const { config } = context;
  await refreshNames(context, refused);
  const { customers, projects } = config.streamMappings;
  const needsPeople =
    config.documents.some(({ kind }) => kind === 'cv_documents') ||
    ENTITIES.some((entity) => config.mappings[entity] !== undefined && refersToPeople(entity));
  if (customers !== undefined || projects !== undefined)
    await refused.attempt('customers', () => refreshCustomers(context));
  let evidence: MirrorEvidence = { users: 'not read', usersRead: 0 };
  if (!needsPeople) return evidence;
  await refused.attempt('users', async () => {
    evidence = await refreshUsers(context, full);
  });
  return evidence;
}

async function refreshUsers(context: RefreshContext, full: boolean): Promise<MirrorEvidence> {
  const { config, mirror, clock } = context;
  if (!full && !isFullReadDue(config, mirror, clock) && !isClockSetBack(context)) {
    const read = await readFeed(context);
    if (read !== 'overflow') return { users: 'feed', ...read };
  }
  return { users: 'full read', ...(await readAllUsers(context)) };
}

/** True for people and for entities that refer to them. */
function refersToPeople(entity: Entity): boolean {
  return isAccount(entity) || Object.values(FIELDS[entity]).some(({ to }) => isAccount(to));
}

/** Reads all offices and tags, with two calls per run. */
export async function refreshNames(context: RefreshContext, refused: RefusedReads): Promise<void> {
  await refused.attempt('offices', () => readOnce(context, 'offices', refreshOffices));
  await refused.attempt('tags', () => readOnce(context, 'tags', refreshTags));
}

function readOnce(
  context: RefreshContext,
  what: string,
  read: (context: RefreshContext) => Promise<void>,
): Promise<void> {
  const asked = context.once.get(what) ?? read(context);
  context.once.set(what, asked);
  return asked;
}

const MINUTE_MS = 60_000;
const FULL_READ_MARK = 'users.full_read_at';

/** Makes the next run read everyone again, because the last read may have been of another account. */
export function forgetFullRead(mirror: Pick<MirrorStore, 'setMark'>): void {
  mirror.setMark(FULL_READ_MARK, new Date(0).toISOString());
}

export function isFullReadDue(config: Config, mirror: MirrorStore, clock: Clock): boolean {
  const last = mirror.mark(FULL_READ_MARK);
  if (last === null || mirror.mark('users.cursor') === null) return true;
  // A wrong clock wrote this time. Otherwise, the next full read would not be due until after it.
  if (Date.parse(last) > clock.now() + MINUTE_MS) return true;
  const { fullRead, timezone } = config.schedule;
  const next = new Cron(fullRead, { timezone, paused: true }).nextRun(new Date(last));
  return next !== null && next.getTime() <= clock.now();
}

/** Replaces an entity in the mirror after a complete read. */
async function replaceAll(
  context: RefreshContext,
  entity: Observed['entity'],
  objects: readonly Observed[],
): Promise<void> {
  const round = nextRound(context.mirror, entity);
  context.mirror.save(objects, round);
  await settleUnseen(context, entity, round);
}

export function nextRound(mirror: MirrorStore, entity: Observed['entity']): number {
  const round = currentRound(mirror, entity) + 1;
  mirror.setMark(`${entity}.round`, String(round));
  return round;
}

export function currentRound(mirror: MirrorStore, entity: Observed['entity']): number {
  return Number(mirror.mark(`${entity}.round`) ?? 0);
}

async function refreshOffices(context: RefreshContext): Promise<void> {
  const countries = await context.reader.countries.list(context.signal);
  await replaceAll(context, 'countries', countries.map(observeCountry));
  const offices = countries.flatMap((country) => country.offices.map((office) => observeOffice(office, country)));
  await replaceAll(context, 'offices', offices);
}

async function refreshTags(context: RefreshContext): Promise<void> {
  const categories = await context.reader.tags.listCategories(context.signal);
  await replaceAll(context, 'tag_categories', categories.map(observeCategory));
  const tags = categories.flatMap((category) => category.custom_tags.map((tag) => observeTag(tag, category.id)));
  await replaceAll(context, 'tags', tags);
}

export async function refreshCustomers(context: RefreshContext): Promise<void> {
  const { reader, mirror, signal } = context;
  const round = nextRound(mirror, 'customers');
  const names = loadDirectory(mirror);
  for await (const page of reader.customers.list({ signal })) {
    mirror.save(
      page.map((customer) => observeCustomer(customer, names)),
      round,
    );
  }
  await settleUnseen(context, 'customers', round);
}

async function readFeed(context: RefreshContext): Promise<Omit<MirrorEvidence, 'users'> | 'overflow'> {
  const { reader, mirror, signal } = context;
  const since = mirror.mark('users.cursor') ?? '';
  const round = currentRound(mirror, 'users');
  const witness = findWitness(mirror);
  let isSeen = witness === null;
  let last: string | null = null;
  let read = 0;
  for await (const page of reader.users.readChanges({ since, signal })) {
    mirror.save(page.users.map(observeUser), round);
    read += page.users.length;
    isSeen ||= page.users.some(({ id }) => id === witness);
    last = page.users.at(-1)?.id ?? last;
    if (page.overflow) return 'overflow';
    // Saved after each page. An interrupted run resumes here without after_id, so it skips nobody.
    const cursor = cursorAfter(page.users, page.resumeFrom, context);
    if (cursor !== null) mirror.setMark('users.cursor', cursor);
  }
  if (!isSeen) return { usersRead: read, lacksWitness: true };
  if (last !== null) noteWitness(mirror, last);
  return { usersRead: read };
}

/**
 * Number of objects saved together. Their keys are spread over the table, so saving page by page would rewrite most of
 * it each time.
 */
const SAVED_TOGETHER = 1_500;

export async function readAllUsers(context: RefreshContext): Promise<Omit<MirrorEvidence, 'users'>> {
  const { reader, mirror, clock, logger, signal } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const round = nextRound(mirror, 'users');
  const cursor = createCursor(() => context.serviceTime());
  const witness = findWitness(mirror);
  let isSeen = witness === null;
  let read = 0;
  const unsaved: Observed[] = [];
  for await (const page of reader.users.search({ signal })) {
    unsaved.push(...page.users.map(observeUser));
    if (unsaved.length >= SAVED_TOGETHER) mirror.save(unsaved.splice(0), round);
    cursor.take(page.users);
    read += page.users.length;
    isSeen ||= page.users.some(({ id }) => id === witness);
  }
  mirror.save(unsaved, round);
  const unseen = mirror.unseen('users', round, MOST_LOOKUPS + 1);
  if (unseen.length > MOST_LOOKUPS) {
    logger.warn(
      { unseen: unseen.length, read },
      'the full read lacks many known users, so they are kept until the next one',
    );
  } else {
    // Paging by `from` skips or repeats people if the data changes at the same time.
    await settleUnseen(context, 'users', round);
  }
  const stamp = cursor.stamp();
  if (stamp !== null) mirror.setMark('users.cursor', stamp.text);
  noteAhead(mirror, stamp?.timely === false);
  mirror.setMark(FULL_READ_MARK, startedAt);
  return { usersRead: read, ...(isSeen ? {} : { lacksWitness: true }) };
}

/** Reads every project of the given customers, and looks up projects that are no longer in their lists. */
export async function refreshProjects(context: RefreshContext, customerIds: readonly string[]): Promise<void> {
  const round = nextRound(context.mirror, 'projects');
  const names = loadDirectory(context.mirror);
  for (const owner of customerIds) {
    const shown = await saveProjects(context, owner, round, names);
    await settleOwned(context, { entity: 'projects', by: 'customer_id', owner, isGone: false }, shown, round);
  }
}

/** @returns the ids of the projects shown */
async function saveProjects(
  { reader, mirror, signal }: RefreshContext,
  customerId: string,
  round: number,
  names: TagNames,
): Promise<ReadonlySet<string>> {
  const listed = await reader.projects.listInPieces(customerId, signal);
  if (listed === null && mirror.get('customers', customerId) !== null)
    throw contradict(`customer ${customerId}`, 'GET /api/v2/company/cv/projects');
  const shown = new Set<string>();
  for await (const projects of piecesOf(listed)) {
    const observed = projects.map((project) => observeProject(project, customerId, names));
    mirror.save(observed, round);
    noteCustomFields(mirror, projects);
    for (const { id } of projects) shown.add(id);
  }
  return shown;
}

type ListedProjects = Awaited<ReturnType<ServiceReader['projects']['listInPieces']>>;

function piecesOf(listed: ListedProjects): AsyncIterable<readonly WireProject[]> | Iterable<readonly WireProject[]> {
  if (listed === null) return [];
  return Symbol.asyncIterator in listed ? listed : [listed];
}

/** The service cannot list these definitions, but each project contains all of them (spec, Custom fields 7). */
export function noteCustomFields(mirror: MirrorStore, projects: readonly WireProject[]): void {
  const defined = readDefinitions(projects.find(({ custom_fields: fields }) => fields)?.custom_fields);
  if (defined !== null) mirror.setMark(CUSTOM_FIELDS_MARK, JSON.stringify(defined));
}
