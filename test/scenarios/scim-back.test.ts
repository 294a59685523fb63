import { describe, expect, test } from 'vitest';
import { startScimmy } from '../connectors/scim/scimmy-server.js';
import { openDesk, TOKENS } from '../daemon/web/scim/desk.js';
import { oneIn, tries } from '../depth.js';
import { person } from './company.js';
import { openStory } from './kit.js';

const USER = { externalId: 'E1', title: 'Engineer', phoneNumbers: [{ value: '1', type: 'mobile' }] };

interface Provider {
  readonly baseUrl: string;
  readonly token: string;
  /** The number of calls that changed a user. */
  readonly patches: () => number;
  readonly user: () => Promise<unknown>;
}

/** The project's own receiver, and a server from another project. */
const PROVIDERS: readonly (readonly [string, () => Promise<Provider>])[] = [
  [
    'the receiver',
    async () => {
      const desk = await openDesk();
      const { id } = await desk.addUser('jane@example.com', USER);
      return {
        baseUrl: desk.url,
        token: TOKENS[0] ?? '',
        patches: () => desk.events.filter(({ method }) => method === 'PATCH').length,
        user: async () => (await desk.call('GET', `/Users/${id}`)).json,
      };
    },
  ],
  [
    'SCIMMY',
    async () => {
      const { server, store, baseUrl } = await startScimmy([{ id: 'p1', userName: 'jane@example.com', ...USER }]);
      return {
        baseUrl,
        token: 'idp-token',
        patches: () => server.requests.filter(({ method }) => method === 'PATCH').length,
        user: async () => store.get('p1'),
      };
    },
  ],
];

describe.each(oneIn(1, PROVIDERS))('%s, as a source that enriches HR', (_, start) => {
  test("gets a colleague's change by PATCH, and its next answer settles it", async () => {
    const { baseUrl, token, patches, user } = await start();
    const story = await openStory();
    story.env.IDP_TOKEN = token;
    story.configure({
      sources: { idp: { type: 'scim', base_url: baseUrl, auth: { bearer: { env: 'IDP_TOKEN' } }, write_back: true } },
      users: {
        enrich: { idp: { join: 'idp.externalId == hr.id' } },
        fields: {
          telephone: {
            value: 'idp.?phone',
            authority: 'service',
            write_back: { column: 'phone', source: 'idp', when_empty: 'clear' },
          },
          title: { en: { value: 'idp.?title', authority: 'service', write_back: true } },
        },
        write_back: { idp: { costCenter: 'user.id' } },
      },
    });
    story.deliver([person('E1')]);
    const first = await story.sync();
    expect(first).toMatchObject({ code: 0, json: { to_sources: { idp: 1 } } });
    expect(story.user('E1')).toMatchObject({ telephone: '1', title: { en: 'Engineer' } });
    const found = await story.others('GET', '/api/v1/users/find?external_unique_id=E1');
    expect(JSON.stringify(await user())).toContain(`"costCenter":"${(found as { readonly id: string }).id}"`);

    await story.editUser('E1', { telephone: '+47 2', title: { en: 'Lead' } });
    const plan = await story.plan();
    expect(plan.json).toMatchObject({ to_sources: { idp: { records: 1, cells: 2 } } });
    expect(patches()).toBe(1);
    expect(await story.sync()).toMatchObject({ code: 0, json: { to_sources: { idp: 1 } } });
    expect(await user()).toMatchObject({ title: 'Lead', phoneNumbers: [{ value: '+47 2' }] });
    story.takeWrites();
    for (let run = 0; run < tries(10); run++) {
      const quiet = await story.sync();
      expect(quiet.code).toBe(0);
      expect(quiet.json).not.toHaveProperty('to_sources');
    }
    expect(patches()).toBe(2);
    expect(story.takeWrites()).toEqual([]);

    await story.editUser('E1', { telephone: '' });
    await story.sync();
    expect((await user()) as object).not.toHaveProperty('phoneNumbers.0.value');
    expect(await story.sync()).toMatchObject({ code: 0 });
    expect(patches()).toBe(3);
  });
});
