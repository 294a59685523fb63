import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { DecisionWatch } from '../../../src/daemon/signals/decision-watch.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { person } from '../../scenarios/company.js';
import { openStory } from '../../scenarios/kit.js';

const IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'];

test("signals a command's approval, withdraws the signal if it is revoked, and ignores runs of commands", async () => {
  const story = await openStory();
  story.deliver(IDS.map((id) => person(id)));
  await story.sync();
  const told: string[] = [];
  const watch = new DecisionWatch({
    clock: story.clock,
    logger: pino({ level: 'silent' }),
    signals: {
      signal: ({ tenant, kind }) => void told.push(`${tenant} ${kind}`),
      takeBack: (tenant) => void told.push(`${tenant} revoked`),
    },
    tenants: () => [{ name: 'acme', config: loadConfig(story.configFile, story.env) }],
  });
  closeAfterTest(watch);
  const look = async () => {
    await watch.look();
    return told.splice(0);
  };
  expect(await look()).toEqual([]);
  story.deliver(IDS.map((id) => person(id, { status: id < 'E6' ? 'left' : '' })));
  expect((await story.sync()).code).toBe(3);
  expect(await look()).toEqual([]);
  const { json } = await story.approve({ guard: 'users.deactivate' });
  expect([await look(), await look()]).toEqual([['acme approval'], []]);
  await story.approve({ revoke: json.approval ?? '' });
  expect(await look()).toEqual(['acme revoked']);
});

sweep('looks at the other tenants if one state is unreadable', async () => {
  const story = await openStory();
  await story.sync();
  const config = loadConfig(story.configFile, story.env);
  const state = join(story.folder, 'loop');
  symlinkSync(state, state);
  const told: string[] = [];
  const watch = new DecisionWatch({
    clock: story.clock,
    logger: pino({ level: 'silent' }),
    signals: { signal: ({ tenant }) => void told.push(tenant), takeBack: () => undefined },
    tenants: () => [
      { name: 'lost', config: { ...config, state } },
      { name: 'acme', config },
    ],
  });
  closeAfterTest(watch);
  await watch.look();
  story.deliver(IDS.map((id) => person(id)));
  await story.sync();
  story.deliver(IDS.map((id) => person(id, { status: id < 'E6' ? 'left' : '' })));
  await story.sync();
  await story.approve({ guard: 'users.deactivate' });
  await watch.look();
  expect(told).toEqual(['acme']);
});
