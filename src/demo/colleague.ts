import { readFile } from 'node:fs/promises';
import type { Employee } from '../sandbox/company/people.js';
import type { DemoServices } from './services.js';
import type { Workplace } from './workplace.js';

/** What somebody does by hand in the service: a new telephone number, as the service's own pages would save it. */
export async function changePhone(
  { id }: Employee,
  phone: string,
  { sandbox }: DemoServices,
  place: Workplace,
): Promise<void> {
  const key = (await readFile(place.serviceKey, 'utf8')).trim();
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${sandbox.url}/api/v1/users/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const user = (await call('GET', `find?external_unique_id=${id}`)) as { readonly id: string };
  await call('PUT', `${user.id}?use_legacy_codes=false`, { user: { telephone: phone } });
}
