import { expect, it } from 'vitest';
import { startTime } from '../crm/vendor.js';
import { write, writeAll } from '../writing.js';
import { openPeople } from './open-vendor.js';
import { colleague, openSimployer } from './systems.js';

async function open(more = '') {
  const time = startTime();
  const system = await openSimployer(() => time.now);
  for (const number of [1, 2, 3]) system.hire(colleague(number, number === 1 ? {} : { manager: 'p00001' }));
  const rest = `${system.rest}${more}`;
  return { ...system, time, people: openPeople(system.simployer, time, { ...system, rest }) };
}

const asked = ({ simployer }: Awaited<ReturnType<typeof open>>) => simployer.requests.at(-1)?.query;

it('requests the fields of its columns, and nothing about pay or private life', async () => {
  const opened = await open();
  const { cells } = await opened.people.read();
  expect(cells.get('p00002')).toMatchObject({
    ...{ department: 'Advice', office: 'Oslo', country: 'NO', manager_id: 'p00001', employee_number: 'p00002' },
    ...{ active: true, terminated: false },
  });
  const select = asked(opened)?.get('select')?.split(',') ?? [];
  expect(select).toEqual(expect.arrayContaining(['id', 'updated', 'officeId', 'departmentId', 'employmentId']));
  expect(select.filter((name) => /ssn|private|bank|birth|custom|gender|Address/.test(name))).toEqual([]);
});

it('reads a custom field, which cannot be selected, by requesting all fields', async () => {
  const opened = await open(', columns: { level: { type: string, from: /custom/level, optional: true } }');
  opened.simployer.edit('p00002', { custom: { level: 'C3' } });
  const { cells } = await opened.people.read();
  expect([cells.get('p00001')?.level, cells.get('p00002')?.level]).toEqual([undefined, 'C3']);
  expect(asked(opened)?.has('select')).toBe(false);
});

it('keeps a locked-out person, and reads an unknown office as absent', async () => {
  const opened = await open();
  opened.suspend('p00002');
  opened.simployer.edit('p00003', { officeId: 'nowhere' });
  const { cells } = await opened.people.read();
  expect(cells.get('p00002')).toMatchObject({ active: false, terminated: false });
  expect(cells.get('p00003')).not.toHaveProperty('office');
});

it('looks up each missing person, and reports only those not found as gone', async () => {
  const opened = await open();
  await opened.people.read();
  opened.hide('p00002');
  opened.erase('p00003');
  opened.time.now += 25 * 3_600_000;
  const read = await opened.people.read();
  const [shown, ...missed] = ['p00001', 'p00002', 'p00003'].map((id) => `GET /v1/employee/${id}`);
  expect(read.asked.slice(2)).toEqual([shown, ...missed]);
  expect(read.gone).toEqual(['p00003']);
});

it('writes fields person by person, and quotes the vendor on rejected ones', async () => {
  const { people, simployer } = await open(', write_back: true');
  const { statuses, say } = await writeAll(people.writer, [
    write('p00001', { title: 'Partner', phone: '+47 1' }),
    write('p00002', { email: 'no address' }),
    write('gone', { title: 'x' }),
  ]);
  expect(statuses).toEqual({ p00001: 'done', p00002: 'refused', gone: 'refused' });
  expect(['p00002', 'gone'].map(say)).toEqual([
    'Simployer answered 400: workEmail must be an email.',
    'Simployer answered 404: Employee with id gone was not found.',
  ]);
  expect(simployer.people.get('p00001')).toMatchObject({ title: 'Partner', workPhone: '+47 1', officeId: 'Oslo' });
});
