import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendEvent } from '../../../../src/store/audit/audit-log.js';
import { openStores } from '../../../../src/store/open-stores.js';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { type Answer, Browser } from './pages.js';
import { headersOf, openStoryPages } from './story-pages.js';

interface Opened {
  readonly story: Story;
  readonly get: (path: string, who?: 'viewer' | 'approver') => Promise<Answer>;
}

/** A company after two runs and a decision. */
async function open(): Promise<Opened> {
  const story = await openStory();
  story.deliver([person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com' }), person('E2')]);
  await story.sync();
  story.deliver([
    person('E1', { first: 'Jane', last: 'Roe', email: 'jane@example.com' }),
    person('E2', { email: 'kim@example.com and more' }),
  ]);
  await story.sync();
  const { stdout } = await story.type('holds', 'list', '--json');
  const [hold] = (JSON.parse(stdout) as { readonly holds: readonly { readonly id: string }[] }).holds;
  await story.type('holds', 'ack', hold?.id ?? '', '--reason', 'jane@example.com knows');
  const pages = await openStoryPages(story);
  return {
    story,
    get(path, who = 'approver') {
      return new Browser(pages.url).get(`/tenants/acme/audit${path}`, headersOf(pages, who));
    },
  };
}

/** The sentences in their order. */
function listSentences({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<p class="told">(.*?)<\/p>/g)].map(([, words = '']) => plain(words));
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/** The link of each count, such as `12 created`. */
function listCounts({ text }: Answer): Readonly<Record<string, string>> {
  const found = text.matchAll(/<a class="short" href="([^"]*)">([^<]*)<\/a>/g);
  return Object.fromEntries(
    [...found].map(([, to = '', words = '']) => [words.replace('\u202f', ''), to.replaceAll('&amp;', '&')]),
  );
}

const leadOf = ({ text }: Answer): string => plain(/<p class="lead">(.*?)<\/p>/.exec(text)?.[1] ?? '');

describe('the audit', () => {
  it('lists the newest entries first, and finds them by person, run, time and decider', async () => {
    const { story, get } = await open();
    const all = listSentences(await get(''));
    expect(all[0]).toMatch(/^.* left user E2 on hold: jane@example.com knows\.$/);
    expect(all.at(-1)).toMatch(/^.* started a run: sync\.$/);
    expect(listSentences(await get('?who=jane@example.com'))).toEqual([
      'Name of Jane Doe changed from Jane Doe to Jane Roe, because it changed in hr.',
      'Jane Doe was created, because it is in hr and was not in the service.',
    ]);
    const entries = (await story.audit()).filter(({ kind }) => kind === 'change');
    const [first] = entries;
    expect(listSentences(await get(`?run=${first !== undefined && 'run' in first ? first.run : ''}`))).toHaveLength(3);
    expect(listSentences(await get('?by=nobody'))).toEqual([]);
    expect(listSentences(await get('?from=2020-01-01&to=2020-02-01'))).toEqual([]);
    // A filter leaves every kind in the list, and the page says where the outcomes of runs are.
    const { text } = await get('?who=jane@example.com&kind=changes');
    for (const kind of ['decisions', 'runs', 'erasures', 'refused']) expect(text).toContain(`<option value="${kind}"`);
    expect(text).toContain('<a href="/tenants/acme/runs">Runs</a> shows what guards hold, which deliveries failed');
    expect((await get('?from=yesterday')).status).toBe(400);
    expect((await get('?kind=castles')).status).toBe(400);
    expect((await get('?who=castle:x')).status).toBe(409);
  });

  sweep('filters by kind, entity, action and field, and counts the results with links for narrowing', async () => {
    const { get } = await open();
    expect(leadOf(await get(''))).toBe('6 entries, the newest first.');
    const filtered = await get('?kind=changes&from=2020-01-01');
    expect(leadOf(filtered)).toBe('3 of 6 entries, since 1 January 2020, the newest first.');
    expect(leadOf(await get('?from=2020-01-01&to=2020-02-15&entity=users'))).toBe(
      '0 of 6 entries, 1 January\u2009–\u200915 February 2020, the newest first.',
    );
    expect(filtered.text.match(/<h3 class="day">\w+, \d+ \w+ \d{4}<\/h3>/g)).toHaveLength(1);
    const counts = listCounts(filtered);
    expect(Object.keys(counts)).toEqual(['2 created', '1 updated']);
    const narrowed = await get((counts['1 updated'] ?? '').replace('/tenants/acme/audit', ''));
    expect(leadOf(narrowed)).toBe('1 of 6 entries, since 1 January 2020, the newest first.');
    expect(narrowed.text).toContain('<option value="update" selected>updated (1)</option>');
    expect(narrowed.text).toContain('<option value="name">name (3)</option>');
    expect(listSentences(await get('?field=name&action=update'))).toHaveLength(1);
    expect(listSentences(await get('?kind=decisions'))).toHaveLength(1);
    expect((await get('/export?field=name&action=update')).text.trim().split('\n')).toHaveLength(1);
  });

  sweep('finds people by name, and lists all candidates', async () => {
    const { get } = await open();
    expect(listSentences(await get('?who=Roe%20jane'))).toHaveLength(2);
    // Only the log still knows the old name.
    expect(listSentences(await get('?who=jane%20doe'))).toHaveLength(2);
    expect(listSentences(await get('?who=jane%20do'))).toHaveLength(2);
    expect(listSentences(await get('?who=kim%20doe'))).toEqual([]);
    const both = await get('?who=example.com');
    expect(leadOf(both)).toBe('2 objects of this name. Whose entries do you want?');
    expect(both.text).toContain('href="/tenants/acme/audit?who=user%3AE1"');
    expect((await get('/export?who=example.com')).status).toBe(400);
  });

  sweep('lets a reader of pseudonyms search only by key and full address', async () => {
    const { get } = await open();
    const found = async (query: string) => listSentences(await get(query, 'viewer')).length;
    expect(await found('?who=user:E1')).toBe(2);
    expect(await found('?who=jane@example.com')).toBe(2);
    const [secret, ...others] = ['Jane Roe', 'jane doe', 'jane', 'jane roe <jane@example.com>', 'e1@example'];
    for (const words of [secret, ...others])
      expect([words, await found(`?who=${encodeURIComponent(words ?? '')}`)]).toEqual([words, 0]);
  });

  sweep('shows many entries in pages of limited size', async () => {
    const { story, get } = await open();
    const stores = openStores(join(story.folder, 'var'));
    const at = '2026-01-01T00:00:00.000Z';
    stores.state.transaction(() => {
      for (let i = 0; i < 120; i += 1)
        appendEvent(stores.audit, { kind: 'approval lapsed', at, approval: `a${i}`, changes: [] });
    });
    stores.close();
    const first = await get('');
    expect(listSentences(first)).toHaveLength(50);
    expect(first.text).toContain('a119');
    const older = /<a href="\/tenants\/acme\/audit(\?before=\d+)">/.exec(first.text)?.[1] ?? '';
    const second = await get(older);
    expect([second.text.includes('>a69<'), second.text.includes('>a70<')]).toEqual([true, false]);
  });

  it('verifies the chain, and a head that was noted', async () => {
    const { get } = await open();
    const head = /<code class="head">([0-9a-f]{64})/.exec((await get('')).text)?.[1] ?? '';
    expect((await get(`/check?head=${head.slice(0, 12)}`)).text).toContain('The audit log is intact');
    expect((await get(`/check?head=${'1'.repeat(12)}`)).text).toContain('The audit log is not intact');
    expect((await get('/check?head=xyz')).status).toBe(409);
  });

  sweep('exports the same as the command', async () => {
    const { story, get } = await open();
    const today = new Date(story.clock.now()).toISOString().slice(0, 10);
    for (const format of ['jsonl', 'csv']) {
      const { text, headers } = await get(`/export?format=${format}`);
      expect(text).toBe((await story.type('audit', 'export', '--format', format)).stdout);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="acme-audit-${today}.${format}"`);
    }
    expect((await get('/export?who=jane@example.com')).text.trim().split('\n')).toHaveLength(2);
  });

  sweep('shows and exports pseudonyms to people who may not see names', async () => {
    const { get } = await open();
    for (const path of ['', '/export?format=csv', '/export?format=jsonl']) {
      const { text } = await get(path, 'viewer');
      expect(text).not.toMatch(/Jane|Doe|Roe|jane@/);
      expect(text).toMatch(/p_[0-9a-f]{20}/);
    }
  });
});
