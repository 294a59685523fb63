import { Cron } from 'croner';
import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import type { Observed } from '../model/observed.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { WireProject, WireUser } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror-store.js';
import { CUSTOM_FIELDS_MARK, loadDirectory } from './directory.js';
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

export interface RefreshContext {
  readonly config: Config;
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The service's own time at its newest answer, if it told; milliseconds since the epoch. */
  readonly serviceTime: () => number | null;
  readonly signal: AbortSignal | undefined;
}

/** More than this missing from a full read are not looked up one by one: the read itself is doubted. */
export const MOST_LOOKUPS = 200;

/** How the mirror came to be what it is in this run. */
export interface MirrorEvidence {
  readonly users: 'full read' | 'feed' | 'not read';
  /** Users the feed or full read delivered. */
  readonly usersRead: number;
}

/**
 * `users/changes` does not move on deactivation, reactivation, roles or deletion (spec, User), so it is taken every run
 * and the whole account is read again at an interval, or when there is no cursor yet.
 *
 * @param refused takes what the service refuses to show; the mirror keeps what it had of it
 */
export async function refreshMirror(
  context: RefreshContext,
  full: boolean,
  refused: RefusedReads,
): Promise<MirrorEvidence> {
  const { config } = context;
  await refreshNames(context, refused);
  const { customers, projects } = config.feeds;
  const needsPeople = ENTITIES.some((entity) => config.mappings[entity] !== undefined && refersToPeople(entity));
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
  if (!full && !isFullReadDue(config, mirror, clock)) {
    const read = await readFeed(context);
    if (read !== 'overflow') return { users: 'feed', usersRead: read };
  }
  return { users: 'full read', usersRead: await readAllUsers(context) };
}

/** People themselves, and whatever refers to them. */
function refersToPeople(entity: Entity): boolean {
  return entity === 'users' || Object.values(FIELDS[entity]).some(({ to }) => to === 'users');
}

/** Offices and tags, whole: two calls. */
export async function refreshNames(context: RefreshContext, refused: RefusedReads): Promise<void> {
  await refused.attempt('offices', () => refreshOffices(context));
  await refused.attempt('tags', () => refreshTags(context));
}

export function isFullReadDue(config: Config, mirror: MirrorStore, clock: Clock): boolean {
  const last = mirror.mark('users.full_read_at');
  if (last === null || mirror.mark('users.cursor') === null) return true;
  const { fullRead, timezone } = config.schedule;
  const next = new Cron(fullRead, { timezone, paused: true }).nextRun(new Date(last));
  return next !== null && next.getTime() <= clock.now();
}

/** Replaces the mirror's copy of something that was read whole. */
function replaceAll(mirror: MirrorStore, entity: Observed['entity'], objects: readonly Observed[]): void {
  const round = nextRound(mirror, entity);
  mirror.save(objects, round);
  const gone = mirror.unseen(entity, round, 1_000_000).map(({ id }) => id);
  mirror.remove(entity, gone);
}

export function nextRound(mirror: MirrorStore, entity: Observed['entity']): number {
  const round = currentRound(mirror, entity) + 1;
  mirror.setMark(`${entity}.round`, String(round));
  return round;
}

export function currentRound(mirror: MirrorStore, entity: Observed['entity']): number {
  return Number(mirror.mark(`${entity}.round`) ?? 0);
}

async function refreshOffices({ reader, mirror, signal }: RefreshContext): Promise<void> {
  const countries = await reader.countries.list(signal);
  replaceAll(mirror, 'countries', countries.map(observeCountry));
  const offices = countries.flatMap((country) => country.offices.map((office) => observeOffice(office, country)));
  replaceAll(mirror, 'offices', offices);
}

async function refreshTags({ reader, mirror, signal }: RefreshContext): Promise<void> {
  const categories = await reader.tags.listCategories(signal);
  replaceAll(mirror, 'tag_categories', categories.map(observeCategory));
  const tags = categories.flatMap((category) => category.custom_tags.map((tag) => observeTag(tag, category.id)));
  replaceAll(mirror, 'tags', tags);
}

async function refreshCustomers({ reader, mirror, signal }: RefreshContext): Promise<void> {
  const round = nextRound(mirror, 'customers');
  const names = loadDirectory(mirror);
  for await (const page of reader.customers.list({ signal })) {
    mirror.save(
      page.map((customer) => observeCustomer(customer, names)),
      round,
    );
  }
  // A server may deliver fewer than the page it was asked for, so who is not listed is asked for before it counts as gone.
  for (const { id, values } of mirror.unseen('customers', round, MOST_LOOKUPS)) {
    const external = values.external_unique_id;
    const found = typeof external === 'string' ? await reader.customers.find(external, signal) : null;
    if (found?.id === id) mirror.save([observeCustomer(found, names)], round);
    else mirror.remove('customers', [id]);
  }
}

async function readFeed(context: RefreshContext): Promise<number | 'overflow'> {
  const { reader, mirror, signal } = context;
  const since = mirror.mark('users.cursor') ?? '';
  const round = currentRound(mirror, 'users');
  let read = 0;
  for await (const page of reader.users.readChanges({ since, signal })) {
    mirror.save(page.users.map(observeUser), round);
    read += page.users.length;
    if (page.overflow) return 'overflow';
    // Page by page: a run that breaks off goes on from here, without after_id, so nobody is left out.
    mirror.setMark('users.cursor', page.resumeFrom);
  }
  return read;
}

export async function readAllUsers(context: RefreshContext): Promise<number> {
  const { reader, mirror, clock, logger, signal } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const round = nextRound(mirror, 'users');
  const cursor = createCursor(() => context.serviceTime());
  let read = 0;
  for await (const page of reader.users.search({ signal })) {
    mirror.save(page.users.map(observeUser), round);
    cursor.take(page.users);
    read += page.users.length;
  }
  const unseen = mirror.unseen('users', round, MOST_LOOKUPS + 1);
  if (unseen.length > MOST_LOOKUPS) {
    logger.warn({ unseen: unseen.length, read }, 'full read lacks many known users: they are kept until the next one');
  } else {
    // Paging by `from` shifts under concurrent change, so who seems deleted is asked for by id.
    for (const { id } of unseen) {
      const user = await reader.users.get(id, signal);
      if (user === null) mirror.remove('users', [id]);
      else mirror.save([observeUser(user)], round);
    }
  }
  const stamp = cursor.stamp();
  if (stamp !== null) mirror.setMark('users.cursor', stamp);
  mirror.setMark('users.full_read_at', startedAt);
  return read;
}

/**
 * Where the feed goes on after a full read: the newest stamp not later than the read's own start by the service's clock.
 * A later stamp could belong to the last page, while somebody on the first page changed a moment before it. A service
 * that tells no time, or another than its stamps have, leaves the newest stamp of the first page: whatever changes after
 * that page was made is stamped no earlier.
 */
function createCursor(serviceTime: () => number | null): {
  take(page: readonly WireUser[]): void;
  stamp(): string | null;
} {
  let startMs: number | null = null;
  let timely: Stamp | null = null;
  let first: Stamp | null = null;
  return {
    take(page) {
      startMs ??= serviceTime() ?? Number.NEGATIVE_INFINITY;
      const stamps = page.flatMap((user) => readStamp(user) ?? []);
      first ??= newestOf(stamps);
      const before = startMs;
      timely = newestOf([...(timely === null ? [] : [timely]), ...stamps.filter(({ ms }) => ms <= before)]);
    },
    stamp: () => (timely ?? first)?.text ?? null,
  };
}

interface Stamp {
  /** As the service wrote it. */
  readonly text: string;
  readonly ms: number;
}

function readStamp({ profile_updated_at: text }: WireUser): Stamp | null {
  const ms = text ? Date.parse(text) : Number.NaN;
  return text && !Number.isNaN(ms) ? { text, ms } : null;
}

function newestOf(stamps: readonly Stamp[]): Stamp | null {
  return stamps.reduce<Stamp | null>((best, stamp) => (best === null || stamp.ms > best.ms ? stamp : best), null);
}

/** Every project of the given customers; what a customer no longer lists is gone or another customer's. */
export async function refreshProjects(
  { reader, mirror, signal }: RefreshContext,
  customerIds: readonly string[],
): Promise<void> {
  const round = nextRound(mirror, 'projects');
  const names = loadDirectory(mirror);
  for (const customerId of customerIds) {
    const listed = await reader.projects.list(customerId, signal);
    if (listed === null && mirror.get('customers', customerId) !== null)
      throw contradict(`customer ${customerId}`, 'GET /api/v2/company/cv/projects');
    const projects = listed ?? [];
    mirror.save(
      projects.map((project) => observeProject(project, customerId, names)),
      round,
    );
    noteCustomFields(mirror, projects);
    const shown = new Set(projects.map(({ id }) => id));
    const known = mirror.findIds('projects', 'customer_id', customerId);
    mirror.remove(
      'projects',
      known.filter((id) => !shown.has(id)),
    );
  }
}

/** There is no list of the definitions: each project that is read names all of them (spec, Custom fields 7). */
export function noteCustomFields(mirror: MirrorStore, projects: readonly WireProject[]): void {
  const defined = readDefinitions(projects.find(({ custom_fields: fields }) => fields)?.custom_fields);
  if (defined !== null) mirror.setMark(CUSTOM_FIELDS_MARK, JSON.stringify(defined));
}
