import { expect, test } from 'vitest';
import { titleTrip } from '../../../../src/daemon/web/operator/pages/guard-words.js';

const TRIP = { found: 12, held: 12, limit: 5, cause: 'many', detail: 'many' };

test.each([
  ['users.deactivate', '12 people would be deactivated; 5 at most without approval'],
  ['users.reactivate', '12 people would be activated again; 5 at most without approval'],
  ['customers.create', '12 customers would be created; 5 at most without approval'],
  ['tag_categories.delete', '12 tag categories would be deleted; 5 at most without approval'],
  ['users.fields.title', '12 people would be given another title; 5 at most without approval'],
  ['sources.hr.overwrite', '12 records of hr would be overwritten; 5 at most without approval'],
  ['users.same_person', '12 people may have an account already'],
  ['customers.look_alike', '12 customers may exist already'],
  ['sources.hr.shrink:3f2a9c', 'A delivery of hr with 12 rows is not used'],
  ['users.yet_unknown', '12 people would be affected; 5 at most without approval'],
])('describes in nouns the changes that %s holds', (guard, said) => {
  expect(titleTrip({ ...TRIP, guard }, 'would be')).toBe(said);
});

test('describes held changes, and a limit of zero', () => {
  const trip = { ...TRIP, guard: 'users.promote', held: 1, limit: 0 };
  expect(titleTrip(trip, 'would have been')).toBe('1 person would have been given more rights; this needs approval');
});
