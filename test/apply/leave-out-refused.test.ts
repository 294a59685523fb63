import { describe, expect, test } from 'vitest';
import { leaveOutRefused } from '../../src/apply/leave-out-refused.js';
import { StepFailure } from '../../src/apply/send-or-find.js';
import type { Json } from '../../src/model/json.js';
import type { PlannedChange } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import { plannedOf } from './scripted-service.js';

const AFTER = {
  email: 'jane@example.com',
  name: 'Jane Doe',
  office: { country: 'no', name: 'Oslo' },
  roles: ['consultant'],
  title: { en: 'Lead' },
};
const changeOf = (action: PlannedChange['action'], after: PlannedChange['after'] = AFTER, more = {}) =>
  plannedOf(action, { after, fields: Object.keys(after).sort(), ...more });

function refusal(details: Json, status = 422): StepFailure {
  const said = {
    code: 'SYNC_SERVICE_REFUSED',
    message: `Answered ${status}`,
    method: 'PUT',
    path: '/api/v1/users',
  } as const;
  const how = { baseUrl: 'https://acme.example.com', fault: 'status', outcome: 'refused', status, details } as const;
  return new StepFailure('refused', new ServiceError({ ...said, ...how }));
}

describe('leaves out the fields that the service names', () => {
  test.each<[form: string, body: Json, leftOut: readonly string[]]>([
    ['a sentence', { error: 'Email has already been taken' }, ['email']],
    ['several sentences', { errors: ['Email is invalid', 'Title is too long'] }, ['email', 'title']],
    [
      'one sentence with several clauses',
      { error: 'Validation failed: Email is invalid, Title is too long' },
      ['email', 'title'],
    ],
    ['a member per field', { errors: { email: ['has already been taken'] } }, ['email']],
    ['members alone', { email: ['has already been taken'] }, ['email']],
    ['the name of the wire', { error: 'office_id must belong to the country' }, ['office', 'roles']],
    ['a language', { error: 'title.en must be a string' }, ['title']],
    ['a role, which would otherwise apply at another place', { error: 'Role boss is not known' }, ['office', 'roles']],
  ])('%s', (_, body, leftOut) => {
    const part = leaveOutRefused(changeOf('update'), refusal(body));
    expect(part?.refusals.map(({ field }) => field)).toEqual(leftOut);
    expect(Object.keys(part?.rest.after ?? {})).toEqual(Object.keys(AFTER).filter((name) => !leftOut.includes(name)));
  });
});

describe('fails the entire change', () => {
  test.each<[why: string, change: PlannedChange, failure: unknown]>([
    ['if no field is named', changeOf('update'), refusal({ error: 'No licence left' })],
    ['if another field is named', changeOf('update'), refusal({ error: 'Name multilang is too long' })],
    [
      'if the object is echoed',
      changeOf('update'),
      refusal({ error: 'Rejected', user: { email: 'jane@example.com' } }),
    ],
    ['if no field is left', changeOf('update', { email: 'a@example.com' }), refusal({ error: 'Email is invalid' })],
    ['if a new person would lack an address', changeOf('create'), refusal({ error: 'Email is invalid' })],
    ['if a new person would get default roles', changeOf('create'), refusal({ error: 'Role boss is not known' })],
    ['if an account is reactivated', changeOf('reactivate'), refusal({ error: 'Email is invalid' })],
    ['if it is an undo', changeOf('update', AFTER, { undoes: {} }), refusal({ error: 'Email is invalid' })],
    ['with another status', changeOf('update'), refusal({ error: 'Email may not be changed' }, 403)],
    ['if the answer was lost', changeOf('update'), new StepFailure('lost', refusal({ error: 'Email' }).reason)],
  ])('%s', (_, change, failure) => {
    expect(leaveOutRefused(change, failure)).toBeNull();
  });
});

test('creates a person without a rejected title', () => {
  const part = leaveOutRefused(changeOf('create'), refusal({ error: 'Title is too long' }));
  expect(part?.rest.fields).toEqual(['email', 'name', 'office', 'roles']);
});
