import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFixtureFile } from '../../src/sandbox/fixture-file.js';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { catchError, makeFolder } from '../samples.js';
import { ACCOUNT, openSandbox } from './open-sandbox.js';

function writeFile(text: string): string {
  const file = join(makeFolder(), 'fixture.json');
  writeFileSync(file, text);
  return file;
}

function readAll(text: string) {
  const parts = openFixtureFile(writeFile(text));
  return {
    frame: parts.readFrame(),
    users: [...parts.readList('users')],
    proposals: [...parts.readList('proposals')],
  };
}

describe('a fixture file', () => {
  it('is read in parts, in whatever order they are, with brackets and quotes in texts', () => {
    const users = [{ name: 'A "quoted" \\ [name] {here}' }, { name: 'Åse', tags: { a: ['b', [], {}] } }, 7, null];
    const text = JSON.stringify({ users, account: { languages: ['en'] }, keys: [] }, null, 2);
    expect(readAll(`\n ${text}\n`)).toEqual({
      frame: { users: [], account: { languages: ['en'] }, keys: [] },
      users,
      proposals: [],
    });
    expect(readAll('{}')).toEqual({ frame: {}, users: [], proposals: [] });
  });

  it('is the same when records are longer than what is held of it', () => {
    // Letters of two bytes, so that the pieces end within letters too.
    const users = Array.from({ length: 5 }, (_, index) => ({ name: `${'x'.repeat(index)}${'å"'.repeat(300_000)}` }));
    expect(readAll(JSON.stringify({ users })).users).toEqual(users);
  });

  it.each([
    ['cut within a record', '{"users":[{"name":"A"},{"name":'],
    ['cut within a text', '{"users":[{"name":"A'],
    ['a list', '[]'],
    ['nothing', ''],
    ['more than one document', '{} {}'],
    ['a list without commas', '{"users":[{} {}]}'],
    ['an object without colons', '{"users" []}'],
    ['brackets that do not match', '{"account":{"languages":["en"}]}'],
  ])('is refused where it is %s', (_name, text) => {
    expect(catchError(() => readAll(text))).toMatchObject({ code: 'SYNC_CONFIG_UNREADABLE' });
  });

  it('has project experiences that are hard links to projects', async () => {
    const person = { country: 'no', office: 'Oslo' };
    const experiences = [
      { description: { en: 'Bridge' } },
      { reference_project: 'P1', year_from: '2024', roles: [{ name: { en: 'Lead' } }] },
    ];
    const anna = { ...person, email: 'anna@example.com', cv: { sections: { project_experiences: experiences } } };
    const projects = [{ external_unique_id: 'P1', project_name: { en: 'Dam' } }];
    const customers = [{ customer_name: { en: 'Fjord' }, projects }];
    const { send } = await openSandbox({ fixture: { ...ACCOUNT, users: [anna], customers } });
    const [{ id, default_cv_id }] = (await send('GET', '/api/v2/users/search?size=10')).body;
    const cv = (await send('GET', `/api/v3/cvs/${id}/${default_cv_id}?use_legacy_codes=false`)).body;
    expect(cv.project_experiences).toMatchObject([
      { description: { en: 'Bridge' }, link_type: null },
      {
        ...{ description: { en: 'Dam' }, customer: { en: 'Fjord' }, year_from: '2024', link_type: 'linked' },
        ...{ roles: [{ name: { en: 'Lead' } }], reference_project: { external_unique_id: 'P1' } },
      },
    ]);
    const { reference_customer_id: customer, reference_project_id: project } = cv.project_experiences[1];
    const linked = (await send('GET', `/api/v2/company/cv/customers/${customer}/projects/${project}`)).body;
    expect(linked.has_linked_project_experiences).toBe(true);
  });

  it.each([
    ['names no project', { reference_project: 'P9' }, 'The fixture has no project P9.'],
    ['names it by no text', { reference_project: 1 }, 'reference_project is not the external id of a project.'],
    ['has what it inherits', { reference_project: 'P9', customer: { en: 'A' } }, 'have no field customer'],
  ])('is refused where a hard link %s', async (_name, experience, message) => {
    const cv = { sections: { project_experiences: [experience] } };
    const users = [{ country: 'no', office: 'Oslo', email: 'anna@example.com', cv }];
    await expect(createSandbox({ fixture: { ...ACCOUNT, users } })).rejects.toThrow(message);
  });

  it('has all problems of all records told at once, and nothing is kept', async () => {
    const fixture = {
      ...ACCOUNT,
      users: [{ email: 'a@example.com', country: 'no', office: 'Oslo' }, { email: 5 }, { office: 'Oslo', oops: 1 }],
      customers: [{ customer_name: { en: 'A' }, projects: [{ owners: ['nobody@example.com'] }] }],
      proposals: [{ name: '' }],
    };
    const stateFile = join(makeFolder(), 'account.db');
    const started = createSandbox({ fixtureFile: writeFile(JSON.stringify(fixture)), stateFile });
    await expect(started).rejects.toMatchObject({
      code: 'SYNC_CONFIG_INVALID',
      message: 'The sandbox fixture is not valid (8 problems).',
      problems: expect.arrayContaining([
        { place: 'sandbox fixture: /users/1/email', message: expect.stringContaining('expected string') },
        { place: 'sandbox fixture: /proposals/0/owner', message: expect.stringContaining('expected string') },
      ]),
    });
    const again = await createSandbox({ fixtureFile: writeFile(JSON.stringify(ACCOUNT)), stateFile });
    closeAfterTest(again);
    expect(JSON.stringify(again.state().users)).not.toContain('"a@example.com"');
  });
});
