import { expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import type { VendorServer } from '../connectors/crm/imitations/vendor-server.js';
import { createEntra } from '../connectors/hris/imitations/entra.js';
import { createGoogle } from '../connectors/hris/imitations/google.js';
import { oneIn, sweep } from '../depth.js';
import { HOUR, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 24 * HOUR;

/** A directory of people `p1` to `p5` that decides who exists; Entra ID also has a guest. */
interface Directory extends Pick<VendorServer, 'url' | 'requests' | 'failNext'> {
  readonly hidden: Set<string>;
  readonly auth: Yaml;
  readonly ids: readonly string[];
  retitle(id: string, title: string): void;
  disable(id: string): void;
  remove(id: string): void;
  restore(id: string): void;
  /** Lists leave this person out silently. */
  omit(id: string): void;
}

const NAMES = ['p1', 'p2', 'p3', 'p4', 'p5'];
const mail = (name: string): string => `${name}@example.com`;

async function openEntra(story: Story): Promise<Directory> {
  const users = NAMES.map((name) => ({ givenName: name, surname: 'Berg', mail: mail(name), jobTitle: 'Adviser' }));
  const guest = { givenName: 'guest', mail: 'guest@example.com', userType: 'Guest' };
  const entra = await createEntra({ now: story.clock.now, users: [...users, guest] });
  story.env.IDP_TOKEN = entra.clientSecret;
  return Object.assign(entra, {
    auth: { tenant: entra.tenant, client_id: entra.clientId, client_secret: { env: 'IDP_TOKEN' } },
    ids: NAMES.map((_, at) => `00000000-0000-0000-0000-${String(at + 1).padStart(12, '0')}`),
    retitle: (id: string, jobTitle: string) => entra.update(id, { jobTitle }),
    disable: (id: string) => entra.update(id, { accountEnabled: false }),
    omit: (id: string) => void entra.unlisted.add(id),
  });
}

async function openGoogle(story: Story): Promise<Directory> {
  const users = NAMES.map((name) => ({
    name: { givenName: name, familyName: 'Berg' },
    primaryEmail: mail(name),
    organizations: [{ title: 'Adviser', primary: true }],
    orgUnitPath: '/Staff',
  }));
  const google = await createGoogle({ now: story.clock.now, users });
  story.env.IDP_TOKEN = google.keyFile;
  return Object.assign(google, {
    auth: { private_key: { env: 'IDP_TOKEN' }, subject: google.admin },
    ids: NAMES.map((_, at) => String(100_000_000_001 + at)),
    retitle: (id: string, title: string) => google.update(id, { organizations: [{ title, primary: true }] }),
    disable: (id: string) => google.update(id, { suspended: true }),
    omit(id: string) {
      google.update(id, { orgUnitPath: '/Board' });
      google.unit = '/Staff';
    },
  });
}

const VENDORS: readonly (readonly [string, (story: Story) => Promise<Directory>, string])[] = [
  ['entra', openEntra, 'jobTitle'],
  ['google', openGoogle, 'organizations'],
];

async function open(preset: string, build: (story: Story) => Promise<Directory>) {
  const story = await openStory();
  const directory = await build(story);
  closeAfterTest({ close: () => (directory as unknown as VendorServer).close() });
  story.configure({
    sources: { people: { type: 'hris', preset, base_url: directory.url, auth: directory.auth } },
    users: {
      existence: 'people',
      leaver: { when: 'false', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.?email',
        name: 'record.?first_name.orValue("") + " " + record.?last_name.orValue("")',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
      },
    },
  });
  return { story, directory };
}

test.each(oneIn(1, VENDORS))(
  '%s: follows people who join, change, are blocked, hidden, deleted and restored',
  async (preset, build) => {
    const { story, directory } = await open(preset, build);
    const [changed = '', blocked = '', hidden = '', deleted = ''] = directory.ids;
    expect((await story.sync()).json.counts).toEqual({ users: { create: 5 } });
    story.takeWrites();
    await story.sync();
    expect(story.takeWrites()).toEqual([]);

    directory.retitle(changed, 'Manager');
    directory.disable(blocked);
    directory.omit(hidden);
    directory.remove(deleted);
    story.clock.advance(DAY);
    expect((await story.sync()).json.counts).toEqual({ users: { update: 1, deactivate: 1 } });
    expect(story.user(changed).title.en).toBe('Manager');
    expect(directory.ids.map((id) => story.user(id).deactivated)).toEqual([false, false, false, true, false]);

    directory.restore(deleted);
    story.clock.advance(DAY);
    await story.sync();
    expect(directory.ids.map((id) => story.user(id).deactivated)).toEqual([false, false, false, false, false]);
  },
);

sweep.each(VENDORS)(
  '%s: changes nothing for a lost permission or a property that is not shown',
  async (preset, build, property) => {
    const { story, directory } = await open(preset, build);
    await story.sync();
    story.takeWrites();
    directory.failNext(403, /users/);
    story.clock.advance(DAY);
    const denied = await story.sync();
    expect([denied.code === 0, story.takeWrites()]).toEqual([false, []]);

    directory.hidden.add(property);
    story.clock.advance(DAY);
    await story.sync();
    expect(story.takeWrites()).toEqual([]);
    expect(story.user(directory.ids[0] ?? '').title.en).toBe('Adviser');
  },
);

sweep.each(VENDORS)('%s: says in check how it proves an absence', async (preset, build) => {
  const { story } = await open(preset, build);
  const { stdout } = await story.type('check');
  expect(stdout).toContain('404 for that one user');
});
