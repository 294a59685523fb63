import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../src/model/desired.js';
import type { Values } from '../../../src/model/json.js';
import { findLikeness, suspectSamePersons } from '../../../src/reconcile/match/same-person.js';
import { changeOf, observedOf } from '../../samples.js';
import { createFakePorts, type World } from '../fake-ports.js';

describe('findLikeness', () => {
  const jane: Values = { name: 'Jane Doe', email: 'jane.doe@example.com', office: { country: 'no', name: 'Oslo' } };
  const other = { email: 'jd2@example.com', office: { country: 'no', name: 'Bergen' } };
  const rows: readonly (readonly [what: string, a: Values, b: Values, expected: string | null])[] = [
    ['name and year', { ...jane, born_year: 1980 }, { ...jane, ...other, born_year: 1980 }, 'name and the same year'],
    [
      'a year as text',
      { ...jane, born_year: '1980' },
      { ...jane, ...other, born_year: 1980 },
      'name and the same year',
    ],
    ['years that differ settle it', { ...jane, born_year: 1980 }, { ...jane, born_year: 1981 }, null],
    ['a common name, no year, nothing else', jane, { ...jane, ...other }, null],
    ['one year known only', { ...jane, born_year: 1980 }, { ...jane, ...other }, null],
    [
      'one year known, and the office',
      { ...jane, born_year: 1980 },
      { ...jane, email: other.email },
      'the same office',
    ],
    ['a year that is empty', { ...jane, born_year: null }, { ...jane, email: other.email }, 'name and the same office'],
    ['name and office', jane, { ...jane, email: other.email }, 'name and the same office'],
    ['name in capitals and blanks', { ...jane, name: ' JANE  DOE ' }, { ...jane, email: other.email }, 'same office'],
    ['name and title', { ...jane, title: { en: 'Lead' } }, { ...jane, ...other, title: { en: 'lead' } }, 'same title'],
    [
      'titles in other languages',
      { ...jane, title: { en: 'Lead' } },
      { ...jane, ...other, title: { no: 'Lead' } },
      null,
    ],
    [
      'another domain',
      jane,
      { ...jane, ...other, email: 'jane.doe@acme.com' },
      'name and the same address before the @',
    ],
    [
      'married: another name, the same address and year',
      { ...jane, born_year: 1980 },
      { ...jane, ...other, name: 'Jane Ray', email: 'jane.doe@acme.com', born_year: 1980 },
      'address before the @ and the same year',
    ],
    ['another name, the same address, no year', jane, { ...jane, name: 'Jane Ray' }, null],
    ['the same UPN', { ...jane, upn: 'JD@x' }, { name: 'Someone', upn: 'jd@x' }, 'identity provider'],
    ['nothing is known of either', {}, {}, null],
    ['blank names', { name: ' ', office: jane.office ?? null }, { name: '', office: jane.office ?? null }, null],
  ];
  for (const [what, a, b, expected] of rows) {
    it(what, () => {
      for (const found of [findLikeness(a, b), findLikeness(b, a)]) {
        if (expected === null) expect(found).toBeNull();
        else expect(found).toContain(expected);
      }
    });
  }
});

describe('suspectSamePersons', () => {
  const values: Values = { name: 'Jane Doe', born_year: 1980, email: 'old@example.com' };
  const joiner = changeOf('users', 'E9', {
    label: 'Jane Doe <new@example.com>',
    after: { ...values, email: 'new@example.com' },
  });
  const leaving = changeOf('users', 'E1', { action: 'deactivate', target: 'u1', label: 'label of u1' });

  interface More {
    readonly state?: string;
    readonly recent?: string;
    readonly wereBothHere?: true;
  }

  function listHolds(world: World, plan: readonly ReturnType<typeof changeOf>[], more: More = {}) {
    const found: [string, Hold][] = [];
    const ports = createFakePorts({ observed: [observedOf('u1', values)], ...world });
    for (const change of plan) ports.plan.add(change);
    const steps = suspectSamePersons({
      ...ports,
      sources: { stagedState: () => more.state ?? null },
      isRecent: (id) => id === more.recent,
      wereBothHere: () => more.wereBothHere === true,
      plan: { ...ports.plan, suspect: (ref, hold) => void found.push([ref, hold]) },
    });
    for (const _step of steps);
    return found;
  }

  const suspects = (...of: Parameters<typeof listHolds>): readonly string[] =>
    listHolds(...of).map(([ref, { reason, remedy }]) => `${ref}: ${reason} ${remedy}`);
  const links = { 'users:E1': 'u1' };

  it('a leaver and a joiner of one plan both wait, each with the other shown', () => {
    const [create, deactivate, ...rest] = suspects({ links }, [joiner, leaving]);
    expect(create).toContain(
      'users:E9: Jane Doe <new@example.com> looks like label of u1 (u1), who is about to be deactivated',
    );
    expect(deactivate).toContain('users:E1: label of u1 looks like the joiner Jane Doe <new@example.com>');
    expect(rest).toEqual([]);
    const decide = 'if they are two, `talent-sync holds resolve user:E9 --new --reason "…"`.';
    expect(create).toContain('If they are one person, `talent-sync holds resolve user:E9 --same');
    expect(create).toContain(decide);
    expect(deactivate).toContain(decide);
  });

  it.each([
    ['a person who is missing and not due yet', { links }, {}, 'missing from the source'],
    ['one said to have left, within the grace', { links }, { state: 'leaver' }, 'missing from the source or out of it'],
    ['one out of scope: a conversion', { links }, { state: 'out' }, 'missing from the source or out of it'],
    ['an account that nobody stands for', {}, {}, 'without a record'],
    [
      'a deactivated one: a rehire',
      { observed: [observedOf('u1', values, { active: false })] },
      {},
      'who is deactivated',
    ],
  ] as const)('a joiner who looks like %s waits', (_what, world, more, state) => {
    const found = suspects(world as World, [joiner], more);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(state);
  });

  it.each([
    ['has a row of its own', { links }, { state: 'desired' }],
    ['has a row that is held', { links }, { state: 'held' }],
    ['was born in another year', { observed: [observedOf('u1', { ...values, born_year: 1990 })] }, {}],
  ] as const)('no alarm for a namesake who %s', (_what, world, more) => {
    expect(suspects(world as World, [joiner], more)).toEqual([]);
  });

  it('a deactivation waits where a like account was created not long ago', () => {
    const twins = {
      links,
      observed: [observedOf('u1', values), observedOf('u2', { ...values, email: 'new@example.com' })],
    };
    expect(suspects(twins, [leaving])).toEqual([]);
    expect(suspects(twins, [leaving], { recent: 'u2' })).toEqual([
      expect.stringContaining('(u2), created not long ago'),
    ]);
  });

  it('a hold tells which record would stand for which account, where there is one', () => {
    const relink = { key: 'E9', id: 'u1' };
    expect(listHolds({ links }, [joiner, leaving]).map(([, hold]) => hold)).toMatchObject([{ relink }, { relink }]);
    const twins = [observedOf('u1', values), observedOf('u2', { ...values, email: 'new@example.com' })];
    const [[, hold] = []] = listHolds({ links, observed: twins }, [leaving], { recent: 'u2' });
    expect(hold).not.toHaveProperty('relink');
    expect(hold?.remedy).not.toContain('talent-sync link');
  });

  it.each<readonly [what: string, twin: Values, more: More, holds: number]>([
    ['alike', {}, {}, 1],
    ['born in another year', { born_year: 1990 }, {}, 0],
    ['who was at work at the same time', {}, { wereBothHere: true }, 0],
    ['who was too, with the same address', { email: 'old@example.com' }, { wereBothHere: true }, 1],
    ['who was too, with the same UPN', { upn: 'JD@x' }, { wereBothHere: true }, 1],
  ])('a namesake created not long ago, %s', (_, twin, more, holds) => {
    const observed = [
      observedOf('u1', { ...values, upn: 'jd@x' }),
      observedOf('u2', { ...values, email: 'new@example.com', ...twin }),
    ];
    expect(suspects({ links, observed }, [leaving], { ...more, recent: 'u2' })).toHaveLength(holds);
    const closed = [observed[0], { ...observedOf('u2', values), active: false }].flatMap((one) => one ?? []);
    expect(suspects({ links, observed: closed }, [leaving], { recent: 'u2' })).toEqual([]);
  });

  it('somebody who is about to be deleted for good keeps the account as well', () => {
    const deleting = { ...leaving, action: 'delete' } as const;
    const [create, remove] = suspects({ links }, [joiner, deleting]);
    expect(create).toContain('who is about to be deleted for good');
    expect(remove).toContain('users:E1: label of u1 looks like the joiner');
  });

  it('a joiner without a name is found among the leavers too, by UPN', () => {
    const nameless = changeOf('users', 'E9', { after: { email: 'old@acme.com', upn: 'jd@x' } });
    const observed = [observedOf('u1', { ...values, upn: 'JD@x' })];
    expect(suspects({ links, observed }, [nameless, leaving])).toHaveLength(2);
    const addressless = changeOf('users', 'E9', { after: { email: '@acme.com', upn: 'jd@x' } });
    expect(suspects({ links, observed }, [addressless, leaving])).toEqual([]);
  });

  it('a person who changed the surname and the domain is found among the leavers by what is before the @', () => {
    const married = changeOf('users', 'E9', { after: { name: 'Jane Ray', born_year: 1980, email: 'old@acme.com' } });
    expect(suspects({ links }, [married, leaving])).toHaveLength(2);
  });
});
