import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { HOUR } from './company.js';
import { countRows, dailyAt, openDelivery } from './delivered.js';
import { startProgram } from './program.js';

const KILLER = new URL('./kill-at-step.mjs', import.meta.url).href;

/** The notes of a delivery: it was begun, this file is laid under that name, all is laid, it is done. */
const STEPS = ['begun', 'named', 'laid', 'done'] as const;

describe.each(
  oneIn(1, [
    ['before', 0],
    ['on disk', 1],
  ] as const),
)('kills at each note of a delivery in turn, %s', (moment, first) => {
  const steps = STEPS.map((name, i) => [name, i + 1] as const);
  test.each(oneIn(2, steps, first))('delivers once after a kill at: %s', async (name, step) => {
    const { story, reportAlone, files, read, takeCalls } = await openDelivery();
    reportAlone({ people: { type: 'user_report', schedule: dailyAt(story.clock.now() - HOUR) } });
    // The program uses real time, so the story's first run happens two hours before it.
    story.clock.advance(-2 * HOUR);
    await story.sync();
    story.clock.advance(2 * HOUR);
    takeCalls();
    const env = { KILL_AT_STEP: String(step), KILL_WHEN: moment, KILL_TABLE: 'report_deliveries' };
    const [, signal] = await once(startProgram(story, ['sync'], { args: ['--import', KILLER], env }), 'exit');
    expect(signal).toBe('SIGKILL');
    const { code, json } = await story.sync();
    expect(code).toBe(0);
    const isDone = name === 'done' && moment === 'on disk';
    expect(json.deliveries?.map(({ status }) => status)).toEqual(isDone ? undefined : ['delivered']);
    expect(files()).toEqual([expect.stringMatching(/^people-.*\.csv$/)]);
    expect(countRows(read(files()[0] ?? ''))).toBe(0);
    // The delivery was begun but not noted: the next process does not know of it, which does no harm.
    const starts = takeCalls().filter((call) => call.startsWith('POST /api/v2/cv-report'));
    expect(starts).toHaveLength(name === 'begun' && moment === 'before' ? 2 : 1);
    const { stdout } = await story.type('audit', 'list', '--json');
    expect(stdout.match(/"report delivered"/g)).toHaveLength(1);
    expect((await story.verify()).json.ok).toBe(true);
  });
});
