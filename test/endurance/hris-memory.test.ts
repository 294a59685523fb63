import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DIRECTORIES } from '../connectors/hris/open-directory.js';
import { STAFFS } from '../connectors/hris/staffs.js';
import { colleague, SYSTEMS } from '../connectors/hris/systems.js';
import { runMeasured } from '../hostile/measured.js';
import type { Yaml } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';

const MOST_MIB = 250;
const PEOPLE = 100_000;

/** A source with many people. */
interface Many {
  readonly url: string;
  readonly source: { readonly [key: string]: Yaml };
  readonly env: Readonly<Record<string, string>>;
  /** The first person's id, and the condition for people who have left. */
  readonly first: string;
  readonly leaver: Yaml;
}

const NOW = {
  get now() {
    return Date.now();
  },
  set now(_ms: number) {},
};

const OPENED: readonly (readonly [string, () => Promise<Many>])[] = [
  ...STAFFS.map(([name, open]): [string, () => Promise<Many>] => [
    name,
    async () => {
      const { server, source, leaver } = await open(PEOPLE, { time: NOW });
      return {
        url: server.url,
        source: source as Many['source'],
        env: {},
        first: '1',
        leaver: { when: leaver },
      };
    },
  ]),
  ...SYSTEMS.map(([name, { open }]): [string, () => Promise<Many>] => [
    name,
    async () => {
      const { hire, server, preset, rest, env, path, leaver } = await open(() => NOW.now);
      for (let number = 1; number <= PEOPLE; number++) hire(colleague(number));
      const source = { preset, ...parse(`{ ${rest} }`) };
      return { url: `${server.url}${path}`, source, env, first: colleague(1).id, leaver: { when: leaver } };
    },
  ]),
  ...DIRECTORIES.map(([name, open]): [string, () => Promise<Many>] => [
    name,
    async () => {
      const { server, source, secret, ids } = await open(PEOPLE, { time: NOW });
      const env = { HR_SECRET: secret };
      return { url: server.url, source: parse(`{ ${source} }`), env, first: ids[0] ?? '', leaver: 'none' };
    },
  ]),
];

test.each(OPENED)('%s: reads 100,000 people in little memory', async (_, open) => {
  const story = await openStory();
  const { url, source, env, first, leaver } = await open();
  story.configure({
    sources: { people: { type: 'hris', timeout: '5m', base_url: url, ...source } },
    users: {
      existence: 'people',
      scope: `record.id == ${JSON.stringify(first)}`,
      leaver,
      fields: {
        // The service accepts addresses of its own domains only.
        email: 'record.?email.orValue("").replace("@acme.example", "@example.com")',
        name: 'record.?first_name.orValue("")',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
      },
    },
  });
  const { code, stdout, peakMiB } = await runMeasured(story, ['sync'], env);
  const { counts, failed, held } = JSON.parse(stdout);
  expect({ code, counts, failed, held }).toEqual({ code: 0, counts: { users: { create: 1 } }, failed: [], held: [] });
  expect(peakMiB).toBeLessThan(MOST_MIB);
});
