import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { SectionType } from '../../../src/model/sections.js';
import { diffValues } from '../../../src/reconcile/fields/diff.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { changeOf, desiredOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, JANE, reconcileWorld, settingsOf, type World } from '../fake-ports.js';

const STAFFING = { entity: 'staffing', match: matchBy(['project', 'user']), removes: false } as const;
const NAMES = { emails: ['E1'], projects: ['P1'] };
const row = (key: string, more: object = {}) =>
  desiredOf(key, { project: 'P1', user: 'E1', link: true, ...more }, { entity: 'staffing' });
const link = (id: string, more: object = {}) =>
  observedOf(id, { project_id: 'p:p1', user_id: 'u:e1', link: true, role: [], ...more }, { entity: 'staffing' });
const jane = (active: boolean) => observedOf('u:e1', {}, { active });

function staff(world: World) {
  const ports = createFakePorts({ names: NAMES, ...world });
  reconcileEntity(settingsOf(STAFFING), ports);
  return ports;
}

describe('links of people to projects', () => {
  it('are created in batches with one project and the same options', () => {
    const names = { emails: ['E1', 'E2', 'E3'], projects: ['P1'] };
    const desired = [row('a'), row('b', { user: 'E2' }), row('c', { user: 'E3', link: false, include_dates: true })];
    expect(
      staff({ desired, names })
        .changes()
        .map(({ batch }) => batch),
    ).toEqual(['p1: hard link', 'p1: hard link', 'p1: copy, with dates']);
  });

  it('are adopted if they exist, and only missing roles are planned', () => {
    const ports = staff({
      desired: [row('a', { role: [{ en: 'Lead' }, { en: 'Coder' }] })],
      observed: [link('x1', { role: [{ en: 'lead' }] })],
    });
    expect(ports.adopted).toEqual(['staffing:a=x1']);
    expect(ports.changes()).toMatchObject([{ action: 'update', target: 'x1', after: { role: [{ en: 'Coder' }] } }]);
    expect(ports.changes()[0]?.batch).toBeUndefined();
  });

  it('are adopted in the wanted kind if others created several', () => {
    const ports = staff({ desired: [row('a')], observed: [link('x1', { link: false }), link('x2')] });
    expect(ports.adopted).toEqual(['staffing:a=x2']);
    expect(ports.changes()).toEqual([]);
  });

  it('are adopted if the old one was deleted and another one of the pair exists', () => {
    const ports = staff({ desired: [row('a')], observed: [link('x2')], links: { 'staffing:a': 'x1' } });
    expect(ports.adopted).toEqual(['staffing:a=x2']);
    expect(ports.changes()).toEqual([]);
  });

  it('follow a person who gets another number, and are held while both numbers are delivered', () => {
    const links = { 'staffing:old': 'x1' };
    expect(staff({ desired: [row('a')], observed: [link('x1')], links }).adopted).toEqual(['staffing:a=x1']);
    const both = staff({ desired: [row('old'), row('a')], observed: [link('x1')], links });
    expect(both.holds.map(({ key, code }) => [key, code])).toEqual([['a', 'SYNC_MATCH_CLAIMED']]);
  });

  it('are held if other words name the same pair, since it would be created twice', () => {
    const ports = staff({
      desired: [row('a'), row('b', { user: ' e1' }), row('c', { user: 'E9' }), row('d', { user: 'E9' })],
    });
    expect(ports.changes().map(({ key }) => key)).toEqual(['a']);
    const [second, ...others] = ports.holds;
    expect(second).toMatchObject({
      key: 'b',
      code: 'SYNC_MATCH_CLAIMED',
      reason: 'It names the same person and project as record a, but by other identifiers.',
      remedy:
        'Name people and projects in the same way, by external id or e-mail. Rows of the same link are then combined.',
    });
    // Unknown people may be two.
    expect(others.map(({ key, code }) => [key, code])).toEqual([
      ['c', 'SYNC_REFERENCE_UNKNOWN'],
      ['d', 'SYNC_REFERENCE_UNKNOWN'],
    ]);
  });

  it('belong to the linked record that still names the pair, even if this run did not look at it', () => {
    const linked: World = { observed: [link('x1')], links: { 'staffing:b': 'x1' } };
    const second = (...keys: readonly string[]) =>
      keys.map((key) => [key, `It names the same person and project as record b, but by other identifiers.`]);
    const told = (world: World, isQuiet = false) => {
      const ports = createFakePorts({ names: NAMES, ...linked, ...world });
      const { candidates } = ports.sources;
      const moved = (entity: Entity) => [...candidates(entity)].filter(({ desired: { key } }) => key !== 'b');
      if (isQuiet) Object.assign(ports.sources, { candidates: moved });
      reconcileEntity(settingsOf(STAFFING), ports);
      return ports.holds.map(({ key, reason }) => [key, reason]);
    };
    const desired = [row('a', { user: ' e1' }), row('b'), row('c')];
    expect(told({ desired })).toEqual(second('a', 'c'));
    expect(told({ desired }, true)).toEqual(second('a', 'c'));
    // Two experiences, each with its own record.
    const both = { 'staffing:a': 'x2', 'staffing:b': 'x1' };
    expect(told({ desired, observed: [link('x1'), link('x2')], links: both })).toEqual([
      ['c', 'It names the same person and project as record a, but by other identifiers.'],
    ]);
    // A record that names another project by now cannot be moved there, and does not block this one.
    const [[key, reason] = [], ...others] = told({
      desired: [row('a'), row('b', { project: 'P2' })],
      names: { ...NAMES, projects: ['P1', 'P2'] },
    });
    expect([key, reason]).toEqual(['a', expect.stringContaining('it is linked to record b')]);
    expect(others).toEqual([['b', expect.stringContaining('cannot move it to another')]]);
  });

  it('are reported in every run if they are of the other kind', () => {
    const desired = [row('a', { link: false })];
    const world = { desired, observed: [link('x1')], links: { 'staffing:a': 'x1' } };
    expect(staff(world).holds).toMatchObject([
      {
        code: 'SYNC_CHANGE_BLOCKED',
        field: 'link',
        reason:
          'link: label of x1 is a hard link, but the source asks for a copy; no call of the service turns one into the other.',
        remedy: 'Leave it, or delete the experience in the service: the next run links it again.',
      },
    ]);
    const other = staff({ ...world, desired: [row('a')], observed: [link('x1', { link: false })] });
    expect(other.holds[0]?.reason).toContain('is a copy of the project, but the source asks for a hard link;');
    const later = staff({ ...world, unchanged: ['a'], base: { a: desired[0]?.values ?? {} } });
    expect(later.holds.map(({ code }) => code)).toEqual(['SYNC_CHANGE_BLOCKED']);
  });

  it('are left alone without a hold if the person has left or is about to', () => {
    const gone = staff({ desired: [row('a')], observed: [jane(false)] });
    expect([gone.changes(), gone.holds]).toEqual([[], []]);
    const ports = createFakePorts({ names: NAMES, desired: [row('a')], observed: [jane(true)] });
    ports.plan.add(changeOf('users', 'E1', { action: 'deactivate', target: 'u:e1' }));
    reconcileEntity(settingsOf(STAFFING), ports);
    expect(ports.changes().map(({ entity }) => entity)).toEqual(['users']);
  });

  it('wait for the change that gives the person the id', () => {
    const ports = createFakePorts({ names: { projects: ['P1'] }, desired: [row('a')] });
    ports.plan.add(changeOf('users', 'k', { action: 'update', target: 'u7', after: { external_unique_id: 'E1' } }));
    ports.plan.claim('users.external_unique_id', 'e1', 'k');
    reconcileEntity(settingsOf(STAFFING), ports);
    expect([...ports.plan.changesOf('staffing')].map(({ needs }) => needs)).toEqual([['users:k']]);
    expect(ports.holds).toEqual([]);
  });
});

describe('an id that is unique on a CV', () => {
  const section = (entity: SectionType, key: string, user = 'E1') =>
    desiredOf(key, { user, external_unique_id: 'K' }, { entity });
  const there = (entity: SectionType, values: object = {}) =>
    observedOf('s1', { user_id: 'u:e1', external_unique_id: 'k', ...values }, { entity });
  function learn(world: World) {
    const ports = createFakePorts({ names: { emails: ['E1', 'E2'] }, ...world });
    for (const entity of ['certifications', 'courses'] as const)
      reconcileEntity(settingsOf({ entity, match: matchBy(['external_unique_id']), removes: false }), ports);
    return [
      ports.changes().map(({ entity, key, action }) => `${action} ${entity}:${key}`),
      ports.holds.map(({ entity, key, code, reason }) => `${entity}:${key} ${code} ${reason}`),
    ];
  }
  const held = (ref: string, because: string) =>
    `${ref} SYNC_VALUE_TAKEN external_unique_id "K" is unique on its CV, across all kinds of sections, and ${because}.`;
  const at = '(hr employees.csv:2)';

  it('goes to the first record of any kind, on each CV separately', () => {
    const desired = [section('certifications', 'a'), section('certifications', 'b'), section('courses', 'a')];
    const first = `the certification a ${at} will get it`;
    expect(learn({ desired: [...desired, section('courses', 'c', 'E2')] })).toEqual([
      ['create certifications:a', 'create courses:c'],
      [held('certifications:b', first), held('courses:a', first)],
    ]);
  });

  it('stays with the section that has it, even if others created that', () => {
    const desired = [section('certifications', 'a'), section('courses', 'b')];
    const observed = [there('courses')];
    const links = { 'courses:b': 's1' };
    expect(learn({ desired, observed, links })).toEqual([[], [held('certifications:a', `the course b ${at} has it`)]]);
    expect(learn({ desired: desired.slice(0, 1), observed })).toEqual([
      [],
      [held('certifications:a', 'the course label of s1 has it')],
    ]);
    expect(learn({ desired: desired.slice(0, 1), observed: [there('courses', { user_id: 'u:e2' })] })).toEqual([
      ['create certifications:a'],
      [],
    ]);
  });
});

describe('a hard-linked experience', () => {
  const settings = { entity: 'project_experiences', match: matchBy(['external_unique_id']) } as const;
  const desired = [
    desiredOf(
      'X',
      { user: 'E1', external_unique_id: 'X', description: { en: 'Mine' }, year_from: '2025' },
      { entity: 'project_experiences' },
    ),
  ];
  const section = (linked: boolean) =>
    observedOf(
      'x1',
      {
        user_id: 'u:e1',
        external_unique_id: 'X',
        description: { en: 'Dam' },
        year_from: null,
        ...(linked ? { linked } : {}),
      },
      { entity: 'project_experiences' },
    );

  it.each([
    [true, ['year_from'], ['SYNC_CHANGE_BLOCKED']],
    [false, ['description', 'year_from'], []],
  ] as const)('if linked %s, changes %j', (linked, fields, codes) => {
    const ports = reconcileWorld(
      { names: NAMES, desired, observed: [section(linked)], links: { 'project_experiences:X': 'x1' } },
      settings,
    );
    expect(ports.changes()[0]?.fields).toEqual(fields);
    expect(ports.holds.map(({ code }) => code)).toEqual(codes);
  });
});

describe('clearing a tag of a person', () => {
  const names = { countries: ['no'], offices: ['no/Oslo'], categories: ['unit'], tags: ['unit/north'] };
  const world: World = {
    names,
    desired: [desiredOf('E1', { ...JANE, tags: { unit: null } })],
    observed: [observedOf('u1', JANE)],
    links: { 'users:E1': 'u1' },
    written: { E1: { tags: { unit: 'north' } } },
  };

  it('is planned if the account shows such tags', () => {
    expect(reconcileWorld(world).changes()).toMatchObject([
      { before: { tags: { unit: 'north' } }, after: { tags: { unit: null } } },
    ]);
  });

  it('is held if it does not, while the rest continues', () => {
    const desired = [desiredOf('E1', { ...JANE, telephone: '2', tags: { unit: null } })];
    const ports = createFakePorts({ ...world, desired });
    reconcileEntity(settingsOf(), {
      ...ports,
      service: { ...ports.service, directory: { ...ports.service.directory, showsUserTags: false } },
    });
    expect(ports.changes().map(({ fields }) => fields)).toEqual([['telephone']]);
    expect(ports.holds.map(({ code }) => code)).toEqual(['SYNC_CHANGE_BLOCKED']);
  });

  it('does nothing if no tag is known', () => {
    expect(reconcileWorld({ ...world, written: {} }).changes()).toEqual([]);
  });
});

describe('tags of a person that were read', () => {
  const diff = (observed: object, written: object) =>
    diffValues({
      entity: 'users',
      desired: { tags: { unit: 'north' } },
      observed: { ...observed },
      written: { ...written },
      rules: {},
    }).after;

  it('take precedence over written tags, and two in one category are corrected', () => {
    expect(diff({ tags: {} }, { tags: { unit: 'north' } })).toEqual({ tags: { unit: 'north' } });
    expect(diff({ tags: { unit: 'north' } }, { tags: { unit: 'south' } })).toEqual({});
    expect(diff({ tags: { unit: ['north', 'south'] } }, {})).toEqual({ tags: { unit: 'north' } });
    expect(diff({}, { tags: { unit: 'north' } })).toEqual({});
  });
});
