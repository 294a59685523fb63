import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireRunLock } from '../../../../src/store/run-lock.js';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { type Answer, Browser } from './pages.js';
import { headersOf, openStoryPages } from './story-pages.js';

interface Opened {
  readonly story: Story;
  readonly get: (path: string, who?: 'viewer' | 'approver') => Promise<Answer>;
}

/** Jane has an account, Ada starts later, and Kim's row is unusable. */
async function open(): Promise<Opened> {
  const story = await openStory();
  story.configure({
    sources: { hr: { columns: { rank: { type: 'date', optional: true }, phone: { type: 'int', optional: true } } } },
    users: { joiner: { start: 'record.?rank', lead: '3d' }, fields: { born_year: 'record.?phone' } },
  });
  story.deliver([
    person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com', phone: '1976' }),
    person('E2', { first: 'Ada', last: 'Løve', email: 'ada@example.com', rank: '2099-05-01' }),
    person('E3', { first: 'Kim', last: 'Roe', email: 'kim@example.com and more' }),
    person('lou@example.com', { first: 'Lou', last: 'Reed', email: 'lou@example.com' }),
  ]);
  await story.sync();
  const pages = await openStoryPages(story);
  return {
    story,
    get(path, who = 'approver') {
      return new Browser(pages.url).get(`/tenants/acme/people${path}`, headersOf(pages, who));
    },
  };
}

function listKeys({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<th scope="row"><a [^>]*><bdi>(.*?)<\/bdi>/g)].map(([, key = '']) => key);
}

describe('why somebody has no account', () => {
  it.each([
    ['E1', ['E1']],
    ['jane@example.com', ['E1']],
    ['DOE jan', ['E1']],
    ['love', ['E2']],
    ['kim@example.com', ['E3']],
    ['nobody', []],
  ])('finds %s', async (words, keys) => {
    const { get } = await open();
    expect(listKeys(await get(`?q=${encodeURIComponent(words)}`))).toEqual(keys);
  });

  it('gives a program a remedy for a wrong request', async () => {
    const story = await openStory();
    const pages = await openStoryPages(story);
    const headers = { ...headersOf(pages, 'viewer'), accept: 'application/json' };
    const answer = await fetch(`${pages.url}/tenants/acme/people/explain?kind=bogus&q=x`, { headers });
    expect(await answer.json()).toMatchObject({ code: 'SYNC_CLI_USAGE', remedy: expect.stringContaining('user') });
  });

  sweep('shows the first day of a person who starts later, in the list and in the explanation', async () => {
    const { get } = await open();
    expect((await get('?q=ada')).text).toContain(', first day <time>2099-05-01</time>');
    const { text } = await get('/explain?kind=user&q=E2');
    expect(text).toContain('Starts on 2099-05-01, and the account is created or reactivated from 2099-04-28 on');
  });

  sweep("shows fields in table rows, without a terminal's padding", async () => {
    const { get } = await open();
    const { text } = await get('/explain?kind=user&q=E1');
    const rows = [...text.matchAll(/<tr><th scope="row"><bdi>(.*?)<\/bdi><\/th><td class="text">(.*?)<\/td>/g)];
    const shown = new Map(rows.map(([, name, said = '']) => [name, said.replace(/<[^>]*>/g, '')]));
    expect(shown.get('email')).toBe('record.email.lowerAscii() → &quot;jane@example.com&quot;');
    expect(shown.get('external_unique_id')).toContain('→ &quot;E1&quot;');
    expect(text.replace(/<[^>]*>/g, '')).not.toMatch(/\S {2,}\S/);
  });

  sweep('shows the hold of an unusable row, and writes nothing', async () => {
    const { story, get } = await open();
    story.takeWrites();
    const { status, text } = await get('/explain?kind=user&q=E3');
    expect([status, text]).toEqual([200, expect.stringContaining('kim@example.com and more')]);
    expect(story.takeWrites()).toEqual([]);
    expect((await get('/explain?kind=user&q=nobody')).status).toBe(404);
    expect((await get('/explain?kind=castle&q=nobody')).status).toBe(409);
  });

  sweep('says that a person with a newly unusable row still has an account', async () => {
    const { story, get } = await open();
    story.deliver([person('E1', { first: 'Jane', last: 'Doe', email: 'Jane Doe and more' })]);
    await story.sync();
    const { text } = await get('?q=and+more');
    expect(text).toContain('Jane Doe &lt;jane@example.com&gt;');
    expect(text).toMatch(/on hold<\/td><td data-name="Service:"><span class="badge tone-good">active/);
  });

  it('answers immediately that a run holds the state', async () => {
    const { story, get } = await open();
    const lock = acquireRunLock(join(story.folder, 'var'), 'daemon, process 7 on worker-1');
    try {
      const { status, text } = await get('/explain?kind=user&q=E1');
      expect([status, text]).toEqual([409, expect.stringContaining('daemon, process 7 on worker-1')]);
    } finally {
      lock.close();
    }
  });

  sweep('shows pseudonyms to people who may not see names, and finds nobody by a part of a name', async () => {
    const { get } = await open();
    expect(listKeys(await get('?q=jane', 'viewer'))).toEqual([]);
    const found = await get('?q=jane@example.com', 'viewer');
    expect([listKeys(found), found.text.includes('Doe')]).toEqual([['E1'], false]);
    const { text } = await get('/explain?kind=user&q=E1', 'viewer');
    expect(text).toContain('User E1');
    expect(text).toMatch(/p_[0-9a-f]{20}/);
    expect(text).not.toMatch(/Jane|Doe|jane@/);
    expect(text).not.toContain('1976');
    expect((await get('/explain?kind=user&q=jane+doe', 'viewer')).status).toBe(404);
    // A key that is an address is found only by its full text, and no link contains it.
    expect((await get('?q=lou', 'viewer')).text).toContain('Nothing in the last reads has this name or key.');
    const lou = (await get('?q=lou@example.com', 'viewer')).text;
    expect(lou).toMatch(/<th scope="row"><span class="muted"><bdi>p_[0-9a-f]{20}</);
    expect(lou).not.toMatch(/href="[^"]*lou|Reed/);
  });
});
