import { expect, it } from 'vitest';
import { OPEN_FIELDS, SHOWN_FIELDS } from '../../../src/store/audit/people.js';

const OPEN = [
  'cv_tags',
  'deactivated',
  'disabled',
  'external_unique_id',
  'include_dates',
  'link',
  'office',
  'order',
  'project',
  'role',
  'role_allowed_offices',
  'role_allowed_tags',
  'roles',
  'starred',
  'tags',
];

it('keeps office, roles and title in logs without names, and hides the title from readers who see no names', () => {
  expect([...OPEN_FIELDS].sort()).toEqual([...OPEN, 'title'].sort());
  expect([...SHOWN_FIELDS].sort()).toEqual(OPEN);
});
