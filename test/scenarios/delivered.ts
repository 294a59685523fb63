import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { ACCOUNT, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

export const DAY = 24 * 3_600_000;

export interface Delivery {
  readonly story: Story;
  /** Sets the reports from now on: name → differences from a daily user report to ./out. */
  report(reports: { readonly [name: string]: { readonly [key: string]: Yaml } }): void;
  /** The same, in a configuration with nothing but reports. */
  reportAlone(reports: { readonly [name: string]: { readonly [key: string]: Yaml } }): void;
  /** Names in ./out, including hidden ones. */
  files(): readonly string[];
  read(name: string): string;
  /** Calls about reports since the last look. */
  takeCalls(): readonly string[];
}

const ABOUT_REPORTS = /cv-report|references\/reports|\/files\/|^\/api\/v4\/search/;

/** A company with reports that are delivered to a folder. HR has one person, so a run has nothing else to do. */
export async function openDelivery(content: Pick<FixtureInput, 'users' | 'customers'> = {}): Promise<Delivery> {
  const story = await openStory({ ...content, account: { ...ACCOUNT.account, reports: { delay_ms: 0 } } });
  const out = join(story.folder, 'out');
  mkdirSync(out);
  story.deliver([person('E1')]);
  // Far from now, so that no test reaches it.
  const schedule = dailyAt(story.clock.now() + DAY / 2);
  let looked = 0;
  return {
    story,
    report: (reports) => story.configure({ reports: writeReports(reports, schedule) }),
    reportAlone(reports) {
      const service = { base_url: story.sandbox.url, api_key: { env: 'TALENT_API_KEY' } };
      const config = { service, state: './var', policy: 'sync', sources: {}, reports: writeReports(reports, schedule) };
      writeFileSync(story.configFile, stringify(config));
    },
    files: () => readdirSync(out).sort(),
    read: (name) => readFileSync(join(out, name), 'utf8'),
    takeCalls() {
      const calls = story.sandbox.calls().slice(looked);
      looked = story.sandbox.calls().length;
      return calls
        .filter(({ route }) => ABOUT_REPORTS.test(route))
        .map(({ method, route, status }) => `${method} ${route} ${status}`);
    },
  };
}

/** A schedule that comes due once a day, at that time. */
export function dailyAt(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
}

function writeReports(
  reports: { readonly [name: string]: { readonly [key: string]: Yaml } },
  schedule: string,
): { readonly [name: string]: Yaml } {
  const base = { kind: 'cv', schedule, deliver: { drop: './out' } };
  return Object.fromEntries(
    Object.entries(reports).map(([name, more]): [string, Yaml] => [name, { ...base, ...more }]),
  );
}

export function countRows(csv: string): number {
  return csv.trimEnd().split('\r\n').length - 1;
}
