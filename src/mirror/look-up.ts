import type { TagNames } from '../model/directory.js';
import { type Entity, isSection, liesOnCv } from '../model/entity.js';
import type { Values } from '../model/json.js';
import { keyValues, type Observed } from '../model/observed.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { loadDirectory } from './directory.js';
import { observeCustomer, observeProject, observeTag, observeUser } from './observe.js';
import { observeLink, observeSection } from './observe-cv.js';
import { observeProposal } from './observe-proposal.js';

/** A linked or previously read object that a list does not show. */
export interface Sought {
  readonly entity: Entity;
  readonly id: string;
  /** Values to search by, from the mirror or from a link and its record. */
  readonly values: Values;
}

/** `unknown` means that no read can show if the object exists. */
export type LookedUp = Observed | 'gone' | 'unknown';

export interface LookUpContext {
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly signal: AbortSignal | undefined;
}

type LookUp = (sought: Sought, context: LookUpContext & { readonly names: TagNames }) => Promise<LookedUp>;

/**
 * Look-ups by entity. A list may be incomplete even if the answer is 200. So a linked or mirrored object counts as
 * deleted, and may be created again, only after a look-up shows that it is gone.
 *
 * | entity                              | look-up                                                            |
 * |-------------------------------------|--------------------------------------------------------------------|
 * | users, proposals                    | by id                                                              |
 * | projects                            | by id under its customer; if it has moved, by external id          |
 * | sections, staffing                  | the section by id                                                  |
 * | customers                           | by external id, then by name in the list                           |
 * | tags                                | the list of its category; absence from that list proves nothing    |
 * | countries, offices, tag categories  | none: there is only one list of them                               |
 *
 * If no look-up can decide, an object counts as deleted once two runs in a row do not see it.
 */
const LOOK_UPS: Readonly<Partial<Record<Entity, LookUp>>> = {
  async users({ id }, { reader, signal }) {
    const user = await reader.users.get(id, signal);
    return user === null ? 'gone' : observeUser(user);
  },
  async proposals({ id }, { reader, signal }) {
    const proposal = await reader.proposals.get(id, signal);
    return proposal === null ? 'gone' : observeProposal(proposal);
  },
  customers: lookUpCustomer,
  projects: lookUpProject,
  async tags({ id, values }, { reader, signal }) {
    if (typeof values.category_id !== 'string') return 'unknown';
    for await (const page of reader.tags.list(values.category_id, { signal })) {
      const tag = page.find((one) => one.id === id);
      if (tag !== undefined) return observeTag(tag, values.category_id);
    }
    return 'unknown';
  },
};

const always = (): boolean => true;
/** Entities that can only be read in a list, with the condition for it. */
const LISTED_ALONE: Readonly<Partial<Record<Entity, (values: Values) => boolean>>> = {
  countries: always,
  offices: always,
  tag_categories: always,
  tags: always,
  customers: ({ external_unique_id: external }) => typeof external !== 'string',
};

export function isListedAlone({ entity, values }: Sought): boolean {
  return LISTED_ALONE[entity]?.(values) === true;
}

/** Maximum number of single look-ups. If a run's lists lack more objects than this, the lists themselves are in doubt. */
export const MOST_LOOKUPS = 200;

/** The look-ups of one run. Each object is looked up only once. */
export type LookUps = ReturnType<typeof createLookUps>;

export function createLookUps(context: LookUpContext) {
  const found = new Map<string, Promise<LookedUp>>();
  const doubted = new Set<string>();
  const lacking = new Map<Entity, string>();
  const nameOf = (entity: Entity, id: string): string => `${entity} ${id}`;
  return {
    find(sought: Sought): Promise<LookedUp> {
      const name = nameOf(sought.entity, sought.id);
      const known = found.get(name);
      if (known !== undefined) return known;
      const asked = found.size < MOST_LOOKUPS ? lookUp(sought, context) : Promise.resolve<LookedUp>('unknown');
      found.set(name, asked);
      return asked;
    },
    /** Marks a linked object that was neither seen nor proven gone. Nothing is created or changed for its record. */
    doubt: (entity: Entity, id: string) => void doubted.add(nameOf(entity, id)),
    isDoubted: (entity: Entity, id: string) => doubted.has(nameOf(entity, id)),
    /** Notes that a list lacks an object that a look-up found. In this run, no objects of this entity are created. */
    lack: (entity: Entity, label: string) => void lacking.set(entity, label),
    /** The label of the missing object; null if the list can be trusted. */
    lackOf: (entity: Entity) => lacking.get(entity) ?? null,
  };
}

export function lookUp(sought: Sought, context: LookUpContext): Promise<LookedUp> {
  const { entity } = sought;
  const find = liesOnCv(entity) ? lookUpOnCv : LOOK_UPS[entity];
  return find?.(sought, { ...context, names: loadDirectory(context.mirror) }) ?? Promise.resolve('unknown');
}

interface UnseenContext {
  readonly mirror: MirrorStore;
  readonly lookUps: LookUps;
}

/**
 * Looks up every object that a list did not show. An object is removed from the mirror if its look-up shows that it is
 * gone. If no look-up can decide, it is removed once two lists in a row lack it.
 */
export async function settleUnseen({ mirror, lookUps }: UnseenContext, entity: Entity, round: number): Promise<void> {
  for (const object of mirror.unseen(entity, round, MOST_LOOKUPS)) await settleOne(object);

  async function settleOne(object: Observed): Promise<void> {
    const now = await lookUps.find(object);
    const isUnseenTwice = isListedAlone(object) && mirror.seen(entity, object.id) < round - 1;
    takeFound(mirror, object, now === 'unknown' && isUnseenTwice ? 'gone' : now, round);
  }
}

/**
 * Looks up an owner's objects that a read of all of them did not show. If `isGone` is true, the owner is gone, and so
 * are these objects.
 */
export async function settleOwned(
  { mirror, lookUps }: UnseenContext,
  owned: { readonly entity: Entity; readonly by: string; readonly owner: string; readonly isGone: boolean },
  shown: ReadonlySet<string>,
  round: number,
): Promise<void> {
  for (const id of mirror.findIds(owned.entity, owned.by, owned.owner)) {
    const known = shown.has(id) ? null : mirror.get(owned.entity, id);
    if (known !== null) takeFound(mirror, known, owned.isGone ? 'gone' : await lookUps.find(known), round);
  }
}

function takeFound(mirror: MirrorStore, { entity, id }: Observed, found: LookedUp, round: number): void {
  if (found === 'gone') mirror.remove(entity, [id]);
  else if (found !== 'unknown') mirror.save([found], round);
}

/**
 * Returns true if an earlier run also missed the object. The first miss is stored, and cleared once the object is seen.
 *
 * @param now ISO 8601, the same for the entire run
 */
export function wasMissed(mirror: MirrorStore, what: string, isMissing: boolean, now: string): boolean {
  const mark = `unseen.${what}`;
  const since = mirror.mark(mark) ?? '';
  if (isMissing && since === '') mirror.setMark(mark, now);
  if (!isMissing && since !== '') mirror.setMark(mark, '');
  return since !== '' && since !== now;
}

async function lookUpCustomer(
  { id, values }: Sought,
  { reader, signal, names }: Parameters<LookUp>[1],
): Promise<LookedUp> {
  const external = values.external_unique_id;
  const found = typeof external === 'string' ? await reader.customers.find(external, signal) : null;
  if (found?.id === id) return observeCustomer(found, names);
  // The customer's external id may have been changed in the service.
  const [name] = keyValues(values.customer_name);
  if (name !== undefined) {
    for await (const page of reader.customers.list({ name, signal })) {
      const customer = page.find((one) => one.id === id);
      if (customer !== undefined) return observeCustomer(customer, names);
    }
  }
  return found === null && typeof external === 'string' ? 'gone' : 'unknown';
}

async function lookUpProject(
  { id, values }: Sought,
  { reader, signal, names }: Parameters<LookUp>[1],
): Promise<LookedUp> {
  const { customer_id: customerId, external_unique_id: external } = values;
  if (typeof customerId === 'string') {
    const project = await reader.projects.get(customerId, id, { signal });
    if (project !== null) return observeProject(project, customerId, names);
  }
  if (typeof external !== 'string') return typeof customerId === 'string' ? 'gone' : 'unknown';
  const found = await reader.projects.find(external, signal);
  if (found?.kind === 'several') return found.projectIds.includes(id) ? 'unknown' : 'gone';
  if (found === null || found.project.id !== id) return 'gone';
  const now = found.project.company_customer_id ?? '';
  const whole = await reader.projects.get(now, id, { signal });
  return observeProject(whole ?? found.project, now, names);
}

async function lookUpOnCv(
  { entity, id, values }: Sought,
  { reader, mirror, signal }: Parameters<LookUp>[1],
): Promise<LookedUp> {
  const { user_id: userId } = values;
  if (typeof userId !== 'string') return 'unknown';
  const user = mirror.get('users', userId);
  const cvId = user?.values.default_cv_id ?? values.cv_id;
  if (typeof cvId !== 'string') return 'unknown';
  const owner = { userId, cvId, name: user?.label ?? userId };
  if (isSection(entity)) {
    const section = await reader.cvs.sections.get(owner, entity, id, signal);
    return section === null ? 'gone' : observeSection(entity, section, owner);
  }
  const experience = await reader.cvs.sections.get(owner, 'project_experiences', id, signal);
  return (experience === null ? null : observeLink(experience, owner)) ?? 'gone';
}
