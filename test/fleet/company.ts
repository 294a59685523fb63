import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import { ACCOUNT, buildConfig, CRM, HEADER, line, merge, person, type Row, type Yaml } from '../scenarios/company.js';
import type { Push } from './pushes.js';

/** A tenant whose files every daemon reads, with its own service. */
export interface Company {
  readonly name: string;
  readonly sandbox: Sandbox;
  /** Its configuration; each daemon keeps its state in a folder of its own. */
  readonly config: string;
  /** Key → row of HR, as last delivered. */
  readonly people: Map<string, Row>;
  readonly customers: string[];
  readonly projects: string[];
  /** Key → the pushed telephone number. */
  readonly phones: Map<string, Push>;
  /** The number of changed titles: one PUT each. */
  titles: number;
  deliver(): void;
}

export interface CompanyOptions {
  /** The folder of all deliveries. */
  readonly drops: string;
  readonly name: string;
  readonly people: number;
  /** The cron expression of its schedule; the starts are spread over this many milliseconds. */
  readonly every: string;
  readonly spreadMs: number;
  /** The duration of each call. */
  readonly latencyMs: number;
  readonly more?: Yaml;
}

export async function openCompany(options: CompanyOptions): Promise<Company> {
  const { drops, name, every, spreadMs, latencyMs, more = {} } = options;
  const sandbox = await createSandbox({ fixture: ACCOUNT });
  if (latencyMs > 0) sandbox.faults.add({ kind: 'delay', ms: latencyMs, path: '/', times: Number.MAX_SAFE_INTEGER });
  const folder = join(drops, name);
  for (const kind of ['hr', 'crm']) mkdirSync(join(folder, kind), { recursive: true });
  const config = [CRM, buildOwn(name, folder, every, spreadMs), more].reduce(merge, buildConfig(sandbox.url));
  let deliveries = 0;
  const put = (kind: string, file: string, text: string): void => {
    const path = join(folder, kind, file);
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
  };
  const company: Company = {
    ...{
      name,
      sandbox,
      config: stringify(config),
      people: new Map(),
      customers: [],
      projects: [],
      phones: new Map(),
      titles: 0,
    },
    deliver() {
      deliveries += 1;
      const number = String(deliveries).padStart(5, '0');
      const { people, customers, projects } = company;
      put('crm', `companies-${number}.json`, JSON.stringify(customers.map((id) => ({ id, name: `Customer ${id}` }))));
      const deals = projects.map((id, at) => ({
        id,
        name: `Project ${id}`,
        customer: customers[at % customers.length],
      }));
      put('crm', `deals-${number}.json`, JSON.stringify(deals));
      put('hr', `employees-${number}.csv`, `${[HEADER, ...[...people.values()].map(line)].join('\n')}\n`);
    },
  };
  for (let at = 1; at <= options.people; at += 1) hire(company);
  for (const id of ['C1', 'C2']) company.customers.push(id);
  for (const id of ['P1', 'P2', 'P3']) company.projects.push(id);
  company.deliver();
  return company;
}

function buildOwn(name: string, folder: string, every: string, spreadMs: number): Yaml {
  const max = { max: 1_000 };
  return {
    state: `../state/${name}`,
    sources: { hr: { drop: join(folder, 'hr') }, crm: { drop: join(folder, 'crm') } },
    schedule: { every, timezone: 'UTC', spread: `${spreadMs / 1_000}s` },
    guards: {
      users: { create: max, update: max, deactivate: { max: 0 }, fields: { title: max } },
      customers: { create: max },
      projects: { create: max },
    },
  };
}

export function hire({ people }: Company): string {
  const id = `E${people.size + 1}`;
  people.set(id, person(id, { title: 'Consultant' }));
  return id;
}

/** A person in the service. */
export interface ServiceUser {
  readonly external_unique_id: string;
  readonly title: { readonly en?: string };
  readonly telephone: string | null;
  readonly deactivated: boolean;
}

export interface ServiceCustomer {
  readonly external_unique_id: string;
  readonly projects: readonly { readonly external_unique_id: string }[];
}

export function listUsers({ sandbox }: Company): readonly ServiceUser[] {
  return sandbox.state().users as readonly ServiceUser[];
}

export function listCustomers({ sandbox }: Company): readonly ServiceCustomer[] {
  return sandbox.state().customers as readonly ServiceCustomer[];
}

/** People who stay and have nothing in transit: another change of theirs is a call of its own. */
export function findSettled(company: Company): readonly string[] {
  const users = new Map(listUsers(company).map((user) => [user.external_unique_id, user]));
  return [...company.people].flatMap(([key, { title, status }]) => {
    const [user, push] = [users.get(key), company.phones.get(key)];
    const isSettled = user?.title.en === title && (push === undefined || user?.telephone === push.phone);
    return status === undefined && isSettled ? [key] : [];
  });
}
