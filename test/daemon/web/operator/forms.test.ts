import { expect, it } from 'vitest';
import { renderPosted } from '../../../../src/daemon/web/operator/pages/form-parts.js';
import { html } from '../../../../src/report/writers/page/html-text.js';
import { openHeldLeavers } from './held-leavers.js';
import { Browser } from './pages.js';

const NO_ENTER = '<button hidden formmethod="dialog" formnovalidate></button>';

interface FoundForm {
  readonly action: string;
  /** The buttons that people can see. */
  readonly buttons: number;
  /** True if the first button sends nothing, so that Enter does not decide. */
  readonly ignoresEnter: boolean;
}

function listForms(text: string): readonly FoundForm[] {
  return [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', body = '']) => {
      const [first = '', ...more] = body.match(/<button.*?<\/button>/gs) ?? [];
      const ignoresEnter = first === NO_ENTER;
      return { action: action.split('/').at(-1) ?? '', buttons: more.length + (ignoresEnter ? 0 : 1), ignoresEnter };
    },
  );
}

it('sends a form with one button by Enter, and a form with several only by a click', async () => {
  const held = await openHeldLeavers();
  const browser = new Browser(held.pages.url);
  const operator = held.headers('operator');
  const first = held.story.users().find(({ deactivated }) => !deactivated)?.external_unique_id ?? '';
  const paths = ['/tenants/acme', '/tenants/acme/runs/newest', `/tenants/acme/people/user/${first}`];
  const forms: FoundForm[] = [];
  for (const path of paths) forms.push(...listForms((await browser.get(path, operator)).text));
  for (const form of forms) expect(form).toMatchObject({ ignoresEnter: form.buttons > 1 });
  const of = (buttons: (count: number) => boolean) =>
    [...new Set(forms.filter((form) => buttons(form.buttons)).map(({ action }) => action))].sort();
  expect(of((count) => count > 1)).toEqual(['approve']);
  expect(of((count) => count === 1)).toEqual(expect.arrayContaining(['approve', 'decline', 'pause', 'plan']));
});

it.each([
  [1, false],
  [2, true],
])('renders %i buttons so that Enter is ignored: %s', (count, ignoresEnter) => {
  const body = [html`<input name="reason">`, Array.from({ length: count }, (_one, i) => html`<button>${i}</button>`)];
  const form = renderPosted({ csrf: () => 'x' }, { look: 'record', action: '/resolve' }, body);
  expect(listForms(form.html)).toEqual([{ action: 'resolve', buttons: count, ignoresEnter }]);
});
