import type { Namers } from '../../model/departure.js';
import { officeKey } from '../../model/directory.js';
import { TRAITS } from '../../model/entity.js';
import { isJsonObject, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { ReconcilePorts } from '../ports.js';

/** The additional ports that judging deletions needs. */
export interface DeletionPorts extends ReconcilePorts {
  /** The people of an office, from the mirror. */
  peopleIn(officeId: string): Iterable<Observed>;
  /** Office by natural key → the number of staged manager records with it in their scope, and one of them. */
  namersOfOffices(): ReadonlyMap<string, Namers>;
  /** External id of a tag in the category → the number of staged records that name it, and one of them, as `users:E1`. */
  namersOfTags(category: string): ReadonlyMap<string, Namers>;
  /** Folded word for a person → the projects and proposals of the sources that name this person. */
  namersOfPeople(): ReadonlyMap<string, Namers>;
}

/**
 * Judges deletions once everything else is planned, because it is not known before then which objects are still needed:
 *
 * | to be deleted                             | →                                                             |
 * |-------------------------------------------|---------------------------------------------------------------|
 * | an office without people                  | delete                                                        |
 * | an office that all leave in this plan     | delete, after the last of them                                |
 * | an office that people are in, or move to  | hold, with who and how many: the service rejects it (400)     |
 * | an office in the scope of a manager       | hold: the next run would miss it                              |
 * | a tag that no record names                | delete; the service removes it from all holders               |
 * | a tag that a record names                 | hold: the next run would create it again, or miss it          |
 * | a person whom no record names             | delete, together with the CV and everything on it             |
 * | a person whom a project or proposal names | hold: the record would lose its owner, or its CV              |
 */
export function settleDeletions(ports: DeletionPorts): void {
  settlePeople(ports);
  const offices = [...ports.plan.changesOf('offices', 'delete')];
  if (offices.length > 0) {
    const arrivals = findArrivals(ports);
    const named = ports.namersOfOffices();
    for (const change of offices) settleOffice(change, arrivals, named, ports);
  }
  const named = new Map<string, ReturnType<DeletionPorts['namersOfTags']>>();
  for (const change of [...ports.plan.changesOf('tags', 'delete')]) settleTag(change, named, ports);
}

/** Office → the people who are planned to move in. */
function findArrivals(ports: DeletionPorts): ReadonlyMap<string, readonly Change[]> {
  const arrivals = new Map<string, Change[]>();
  for (const change of ports.plan.changesOf('users')) {
    const { office } = change.after;
    if (!isJsonObject(office)) continue;
    const key = officeKey(String(office.country ?? ''), String(office.name ?? ''));
    const coming = arrivals.get(key) ?? [];
    arrivals.set(key, coming);
    coming.push(change);
  }
  return arrivals;
}

function settleOffice(
  change: Change,
  arrivals: ReadonlyMap<string, readonly Change[]>,
  named: ReadonlyMap<string, Namers>,
  ports: DeletionPorts,
): void {
  const { leaving, staying } = sortPeople(change.target ?? '', ports);
  // The list of offices is from this run and counts everyone; the mirror shows who they are.
  const shown = ports.service.observed('offices', change.target ?? '')?.values.num_users;
  const left = typeof shown === 'number' ? shown - leaving.length : staying.length;
  const natural = officeKey(String(change.before.country ?? ''), String(change.before.name ?? ''));
  const coming = arrivals.get(natural) ?? [];
  const namer = named.get(natural);
  const inTheWay = [
    ...describePeople(left, 'would still be in it', staying.slice(0, left)),
    ...describePeople(
      coming.length,
      'would move in',
      coming.map(({ label }) => label),
    ),
  ];
  if (inTheWay.length > 0) {
    const remedy =
      'Move them to another office, including deactivated people. The run that moves the last of them deletes the office.';
    drop(change, `It is to be deleted, but ${inTheWay.join(', and ')}.`, remedy, ports);
  } else if (namer !== undefined) dropNamed(change, namer, 'it', ports);
  else for (const ref of leaving) ports.plan.addNeed(`offices:${change.key}`, ref);
}

/** The people of an office: the changes that move some of them out, and the names of the others. */
function sortPeople(
  officeId: string,
  ports: DeletionPorts,
): { readonly leaving: readonly string[]; readonly staying: readonly string[] } {
  const leaving: string[] = [];
  const staying: string[] = [];
  for (const person of ports.peopleIn(officeId)) {
    const move = ports.plan.plannedByTarget('users', person.id);
    if (move?.after.office !== undefined || move?.action === 'delete') leaving.push(`users:${move.key}`);
    else staying.push(person.active ? person.label : `${person.label} (deactivated)`);
  }
  return { leaving, staying: staying.sort() };
}

function settleTag(
  change: Change,
  named: Map<string, ReturnType<DeletionPorts['namersOfTags']>>,
  ports: DeletionPorts,
): void {
  const object = ports.service.observed('tags', change.target ?? '');
  const category = ports.service.observed('tag_categories', String(object?.values.category_id ?? ''));
  const external = String(category?.values.external_unique_id ?? '');
  const namers = named.get(external) ?? ports.namersOfTags(external);
  named.set(external, namers);
  const namer = namers.get(String(object?.values.external_unique_id ?? ''));
  if (namer !== undefined) dropNamed(change, namer, 'it', ports);
}

/**
 * Runs before the offices, because a person whose deletion is held stays in an office. Rows of courses and staffing
 * name people for years, so they do not count.
 */
function settlePeople(ports: DeletionPorts): void {
  const people = [...ports.plan.changesOf('users', 'delete')];
  if (people.length === 0) return;
  const namers = ports.namersOfPeople();
  for (const change of people) {
    const named = wordsFor(change.before).flatMap((word) => namers.get(foldKey(word)) ?? []);
    const [first] = named;
    if (first === undefined) continue;
    dropNamed(
      change,
      { first: first.first, records: named.reduce((sum, { records }) => sum + records, 0) },
      'the person',
      ports,
    );
  }
}

/** The words that records use to name a person (`TRAITS`). */
export function wordsFor(values: Values): readonly string[] {
  return (TRAITS.users.words ?? []).flatMap((key) => {
    const word = values[key];
    return typeof word === 'string' && word !== '' ? [word] : [];
  });
}

function dropNamed(change: Change, { records, first }: Namers, what: string, ports: DeletionPorts): void {
  const who = records === 1 ? `${first} names ${what}` : `${records} records name ${what}, such as ${first}`;
  const subject = what === 'it' ? 'It' : change.label;
  drop(change, `${subject} is to be deleted, but ${who}.`, `Remove ${what} from these records first.`, ports);
}

function describePeople(count: number, what: string, labels: readonly string[]): readonly string[] {
  return count <= 0 ? [] : [`${count === 1 ? '1 person' : `${count} people`} ${what}${list(labels)}`];
}

const MOST_NAMED = 5;

function list(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  const more = labels.length > MOST_NAMED ? ` and ${labels.length - MOST_NAMED} more` : '';
  return ` (${labels.slice(0, MOST_NAMED).join(', ')}${more})`;
}

function drop({ entity, key, place }: Change, reason: string, remedy: string, ports: ReconcilePorts): void {
  ports.plan.drop(`${entity}:${key}`);
  ports.plan.hold({ entity, key, place, code: 'SYNC_CHANGE_BLOCKED', reason, remedy });
}
