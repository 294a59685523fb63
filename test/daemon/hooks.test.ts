import { expect, test } from 'vitest';
import { person } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';
import { settleIn, startDaemon, waitUntil, YEARLY } from './daemon-process.js';
import { signGeneric } from './web/hooks/signatures.js';

/** The tenant of a single configuration is named after its file. */
const NAME = 'talent-sync';

test('starts a run for a valid hook, counts an invalid one, and logs neither secret nor body', async () => {
  const story = await openStory();
  story.env.CRM_TOKEN = 'the-secret-of-the-hook';
  story.deliver([person('E1')]);
  await settleIn(story, {
    schedule: { ...YEARLY, on_change: true },
    sources: { hr: { hook: { secret: { env: 'CRM_TOKEN' } } } },
  });
  const daemon = startDaemon(story, { env: { LOG_LEVEL: 'debug' } });
  const url = await daemon.url();
  const send = async (source: string, secret: string) => {
    const now = Math.floor(Date.now() / 1_000);
    const { headers, body } = signGeneric('{"who":"Aslaug Omega"}', now, 'msg_1', secret);
    return (await fetch(`${url}/hooks/${NAME}/${source}`, { method: 'POST', headers, body })).status;
  };
  expect(await send('hr', 'the-secret-of-the-hook')).toBe(200);
  expect(await send('hr', 'another-secret-of-a-hook')).toBe(403);
  expect(await send('crm', 'the-secret-of-the-hook')).toBe(403);

  const count = (source: string, tenant: string, result: string) =>
    daemon.metric(`talent_sync_hooks_total{tenant="${tenant}",source="${source}",result="${result}"}`);
  expect(await count('hr', NAME, 'accepted')).toBe(1);
  expect(await count('hr', NAME, 'forged')).toBe(1);
  expect(await count('none', 'none', 'forged')).toBe(1);
  expect(await daemon.logged('hook')).toMatchObject({
    tenant: NAME,
    source: 'hr',
    form: 'generic',
    result: 'accepted',
  });
  expect(await daemon.logged('a hook was not authorised')).toMatchObject({ tenant: NAME, source: 'hr', status: 403 });
  expect(await daemon.logged('a change was signalled: a run starts')).toMatchObject({
    signals: expect.stringContaining('hook of hr'),
  });
  await waitUntil('its run has ended', async () => {
    return (await daemon.metric('talent_sync_signal_seconds_count{kind="hook"}')) === 1;
  });
  expect(daemon.stderr()).not.toMatch(/secret-of|Aslaug|msg_1/);
});
