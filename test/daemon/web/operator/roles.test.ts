import { expect, it } from 'vitest';
import { ROLES, type Role } from '../../../../src/config/access/roles.js';
import { WEB_ROUTES } from '../../../../src/daemon/web/operator/server.js';
import { Browser, openPages } from './pages.js';

const PEOPLE = ['nobody', 'stranger', ...ROLES] as const;

/** What a person gets at least: 401 before the log-in, 404 for a tenant of others, 403 for a role that is too low. */
function expected(person: (typeof PEOPLE)[number], audience: string, isOfTenant: boolean): number | 'let in' {
  if (audience === 'anybody') return 'let in';
  if (person === 'nobody') return 401;
  if (person === 'stranger') return isOfTenant ? 404 : 'let in';
  if (audience === 'logged in') return 'let in';
  return ROLES.indexOf(person) >= ROLES.indexOf(audience as Role) ? 'let in' : 403;
}

const ROWS = WEB_ROUTES.flatMap(({ method, path, audience }) =>
  PEOPLE.map((person) => [method, path, person, expected(person, audience, path.includes(':tenant'))] as const),
);

it.each(ROWS)('%s %s for %s: %s', async (method, path, person, wanted) => {
  const grants = ROLES.map((role) => ({ role, who: [role], groups: [], tenants: ['acme'], pseudonyms: false }));
  const pages = await openPages({ settings: { grants } });
  const token = person === 'nobody' ? null : pages.giveToken(person);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  const browser = new Browser(pages.url);
  const address = path.replace(':tenant', 'acme').replaceAll(/:\w+/g, 'x');
  const { status } =
    method === 'GET' ? await browser.get(address, headers) : await browser.postAs(address, {}, headers);
  const isRefusal = [401, 403].includes(status);
  if (wanted !== 'let in') expect(status).toBe(wanted);
  // A form of somebody who is not logged in lacks its token, which is another refusal.
  else if (token !== null) expect(isRefusal && !path.startsWith('/login')).toBe(false);
});
