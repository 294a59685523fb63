import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Console } from '../../src/cli/context.js';
import { runSync } from '../../src/cli/run-apply.js';
import { runCommand } from '../../src/cli/run-command.js';
import { runPlan } from '../../src/cli/run-plan.js';
import { sweep } from '../depth.js';
import { HEADER, line, person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  return story;
}

/** The text that a person would read in a terminal. */
async function readText({ env, clock, configFile }: Story, command: typeof runPlan | typeof runSync): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const console: Console = {
    stdout: stream,
    stderr: stream,
    env,
    clock,
    setExitCode: () => undefined,
    exit: () => undefined,
  };
  await runCommand(console, { config: configFile }, command);
  return text;
}

test('proves nothing by a file with a header and no rows: ends with 1, and deactivates nobody', async () => {
  const story = await openCompany();
  const file = story.deliverText(`${HEADER}\n`);
  for (const ran of [await story.plan(), await story.sync()]) {
    expect(ran).toMatchObject({ code: 1, json: { counts: {} } });
    expect(ran.json.errors?.[0]).toMatchObject({ source: 'hr', error: { code: 'SYNC_SOURCE_EMPTY' } });
    expect(ran.json.errors?.[0]?.error.place).toContain(file);
  }
  for (const command of [runPlan, runSync]) {
    const text = await readText(story, command);
    expect(text).toContain('SYNC_SOURCE_EMPTY');
    expect(text).not.toContain('both sides');
  }
  expect(story.takeWrites()).toEqual([]);
  expect(story.users().map(({ deactivated }) => deactivated)).toEqual([false, false]);
});

sweep('lists an incomplete read and ends with 4: it proves no absence, and its rows are still applied', async () => {
  const story = await openCompany();
  // The damaged row has a key without a link, so it may belong to E2.
  const rows = [HEADER, line(person('E1', { title: 'Lead' })), `${line(person('E7'))};too many`, line(person('E3'))];
  const file = story.deliverText(`${rows.join('\n')}\n`);
  const incomplete = [
    { source: 'hr', at: expect.stringContaining(file), because: expect.stringContaining('1 damaged') },
  ];
  expect(await story.plan()).toMatchObject({ code: 4, json: { incomplete } });
  expect(await readText(story, runPlan)).toContain('1 damaged row');
  expect(await story.sync()).toMatchObject({ code: 4, json: { incomplete, failed: [] } });
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.user('E2').deactivated).toBe(false);
  // A complete read later is no longer listed.
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const whole = await story.sync();
  expect(whole.code).toBe(0);
  expect(whole.json).not.toHaveProperty('incomplete');
});

sweep.each([
  ['a cell', (row: string) => row.replace('Person', 'Per\u0000son')],
  ['the key', (row: string) => row.replace('E2;', 'E2\u0000;')],
] as const)('holds a row with a NUL in %s as damaged by a transfer, and keeps its person', async (_, damage) => {
  const story = await openCompany();
  const file = story.deliverText(`${[HEADER, line(person('E1')), damage(line(person('E2')))].join('\n')}\n`);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.held).toMatchObject([
    { code: expect.stringContaining('SYNC_ROW_'), place: `hr ${file}:3`, reason: expect.stringContaining('NUL') },
  ]);
  expect(summarise(ran.json.held)).toHaveLength(1);
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E2').deactivated).toBe(false);
});
