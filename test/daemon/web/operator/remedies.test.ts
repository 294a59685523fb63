import { expect, test } from 'vitest';
import { nameButtons, renderRemedy } from '../../../../src/daemon/web/operator/pages/remedies.js';

const FOLDED = /<details class="terminal">(.*?)<\/details>/s;

test.each([
  [
    'Decide with `talent-sync holds resolve 1a2b --take source` (or `service`), or give both sides the same value.',
    'Decide with “Use the source’s value” or “Keep the service’s value”, or give both sides the same value.',
  ],
  [
    'If they are the same, `talent-sync holds resolve user:E1 --same --reason "…"`; if they are two, `talent-sync holds resolve user:E1 --new --reason "…"`.',
    'If they are the same, “They are the same”; if they are two, “They are different”.',
  ],
  ['Allow it again: `talent-sync undo --unpin user:E1`', 'Allow it again: “Let runs write it again”'],
  [
    'No action needed. To propose it again: `talent-sync decline --revoke d1 --reason "…"`',
    'No action needed. To propose it again: “Propose it again”',
  ],
  ['`talent-sync sync`', '“Run now”'],
  // No button removes a link.
  ['Unlink it: `talent-sync unlink user E1`', 'Unlink it: talent-sync unlink user E1'],
])('names the button, and folds the command: %s', (remedy, said) => {
  const { html } = nameButtons(renderRemedy(remedy));
  expect(html.replace(FOLDED, '').replace(/<[^>]*>/g, '')).toBe(said);
  expect(FOLDED.exec(html)?.[1]).toContain('<code>talent-sync ');
});

test('leaves a remedy without a command, and a command without a button, unchanged', () => {
  expect(renderRemedy('Correct it in the source.').html).not.toContain('terminal');
  expect(renderRemedy('`talent-sync check`').html).toMatch(/^<details class="terminal">/);
});
