import { collect } from '../desk.js';
import { type CallCase, none } from './call-case.js';

const user = { id: 'u1', email: 'a@example.com', roles: ['consultant'] };

export const PEOPLE_CASES: readonly CallCase[] = [
  {
    name: 'getUser',
    make: (s) => s.reader.users.get('u/1'),
    line: 'GET /api/v1/users/u%2F1?use_legacy_codes=false',
    reply: { body: user },
  },
  {
    name: 'findUser',
    make: (s) => s.reader.users.find({ email: 'a+b@example.com' }),
    line: 'GET /api/v1/users/find?email=a%2Bb%40example.com&use_legacy_codes=false',
    reply: { body: user },
  },
  {
    name: 'searchUsers',
    make: (s) => collect(s.reader.users.search()),
    line: 'GET /api/v2/users/search?from=0&size=500&deactivated=true&use_legacy_codes=false',
    reply: { body: [user] },
  },
  {
    name: 'readUserChanges',
    make: (s) => s.reader.users.readChangesPage({ since: '2026-11-20T10:00:00+00:00', afterId: 'u1', limit: 5 }),
    line: 'GET /api/v1/users/changes?profile_updated_since=2026-11-20T10%3A00%3A00%2B00%3A00&after_id=u1&limit=5&use_legacy_codes=false',
    reply: { body: [] },
  },
  {
    name: 'createUser',
    make: (s) => s.writer.users.create({ email: 'a@example.com', country_id: 'n', office_id: 'o' }),
    line: 'POST /api/v1/users?use_legacy_codes=false',
    body: { user: { email: 'a@example.com', country_id: 'n', office_id: 'o' } },
    reply: { body: user },
  },
  {
    name: 'updateUser',
    make: (s) => s.writer.users.update('u1', { deactivated: true, upn: null }),
    line: 'PUT /api/v1/users/u1?use_legacy_codes=false',
    body: { user: { deactivated: true, upn: null } },
    reply: { body: user },
  },
  { name: 'deleteUser', make: (s) => s.writer.users.delete('u1'), line: 'DELETE /api/v1/users/u1', reply: none },
  {
    name: 'listCountries',
    make: (s) => s.reader.countries.list(),
    line: 'GET /api/v1/countries?use_legacy_codes=false',
    reply: { body: [] },
  },
  {
    name: 'createCountry',
    make: (s) => s.writer.countries.create({ code: 'no', native_language_code: 'no' }),
    line: 'POST /api/v1/countries?use_legacy_codes=false',
    body: { country: { code: 'no', native_language_code: 'no' } },
    reply: { body: { _id: 'n', code: 'no' } },
  },
  {
    name: 'updateCountry',
    make: (s) => s.writer.countries.update('n', { native_language_code: 'sv' }),
    line: 'PUT /api/v1/countries/n?use_legacy_codes=false',
    body: { country: { native_language_code: 'sv' } },
    reply: { body: { _id: 'n', code: 'no' } },
  },
  {
    name: 'createOffice',
    make: (s) => s.writer.countries.createOffice('n', { name: 'Oslo' }),
    line: 'POST /api/v1/countries/n/offices?use_legacy_codes=false',
    body: { name: 'Oslo' },
    reply: { body: { _id: 'o', name: 'Oslo' } },
  },
  {
    name: 'updateOffice',
    make: (s) => s.writer.countries.updateOffice('n', 'o', { name: 'Oslo S' }),
    line: 'PUT /api/v1/countries/n/offices/o?use_legacy_codes=false',
    body: { name: 'Oslo S' },
    reply: none,
  },
  {
    name: 'deleteOffice',
    make: (s) => s.writer.countries.deleteOffice('n', 'o'),
    line: 'DELETE /api/v1/countries/n/offices/o',
    reply: none,
  },
  {
    name: 'importUsers',
    make: (s) => s.writer.users.importCsv('email\na@example.com\n', { setting: 'strict', dryRun: true }),
    line: 'POST /api/v1/users/import/csv/strict?dry_run=true',
    body: 'email\na@example.com\n',
    reply: { body: { import_task: 't1', dry_run: true } },
    gives: { value: { import_task: 't1', dry_run: true }, status: 200 },
  },
];
