import { personalFields } from '../../model/person-fields.js';

/** A linked person who stays, with the current and the desired values of a few fields. */
export interface Mover {
  readonly ref: string;
  readonly now: Readonly<Record<string, string>>;
  readonly wants: Readonly<Record<string, string>>;
}

export interface Shift {
  readonly refs: ReadonlySet<string>;
  /** Field → number of people who would get the value of another one. */
  readonly fields: Readonly<Record<string, number>>;
}

/** Fields that name a person; values of other fields often pass from one person to another. */
const NAMING: ReadonlySet<string> = new Set(personalFields('name'));
/** This many people may pass on an address among themselves, in a row or in a circle. */
const MAY_PASS_ON = 3;

/**
 * Recognises values that have slipped from row to row among people who all stay. A column that was sorted alone, or a
 * paste that is off by one, has this effect.
 *
 * | people who get the current value of another one              | →                                     |
 * |--------------------------------------------------------------|---------------------------------------|
 * | one gets a name, or up to three in a row pass on an address  | nothing: a marriage, a shared mailbox |
 * | names pass round in a circle, or along three or more people  | a shift                               |
 * | one gets both name and address of the same person            | a shift                               |
 * | addresses and the like pass round or along more than three   | a shift                               |
 *
 * The values of a person who leaves may be taken over. A shift includes everyone who takes part in it.
 */
export function findShift(movers: readonly Mover[]): Shift | null {
  const takes = new Map<string, Map<string, string>>();
  for (const field of new Set(movers.flatMap(({ wants }) => Object.keys(wants)))) {
    const taken = findTakes(movers, field);
    if (taken.size > 0) takes.set(field, taken);
  }
  const slipped = [...takes].filter(([field, taken]) => {
    const chained = countChained(taken);
    return NAMING.has(field) ? chained > 0 : chained > MAY_PASS_ON;
  });
  const fields = new Set(slipped.map(([field]) => field));
  for (const refs of findPersons(takes)) for (const field of refs) fields.add(field);
  if (fields.size === 0) return null;
  const involved = [...takes].filter(([field]) => fields.has(field));
  return {
    refs: new Set(involved.flatMap(([, taken]) => [...taken].flat())),
    fields: Object.fromEntries(involved.map(([field, taken]) => [field, taken.size])),
  };
}

/** Maps each taker of a value to its giver. A value that several people have now, such as the number of a switchboard, is ignored. */
function findTakes(movers: readonly Mover[], field: string): Map<string, string> {
  const holders = new Map<string, string | null>();
  for (const { ref, now } of movers) {
    const value = now[field];
    if (value !== undefined) holders.set(value, holders.has(value) ? null : ref);
  }
  const takes = new Map<string, string>();
  for (const { ref, now, wants } of movers) {
    const wanted = wants[field];
    const holder = wanted === undefined || wanted === now[field] ? undefined : holders.get(wanted);
    if (holder !== undefined && holder !== null && holder !== ref) takes.set(ref, holder);
  }
  return takes;
}

/** Counts people in circles, and in rows in which a person both takes and gives a value. */
function countChained(takes: ReadonlyMap<string, string>): number {
  const givers = new Set(takes.values());
  const chained = new Set<string>();
  for (const [taker, giver] of takes) {
    if (!takes.has(giver) && !givers.has(taker)) continue;
    chained.add(taker).add(giver);
  }
  return chained.size;
}

/** Groups of fields that one person takes together from another one, with a name among them. */
function findPersons(takes: ReadonlyMap<string, ReadonlyMap<string, string>>): readonly (readonly string[])[] {
  const named = [...takes].filter(([field]) => NAMING.has(field));
  return named.flatMap(([name, taken]) =>
    [...taken].flatMap(([taker, giver]) => {
      const along = [...takes].filter(([field, others]) => field !== name && others.get(taker) === giver);
      return along.length === 0 ? [] : [[name, ...along.map(([field]) => field)]];
    }),
  );
}
