import { HEADER, line, person, type Row } from '../../scenarios/company.js';
import type { Delivery, Move } from './month.js';

/** A file of HR. */
export interface HrFile {
  readonly text: string;
  /** Key → row, for rows that the text contains completely. */
  readonly rows: ReadonlyMap<string, Row>;
  /** The file ends in the middle. */
  readonly isCut: boolean;
}

/** HR's knowledge of a company over time. */
export interface Hr {
  move(move: Move): void;
  /** null if nothing is delivered. */
  deliver(delivery: Delivery): HrFile | null;
}

const TITLES = ['Consultant', 'Lead', 'Partner', 'Director', 'Advisor'] as const;

export function listStaff(people: number): readonly Row[] {
  return Array.from({ length: people }, (_, index) => person(`E${index + 1}`, { title: 'Analyst' }));
}

export function createHr(staff: readonly Row[]): Hr {
  const rows = new Map(staff.map((row) => [row.id ?? '', row]));
  const gone: Row[] = [];
  const files: HrFile[] = [];
  let [joined, numbered] = [0, 0];

  const keys = (isActive: boolean): readonly string[] =>
    [...rows].filter(([, { status }]) => (status !== 'left') === isActive).map(([key]) => key);

  function change(key: string, more: Row): void {
    rows.set(key, { ...rows.get(key), ...more });
  }

  const moves: Readonly<Record<Move['kind'], (at: number) => void>> = {
    leave: (at) => withOne(keys(true), at, (key) => change(key, { status: 'left' })),
    vanish: (at) =>
      withOne(keys(true), at, (key) => {
        gone.push(rows.get(key) ?? {});
        rows.delete(key);
      }),
    join() {
      joined += 1;
      rows.set(`J${joined}`, person(`J${joined}`, { title: 'Analyst' }));
    },
    return(at) {
      const row = at % 2 === 0 ? gone.pop() : undefined;
      if (row !== undefined) rows.set(row.id ?? '', row);
      else withOne(keys(false), at, (key) => change(key, { status: '' }));
    },
    title: (at) => withOne(keys(true), at, (key) => change(key, { title: TITLES[at % TITLES.length] ?? '' })),
    renumber: (at) =>
      withOne(keys(true), at, (key) => {
        numbered += 1;
        const row = rows.get(key) ?? {};
        if (at % 2 === 0) rows.delete(key);
        else change(key, { status: 'left' });
        rows.set(`N${numbered}`, { ...row, id: `N${numbered}` });
      }),
  };

  const write = (of: ReadonlyMap<string, Row>): HrFile => {
    return { text: `${[HEADER, ...[...of.values()].map(line)].join('\n')}\n`, rows: new Map(of), isCut: false };
  };

  const deliveries: Readonly<Record<Delivery['kind'], (at: number) => HrFile | null>> = {
    good: () => write(rows),
    none: () => null,
    cut(at) {
      const { text } = write(rows);
      const short = text.slice(0, Math.floor(text.length * (0.5 + (at % 45) / 100)));
      const whole = new Set(short.split('\n').slice(1, -1));
      return { text: short, rows: new Map([...rows].filter(([, row]) => whole.has(line(row)))), isCut: true };
    },
    short: (at) => write(new Map([...rows].filter((_, index) => index < at % 20 || index > (at % 20) + 5))),
    old: (at) => files[at % files.length] ?? write(rows),
  };

  return {
    move({ kind, at, count }) {
      for (let one = 0; one < count; one++) moves[kind](at + one);
    },
    deliver({ kind, at }) {
      const file = deliveries[kind](at);
      if (file !== null) files.push(file);
      return file;
    },
  };
}

function withOne(keys: readonly string[], at: number, work: (key: string) => void): void {
  const key = keys[at % Math.max(keys.length, 1)];
  if (key !== undefined) work(key);
}
