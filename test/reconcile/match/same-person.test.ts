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
    [
      'finds name and year',
      { ...jane, born_year: 1980 },
      { ...jane, ...other, born_year: 1980 },
      'name and the same year',
    ],
    [
      'reads a year as text',
      { ...jane, born_year: '1980' },
      { ...jane, ...other, born_year: 1980 },
      'name and the same year',
    ],
    ['finds nothing if the years differ', { ...jane, born_year: 1980 }, { ...jane, born_year: 1981 }, null],
    ['finds nothing by the name alone', jane, { ...jane, ...other }, null],
    ['finds nothing if only one year is known', { ...jane, born_year: 1980 }, { ...jane, ...other }, null],
    [
      'finds the office if only one year is known',
      { ...jane, born_year: 1980 },
      { ...jane, email: other.email },
      'the same office',
    ],
    [
      'ignores an empty year',
      { ...jane, born_year: null },
      { ...jane, email: other.email },
      'name and the same office',
    ],
    ['finds name and office', jane, { ...jane, email: other.email }, 'name and the same office'],
    ['ignores capitals and blanks', { ...jane, name: ' JANE  DOE ' }, { ...jane, email: other.email }, 'same office'],
    [
      'finds name and title',
      { ...jane, title: { en: 'Lead' } },
      { ...jane, ...other, title: { en: 'lead' } },
      'same title',
    ],
    [
      'does not compare titles in different languages',
      { ...jane, title: { en: 'Lead' } },
      { ...jane, ...other, title: { no: 'Lead' } },
      null,
    ],
    [
      'finds the same address under another domain',
      jane,
      { ...jane, ...other, email: 'jane.doe@acme.com' },
      'name and the same address before the @',
    ],
    [
      'finds the same address and year after a marriage',
      { ...jane, born_year: 1980 },
      { ...jane, ...other, name: 'Jane Ray', email: 'jane.doe@acme.com', born_year: 1980 },
      'address before the @ and the same year',
    ],
    ['finds nothing by the address alone', jane, { ...jane, name: 'Jane Ray' }, null],
    ['finds the same UPN', { ...jane, upn: 'JD@x' }, { name: 'Someone', upn: 'jd@x' }, 'identity provider'],
    ['finds nothing without values', {}, {}, null],
    [
      'finds nothing for blank names',
      { name: ' ', office: jane.office ?? null },
      { name: '', office: jane.office ?? null },
      null,
    ],
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

  it('holds a leaver and a joiner of one plan, each with the other shown', () => {
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
    ['a missing person who is not due yet', { links }, {}, 'missing from the source'],
    [
      'a person who has left, within the grace period',
      { links },
      { state: 'leaver' },
      'missing from the source or out of scope',
    ],
    ['a person out of scope', { links }, { state: 'out' }, 'missing from the source or out of scope'],
    ['an account without an owner', {}, {}, 'without a record'],
    ['a deactivated person', { observed: [observedOf('u1', values, { active: false })] }, {}, 'who is deactivated'],
  ] as const)('holds a joiner who looks like %s', (_what, world, more, state) => {
    const found = suspects(world as World, [joiner], more);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(state);
  });

  it.each([
    ['has a row of its own', { links }, { state: 'desired' }],
    ['has a row that is held', { links }, { state: 'held' }],
    ['was born in another year', { observed: [observedOf('u1', { ...values, born_year: 1990 })] }, {}],
  ] as const)('raises no alarm for a namesake who %s', (_what, world, more) => {
    expect(suspects(world as World, [joiner], more)).toEqual([]);
  });

  it('holds a deactivation if a similar account was created recently', () => {
    const twins = {
      links,
      observed: [observedOf('u1', values), observedOf('u2', { ...values, email: 'new@example.com' })],
    };
    expect(suspects(twins, [leaving])).toEqual([]);
    expect(suspects(twins, [leaving], { recent: 'u2' })).toEqual([
      expect.stringContaining('(u2), created not long ago'),
    ]);
  });

  it('names the record and the account to link in a hold, if there are any', () => {
    const relink = { key: 'E9', id: 'u1' };
    expect(listHolds({ links }, [joiner, leaving]).map(([, hold]) => hold)).toMatchObject([{ relink }, { relink }]);
    const twins = [observedOf('u1', values), observedOf('u2', { ...values, email: 'new@example.com' })];
    const [[, hold] = []] = listHolds({ links, observed: twins }, [leaving], { recent: 'u2' });
    expect(hold).not.toHaveProperty('relink');
    expect(hold?.remedy).not.toContain('talent-sync link');
  });

  it.each<readonly [what: string, twin: Values, more: More, holds: number]>([
    ['who is alike', {}, {}, 1],
    ['who was born in another year', { born_year: 1990 }, {}, 0],
    ['who was at work at the same time', {}, { wereBothHere: true }, 0],
    ['who was at work too, with the same address', { email: 'old@example.com' }, { wereBothHere: true }, 1],
    ['who was at work too, with the same UPN', { upn: 'JD@x' }, { wereBothHere: true }, 1],
  ])('judges a recently created namesake %s', (_, twin, more, holds) => {
    const observed = [
      observedOf('u1', { ...values, upn: 'jd@x' }),
      observedOf('u2', { ...values, email: 'new@example.com', ...twin }),
    ];
    expect(suspects({ links, observed }, [leaving], { ...more, recent: 'u2' })).toHaveLength(holds);
    const closed = [observed[0], { ...observedOf('u2', values), active: false }].flatMap((one) => one ?? []);
    expect(suspects({ links, observed: closed }, [leaving], { recent: 'u2' })).toEqual([]);
  });

  it('holds a person who is about to be deleted permanently as well', () => {
    const deleting = { ...leaving, action: 'delete' } as const;
    const [create, remove] = suspects({ links }, [joiner, deleting]);
    expect(create).toContain('who is about to be deleted for good');
    expect(remove).toContain('users:E1: label of u1 looks like the joiner');
  });

  it('finds a joiner without a name among the leavers by UPN', () => {
    const nameless = changeOf('users', 'E9', { after: { email: 'old@acme.com', upn: 'jd@x' } });
    const observed = [observedOf('u1', { ...values, upn: 'JD@x' })];
    expect(suspects({ links, observed }, [nameless, leaving])).toHaveLength(2);
    const addressless = changeOf('users', 'E9', { after: { email: '@acme.com', upn: 'jd@x' } });
    expect(suspects({ links, observed }, [addressless, leaving])).toEqual([]);
  });

  it('finds a person with a new surname and domain among the leavers by the part before the @', () => {
    const married = changeOf('users', 'E9', { after: { name: 'Jane Ray', born_year: 1980, email: 'old@acme.com' } });
    expect(suspects({ links }, [married, leaving])).toHaveLength(2);
  });
});
