import { describe, expect, test } from 'vitest';
import { createLogger } from '../../src/base/logger.js';
import { openStores } from '../../src/store/open-stores.js';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';
import { oweRun, settleIn, startDaemon } from './daemon-process.js';

describe('the log of a daemon', () => {
  test('names its levels', () => {
    const lines: string[] = [];
    createLogger('debug', { write: (line) => void lines.push(line) })
      .child({ run: 'r1' })
      .warn({ n: 1 }, 'said');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'warn', time: expect.any(String), run: 'r1', n: 1, msg: 'said' },
    ]);
  });

  sweep('logs one line for a run without changes, and one warning per cause with its number of holds', async () => {
    const story = await openStory();
    story.deliver([person('E1')]);
    await settleIn(story);
    const staff = [person('E1')];
    for (const rows of [staff, [...staff, person('E2', { office: 'Atlantis' }), person('E3', { office: 'Mu' })]]) {
      story.deliver(rows);
      oweRun(story);
      const daemon = startDaemon(story);
      await daemon.logged('run ended');
      daemon.send('SIGTERM');
      await daemon.ended;
      const lines = daemon.log().filter(({ run }) => run !== undefined);
      const warnings = lines.filter(({ level }) => level !== 'info');
      expect(lines.filter(({ level }) => level === 'info').map(({ msg }) => msg)).toEqual(['run ended']);
      expect(warnings).toMatchObject(
        rows === staff
          ? []
          : [{ level: 'warn', entity: 'users', code: 'SYNC_REFERENCE_UNKNOWN', count: 2, msg: 'records are held' }],
      );
    }
  });

  sweep('at debug, every line of a run has its id, stages are in order, and each record has its reason', async () => {
    const story = await openStory();
    story.deliver([person('E1'), person('E2')]);
    await settleIn(story, { guards: { users: { deactivate: { max: 0 } } } });
    story.deliver([
      person('E1', { title: 'Lead' }),
      person('E2', { status: 'left' }),
      person('E3'),
      person('E4', { office: 'Atlantis' }),
      person('E5', { status: 'left' }),
    ]);
    oweRun(story);
    const daemon = startDaemon(story, { env: { LOG_LEVEL: 'debug' } });
    const { run } = await daemon.logged('run ended');
    daemon.send('SIGTERM');
    await daemon.ended;
    const log = daemon.log();
    const [from, to] = [
      log.findIndex((one) => one.msg === 'run starts'),
      log.findIndex((one) => one.msg === 'run ended'),
    ];
    expect(log.slice(from, to + 1).filter((one) => one.run !== run)).toEqual([]);
    expect(
      daemon
        .stderr()
        .split('\n')
        .filter((line) => line.split('"run":').length > 2),
    ).toEqual([]);
    expect(log.filter(({ msg }) => msg === 'stage').map(({ stage }) => stage)).toEqual([
      'finishing an earlier run',
      'reading',
      'planning',
      'applying',
      'writing back',
      'delivering',
    ]);
    const decided = log.filter(({ msg }) => msg === 'decided');
    expect(
      decided.map(({ decision, because, held_by = '', place }) => `${decision} ${because} ${held_by} ${place}`),
    ).toEqual([
      expect.stringMatching(/^update changed {2}hr employees-.*:2$/),
      expect.stringMatching(/^deactivate left users\.deactivate hr employees-.*:3$/),
      expect.stringMatching(/^create joined {2}hr employees-.*:4$/),
      expect.stringMatching(/^held SYNC_REFERENCE_UNKNOWN {2}hr employees-.*:5$/),
      expect.stringMatching(/^left has left, and no change is needed {2}hr employees-.*:6$/),
    ]);
  });
});

sweep('shows an approval and an acknowledgement in the metrics before the next run', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await settleIn(story, { guards: { users: { deactivate: { max: 0 } } } });
  story.deliver([person('E1', { status: 'left' }), person('E2'), person('E3', { office: 'Atlantis' })]);
  oweRun(story);
  const daemon = startDaemon(story);
  await daemon.logged('run ended');
  // A kind with nothing waiting has no series.
  const waiting = (kind: string) => daemon.metric(`talent_sync_waiting{tenant="talent-sync",kind="${kind}"}`);
  expect([await waiting('guard'), await waiting('record'), await waiting('approved')]).toEqual([1, 1, null]);
  await story.approve({ guard: 'users.deactivate', reason: 'ticket 7' });
  expect([await waiting('guard'), await waiting('record'), await waiting('approved')]).toEqual([null, 1, 1]);
  const stores = openStores(`${story.folder}/var`);
  const at = new Date().toISOString();
  const [hold] = [...stores.waiting.holds(at)];
  if (hold === undefined) throw new Error('nothing is held');
  const { id, entity, key } = hold;
  stores.acknowledgements.acknowledge({ hold: id, entity, key, who: 'ops', reason: 'new site', until: null, at });
  stores.close();
  expect([await waiting('guard'), await waiting('record'), await waiting('approved')]).toEqual([null, null, 1]);
  // Unconfigured features have neither a series nor a metric name.
  const { text } = await daemon.get('/metrics');
  expect(text).not.toMatch(/documents_|outbox_|near_misses|kind="joiner"|kind="write_back"|entity="proposals"/);
});
