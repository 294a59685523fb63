import { join } from 'node:path';
import { pino } from 'pino';
import { ROLES } from '../../src/config/access/roles.js';
import { loadConfig } from '../../src/config/load.js';
import type { WebSettings } from '../../src/config/web-settings.js';
import { Daemon } from '../../src/daemon/daemon.js';
import { closeAfterTest } from '../closing.js';
import { tenant } from '../daemon/web/operator/facts.js';
import { type OpenedPages, openPages } from '../daemon/web/operator/pages.js';
import { person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/* Commands that ask a daemon elsewhere. */

export const GRANTS = (['viewer', 'approver'] as const).map((role) => ({
  role,
  who: [`${role}@example.com`],
  groups: [],
  tenants: ['acme'],
  pseudonyms: false,
}));

export interface Elsewhere {
  readonly story: Story;
  readonly pages: OpenedPages;
  /** A command next to the state, and the same command sent to the daemon by a person with that role. */
  here(...words: readonly string[]): ReturnType<Story['type']>;
  there(who: string, ...words: readonly string[]): ReturnType<Story['type']>;
}

const startOf = ({ clock }: Story): string => new Date(clock.now()).toISOString();

/** A company with a guard that holds three people and a record that cannot be used, and the pages of its daemon. */
export async function open(): Promise<Elsewhere> {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 2 } } } });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.deliver([
    person('E1', { title: 'Lead' }),
    person('E2', { email: 'kim@example.com and more' }),
    ...['E3', 'E4', 'E5'].map((key) => person(key)),
  ]);
  await story.sync();
  const config = loadConfig(join(story.folder, 'talent-sync.yaml'), story.env);
  const pages = await openPages({
    settings: { grants: GRANTS },
    tenants: [{ ...tenant('acme'), config }, tenant('globex')],
    start: startOf(story),
  });
  return {
    story,
    pages,
    here: (...words) => story.type(...words),
    there(who, ...words) {
      Object.assign(story.env, { TALENT_SYNC_TOKEN: pages.giveToken(`${who}@example.com`) });
      return story.type(...words, '--daemon', pages.url);
    },
  };
}

/** The same company in a daemon that has it as its tenant, and whose schedule never comes. */
export async function openWorking(
  more: { readonly [key: string]: Yaml } = {},
): Promise<Elsewhere & { readonly daemon: Daemon }> {
  const elsewhere = await open();
  const { story } = elsewhere;
  story.configure({ schedule: { every: '0 6 1 1 *' }, ...more });
  const silent = () => undefined;
  const daemon = new Daemon({
    ...{ target: story.configFile, env: story.env, clock: story.clock, holder: 'daemon', parallel: 1, wait: true },
    logger: pino({ level: 'silent' }),
    watcher: { onCall: silent, onChange: silent, onMissed: silent, onReload: silent, onSignal: silent, onRun: silent },
  });
  closeAfterTest({ close: () => daemon.stop() });
  await daemon.start();
  await daemon.idle();
  const grants = ROLES.map((role) => ({ ...GRANTS[0], role, who: [`${role}@example.com`], tenants: ['talent-sync'] }));
  const veiled = { ...GRANTS[0], role: 'operator' as const, who: ['veiled@example.com'], tenants: null };
  const pages = await openPages({
    settings: { grants: [...grants, { ...veiled, pseudonyms: true }] as WebSettings['grants'] },
    daemon,
    start: startOf(story),
  });
  const there = (who: string, ...words: readonly string[]): ReturnType<Story['type']> => {
    Object.assign(story.env, { TALENT_SYNC_TOKEN: pages.giveToken(`${who}@example.com`) });
    return story.type(...words, '--daemon', pages.url);
  };
  return { ...elsewhere, pages, there, daemon };
}

/** Without what is new each time: ids, times, digests, and how long it took. */
export function withoutTimes(text: string): string {
  return text
    .replaceAll(/[pr]\d{8}T\w+-\w{6}/g, 'ID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'TIME')
    .replaceAll(/"seconds": [\d.]+|in (a second|[\d.]+ s(econds)?)|"entries": \d+|\d+ entries|\d+ reads?/g, 'N');
}
