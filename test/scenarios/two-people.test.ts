import { expect, it } from 'vitest';
import { openHeldLeavers } from '../daemon/web/operator/held-leavers.js';
import { Browser } from '../daemon/web/operator/pages.js';
import { sweep } from '../depth.js';

/* With `approvals: { four_eyes: true }`, an approval of one person waits for a second one. */

const FOUR_EYES = { approvals: { four_eyes: true } };

interface Approved {
  readonly approved: number;
  readonly waiting_for_second: number;
  readonly error?: { readonly code: string };
}

it('releases nothing on the approval of one person, on pages or by commands', async () => {
  const held = await openHeldLeavers(FOUR_EYES);
  const { story, pages } = held;
  const browser = new Browser(pages.url);
  const path = `/tenants/acme/runs/${await held.run()}`;
  const approver = held.headers('approver');
  const page = (await browser.get(path, approver)).text;
  const action = /action="([^"]*\/approve)"/.exec(page)?.[1] ?? '';
  const change = /name="change" value="([0-9a-f]+)"/.exec(page)?.[1] ?? '';

  expect((await browser.postAs(action, { change, reason: 'ticket 1' }, approver)).status).toBe(303);
  const again = await browser.postAs(action, { change, reason: 'ticket 1' }, approver);
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('two people must approve')]);
  const mine = (await browser.get(path, approver)).text;
  expect(mine).toContain('A second person must approve the same');
  expect(mine).not.toContain('name="confirm"');
  const { waiting } = JSON.parse((await story.type('status', '--json')).stdout) as {
    readonly waiting: readonly unknown[];
  };
  expect(waiting).toMatchObject([
    { kind: 'guard', count: 48 },
    { kind: 'guard', count: 1, approved_by: 'approver@example.com', resolve: expect.stringContaining('ticket 1') },
  ]);
  await story.type('sync');
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(2);

  const others = held.headers('approver2');
  const offered = (await browser.get(path, others)).text;
  const confirm = /name="confirm" value="([^"]+)"/.exec(offered)?.[1] ?? '';
  expect((await browser.postAs(action, { confirm, reason: 'seen' }, others)).status).toBe(303);
  expect((await browser.get(path, others)).text).toContain('approver@example.com and approver2@example.com');
  const { entries } = JSON.parse((await story.type('audit', 'list', '--json')).stdout) as {
    readonly entries: readonly { readonly kind: string }[];
  };
  expect(entries.filter(({ kind }) => kind.startsWith('approval '))).toMatchObject([
    { kind: 'approval asked', by: 'approver@example.com', changes: [change] },
    { kind: 'approval given', by: 'approver2@example.com', changes: [change] },
  ]);
  await story.type('sync');
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(3);
});

sweep('rejects a second approval of the same account on the command line, and says what is missing', async () => {
  const { story } = await openHeldLeavers(FOUR_EYES);
  const words = ['approve', '--guard', 'users.deactivate', '--reason', 'site closed'];
  const first = await story.type(...words);
  expect(first.stdout).toMatch(
    /^Half approved: 49 changes of plan p.*\n.*users\.deactivate.*\nA second person must approve the same changes/,
  );
  const second = await story.type(...words, '--json');
  expect([second.code, (JSON.parse(second.stdout) as Approved).error?.code]).toEqual([1, 'SYNC_APPROVAL_SECOND']);
  expect((await story.type('approve', '--list')).stdout).toContain('needs a second person');
});

sweep('revokes the approval of the first person', async () => {
  const { story } = await openHeldLeavers(FOUR_EYES);
  const given = await story.type('approve', '--guard', 'users.deactivate', '--reason', 'x', '--json');
  const { approval, ...counted } = JSON.parse(given.stdout) as Approved & { readonly approval: string };
  expect(counted).toMatchObject({ approved: 0, waiting_for_second: 49 });
  expect((await story.type('approve', '--revoke', approval)).stdout).toContain('49 changes');
  expect((await story.type('approve', '--list')).stdout).toContain('There is no valid approval');
});
