import { createRandom, type Random } from '../random.js';
import { createStaffMaker, type Employee, type StaffMaker, UNITS } from './staff.js';

/** The contents of a row from a time on; null removes the row. */
export interface RowEvent {
  readonly atMs: number;
  readonly id: string;
  readonly row: Partial<Employee> | null;
}

/** A year of a company's events, as its HR system records them, in order. */
export interface CompanyYear {
  readonly first: readonly Employee[];
  /** Former employees from before the year: deactivated accounts without a row. */
  readonly former: readonly Employee[];
  readonly events: readonly RowEvent[];
  /** A person's number → the same person's earlier number. */
  readonly before: ReadonlyMap<string, string>;
}

/** The share of the staff affected in a year, unless the name says another time span. */
export const USUAL = {
  leave: 0.13,
  /** Shares of leavers: those whose last day ends a month, and those whom HR knew in advance. */
  leaveAtMonthEnd: 0.5,
  knownBefore: 0.9,
  absent: 0.03,
  /** Groups that mostly begin and end on the first of a month. */
  onTheFirst: 0.5,
  hired: 0.06,
  /** On 15 August and on 1 September. */
  trainees: [0.03, 0.05],
  promoted: 0.25,
  retitled: 0.06,
  moved: 0.04,
  renamed: 0.01,
  phone: 0.15,
  contractors: 0.08,
  /** Shares of contractors: those who become employees, and of these, those who keep their address. */
  converted: 0.1,
  keepAddress: 0.5,
  /** Shares of leavers: those who return, and of these, those who get another number. */
  return: 0.04,
  underAnotherNumber: 0.4,
} as const;

/** Months from 0: when titles change for part of the staff, and when one unit is reorganised. */
const [PROMOTION, REORGANISATION] = [3, 9];
const DAY_MS = 86_400_000;
/** The hours at which people enter data in HR and in the CRM, so that few runs of a day have something to do. */
export const OFFICE_HOURS = [10, 13, 16] as const;
/** How long a leaver's row stays. */
const ROW_STAYS_MS = 90 * DAY_MS;
export const YEAR = 2027;

export function createCompanyYear(people: number, seed: number): CompanyYear {
  const random = createRandom(seed * 1000 + people);
  const maker = createStaffMaker(random);
  const contractors = Math.round(people * USUAL.contractors);
  const make = (count: number, one: () => Employee): readonly Employee[] => Array.from({ length: count }, one);
  const former = make(Math.round(people * 0.15), () => maker.hire());
  const first = [...make(people - contractors, () => maker.hire()), ...make(contractors, () => maker.hireContractor())];
  const life = createLife(first, { random, maker });
  for (let month = 0; month < 12; month += 1) playMonth(month, life, random);
  const { events, before } = life;
  return { first, former, before, events: events.toSorted((a, b) => a.atMs - b.atMs) };
}

/** The planned staff at the end of the played month. */
interface Life {
  readonly staff: ReadonlyMap<string, Employee>;
  readonly events: readonly RowEvent[];
  readonly before: ReadonlyMap<string, string>;
  readonly maker: StaffMaker;
  change(person: Employee, atMs: number, row: Partial<Employee>): void;
  join(person: Employee, atMs: number): void;
  succeed(person: Employee, next: Employee, atMs: number): void;
  leave(person: Employee, atMs: number): void;
  pause(person: Employee, fromMs: number, untilMs: number): void;
  /** True if the person is away, and so cannot leave before that time. */
  isAway(person: Employee, untilMs: number): boolean;
  /** Adds those who return until then. */
  welcome(untilMs: number): void;
}

function createLife(
  first: readonly Employee[],
  { random, maker }: { readonly random: Random; readonly maker: StaffMaker },
): Life {
  const staff = new Map(first.map((person) => [person.id, person]));
  const events: RowEvent[] = [];
  const before = new Map<string, string>();
  function change(person: Employee, atMs: number, row: Partial<Employee>): void {
    staff.set(person.id, { ...(staff.get(person.id) ?? person), ...row });
    events.push({ atMs, id: person.id, row });
  }
  function join(person: Employee, atMs: number): void {
    staff.set(person.id, person);
    events.push({ atMs, id: person.id, row: person });
  }
  const returning: { readonly person: Employee; readonly atMs: number }[] = [];
  const away = new Map<string, number>();
  function comeBack({ person, atMs }: (typeof returning)[number]): void {
    if (!random.chance(USUAL.underAnotherNumber)) {
      join({ ...person, status: 'active' }, atMs);
      return;
    }
    const again = maker.numberAgain(person);
    before.set(again.id, person.id);
    join(again, atMs);
  }
  return {
    ...{ staff, events, before, maker, change, join },
    succeed(person, next, atMs) {
      change(person, atMs, { status: 'left' });
      staff.delete(person.id);
      before.set(next.id, person.id);
      join(next, atMs);
    },
    leave(person, atMs) {
      change(person, atMs, { status: 'left' });
      staff.delete(person.id);
      const backMs = atMs + (60 + random.below(240)) * DAY_MS;
      const returns = random.chance(USUAL.return) && backMs < Date.UTC(YEAR + 1, 0);
      if (!returns || backMs > atMs + ROW_STAYS_MS)
        events.push({ atMs: atMs + ROW_STAYS_MS, id: person.id, row: null });
      if (returns) returning.push({ person, atMs: backMs });
    },
    pause(person, fromMs, untilMs) {
      events.push({ atMs: fromMs, id: person.id, row: { status: 'inactive' } });
      events.push({ atMs: untilMs, id: person.id, row: { status: 'active' } });
      away.set(person.id, untilMs);
    },
    isAway: ({ id }, untilMs) => (away.get(id) ?? 0) >= untilMs,
    welcome(untilMs) {
      for (const one of returning.splice(0)) {
        if (one.atMs < untilMs) comeBack(one);
        else returning.push(one);
      }
    },
  };
}

function playMonth(month: number, life: Life, random: Random): void {
  const { staff, maker } = life;
  const days = new Date(Date.UTC(YEAR, month + 1, 0)).getUTCDate();
  /** The beginning of a day. */
  const on = (day: number): number => Date.UTC(YEAR, month, day);
  const workDay = (): number => {
    for (;;) {
      const day = 1 + random.below(days);
      if (new Date(on(day)).getUTCDay() % 6 !== 0) return day;
    }
  };
  const during = (day: number): number => on(day) + random.pick(OFFICE_HOURS) * 3_600_000;
  const firstOr = (): number => on(random.chance(USUAL.onTheFirst) ? 1 : workDay());
  const monthly = (rate: number): boolean => random.chance(rate / 12);
  const reorganised = UNITS[0];

  function playPerson(person: Employee): void {
    if (monthly(USUAL.phone)) life.change(person, during(workDay()), { phone: maker.nextPhone() });
    if (monthly(USUAL.renamed)) life.change(person, during(workDay()), maker.rename(person));
    if (monthly(USUAL.moved)) life.change(person, firstOr(), maker.move(person));
    if (monthly(USUAL.retitled)) life.change(person, firstOr(), maker.promote(person));
    if (month === PROMOTION && random.chance(USUAL.promoted)) life.change(person, on(1), maker.promote(person));
    if (month === REORGANISATION && person.unit === reorganised) {
      life.change(person, on(1), {
        unit: random.pick(UNITS.slice(1, 4)),
        ...(random.chance(0.5) ? { title: `${person.title}, Transformation` } : {}),
        ...(random.chance(0.3) ? maker.move(person) : {}),
      });
    }
    if (!life.isAway(person, on(1))) endOrPause(staff.get(person.id) ?? person);
  }

  function endOrPause(person: Employee): void {
    if (person.id.startsWith('C') && monthly(USUAL.converted)) {
      const again = { ...maker.numberAgain(person), title: 'Consultant' };
      life.succeed(person, random.chance(USUAL.keepAddress) ? again : { ...again, ...own(person) }, firstOr());
    } else if (monthly(USUAL.leave)) {
      const lastDay = random.chance(USUAL.leaveAtMonthEnd) ? days : workDay();
      life.leave(person, random.chance(USUAL.knownBefore) ? on(lastDay + 1) : during(lastDay));
    } else if (monthly(USUAL.absent)) {
      const back = Date.UTC(
        YEAR,
        month + 1 + random.below(8),
        random.chance(USUAL.onTheFirst) ? 1 : 1 + random.below(28),
      );
      life.pause(person, firstOr(), back);
    }
  }

  const own = ({ email }: Employee): Pick<Employee, 'email'> => ({ email: email.replace('.ext@', '@') });
  life.welcome(on(days + 1));
  const present = [...staff.values()];
  for (const person of present) playPerson(person);
  for (let hired = draw(random, present.length * (USUAL.hired / 12)); hired > 0; hired -= 1) {
    const chance = random.next();
    const other = chance < 0.8 ? 15 : workDay();
    life.join(maker.hire(), on(chance < 0.45 ? 1 : other));
  }
  const [august, september] = USUAL.trainees;
  const wave = month === 7 ? august : month === 8 ? september : 0;
  for (let joined = Math.round(present.length * wave); joined > 0; joined -= 1)
    life.join(maker.hire('Analyst'), on(month === 7 ? 15 : 1));
}

/** A random integer with that average. */
export function draw(random: Random, average: number): number {
  let count = 0;
  for (let left = average * 2; left > 0; left -= 1) if (random.chance(Math.min(left, 1) / 2)) count += 1;
  return count;
}
