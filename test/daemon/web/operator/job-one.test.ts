import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { openChromium, openHeldLeavers, openWindow, type Window } from './held-leavers.js';

/* At 08:05 a guard holds 49 leavers. The tests look at the evidence and decide, in a real browser. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The findings of axe-core as texts. */
async function listFaults(window: Window): Promise<readonly string[]> {
  await window.evaluate(`${AXE};0`);
  return window.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
}

async function show(window: Window, width: number, scheme: string): Promise<void> {
  await window.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
  await window.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
}

/** Ticks a range of boxes and enters a reason. */
function select(from: number, to: number): string {
  return `[...document.querySelectorAll('[name=change]')].slice(${from}, ${to}).forEach((box) => box.click()); document.querySelector('#reason').value = 'ticket'`;
}

const COUNT_BOXES = 'document.querySelectorAll("[name=change]").length';

it('takes five clicks: three people, the reason, approve', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  expect(await window.textOf('#guards')).toContain('the source is complete (60 rows before, 58 now)');
  const chosen = await window.evaluate<string[]>(
    '[...document.querySelectorAll("[name=change]")].slice(3, 6).map((one) => one.value)',
  );
  // Nothing is selected yet, so the form is rejected. The way back keeps the reason.
  await window.click('#reason');
  await window.type('site closed');
  await window.click('#approve button.main');
  await window.until('document.querySelector("[data-back]") !== null');
  await window.click('[data-back]');
  await window.until('document.querySelector("#reason")?.value === "site closed"');
  for (const id of chosen) await window.click(`[value="${id}"]`);
  expect(await window.textOf('#approve .main .selected')).toBe('(3)');
  expect(await window.evaluate('document.querySelector("[formaction] .selected").textContent')).toBe('(3)');
  await window.click('#reason');
  await window.type(', ticket 4711');
  // A decision takes its own button.
  await window.evaluate('globalThis.isSame = true; document.querySelector(".decide details").open = true');
  for (const field of ['#reason', `[value="${chosen[0]}"]`, '#decline-until']) {
    await window.evaluate(`document.querySelector('${field}').focus()`);
    await window.press('Enter');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([field, await window.evaluate('globalThis.isSame === true')]).toEqual([field, true]);
  }
  expect(await window.evaluate<number>(COUNT_BOXES)).toBe(49);
  await window.click('#approve button.main');
  await window.until(`${COUNT_BOXES} === 46`);
  expect(await window.textOf('#approvals')).toContain(
    '3 changes approved by approver@example.com: site closed, ticket 4711',
  );
  expect(window.errors).toEqual([expect.stringContaining('a status of 400')]);
  await held.story.type('sync');
  expect(held.story.users().filter(({ deactivated }) => deactivated)).toHaveLength(5);
});

sweep('works by keyboard only', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  const tabTo = async (expression: string): Promise<void> => {
    // After the last element of the page comes the first one.
    for (let i = 0; i < 400; i++) {
      await window.press('Tab');
      if (await window.evaluate<boolean>(`Boolean(document.activeElement?.matches(${JSON.stringify(expression)}))`))
        return;
    }
    throw new Error(`Tab does not reach ${expression}`);
  };
  await tabTo('#reason');
  await window.type('site closed');
  for (let i = 0; i < 3; i++) {
    await tabTo('[name=change]');
    await window.press(' ');
  }
  await tabTo('#approve button.main');
  await window.press('Enter');
  await window.until(`${COUNT_BOXES} === 46`);
  expect(await window.textOf('#approvals')).toContain('3 changes');
});

sweep('covers a day: two people act at the same time, half is approved and run, the rest expires', async () => {
  const held = await openHeldLeavers({ plan: { expires: '30m' } });
  const { pages, story } = held;
  const path = `/tenants/acme/runs/${await held.run()}`;
  const browser = await openChromium();
  const [one, other, late, watching] = [
    await openWindow(browser, pages, 'approver', path),
    await openWindow(browser, pages, 'approver2', path),
    await openWindow(browser, pages, 'approver2', path),
    await openWindow(browser, pages, 'operator', '/tenants/acme/now'),
  ];
  // 08:05: each change has one answer, no matter who comes first.
  await one.evaluate(select(0, 20));
  await other.evaluate(select(10, 25));
  await Promise.all([one.click('#approve button.main'), other.click('#approve button.main')]);
  await one.until('document.querySelector("#approvals")');
  await other.until('document.querySelector("#approvals")');
  await one.open(`${pages.url}${path}`);
  expect(await one.evaluate(COUNT_BOXES)).toBe(24);
  const approvals = JSON.parse((await story.type('approve', '--list', '--json')).stdout) as {
    readonly approvals: readonly { readonly changes: number }[];
  };
  expect(approvals.approvals.reduce((sum, { changes }) => sum + changes, 0)).toBe(25);

  // 09:00: the run carries out the approved part while the operator watches.
  await watching.click('form[action$="/now/run"] button');
  await expect.poll(() => pages.asked).toEqual([['acme', 'run', 'operator@example.com']]);
  const progress = { step: 'applying', of: 'changes', total: 25, done: 10, startedMs: pages.clock.now() - 5_000 };
  held.setStatus({ phase: 'running', progress });
  await watching.open(`${pages.url}/tenants/acme/now`);
  await watching.until("document.querySelector('[data-live]').innerText.includes('10 of 25 changes, 2/s, 8 s left')");
  held.setStatus({ phase: 'running', progress: { ...progress, done: 20 } });
  await watching.until("document.querySelector('[data-live]').innerText.includes('20 of 25')");
  await story.type('sync');
  held.setStatus({ phase: 'idle' });
  await watching.until("document.body.innerText.includes('Nothing is under way')");
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(27);

  // 16:00: the audit shows who approved which leavers, and that it is intact.
  await one.open(`${pages.url}/tenants/acme/audit?by=approver2%40example.com`);
  expect(await one.textOf('ol.entries')).toContain('approver2@example.com approved');
  await one.click('form[action$="/audit/check"] button');
  await one.until("document.title.startsWith('The audit log is intact')");

  // A page that stayed open cannot approve changes of an expired plan.
  pages.clock.advance(31 * 60_000);
  await late.evaluate(select(30, 40));
  await late.click('#approve button.main');
  await late.until("document.title.startsWith('Nothing was changed')");
  expect(await late.textOf('main')).toMatch(/This plan expired at .* Nothing was approved/s);
  for (const window of [one, other, watching]) expect(window.errors).toEqual([]);
});

sweep('survives a restart and another run meanwhile, and reports a lost role', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  // Another run, with another plan, happens between reading and clicking.
  await held.story.type('sync');
  await held.pages.restart();
  await window.click('[name=change]');
  await window.click('#reason');
  await window.type('seen');
  await window.click('#approve button.main');
  await window.until(`${COUNT_BOXES} === 48`);
  await held.story.type('sync');
  expect(held.story.users().filter(({ deactivated }) => deactivated)).toHaveLength(3);

  held.pages.configure({ grants: held.grants.filter(({ who }) => !who.includes('approver@example.com')) });
  await window.click('[name=change]');
  await window.evaluate('document.querySelector("#reason").value = "gone"');
  await window.click('#approve button.main');
  await window.until('document.title.startsWith("There is nothing here")');
  expect(await window.textOf('main')).toContain('There is no such tenant.');
});

sweep('has no violations by axe-core, and fits any width, in light and dark', async () => {
  const held = await openHeldLeavers({ approvals: { four_eyes: true } });
  const run = await held.run();
  const browser = await openChromium();
  const window = await openWindow(browser, held.pages, 'approver', `/tenants/acme/runs/${run}`);
  await window.evaluate(
    'document.querySelector("[name=change]").click(); document.querySelector("#reason").value = "seen"',
  );
  await window.click('#approve button.main');
  await window.until('document.querySelector("#approvals")');
  for (const path of [`runs/${run}`, 'runs/newest?q=nobody', 'plans/newest', 'runs', 'now']) {
    await window.open(`${held.pages.url}/tenants/acme/${path}`);
    await window.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    for (const width of [390, 900, 1400]) {
      await show(window, width, 'light');
      const wider = await window.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect({ path, width, wider }).toEqual({ path, width, wider: 0 });
    }
    for (const scheme of ['light', 'dark']) {
      await show(window, 1400, scheme);
      expect({ path, scheme, faults: await listFaults(window) }).toEqual({ path, scheme, faults: [] });
    }
  }
  expect(window.errors).toEqual([]);
});
