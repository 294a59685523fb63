/** The schedules by which HR delivers and the program runs. */
export const RHYTHMS = ['every 15 minutes', 'hourly', 'nightly', 'weekly'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** A due run, and whether a new file of HR arrived before it. */
export interface Tick {
  readonly atMs: number;
  readonly hasFile: boolean;
}

const isMonday = (dayMs: number): boolean => new Date(dayMs).getUTCDay() === 1;

/** The minutes of the day at which runs are due, and those at which HR has delivered. All times are UTC. */
const DAYS: Readonly<Record<Rhythm, (dayMs: number) => Iterable<Tick>>> = {
  // HR delivers once a day, at five.
  *'every 15 minutes'(dayMs) {
    for (let minute = 0; minute < 1440; minute += 15) yield { atMs: dayMs + minute * MINUTE, hasFile: minute === 300 };
  },
  *hourly(dayMs) {
    for (let hour = 0; hour < 24; hour += 1) yield { atMs: dayMs + hour * HOUR + 5 * MINUTE, hasFile: true };
  },
  *nightly(dayMs) {
    yield { atMs: dayMs + 2 * HOUR, hasFile: true };
  },
  *weekly(dayMs) {
    if (isMonday(dayMs)) yield { atMs: dayMs + 6 * HOUR, hasFile: true };
  },
};

export function* listTicks(rhythm: Rhythm, fromMs: number, untilMs: number): Iterable<Tick> {
  for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY) yield* DAYS[rhythm](dayMs);
}

/** Eight o'clock on the next working day after that time. */
export function nextMorning(afterMs: number): number {
  let dayMs = Math.floor(afterMs / DAY) * DAY;
  while (dayMs + 8 * HOUR <= afterMs || new Date(dayMs).getUTCDay() % 6 === 0) dayMs += DAY;
  return dayMs + 8 * HOUR;
}
