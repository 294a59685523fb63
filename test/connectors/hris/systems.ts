import type { PeopleVendorName } from '../../../src/connectors/hris/vendors.js';
import type { Now, VendorServer } from '../crm/imitations/vendor-server.js';
import { createSimployer, type Simployer, type SimployerOptions } from './imitations/simployer.js';
import {
  CLIENT,
  createSuccessFactors,
  type Job,
  type SuccessFactors,
  type SuccessFactorsOptions,
} from './imitations/successfactors.js';
import { createWorkday, WORKDAY_CLIENT, type Workday, type WorkdayOptions } from './imitations/workday.js';

/** A person as every HR system knows one. Dates are written `2026-03-01`. */
export interface Colleague {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly title: string;
  readonly office: string;
  readonly country: string;
  readonly start: string;
  readonly end: string | null;
  readonly manager: string | null;
}

/** An HR system and the actions of its users. */
export interface HrSystem {
  readonly preset: PeopleVendorName;
  readonly server: VendorServer;
  /** Further keys of the source, in YAML’s flow style. */
  readonly rest: string;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
  /** The condition that marks a row as that of a leaver. */
  readonly leaver: string;
  hire(person: Colleague): void;
  edit(id: string, changes: Partial<Colleague>): void;
  /** Locks the person out for a while; the employment continues. */
  suspend(id: string): void;
  /** Deletes the person permanently, as after a request under data protection law. */
  erase(id: string): void;
  /** Hides the person from the key; the employment continues. */
  hide(id: string): void;
  show(id: string): void;
  /** Revokes the key’s permission to read people. */
  revoke(): void;
}

export function colleague(number: number, more: Partial<Colleague> = {}): Colleague {
  const id = `p${String(number).padStart(5, '0')}`;
  return {
    id,
    first: 'Person',
    last: `Nr ${number}`,
    email: `${id}@example.com`,
    title: 'Adviser',
    office: 'Oslo',
    country: 'NO',
    start: '2020-03-01',
    end: null,
    manager: null,
    ...more,
  };
}

const midnight = (day: string | null): string | null => (day === null ? null : `${day}T00:00:00.000Z`);

export async function openSimployer(
  now: Now,
  options: SimployerOptions = {},
): Promise<HrSystem & { readonly simployer: Simployer }> {
  const simployer = await createSimployer({ now, ...options });
  const { office, department, employment } = simployer.relations;
  const known = new Map<string, Colleague>();
  department?.set('d1', { id: 'd1', name: 'Advice' });
  const put = (person: Colleague): void => {
    office?.set(person.office, { id: person.office, name: person.office });
    employment?.set(`e-${person.id}`, { id: `e-${person.id}`, terminated: person.end !== null });
    known.set(person.id, person);
  };
  const fields = (person: Colleague) => ({
    id: person.id,
    firstName: person.first,
    lastName: person.last,
    workEmail: person.email,
    title: person.title,
    officeId: person.office,
    departmentId: 'd1',
    employmentId: `e-${person.id}`,
    employmentCountry: person.country,
    managerEmployeeId: person.manager,
    hireDate: midnight(person.start),
    endDate: midnight(person.end),
  });
  return {
    simployer,
    preset: 'simployer',
    server: simployer,
    rest: 'auth: { token: { env: HR_TOKEN } }',
    env: { HR_TOKEN: simployer.token },
    path: '',
    leaver: 'has(record.end_date) && record.end_date < today',
    hire(person) {
      put(person);
      simployer.hire(fields(person));
    },
    edit(id, changes) {
      const person = { ...(known.get(id) ?? colleague(0)), ...changes };
      put(person);
      simployer.edit(id, fields(person));
    },
    suspend: (id) => simployer.edit(id, { active: false }),
    erase: (id) => void simployer.people.delete(id),
    hide: (id) => void simployer.hidden.add(id),
    show: (id) => void simployer.hidden.delete(id),
    revoke: () => simployer.revoke(),
  };
}

export async function openSuccessFactors(
  now: Now,
  options: SuccessFactorsOptions = {},
): Promise<HrSystem & { readonly sf: SuccessFactors }> {
  const sf = await createSuccessFactors({ now, ...options });
  const known = new Map<string, Colleague>();
  const put = (person: Colleague): void => {
    const { id, first, last, start, end } = person;
    const { email, title, office: location, country } = person;
    known.set(id, person);
    const names = { userId: id, username: id, firstName: first, lastName: last, empId: id };
    const ended: readonly Job[] = end === null ? [] : [{ startDate: nextDay(end), status: 'T', modified: now() }];
    sf.put(id, {
      // Employee Central deactivates the user on the day after the last one; here nobody does so in time.
      fields: { status: 't', ...sf.users.get(id)?.fields, ...names, ...{ email, title, location, country } },
      manager: person.manager,
      employment: {
        ...{ personId: `P-${id}`, startDate: start, endDate: end, modified: now() },
        jobs: [{ startDate: start, status: 'A', modified: now() }, ...ended],
      },
    });
  };
  const setStatus = (id: string, status: string): void =>
    sf.put(id, { fields: { ...sf.users.get(id)?.fields, status } });
  return {
    sf,
    preset: 'successfactors',
    server: sf,
    rest: `auth: { client_id: ${CLIENT.apiKey}, company: ${CLIENT.company}, user: ${CLIENT.user}, private_key: { env: HR_KEY } }`,
    env: { HR_KEY: sf.privateKey },
    path: '',
    leaver: 'has(record.end_date) && record.end_date < today',
    hire: put,
    edit: (id, changes) => put({ ...(known.get(id) ?? colleague(0)), ...changes }),
    suspend: (id) => setStatus(id, 'f'),
    erase: (id) => void sf.users.delete(id),
    hide: (id) => void sf.hidden.add(id),
    show: (id) => void sf.hidden.delete(id),
    revoke: () => sf.revoke(),
  };
}

export async function openWorkday(
  now: Now,
  options: WorkdayOptions = {},
): Promise<HrSystem & { readonly workday: Workday }> {
  const workday = await createWorkday({ now, ...options });
  const edit = (id: string, changes: Partial<Colleague>): void => {
    const person = { ...known.get(id), ...changes };
    known.set(id, person as Colleague);
    const { first, last, start, end, manager, ...rest } = person as Colleague;
    const days = { start_date: start, end_date: end };
    workday.put(id, { ...rest, ...days, first_name: first, last_name: last, manager_id: manager });
  };
  const known = new Map<string, Colleague>();
  return {
    workday,
    preset: 'workday',
    server: workday,
    rest: `auth: { client_id: ${WORKDAY_CLIENT.id}, client_secret: { env: HR_SECRET }, refresh_token: { env: HR_REFRESH }, tenant: acme }`,
    env: { HR_SECRET: WORKDAY_CLIENT.secret, HR_REFRESH: WORKDAY_CLIENT.refreshToken },
    path: '/ccx/service/customreport2/acme/ISU_Talent/Talent_People',
    leaver: 'has(record.end_date) && record.end_date < today',
    hire(person) {
      workday.put(person.id, { status: 'Active', active: '1', worker_type: 'Employee' });
      edit(person.id, person);
    },
    edit,
    suspend: (id) => workday.put(id, { status: 'On Leave', active: '0' }),
    erase: (id) => void workday.workers.delete(id),
    hide: (id) => void workday.hidden.add(id),
    show: (id) => void workday.hidden.delete(id),
    revoke: () => workday.revoke(),
  };
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 24 * 3_600_000).toISOString().slice(0, 10);
}

export interface SystemOptions {
  /** The most people per response. */
  readonly page?: number;
}

export interface ListedSystemOfPeople {
  readonly open: (now: Now, options?: SystemOptions) => Promise<HrSystem>;
  /** The requests of a complete read of 10,000 people, not counting those for a token. */
  readonly complete: number;
  /** An erased person is known to be gone. */
  readonly provesErasure: boolean;
}

export const SYSTEMS: readonly (readonly [string, ListedSystemOfPeople])[] = [
  [
    'Simployer One',
    {
      open: (now, { page } = {}) => openSimployer(now, page === undefined ? {} : { longestPage: page }),
      complete: 101,
      provesErasure: true,
    },
  ],
  [
    'SuccessFactors',
    {
      open: (now, { page } = {}) => openSuccessFactors(now, page === undefined ? {} : { longestPage: page }),
      complete: 10,
      provesErasure: false,
    },
  ],
  // A report has no pages, and each read is complete.
  ['Workday', { open: (now) => openWorkday(now), complete: 1, provesErasure: false }],
];
