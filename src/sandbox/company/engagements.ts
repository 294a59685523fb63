import { groupBy } from '../../model/group-by.js';
import type { CompanyPlan } from './company-plan.js';
import { buildCustomer, type Engagement } from './customers.js';
import { type Employee, KINDS } from './people.js';
import { at, createRandom, type Random } from './random.js';

/** The time that a person spends on an engagement. */
export type Stint = Pick<Engagement, 'from' | 'to'> & { readonly engagement: Engagement };

/** The current month of every generated company. It is fixed, so that the output does not depend on the date. */
export const THIS_MONTH = 2026 * 12 + 1;
const WORKS = 8;
const STAGES = ['draft', 'ready_for_review', 'live', 'live', 'live'] as const;
/** Minimum age of a person at the start of an engagement, in months. */
const GROWN_UP_MONTHS = 24 * 12;
const TRIES = 5;

export interface Engagements {
  find(index: number): Engagement;
  /** Lists the owners of the reference project. Their CVs include it. */
  listOwners(index: number): readonly Employee[];
  /** Lists the engagements of a person, latest first: those that they own, and others until there are `wanted`. */
  listParts(person: number, wanted: number, random: Random): readonly Stint[];
}

export function createEngagements(plan: CompanyPlan): Engagements {
  const { customers, projects, people } = plan;
  // There are more engagements than reference projects, and a handful of colleagues share each of them.
  const total = customers === 0 ? 0 : Math.max(projects, people.length, customers);
  const known = Array.from({ length: customers }, (_, index) => buildCustomer(index, plan));
  const peopleOf = groupBy(people.keys(), (index) => people[index]?.country ?? '');
  const customersOf = groupBy(known.keys(), (index) => known[index]?.country ?? '');
  const ownersOf = chooseOwners();
  const ownedBy = new Map<number, number[]>();
  ownersOf.forEach((owners, project) => {
    for (const owner of owners) ownedBy.set(owner, [...(ownedBy.get(owner) ?? []), project]);
  });

  function chooseOwners(): readonly (readonly number[])[] {
    return Array.from({ length: people.length === 0 ? 0 : projects }, (_, project) => {
      const random = createRandom(plan.seed, KINDS.engagement, project, 2);
      const near = peopleOf.get(at(known, project % customers).country);
      const choose = (): number => (near === undefined ? random.below(people.length) : random.pick(near));
      return [...new Set([choose(), ...(random.chance(40) ? [choose()] : [])])];
    });
  }

  function find(index: number): Engagement {
    const random = createRandom(plan.seed, KINDS.engagement, index);
    const customer = at(known, index % customers);
    const turn = Math.floor(index / customers);
    const from = THIS_MONTH - 4 - random.below(128);
    const end = from + 4 + random.below(30);
    const id = `P-${String(index + 1).padStart(3, '0')}`;
    const work = ((index % customers) * 3 + turn) % WORKS;
    return {
      ...{ index, id, customer, work, round: Math.floor(turn / WORKS), from },
      to: end >= THIS_MONTH ? null : end,
      stage: random.pick(STAGES),
    };
  }

  function pickIndex(person: Employee, random: Random): number {
    const near = customersOf.get(person.country);
    const customer = near !== undefined && random.chance(85) ? random.pick(near) : random.below(customers);
    return (customer + customers * random.below(Math.ceil(total / customers))) % total;
  }

  return {
    find,
    listOwners: (index) => (ownersOf[index] ?? []).map((owner) => at(people, owner)),
    listParts(index, wanted, random) {
      const person = at(people, index);
      const chosen = new Set(ownedBy.get(index));
      for (let tries = wanted * TRIES; total > 0 && tries > 0 && chosen.size < wanted; tries -= 1) {
        const candidate = pickIndex(person, random);
        if (find(candidate).from >= person.birthYear * 12 + GROWN_UP_MONTHS) chosen.add(candidate);
      }
      const parts = [...chosen].map((one) => takePart(find(one), person, random));
      return parts.sort((a, b) => b.from - a.from || a.engagement.index - b.engagement.index);
    },
  };
}

function takePart(engagement: Engagement, { status }: Employee, random: Random): Stint {
  const { from, to } = engagement;
  // A person who has left has no current engagement.
  const end = to ?? (status === 'active' && random.chance(70) ? null : THIS_MONTH - 1);
  const length = (end ?? THIS_MONTH) - from;
  const begin = from + random.below(Math.floor(length / 2) + 1);
  const last = end === null || random.chance(60) ? end : begin + random.below(end - begin + 1);
  return { engagement, from: begin, to: last };
}
