import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { write, writeAll } from '../writing.js';
import { openBamboohr, openHibob, openPersonio, type StaffOptions } from './staffs.js';
import type { Staff } from './vendor.js';

interface Vendor {
  readonly open: (count: number, options: StaffOptions) => Promise<Staff>;
  /** Custom columns of a customer. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Values to write, and the calls expected for them. */
  readonly sent: readonly (readonly [Readonly<Record<string, Json>>, string, unknown])[];
  /** A value that the vendor rejects, and its message. */
  readonly rejected: readonly [Readonly<Record<string, Json>>, string];
  readonly closed: readonly string[];
}

const optional = (from: string) => ({ type: 'string', from, optional: true });

const VENDORS: readonly (readonly [string, Vendor])[] = [
  [
    'bamboohr',
    {
      open: openBamboohr,
      columns: { grade: optional('/customGrade') },
      sent: [
        [{ mobile: '1234' }, 'POST /api/v1/employees/2', { mobilePhone: '1234' }],
        [{ grade: 'A', phone: null }, 'POST /api/v1/employees/2', { customGrade: 'A', workPhone: '' }],
      ],
      rejected: [{ email: 'p3@example.com' }, 'Duplicate email'],
      closed: ['title', 'department', 'office', 'status', 'manager_id', 'modified', 'end_date'],
    },
  ],
  [
    'hibob',
    {
      open: openHibob,
      columns: { grade: optional('/values/work.custom.field_1700000000001') },
      sent: [
        [{ mobile: '1234' }, 'PUT /v1/people/2', { work: { workMobile: '1234' } }],
        [
          { first_name: 'Ann', grade: 'A', phone: null },
          'PUT /v1/people/2',
          { firstName: 'Ann', work: { workPhone: null, custom: { field_1700000000001: 'A' } } },
        ],
        // Bob answers 304 if nothing changes.
        [{ first_name: 'p2' }, 'PUT /v1/people/2', { firstName: 'p2' }],
      ],
      rejected: [{ phone: 'invalid' }, 'The number is not valid'],
      closed: ['email', 'title', 'department', 'office', 'status', 'manager_id', 'start_date', 'end_date'],
    },
  ],
  [
    'personio',
    {
      open: openPersonio,
      columns: { grade: optional('/attributes/dynamic_24407/value') },
      sent: [
        [{ title: 'Partner' }, 'PATCH /v1/company/employees/2', { employee: { position: 'Partner' } }],
        [
          { office: 'Berlin', grade: 'A' },
          'PATCH /v1/company/employees/2',
          { employee: { office: 'Berlin', custom_attributes: { dynamic_24407: 'A' } } },
        ],
      ],
      rejected: [{ office: 'Atlantis' }, 'office does not exist'],
      closed: ['email', 'status', 'manager_id', 'modified', 'end_date', 'country'],
    },
  ],
];

describe.each(VENDORS)('writes to %s', (_, { open, columns, sent, rejected, closed }) => {
  const start = () => open(3, { more: { columns, write_back: true } });

  test.each(sent)('sends %j', async (cells, request, body) => {
    const { people, server, login } = await start();
    await people.read();
    const before = server.requests.length;
    expect((await writeAll(people.writer, [write('2', cells)])).statuses).toEqual({ '2': 'done' });
    const calls = server.requests.slice(before).filter(({ method, path }) => !login.test(`${method} ${path}`));
    expect(calls.map((call) => [`${call.method} ${call.path}`, JSON.parse(call.body)])).toEqual([[request, body]]);
  });

  it('shows the written values in the next read', async () => {
    const { people, time } = await start();
    await people.read();
    const [[cells] = [{}]] = sent;
    await writeAll(people.writer, [write('2', cells)]);
    time.now += 3_600_000;
    expect((await people.read()).cells.get('2')).toMatchObject(cells);
  });

  it('reports a value that the vendor rejects, and writes the others', async () => {
    const { people } = await start();
    const [[cells] = [{}]] = sent;
    const { statuses, say } = await writeAll(people.writer, [write('1', rejected[0]), write('2', cells)]);
    expect(statuses).toEqual({ '1': 'refused', '2': 'done' });
    expect(say('1')).toContain(rejected[1]);
  });

  it('reports a missing person', async () => {
    const { people } = await start();
    const [[cells] = [{}]] = sent;
    expect((await writeAll(people.writer, [write('999', cells)])).statuses).toEqual({ '999': 'refused' });
  });

  it('writes no column that the vendor maintains itself', async () => {
    const { people, server } = await start();
    for (const column of closed) {
      const { statuses } = await writeAll(people.writer, [write('2', { [column]: 'x' })]);
      expect({ [column]: statuses }).toEqual({ [column]: { '2': 'refused' } });
    }
    expect(server.requests).toEqual([]);
  });
});
