import { readFile } from 'node:fs/promises';
import type { Employee } from '../../sandbox/company/people.js';
import type { DemoServices } from './services.js';
import type { Workplace } from './workplace.js';

/** Changes a telephone number in the service, as the service's own pages would. */
export async function changePhone(
  person: Employee,
  phone: string,
  services: DemoServices,
  place: Workplace,
): Promise<void> {
  const id = await findUserId(person, services, place);
  await callUsers('PUT', `${id}?use_legacy_codes=false`, { services, place, body: { user: { telephone: phone } } });
}

/** Address of a person's page in the service. */
export async function findPage(person: Employee, services: DemoServices, place: Workplace): Promise<string> {
  return `${services.sandbox.url}/users/${await findUserId(person, services, place)}`;
}

async function findUserId({ id }: Employee, services: DemoServices, place: Workplace): Promise<string> {
  const user = await callUsers('GET', `find?external_unique_id=${id}`, { services, place });
  return (user as { readonly id: string }).id;
}

interface UsersCall {
  readonly services: DemoServices;
  readonly place: Workplace;
  readonly body?: object;
}

/** Uses plain `fetch`, because it stands in for a browser. */
async function callUsers(method: string, path: string, { services, place, body }: UsersCall): Promise<unknown> {
  const key = (await readFile(place.serviceKey, 'utf8')).trim();
  const response = await fetch(`${services.sandbox.url}/api/v1/users/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
