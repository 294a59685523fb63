import { startTime, type Time } from '../crm/vendor.js';
import {
  type Employee as BambooEmployee,
  type Bamboohr,
  type BambooOptions,
  createBamboohr,
} from './imitations/bamboohr.js';
import { type Employee as BobEmployee, createHibob, type Hibob, type HibobOptions } from './imitations/hibob.js';
import { createPersonio, type Employee, type Personio, type PersonioOptions } from './imitations/personio.js';
import { openPeople, type Staff } from './vendor.js';

/** A date as HR systems write it. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const HIRED = Date.parse('2020-01-01');
/** Every call carries the key, so none is for a log-in. */
const NO_LOGIN = /^$/;
const USUAL_THROTTLE = { status: 429, headers: { 'retry-after': '7' } };

export interface StaffOptions {
  readonly time?: Time;
  /** Further keys of the source. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export async function openPersonio(
  count: number,
  { time = startTime(), more, ...options }: StaffOptions & PersonioOptions = {},
): Promise<Staff & { readonly personio: Personio }> {
  const employ = (id: number, name: string, startsAt = HIRED): Employee => ({
    ...{ id, first_name: name, last_name: 'Person', preferred_name: null, email: `${name}@example.com` },
    ...{ status: startsAt > time.now ? 'onboarding' : 'active', position: 'Adviser', department: 'Sales' },
    ...{ office: 'Oslo', holiday_calendar: 'NO', subcompany: null, team: null, employment_type: 'internal' },
    ...{ supervisor: id === 1 ? null : 1, hire_date: `${dayOf(startsAt)}T00:00:00+01:00`, termination_date: null },
    ...{ last_working_day: null, contract_end_date: null, fix_salary: 3_000, dynamic_24407: 'Dr' },
  });
  const employees = Array.from({ length: count }, (_, at) => employ(at + 1, `p${at + 1}`));
  const personio = await createPersonio({ now: () => time.now, employees, ...options });
  const auth = { client_id: personio.clientId, client_secret: personio.clientSecret };
  const source = { preset: 'personio', auth, ...more };
  let newest = count;
  const change = (id: string, values: Readonly<Record<string, unknown>>): void => {
    const known = personio.staff.get(Number(id));
    if (known !== undefined) personio.put({ ...known, ...values, id: known.id });
  };
  return {
    ...{ personio, server: personio, time, source, throttle: USUAL_THROTTLE, login: /\/v1\/auth$/ },
    people: openPeople(personio, time, source),
    ids: employees.map(({ id }) => String(id)),
    hire(name, startsAt) {
      const id = ++newest;
      personio.put(employ(id, name, startsAt));
      return String(id);
    },
    promote: (id, position) => change(id, { position }),
    rest: (id) => change(id, { status: 'leave' }),
    leave: (id) => change(id, { status: 'inactive', termination_date: dayOf(time.now) }),
    remove: (id) => void personio.staff.delete(Number(id)),
    hideColumn() {
      personio.hidden.add('position');
      return () => void personio.hidden.delete('position');
    },
    hasLeft: ({ status }) => status === 'inactive',
    leaver: 'record.status == "inactive"',
  };
}

export async function openBamboohr(
  count: number,
  { time = startTime(), more, ...options }: StaffOptions & BambooOptions = {},
): Promise<Staff & { readonly bamboohr: Bamboohr }> {
  const employ = (employeeId: string, name: string, startsAt = HIRED): BambooEmployee => ({
    ...{ employeeId, firstName: name, lastName: 'Person', preferredName: null, workEmail: `${name}@example.com` },
    // A future hire is inactive like a leaver, but without a last day.
    ...{ status: startsAt > time.now ? 'Inactive' : 'Active', jobTitleName: 'Adviser', departmentName: 'Sales' },
    ...{ locationName: 'Oslo', reportsToId: employeeId === '1' ? null : '1', hireDate: dayOf(startsAt) },
    ...{ terminationDate: '0000-00-00', employmentStatusName: 'Full-Time', employeeNumber: `E${employeeId}` },
    ...{ homeEmail: 'home@example.net', payRate: '3000', customGrade: 'Dr' },
  });
  const employees = Array.from({ length: count }, (_, at) => employ(String(at + 1), `p${at + 1}`));
  const bamboohr = await createBamboohr({ now: () => time.now, employees, ...options });
  const source = { preset: 'bamboohr', auth: { key: bamboohr.key }, ...more };
  const change = (id: string, values: Readonly<Record<string, string | null>>): void => {
    const known = bamboohr.staff.get(id);
    if (known !== undefined) bamboohr.put({ ...known, ...values, employeeId: id });
  };
  let newest = count;
  return {
    ...{ bamboohr, server: bamboohr, time, source, login: NO_LOGIN },
    throttle: { status: 503, headers: { 'retry-after': '7' } },
    people: openPeople(bamboohr, time, source),
    ids: employees.map(({ employeeId }) => employeeId),
    hire(name, startsAt) {
      const id = String(++newest);
      bamboohr.put(employ(id, name, startsAt));
      return id;
    },
    promote: (id, jobTitleName) => change(id, { jobTitleName }),
    rest: (id) => change(id, { employmentStatusName: 'Leave of Absence' }),
    leave: (id) => change(id, { status: 'Inactive', terminationDate: dayOf(time.now) }),
    remove: (id) => bamboohr.remove(id),
    hide: (id) => void bamboohr.unseen.add(id),
    hideColumn() {
      bamboohr.restricted.add('jobTitleName');
      return () => void bamboohr.restricted.delete('jobTitleName');
    },
    hasLeft: ({ status, end_date: end }) => status === 'Inactive' && end !== undefined,
    leaver: 'record.status == "Inactive" && has(record.end_date)',
  };
}

export async function openHibob(
  count: number,
  { time = startTime(), more, ...options }: StaffOptions & HibobOptions = {},
): Promise<Staff & { readonly hibob: Hibob }> {
  const employ = (id: string, name: string, startsAt = HIRED): BobEmployee => ({
    ...{ 'root.id': id, 'root.firstName': name, 'root.surname': 'Person', 'root.displayName': `${name} Person` },
    ...{ 'root.email': `${name}@example.com`, 'work.title': '301', 'work.department': '251', 'work.site': '401' },
    ...{ 'work.manager': id === '1' ? null : '1', 'work.employeeIdInCompany': `E${id}`, 'work.workPhone': null },
    ...{ 'work.workMobile': null, 'work.startDate': dayOf(startsAt), 'internal.terminationDate': null },
    ...{
      'internal.lifecycleStatus': startsAt > time.now ? 'hired' : 'employed',
      'home.privateEmail': 'home@example.net',
    },
    ...{ 'work.custom.field_1700000000001': 'Dr' },
  });
  const employees = Array.from({ length: count }, (_, at) => employ(String(at + 1), `p${at + 1}`));
  const hibob = await createHibob({ now: () => time.now, employees, ...options });
  const source = { preset: 'hibob', auth: { user: hibob.user, token: hibob.token }, ...more };
  const change = (id: string, values: Readonly<Record<string, string | null>>): void => {
    const known = hibob.staff.get(id);
    if (known !== undefined) hibob.staff.set(id, { ...known, ...values, 'root.id': id });
  };
  let newest = count;
  return {
    ...{ hibob, server: hibob, time, source, throttle: USUAL_THROTTLE, login: NO_LOGIN },
    people: openPeople(hibob, time, source),
    ids: employees.map((one) => one['root.id']),
    hire(name, startsAt) {
      const id = String(++newest);
      hibob.staff.set(id, employ(id, name, startsAt));
      return id;
    },
    promote: (id, title) => change(id, { 'work.title': title }),
    rest: (id) => change(id, { 'internal.lifecycleStatus': 'parental leave' }),
    leave: (id) =>
      change(id, { 'internal.lifecycleStatus': 'terminated', 'internal.terminationDate': dayOf(time.now) }),
    remove: (id) => void hibob.staff.delete(id),
    hide: (id) => void hibob.unseen.add(id),
    hideColumn() {
      hibob.hidden.add('work.title');
      return () => void hibob.hidden.delete('work.title');
    },
    hasLeft: ({ status }) => status === 'Terminated',
    leaver: 'record.status == "Terminated"',
  };
}

/** Opens each vendor with this number of people. */
export const STAFFS: readonly (readonly [string, (count: number, options?: StaffOptions) => Promise<Staff>])[] = [
  ['bamboohr', openBamboohr],
  ['hibob', openHibob],
  ['personio', openPersonio],
];

/** Requests per vendor, as in the guide: for a complete read of 10,000 people, and for a read without changes. */
export const REQUESTS: Readonly<Record<string, readonly [full: number, quiet: number]>> = {
  bamboohr: [6, 2],
  hibob: [1, 1],
  personio: [101, 1],
};
