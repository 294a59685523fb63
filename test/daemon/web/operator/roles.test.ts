import { expect, it } from 'vitest';
import { ROLES, type Role } from '../../../../src/config/access/roles.js';
import { WEB_ROUTES } from '../../../../src/daemon/web/operator/server.js';
import { oneIn } from '../../../depth.js';
import { Browser, openPages } from './pages.js';

const PEOPLE = ['nobody', 'stranger', ...ROLES] as const;

/** The roles whose addresses each role may use, written by hand as a second source. */
const MAY: Readonly<Record<Role, readonly Role[]>> = {
  previewer: ['previewer'],
  viewer: ['viewer'],
  privacy: ['viewer', 'privacy'],
  approver: ['viewer', 'approver'],
  operator: ['previewer', 'viewer', 'approver', 'operator'],
};

/** The expected minimum: 401 without a log-in, 404 for a tenant of others, 403 for a role that is too low. */
function expected(person: (typeof PEOPLE)[number], audience: string, isOfTenant: boolean): number | 'let in' {
  if (audience === 'anybody') return 'let in';
  if (person === 'nobody') return 401;
  if (person === 'stranger') return isOfTenant ? 404 : 'let in';
  if (audience === 'logged in') return 'let in';
  return MAY[person].includes(audience as Role) ? 'let in' : 403;
}

const GRANTS = ROLES.map((role) => ({ role, who: [role], groups: [], tenants: ['acme'], pseudonyms: false }));

it.each(PEOPLE)('answers %s on each address according to the role', async (person) => {
  const pages = await openPages({ settings: { grants: GRANTS } });
  // Each address for every second role, and all without a log-in.
  const routes = person === 'nobody' ? WEB_ROUTES : oneIn(1 / 2, WEB_ROUTES, PEOPLE.indexOf(person) % 2);
  for (const { method, path, audience } of routes) {
    const wanted = expected(person, audience, path.includes(':tenant'));
    // Each address gets a new token, because one of them logs out.
    const token = person === 'nobody' ? null : pages.giveToken(person);
    const headers: Record<string, string> = { accept: 'application/json' };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    const browser = new Browser(pages.url);
    const address = path.replace(':tenant', 'acme').replaceAll(/:\w+/g, 'x');
    const { status } =
      method === 'GET' ? await browser.get(address, headers) : await browser.postAs(address, {}, headers);
    const isRefusal = [401, 403].includes(status);
    const at = `${method} ${path}`;
    if (wanted !== 'let in') expect([at, status]).toEqual([at, wanted]);
    // A form without a log-in lacks its token, which is rejected for another reason.
    else if (token !== null) expect([at, isRefusal && !path.startsWith('/login')]).toEqual([at, false]);
  }
});
