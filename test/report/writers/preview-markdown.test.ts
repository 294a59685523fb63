import { expect, test } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Preview, PreviewChange } from '../../../src/model/preview.js';
import { renderPreviewMarkdown, renderRefusedMarkdown } from '../../../src/report/writers/preview-markdown.js';

const PREVIEW: Preview = {
  at: '2026-11-23T08:00:00.000Z',
  paths: ['users.leaver.when'],
  counts: [{ entity: 'users', action: 'deactivate', in_force: 3, edited: 12 }],
  fields: [
    { entity: 'users', field: 'title', in_force: 4, edited: 2 },
    { entity: 'users', field: 'email', in_force: 1, edited: 1 },
  ],
  to_sources: [{ source: 'hr', in_force: 0, edited: 1 }],
  held: { in_force: 2, edited: 2 },
  guards: [
    {
      ...{ guard: 'users.deactivate', limit: 10, found: 12, held: 12, held_in_force: 0 },
      ...{ cause: 'configuration changed', detail: 'the edit explains it' },
    },
  ],
  stopped: [],
  sources: [{ source: 'hr', rows: 100, complete: true }],
};

test('writes a comment with both numbers, their difference and the guards', () => {
  const lines = renderPreviewMarkdown(PREVIEW, 'acme').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '### Preview of `acme`',
      '**1 guard would hold changes until somebody approves them.**',
      '| `users.deactivate` | 12 | 10 | 12 | 0 | configuration changed: the edit explains it |',
      '| users | deactivate | 3 | 12 | +9 |',
      '| hr | written back | 0 | 1 | +1 |',
      '| all | records set aside | 2 | 2 | 0 |',
      '| users | `title` | 4 | 2 | -2 |',
      '- `users.leaver.when`',
    ]),
  );
  expect(lines.join('\n')).not.toContain('`email`');
});

const EVIL = '@admins [x](https://evil.example) <img src=x> | ``` </details> #1 www.evil.example';

test('escapes text of records, so that it cannot format, link or mention', () => {
  const change: PreviewChange = {
    ...{ entity: 'users', action: 'update', key: EVIL, label: EVIL },
    fields: [{ field: EVIL, before: EVIL, after: `a\n# b\n${EVIL}` }],
  };
  const [guard] = PREVIEW.guards;
  const evil: Preview = {
    ...PREVIEW,
    paths: [EVIL],
    guards: guard === undefined ? [] : [{ ...guard, detail: EVIL }],
    stopped: [{ entity: 'users', message: EVIL }],
    changes: [change],
    more: 3,
  };
  const text = renderPreviewMarkdown(evil, EVIL);
  // Without code, in which Markdown has no markup.
  const plain = text.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
  for (const markup of ['@admins', '<img', '</details> #', 'www.evil', '\n# b']) expect(plain).not.toContain(markup);
  expect(plain).not.toMatch(/(?<!\\)\]\(/);
  expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>\n|<\/details>$/gm)?.length);
  expect(text).toContain('… and 3 more');
});

test('fits into a comment, however large the preview', () => {
  const value = '|'.repeat(5_000);
  const fields = Array.from({ length: 40 }, (_, at) => ({ field: `f${at}`, before: value, after: value }));
  const one: PreviewChange = { entity: 'users', action: 'create', key: 'k', label: value, fields };
  const big = { ...PREVIEW, changes: Array.from({ length: 100 }, () => one), more: 9_900 };
  const text = renderPreviewMarkdown(big, 'acme');
  expect(text.length).toBeLessThan(65_000);
  expect(text).toMatch(/… and 99\d\d more/);
});

test('says why a preview is impossible, with each place', () => {
  const problems = [{ place: 'sources.hr.drop', message: `must equal ${EVIL}` }];
  const error = new SyncError('SYNC_PREVIEW_REFUSED', { message: 'It differs.', remedy: 'edit less', problems });
  const text = renderRefusedMarkdown(error, 'acme');
  expect(text).toContain('**Cannot be previewed.** It differs.');
  expect(text).toContain('- `sources.hr.drop`: must equal @<!-- -->admins');
  expect(text).toContain('Edit less');
});
