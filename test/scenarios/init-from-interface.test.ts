import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it, test } from 'vitest';
import { openEntra, openGoogle } from '../connectors/hris/open-directory.js';
import { openBamboohr, openHibob, openPersonio } from '../connectors/hris/staffs.js';
import {
  colleague,
  type HrSystem,
  openSimployer,
  openSuccessFactors,
  openWorkday,
} from '../connectors/hris/systems.js';
import { oneIn, sweep } from '../depth.js';
import { openStory } from './kit.js';

const COUNT = 12;

/** A vendor with people: one has left and one is on leave. */
interface Vendor {
  readonly url: string;
  /** Part of its login → value. */
  readonly login: Readonly<Record<string, string>>;
  /** The number of people who work there. */
  readonly staff: number;
}

async function openSystem(
  open: (now: () => number) => Promise<HrSystem>,
  login: (system: HrSystem) => Readonly<Record<string, string>>,
): Promise<Vendor> {
  const system = await open(Date.now);
  for (let number = 1; number <= COUNT; number += 1) system.hire(colleague(number));
  system.edit(colleague(3).id, { end: '2024-02-01' });
  system.suspend(colleague(4).id);
  return { url: system.server.url + system.path, login: login(system), staff: COUNT - 1 };
}

const VENDORS: readonly (readonly [string, () => Promise<Vendor>])[] = [
  [
    'personio',
    async () => {
      const staff = await openPersonio(COUNT);
      staff.leave('3');
      staff.rest('4');
      const { clientId: client_id, clientSecret: client_secret } = staff.personio;
      return { url: staff.server.url, login: { client_id, client_secret }, staff: COUNT - 1 };
    },
  ],
  [
    'bamboohr',
    async () => {
      const staff = await openBamboohr(COUNT);
      staff.leave('3');
      staff.rest('4');
      return { url: staff.server.url, login: { key: staff.bamboohr.key }, staff: COUNT - 1 };
    },
  ],
  [
    'hibob',
    async () => {
      const staff = await openHibob(COUNT);
      staff.leave('3');
      staff.rest('4');
      const { user, token } = staff.hibob;
      return { url: staff.server.url, login: { user, token }, staff: COUNT - 1 };
    },
  ],
  ['simployer', () => openSystem(openSimployer, ({ env }) => ({ token: env.HR_TOKEN ?? '' }))],
  ['workday', () => openSystem(openWorkday, (system) => ({ ...loginOf(system), tenant: 'acme' }))],
  ['successfactors', () => openSystem(openSuccessFactors, loginOf)],
  [
    'entra',
    async () => {
      const { entra, server, disable, ids } = await openEntra(COUNT);
      disable(ids[4] ?? '');
      const { tenant, clientId: client_id, clientSecret: client_secret } = entra;
      return { url: server.url, login: { tenant, client_id, client_secret }, staff: COUNT };
    },
  ],
  [
    'google',
    async () => {
      const { google, server, disable, ids, time } = await openGoogle(COUNT);
      time.now = Date.now();
      disable(ids[4] ?? '');
      return { url: server.url, login: { private_key: google.keyFile, subject: google.admin }, staff: COUNT };
    },
  ],
];

/** `auth: { client_id: text, private_key: { env: HR_KEY } }` → part → value. */
function loginOf({ rest, env }: HrSystem): Readonly<Record<string, string>> {
  const parts = [...rest.matchAll(/(\w+): (?:\{ env: (\w+) \}|([^,{} ]+))/g)];
  return Object.fromEntries(
    parts.map(([, part, name, text]) => [part ?? '', (name === undefined ? text : env[name]) ?? '']),
  );
}

it.each(oneIn(2, VENDORS))(
  '%s: reads the interface, and writes a configuration that plans everyone who works there',
  async (source, open) => {
    const story = await openStory();
    const { url: baseUrl, login, staff } = await open();
    const env = Object.fromEntries(Object.entries(login).map(([part, value]) => [`HR_${part.toUpperCase()}`, value]));
    Object.assign(story.env, env);
    const secret = Object.keys(login).map((part) => `${part}=env:HR_${part.toUpperCase()}`);
    const { json, code, error } = await story.init({ source, secret, baseUrl, country: ['no'], office: 'no/Oslo' });
    expect([code, error, json.sources?.map((one) => one.source)]).toEqual([0, undefined, ['hr']]);
    const text = readFileSync(story.configFile, 'utf8');
    for (const value of Object.values(login)) expect(text).not.toContain(`${JSON.stringify(value)}`);
    const plan = await story.plan();
    expect([plan.code, plan.json.counts]).toEqual([0, { users: { create: staff } }]);
  },
);

sweep('names the file of a secret relative to the folder of the configuration', async () => {
  const story = await openStory();
  const { personio, server } = await openPersonio(3);
  writeFileSync(join(story.folder, 'id'), personio.clientId);
  writeFileSync(join(story.folder, 'secret'), personio.clientSecret);
  const at = (name: string): string => relative(process.cwd(), join(story.folder, name));
  const secret = [`client_id=file:${at('id')}`, `client_secret=file:${join(story.folder, 'secret')}`];
  expect((await story.init({ source: 'personio', secret, baseUrl: server.url, language: 'en' })).error).toBeUndefined();
  expect(readFileSync(story.configFile, 'utf8')).toContain('client_id: { file: id }');
  expect((await story.plan()).json.counts).toEqual({ users: { create: 3 } });
});

test('reports wrong flags before it calls the interface', async () => {
  const story = await openStory();
  const say = async (flags: object) => (await story.init(flags)).error?.message;
  const secret = ['client_id=env:ID', 'client_secret=env:SECRET'];
  expect({
    unknown: await say({ source: 'persnio', secret }),
    none: await say({ secret }),
    missing: await say({ source: 'personio', secret: secret.slice(1) }),
    strange: await say({ source: 'personio', secret: ['key=env:ID'] }),
    open: await say({ source: 'personio', secret: ['client_id=me', 'client_secret=hush'] }),
    unset: await say({ source: 'personio', secret }),
    nowhere: await say({ source: 'bamboohr', secret: ['key=env:TALENT_API_KEY'] }),
  }).toEqual({
    unknown: '"persnio" is not a preset.',
    none: '--secret and --base-url need the name of an HR system or directory.',
    missing: 'The login of personio needs client_id.',
    strange: 'The login of personio has no part "key".',
    open: 'The value of client_secret must not be on the command line, which others can read.',
    unset: 'the environment variable ID is not set',
    nowhere: 'Each customer of bamboohr has its own address.',
  });
});
