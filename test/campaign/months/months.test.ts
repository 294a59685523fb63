import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { closeOpened } from '../../closing.js';
import { IS_THOROUGH } from '../../depth.js';
import { type MonthsOptions, playMonths } from './play-months.js';
import { RHYTHMS } from './rhythm.js';

/** JSON: the months that `npm run months` plays, and the file that gets one line for each. */
const { MONTHS_PLAYS, MONTHS_OUT } = process.env;

type Declare = (name: string, work: () => Promise<void>, timeoutMs: number) => void;
const declare: Declare = (name, work, timeoutMs) => void test(name, work, timeoutMs);
const leaveOut: Declare = () => undefined;
/** `npm run months` plays the requested months. The tests play a month by one schedule, or by all of them. */
const asked = MONTHS_PLAYS === undefined ? leaveOut : declare;
const usual = MONTHS_PLAYS === undefined ? declare : leaveOut;
const thorough = IS_THOROUGH ? usual : leaveOut;

async function play(options: MonthsOptions): ReturnType<typeof playMonths> {
  try {
    return await playMonths(options);
  } finally {
    await closeOpened();
  }
}

asked(
  'plays the months that were asked for',
  async () => {
    for (const options of JSON.parse(MONTHS_PLAYS ?? '[]') as readonly MonthsOptions[]) {
      const startedMs = Date.now();
      const cpu = process.cpuUsage();
      const played = await play(options);
      const seconds = { clock: (Date.now() - startedMs) / 1000, cpu: process.cpuUsage(cpu).user / 1e6 };
      if (MONTHS_OUT !== undefined)
        appendFileSync(MONTHS_OUT, `${JSON.stringify({ ...options, ...played, seconds })}\n`);
    }
  },
  86_400_000,
);

const SPRING = { people: 60, seed: 1, firstMonth: 2, months: 1 } as const;

usual(
  'asks a company of 60 at most once in an ordinary month',
  async () => {
    for (const rhythm of IS_THOROUGH ? RHYTHMS : (['weekly'] as const)) {
      const { questions, faults } = await play({ ...SPRING, rhythm });
      expect(faults).toEqual([]);
      expect(questions.filter(({ isIdentity }) => !isIdentity).length).toBeLessThanOrEqual(1);
    }
  },
  600_000,
);

thorough(
  'asks the same with the runs in which nothing can have changed as without them',
  async () => {
    const options = { ...SPRING, rhythm: 'hourly' } as const;
    const [quick, patient] = [await play(options), await play({ ...options, isPatient: true })];
    expect(patient.runs).toBeGreaterThan(500);
    expect(patient.questions.map(({ of, key, fresh }) => [of, key, fresh])).toEqual(
      quick.questions.map(({ of, key, fresh }) => [of, key, fresh]),
    );
  },
  1_200_000,
);
