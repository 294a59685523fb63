import { describe, expect, it } from 'vitest';
import type { OngoingEvent } from '../../../src/model/notification.js';
import { OF_HINDRANCE } from '../../../src/operations/notify/list-ongoing.js';
import { composeMessage } from '../../../src/operations/notify/message.js';
import type { Outcome } from '../../../src/operations/notify/outcome.js';
import { settleEvents } from '../../../src/operations/notify/settle-events.js';
import { makeFolder, openTestStores } from '../../samples.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-20T07:05:00Z');
const SETTING = { tenant: 'acme', timezone: 'Europe/Oslo', link: 'https://ops.example.com' };

const GUARD: OngoingEvent = {
  kind: 'guard',
  of: 'users.deactivate',
  code: null,
  count: 49,
  since: null,
  acknowledged: false,
  item: null,
  due: null,
  cause: 'source shrank: the source shrank from 1000 rows to 951',
  keys: ['E1', 'E2'],
};

const OUTCOME: Outcome = {
  decisions: [
    { what: 'approved', count: 48, carried_out: 48, until: null, by: ['Kari', 'Ola'] },
    { what: 'declined', count: 1, carried_out: 0, until: '2026-12-30T23:00:00.000Z', by: ['Ola'] },
  ],
  partial: false,
};

function openOutbox(channels: readonly string[] = ['ops']) {
  const { notify, state } = openTestStores(makeFolder());
  return {
    notify,
    look(hours: number, ongoing: readonly OngoingEvent[], more: { names?: boolean; isBlind?: boolean } = {}) {
      const now = new Date(START + hours * HOUR).toISOString();
      const unseen = more.isBlind === true ? OF_HINDRANCE : new Set<never>();
      const names = more.names ?? false;
      state.transaction(() =>
        settleEvents(notify, {
          ...{ channels, ongoing, unseen, names, now, remindAfterMs: 24 * HOUR, run: 'r1' },
          outcomeOf: ({ kind }) => (kind === 'guard' ? OUTCOME : null),
        }),
      );
    },
    /** Takes the messages of a channel. */
    take(channel = 'ops'): readonly string[] {
      notify.bind(channel, `m ${channel}`, 20);
      const news = notify.tried({ channel });
      notify.dropMessage(`m ${channel}`);
      return composeMessage('m', news, { ...SETTING, now: new Date(START).toISOString() }).parts.flatMap(
        ({ headline, lines }) => [headline, lines[0] ?? ''],
      );
    },
  };
}

describe('an event', () => {
  it('is reported at its beginning, again after a day, and at its end, with nothing in between', () => {
    const { look, take } = openOutbox();
    look(0, [GUARD]);
    expect(take()).toEqual(['49 people to deactivate, held for an approval', 'Since 2026-11-20 08:05 Europe/Oslo']);
    look(1, [{ ...GUARD, count: 50 }]);
    look(23.9, [GUARD]);
    expect(take()).toEqual([]);
    look(24, [{ ...GUARD, count: 51 }]);
    expect(take()[0]).toBe('Still: 51 people to deactivate, held for an approval');
    look(30, []);
    expect(take()).toEqual([
      'Ended: 51 people to deactivate, held for an approval',
      'From 2026-11-20 08:05 Europe/Oslo to 2026-11-21 14:05 Europe/Oslo',
    ]);
    look(31, []);
    expect(take()).toEqual([]);
    look(32, [GUARD]);
    expect(take()[0]).toBe('49 people to deactivate, held for an approval');
  });

  it('is reminded of after a clock was set back, without a second beginning', () => {
    const { look, take } = openOutbox();
    look(24 * 365, [GUARD]);
    expect(take()).toHaveLength(2);
    look(0, [GUARD]);
    look(23, [GUARD]);
    expect(take()).toEqual([]);
    look(24, [GUARD]);
    expect(take()[0]).toMatch(/^Still: /);
    look(25, []);
    expect(take()[1]).toBe('From 2026-11-20 08:05 Europe/Oslo to 2026-11-21 09:05 Europe/Oslo');
  });

  it('gets no reminders once acknowledged, and no messages at all if acknowledged from the start', () => {
    const { look, take } = openOutbox();
    look(0, [GUARD, { ...GUARD, of: 'users.update', acknowledged: true }]);
    expect(take()).toHaveLength(2);
    look(25, [{ ...GUARD, acknowledged: true }]);
    expect(take()).toEqual([]);
    // It holds something else now.
    look(26, [GUARD]);
    expect(take()[0]).toMatch(/^Still: /);
    look(27, []);
    expect(take()[0]).toMatch(/^Ended: /);
  });

  it('is reported as past to channels that missed it; each channel gets its own messages', () => {
    const { look, take, notify } = openOutbox(['ops', 'mail']);
    look(0, [GUARD]);
    expect(take('ops')).toHaveLength(2);
    look(25, [GUARD]);
    look(26, []);
    expect(take('ops')[0]).toMatch(/^Ended: /);
    expect(take('mail')).toEqual([
      'Began and ended: 49 people to deactivate, held for an approval',
      'From 2026-11-20 08:05 Europe/Oslo to 2026-11-21 10:05 Europe/Oslo',
    ]);
    expect(notify.isUsed()).toBe(false);
  });

  it('lasts while a problem hides its state', () => {
    const { look, take } = openOutbox();
    const failing: OngoingEvent = { ...GUARD, kind: 'run', of: '', code: 'SYNC_CONFIG_SECRET' };
    look(0, [failing]);
    expect(take()[0]).toBe('Runs: failing');
    look(1, [], { isBlind: true });
    expect(take()).toEqual([]);
    look(2, []);
    expect(take()[0]).toBe('Ended: Runs: failing');
  });
});

describe('a message', () => {
  const bodyOf = (names: boolean): string => {
    const { look, notify } = openOutbox();
    const conflict: OngoingEvent = { ...GUARD, kind: 'conflict', of: 'users', cause: 'Jane Doe: "a" and "b"' };
    look(0, [GUARD, conflict], { names });
    notify.bind('ops', 'm', 20);
    const news = notify.tried({ channel: 'ops' });
    return JSON.stringify([news, composeMessage('m', news, { ...SETTING, now: '2026-11-20T08:00:00.000Z' })]);
  };

  it('contains names only if allowed: neither keys nor causes reach the outbox', () => {
    expect(bodyOf(false)).not.toMatch(/Jane|E1|from 1000/);
    expect(bodyOf(false)).toContain('Cause: source shrank');
    expect(bodyOf(true)).toMatch(/Jane.*E1|E1.*Jane/);
  });

  it.each([
    [false, '48 approved and carried out, 1 declined until 31 December'],
    [true, '48 approved by Kari and Ola and carried out, 1 declined by Ola until 31 December'],
  ])('says the outcome, and by whom if names are allowed: %s', (names, outcome) => {
    const { look, notify } = openOutbox();
    look(0, [GUARD], { names });
    look(1, [], { names });
    notify.bind('ops', 'm', 20);
    const news = notify.tried({ channel: 'ops' });
    const [part] = composeMessage('m', news, { ...SETTING, now: '2026-11-20T08:00:00.000Z' }).parts;
    expect(part?.lines.at(-1)).toBe(`Outcome: ${outcome}`);
    expect([/Kari/.test(JSON.stringify([news, part])), part?.link]).toEqual([
      names,
      'https://ops.example.com/tenants/acme/audit',
    ]);
  });

  it('links to the buttons, or to the inbox for several events', () => {
    const { look, notify } = openOutbox();
    look(0, [GUARD]);
    notify.bind('ops', 'm', 20);
    const news = notify.tried({ channel: 'ops' });
    const setting = { ...SETTING, now: '2026-11-20T08:00:00.000Z' };
    expect(composeMessage('m', news, setting)).toMatchObject({
      title: 'acme: 49 people to deactivate, held for an approval',
      link: 'https://ops.example.com/tenants/acme/plans/newest#guards',
    });
    expect(composeMessage('m', [...news, ...news], setting)).toMatchObject({
      title: 'acme: 49 people to deactivate, held for an approval (and 1 more)',
      link: 'https://ops.example.com/inbox',
    });
    expect(composeMessage('m', news, { ...setting, link: null }).link).toBeNull();
    const { title } = composeMessage('m', news, { ...setting, tenant: 'acme\r\nBcc: all@example.com' });
    expect(title).toMatch(/^acme\\r\\nBcc: all@example\.com: 49 people/);
  });
});
