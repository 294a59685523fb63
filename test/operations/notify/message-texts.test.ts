import { describe, expect, it } from 'vitest';
import type { News } from '../../../src/model/notification.js';
import { composeMessage, linkOnce } from '../../../src/operations/notify/message.js';
import type { Outcome } from '../../../src/operations/notify/outcome.js';
import type { EventBody } from '../../../src/operations/notify/settle-events.js';
import type { StoredNews } from '../../../src/store/state/notify-store.js';

const SETTING = {
  tenant: 'acme',
  timezone: 'Europe/Oslo',
  link: 'https://ops.example.com',
  now: '2026-11-20T08:00:00.000Z',
};
const BEGAN: EventBody = {
  kind: 'guard',
  of: 'users.deactivate',
  code: null,
  count: 12,
  since: '2026-11-20T07:05:00.000Z',
  until: null,
  run: 'r1',
  cause: '',
  keys: [],
  item: null,
  due: null,
};
const OVER = { until: '2026-11-21T13:05:00.000Z' } as const;
const NOBODY: Outcome = { decisions: [], partial: false };

function newsOf(body: Partial<EventBody>, news: News = 'began'): StoredNews {
  const text = JSON.stringify({ ...BEGAN, ...body });
  return { seq: 1, channel: 'ops', event: 'e', news, at: BEGAN.since, message: 'm', body: text };
}

function compose(body: Partial<EventBody>, news: News = 'began') {
  const { parts, link } = composeMessage('m', [newsOf(body, news)], SETTING);
  return { headline: parts[0]?.headline, lines: parts[0]?.lines.slice(1), link: link?.slice(SETTING.link.length) };
}

function decided(outcome: Partial<Outcome['decisions'][number]>): Outcome {
  const one = { what: 'approved', count: 1, carried_out: 0, until: null, by: [], ...outcome } as const;
  return { decisions: [one], partial: false };
}

describe('a message of an open event', () => {
  it.each([
    [
      { cause: 'source shrank' },
      '12 people to deactivate, held for an approval',
      ['Cause: source shrank', 'In a terminal: talent-sync approve --guard users.deactivate --reason "…"'],
      '/plans/newest#guards',
    ],
    [
      { count: 1, of: 'customers.delete' },
      '1 customer to delete, held for an approval',
      ['In a terminal: talent-sync approve --guard customers.delete --reason "…"'],
      '/plans/newest#guards',
    ],
    [
      { of: 'users.blank_fields' },
      '12 changes of people held for an approval (users.blank_fields)',
      ['In a terminal: talent-sync approve --guard users.blank_fields --reason "…"'],
      '/plans/newest#guards',
    ],
    [
      { of: 'users.same_person', count: 1 },
      '1 change of people held for an answer (users.same_person)',
      ['In a terminal: talent-sync holds resolve --guard users.same_person --same (or --new) --reason "…"'],
      '/plans/newest#guards',
    ],
    [
      { kind: 'paused', of: '', due: '2026-12-04T07:00:00.000Z' },
      'Paused: nothing is planned or written',
      ['Until 2026-12-04 08:00 Europe/Oslo', 'In a terminal: talent-sync resume --reason "…"'],
      '',
    ],
    [
      { kind: 'source', of: 'hr', code: 'SYNC_SOURCE_SHRUNK' },
      'Source hr: shrunk',
      ['Code: SYNC_SOURCE_SHRUNK', 'In a terminal: talent-sync status'],
      '',
    ],
    [
      { kind: 'source', of: 'sources.hr.columns_emptied' },
      'Source hr: a column became empty, held for an approval',
      ['In a terminal: talent-sync status'],
      '/plans/newest#guards',
    ],
    [{ kind: 'key', of: '' }, 'Key of the service: rejected', ['In a terminal: talent-sync check'], ''],
    [{ kind: 'run', of: '' }, 'Runs: failing', ['In a terminal: talent-sync runs r1'], ''],
    [
      { kind: 'configuration', of: '' },
      'Configuration: rejected; the earlier one, if any, stays active',
      ['In a terminal: talent-sync check'],
      '/configuration',
    ],
    [
      { kind: 'conflict', of: 'users', count: 1, item: 'a1b2' },
      'Conflicts of users: 1 to decide',
      ['In a terminal: talent-sync holds list'],
      '/waiting/a1b2',
    ],
    [
      { kind: 'conflict', of: 'users', count: 3 },
      'Conflicts of users: 3 to decide',
      ['In a terminal: talent-sync holds list'],
      '#waiting',
    ],
    [
      { kind: 'write_back', of: 'hr', item: 'a1b2' },
      'Write-back to hr: 12 records rejected or not shown yet',
      ['In a terminal: talent-sync holds list'],
      '/waiting/a1b2',
    ],
    [
      { kind: 'delivery', of: 'people', item: 'a1b2' },
      'Delivery people: failed',
      ['In a terminal: talent-sync status'],
      '/waiting/a1b2',
    ],
    [
      { kind: 'engine_drift', of: 'users', item: 'a1b2' },
      'Engine drift of users: a defect of talent-sync that should be reported',
      ['In a terminal: talent-sync holds list'],
      '/waiting/a1b2',
    ],
    [
      { kind: 'audit', of: '' },
      'Audit and state: damaged, nothing runs',
      ['In a terminal: talent-sync audit verify'],
      '',
    ],
    [
      { kind: 'channel', of: 'mail', item: 'a1b2' },
      'Channel mail: messages do not arrive',
      ['In a terminal: talent-sync notify test --channel mail'],
      '/waiting/a1b2',
    ],
  ] as const)('describes %j as: %s', (body, headline, lines, page) => {
    expect(compose(body)).toEqual({ headline, lines, link: `/tenants/acme${page}` });
    expect(compose(body, 'reminder').headline).toBe(`Still: ${headline}`);
  });
});

describe('a message about an ended event', () => {
  it.each([
    ['guard', decided({ count: 12, carried_out: 12 }), 'Outcome: 12 approved and carried out'],
    ['guard', decided({ count: 12, carried_out: 5 }), 'Outcome: 12 approved, of which 5 carried out'],
    ['guard', decided({ count: 12 }), 'Outcome: 12 approved, not carried out yet'],
    ['guard', decided({ what: 'declined', by: ['Ola'] }), 'Outcome: 1 declined by Ola'],
    ['guard', NOBODY, 'Outcome: nobody decided; the changes are no longer planned'],
    ['guard', { ...NOBODY, partial: true }, 'Outcome: see the audit log'],
    ['source', decided({ by: ['Ola'] }), 'Outcome: approved by Ola'],
    ['source', NOBODY, 'Outcome: nobody decided; a later delivery was read'],
    ['conflict', decided({ what: 'source', count: 2 }), 'Outcome: 2 decided for the source'],
    ['conflict', NOBODY, 'Outcome: nobody decided; both sides no longer differ'],
    ['paused', decided({ what: 'resumed', by: ['Ola'] }), 'Outcome: ended early by Ola'],
    ['paused', NOBODY, 'Outcome: its time was over'],
  ] as const)('gives the outcome of a %s: %#', (kind, outcome, line) => {
    for (const news of ['ended', 'passed'] as const)
      expect(compose({ kind, ...OVER, outcome }, news)).toMatchObject({ lines: [line], link: '/tenants/acme/audit' });
  });

  it('gives no outcome for events that end by themselves, and links to the tenant', () => {
    expect(compose({ kind: 'key', of: '', ...OVER, outcome: null }, 'ended')).toEqual({
      headline: 'Ended: Key of the service: rejected',
      lines: [],
      link: '/tenants/acme',
    });
  });
});

it('reads news stored by an earlier version, without id, deadline and outcome', () => {
  const { item: _item, due: _due, ...old } = { ...BEGAN, kind: 'conflict', of: 'users' } as const;
  const stored = { ...newsOf({}), body: JSON.stringify(old) };
  const over = { ...newsOf({}, 'ended'), body: JSON.stringify({ ...old, ...OVER }) };
  const links = [stored, over].map((one) => composeMessage('m', [one], SETTING).link);
  expect(links).toEqual(['https://ops.example.com/tenants/acme#waiting', 'https://ops.example.com/tenants/acme']);
});

describe('links', () => {
  it('appear once for people, and with each event for programs', () => {
    const one = composeMessage('m', [newsOf({})], SETTING);
    expect(linkOnce(one).parts.map(({ link }) => link)).toEqual([null]);
    expect(one.parts[0]?.link).toBe(one.link);
    const three = composeMessage('m', [newsOf({}), newsOf({ of: 'users.update' }), newsOf({ kind: 'key' })], SETTING);
    expect([three.link, ...linkOnce(three).parts.map(({ link }) => link)]).toEqual([
      'https://ops.example.com/inbox',
      'https://ops.example.com/tenants/acme/plans/newest#guards',
      null,
      'https://ops.example.com/tenants/acme',
    ]);
  });

  it('are the only part of a message with the id of a waiting item', () => {
    const message = composeMessage('m', [newsOf({ kind: 'conflict', item: 'a1b2' })], { ...SETTING, link: null });
    expect(JSON.stringify(message)).not.toContain('a1b2');
  });
});
