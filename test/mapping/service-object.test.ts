import { describe, expect, it } from 'vitest';
import { compileChecked } from '../../src/mapping/expression.js';
import {
  createObjectScope,
  restsOnGiven,
  restsOnOthers,
  type ServiceObject,
  showObject,
} from '../../src/mapping/service-object.js';
import type { Entity } from '../../src/model/entity.js';
import type { Values } from '../../src/model/json.js';

const URL = 'https://acme.example.com';

function read(entity: Entity, text: string, values: Values, more: Partial<ServiceObject> = {}): unknown {
  const scope = createObjectScope(entity, { timezone: 'UTC', maps: {} });
  const expression = compileChecked(scope, 'write_back', text, 'anything');
  showObject(scope, entity, { id: 'x1', active: true, values, people: [], ...more }, URL);
  return expression.run();
}

describe('an object of the service in a write-back expression', () => {
  const rows: readonly (readonly [Entity, string, Values, unknown])[] = [
    ['users', 'user.id', {}, 'x1'],
    ['users', 'user.?active', {}, true],
    ['users', 'user.telephone', { telephone: '1' }, '1'],
    ['users', 'user.telephone', {}, ''],
    ['users', 'user.telephone', { telephone: null }, ''],
    ['users', 'user.telephone', { telephone: 7 }, '7'],
    ['users', 'user.telephone', { telephone: { en: 'x' } }, ''],
    ['users', 'user.?born_year', { born_year: 1980 }, 1980n],
    ['users', 'user.?born_year', { born_year: 1980.5 }, 1980n],
    ['users', 'user.?born_year', { born_year: '1980' }, undefined],
    ['users', 'user.?born_year', {}, undefined],
    ['users', 'user.roles', { roles: ['consultant'] }, ['consultant']],
    ['users', 'user.roles', { roles: 'consultant' }, ['consultant']],
    ['users', 'user.roles', {}, []],
    ['users', 'user.title', { title: { en: 'Lead' } }, { en: 'Lead' }],
    ['users', 'user.title', {}, {}],
    ['users', 'user.cv_id', { default_cv_id: 'cv 1' }, 'cv 1'],
    ['users', 'user.cv_id', {}, ''],
    ['users', 'user.cv_link', { default_cv_id: 'cv 1' }, `${URL}/redirect/to/cv?id=cv%201`],
    ['users', 'user.cv_link', {}, ''],
    ['users', 'user.office_name + user.country_code', { office: { country: 'no', name: 'Oslo' } }, 'Oslono'],
    ['users', 'user.office_name', {}, ''],
    ['users', 'user.office_name', { office: 'Oslo' }, ''],
    ['projects', 'project.customer_id', { customer_id: 'k1' }, 'k1'],
    ['proposals', 'proposal.link', {}, `${URL}/redirect/to/proposal?id=x1`],
  ];
  it.each(rows)('for %s, shows %s of %o as %o', (entity, text, values, value) => {
    expect(read(entity, text, values)).toEqual(value);
  });

  it('has no id and no link while it is only planned', () => {
    expect(read('proposals', 'proposal.link', {}, { id: null })).toBe('');
    expect(read('users', 'user.?id', {}, { id: null })).toBeUndefined();
    expect(read('users', 'user.?active', {}, { active: false })).toBe(false);
  });

  it('shows the people with a project on their CVs', () => {
    expect(read('projects', 'project.people', {}, { people: ['a@x.test'] })).toEqual(['a@x.test']);
  });

  const given: readonly (readonly [Entity, string, Values, boolean])[] = [
    ['users', 'user.id', {}, true],
    ['users', 'user.cv_id', {}, true],
    ['users', 'user.telephone', {}, false],
    ['users', 'user.?active', {}, false],
    ['projects', 'project.workflow_stage', {}, true],
    ['projects', 'project.workflow_stage', { workflow_stage: null }, true],
    ['projects', 'project.workflow_stage', { workflow_stage: 'live' }, false],
    ['proposals', 'proposal.status', { owner: 'a@x.test' }, true],
    ['proposals', 'proposal.name', {}, false],
  ];
  it.each(given)(
    'for %s, finds if %s comes from the service when the sources give %o: %s',
    (entity, text, values, is) => {
      const scope = createObjectScope(entity, { timezone: 'UTC', maps: {} });
      expect(restsOnGiven(scope, entity, text)(values)).toBe(is);
    },
  );

  it('changes without its project if it lists people', () => {
    const scope = createObjectScope('projects', { timezone: 'UTC', maps: {} });
    expect(restsOnOthers(scope, 'projects', 'project.people')).toBe(true);
    expect(restsOnOthers(scope, 'projects', 'project.customer_id + project.people.join(", ")')).toBe(true);
    expect(restsOnOthers(scope, 'projects', 'project.customer_id')).toBe(false);
    expect(restsOnOthers(scope, 'projects', 'project.architect')).toBe(false);
  });
});
