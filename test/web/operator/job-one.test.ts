import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { openChromium, openHeldLeavers, openWindow, type Window } from './held-leavers.js';

/* 08:05, a guard holds 49 leavers: the evidence and the decision, in a real browser. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds, in words. */
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

const COUNT_BOXES = 'document.querySelectorAll("[name=change]").length';

it('takes five clicks: three people, the reason, approve', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  expect(await window.textOf('#guards')).toContain('the source is whole (60 rows before, 58 now)');
  const chosen = await window.evaluate<string[]>(
    '[...document.querySelectorAll("[name=change]")].slice(3, 6).map((one) => one.value)',
  );
  for (const id of chosen) await window.click(`[value="${id}"]`);
  expect(await window.textOf('#selected')).toBe('(3)');
  await window.click('#reason');
  await window.type('site closed, ticket 4711');
  await window.click('#approve button');
  await window.until(`${COUNT_BOXES} === 46`);
  expect(await window.textOf('#approvals')).toContain(
    '3 changes approved by approver@example.com: site closed, ticket 4711',
  );
  expect(window.errors).toEqual([]);
  await held.story.type('sync');
  expect(held.story.users().filter(({ deactivated }) => deactivated)).toHaveLength(5);
});

it('is done by keyboard alone', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  const tabTo = async (expression: string): Promise<void> => {
    for (let i = 0; i < 60; i++) {
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
  await window.press('Enter');
  await window.until(`${COUNT_BOXES} === 46`);
  expect(await window.textOf('#approvals')).toContain('3 changes');
});

it('lets two people act at once, and half of it be approved: each change has one answer', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const browser = await openChromium();
  const [one, other] = [
    await openWindow(browser, held.pages, 'approver', path),
    await openWindow(browser, held.pages, 'approver2', path),
  ];
  const select = (from: number, to: number) =>
    `[...document.querySelectorAll('[name=change]')].slice(${from}, ${to}).forEach((box) => box.click()); document.querySelector('#reason').value = 'ticket'`;
  await one.evaluate(select(0, 20));
  await other.evaluate(select(10, 25));
  await Promise.all([one.click('#approve button'), other.click('#approve button')]);
  await one.until('document.querySelector("#approvals")');
  await other.until('document.querySelector("#approvals")');
  await one.open(`${held.pages.url}${path}`);
  expect(await one.evaluate(COUNT_BOXES)).toBe(24);
  const approvals = JSON.parse((await held.story.type('approve', '--list', '--json')).stdout) as {
    readonly approvals: readonly { readonly changes: number }[];
  };
  expect(approvals.approvals.reduce((sum, { changes }) => sum + changes, 0)).toBe(25);
});

it('goes on over a restart, a run that starts in between, and says it where a role is gone', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const window = await openWindow(await openChromium(), held.pages, 'approver', path);
  // Another run, with another plan, between the look and the click.
  await held.story.type('sync');
  await held.pages.restart();
  await window.click('[name=change]');
  await window.click('#reason');
  await window.type('seen');
  await window.click('#approve button');
  await window.until(`${COUNT_BOXES} === 48`);
  await held.story.type('sync');
  expect(held.story.users().filter(({ deactivated }) => deactivated)).toHaveLength(3);

  held.pages.configure({ grants: held.grants.filter(({ who }) => !who.includes('approver@example.com')) });
  await window.click('[name=change]');
  await window.evaluate('document.querySelector("#reason").value = "gone"');
  await window.click('#approve button');
  await window.until('document.title.startsWith("There is nothing here")');
  expect(await window.textOf('main')).toContain('There is no such tenant.');
});

it.each(['light', 'dark'])('has no fault that axe-core knows, and fits any width: %s', async (scheme) => {
  const held = await openHeldLeavers({ approvals: { four_eyes: true } });
  const run = await held.run();
  const browser = await openChromium();
  const window = await openWindow(browser, held.pages, 'approver', `/tenants/acme/runs/${run}`);
  await window.evaluate(
    'document.querySelector("[name=change]").click(); document.querySelector("#reason").value = "seen"',
  );
  await window.click('#approve button');
  await window.until('document.querySelector("#approvals")');
  for (const path of [`runs/${run}`, 'runs/newest?q=nobody', 'plans/newest', 'runs', 'now']) {
    await window.open(`${held.pages.url}/tenants/acme/${path}`);
    await window.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    for (const width of [390, 900, 1400]) {
      await show(window, width, scheme);
      const wider = await window.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect({ path, width, wider }).toEqual({ path, width, wider: 0 });
    }
    expect({ path, faults: await listFaults(window) }).toEqual({ path, faults: [] });
  }
  expect(window.errors).toEqual([]);
});
