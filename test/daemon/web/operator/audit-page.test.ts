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

/** What the rows are about, in their order. */
function listRows({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<summary class="text">(.*?)<\/summary>/g)].map(([, words = '']) =>
    words.replace(/<[^>]*>/g, ''),
  );
}

describe('the audit', () => {
  it('lists the newest entries first, and finds them by person, run, time and who decided', async () => {
    const { story, get } = await open();
    const all = listRows(await get(''));
    expect(all[0]).toMatch(/by .*: jane@example.com knows$/);
    expect(all.at(-1)).toMatch(/^r\S+ \(.*: sync, process/);
    expect(listRows(await get('?who=jane@example.com')).map((row) => row.split(' ')[0])).toEqual(['update', 'create']);
    const entries = (await story.audit()).filter(({ kind }) => kind === 'change');
    const [first] = entries;
    expect(listRows(await get(`?run=${first !== undefined && 'run' in first ? first.run : ''}`))).toHaveLength(3);
    expect(listRows(await get('?by=nobody'))).toEqual([]);
    expect(listRows(await get('?from=2020-01-01&to=2020-02-01'))).toEqual([]);
    expect((await get('?from=yesterday')).status).toBe(400);
    expect((await get('?who=castle:x')).status).toBe(409);
  });

  sweep('pages through many entries, and looks at so many of them at a time', async () => {
    const { story, get } = await open();
    const stores = openStores(join(story.folder, 'var'));
    const at = '2026-01-01T00:00:00.000Z';
    stores.state.transaction(() => {
      for (let i = 0; i < 120; i += 1)
        appendEvent(stores.audit, { kind: 'approval lapsed', at, approval: `a${i}`, changes: [] });
    });
    stores.close();
    const first = await get('');
    expect(listRows(first)).toHaveLength(50);
    expect(listRows(first)[0]).toMatch(/^a119/);
    const older = /<a href="\/tenants\/acme\/audit(\?before=\d+)">/.exec(first.text)?.[1] ?? '';
    expect(listRows(await get(older))[0]).toMatch(/^a69/);
  });

  it('checks the chain, and a head that was noted', async () => {
    const { get } = await open();
    const head = /<code class="head">([0-9a-f]{64})/.exec((await get('')).text)?.[1] ?? '';
    expect((await get(`/check?head=${head.slice(0, 12)}`)).text).toContain('The audit is whole');
    expect((await get(`/check?head=${'1'.repeat(12)}`)).text).toContain('The audit is broken');
    expect((await get('/check?head=xyz')).status).toBe(409);
  });

  sweep('is exported as the command does it', async () => {
    const { story, get } = await open();
    for (const format of ['jsonl', 'csv']) {
      const { text, headers } = await get(`/export?format=${format}`);
      expect(text).toBe((await story.type('audit', 'export', '--format', format)).stdout);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="acme-audit-2026-11-23.${format}"`);
    }
    expect((await get('/export?who=jane@example.com')).text.trim().split('\n')).toHaveLength(2);
  });

  it('shows and exports pseudonyms to whom the configuration shows no names', async () => {
    const { get } = await open();
    for (const path of ['', '/export?format=csv', '/export?format=jsonl']) {
      const { text } = await get(path, 'viewer');
      expect(text).not.toMatch(/Jane|Doe|Roe|jane@/);
      expect(text).toMatch(/p_[0-9a-f]{20}/);
    }
  });
});
