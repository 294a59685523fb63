import { isoNow } from '../../../../base/clock.js';
import type { Identity } from '../../../../config/access/identity.js';
import { isRoleUnknown, mayActAs } from '../../../../config/access/roles.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { Registered } from '../../../tenants/registry.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderTime } from './times.js';
import { isFor } from './waiting-list.js';

/** All tenants that the person may see. Tenants with the most pending items come first. Uses facts in memory. */
export const TENANTS_ROUTE: WebRoute = { method: 'GET', path: '/', audience: 'logged in', answer: showTenants };

async function showTenants(request: WebRequest): Promise<OperatorPage> {
  const { parts, accessTo, person, settings } = request;
  const tenants = (await parts.daemon.listFresh())
    .filter(({ name }) => mayActAs(accessTo(name), 'viewer'))
    .toSorted((a, b) => countWaiting(b, request) - countWaiting(a, request) || (a.name < b.name ? -1 : 1));
  const groups = person !== null && isRoleUnknown(person, settings.grants) ? describeUnknown(person, settings) : null;
  if (tenants.length === 0) {
    return {
      title: 'Tenants',
      under: '/',
      body: html`<p>You have no role for any tenant. <code>web.roles</code> in the configuration gives one.</p>${groups}`,
    };
  }
  const isShared = tenants.some(({ status }) => status?.row != null);
  const now = isoNow(parts.clock);
  const rows = tenants.map((tenant) => renderTenant(tenant, { isShared, now, person }));
  const more = isShared ? html`<th scope="col">Runs on</th>` : null;
  const body = html`${groups}<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Tenant</th><th scope="col">State</th><th scope="col" class="number">To decide</th><th scope="col">Last good run</th><th scope="col">Next run</th>${more}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
  return { title: 'Tenants', under: '/', body };
}

function describeUnknown({ unknownGroups }: Identity, { openid }: WebRequest['settings']): Html {
  const claim = html`<code>${openid?.groups ?? 'groups'}</code>`;
  const told =
    unknownGroups === 'too many'
      ? html`You are in more groups than the identity provider puts into a log-in (${claim}), so it sent none, and no group gives you a role here. Set it to send only the groups that are assigned to this application, or name yourself in <code>web.roles</code> by <code>who</code>.`
      : html`The identity provider sent no list of groups (${claim}), so no group gives you a role here. Set it to send one; <code>web.login.openid</code> specifies the claim and the requested scopes.`;
  return html`<p class="notice">${told}</p>`;
}

/** Number of items that the inbox lists for this person. Items that resolve themselves do not count. */
function countWaiting({ status }: Registered, of: Pick<WebRequest, 'person'>): number {
  return status?.facts?.waiting.filter((item) => isFor(of, item)).length ?? 0;
}

interface ListMoment extends Pick<WebRequest, 'person'> {
  /** True if any daemon may work for a tenant. */
  readonly isShared: boolean;
  /** The current time, in ISO 8601. */
  readonly now: string;
}

function renderTenant(tenant: Registered, { isShared, now, person }: ListMoment): Html {
  const { name, status } = tenant;
  const { tone, text } = stateBadge(tenant, now);
  const waiting = countWaiting(tenant, { person });
  return html`<tr><th scope="row"><a href="/tenants/${encodeURIComponent(name)}"><bdi>${name}</bdi></a></th><td><span class="badge tone-${tone}">${text}</span></td>
<td data-name="To decide:" class="number">${formatNumber(waiting)}</td><td data-name="Last good run:">${renderMs(tenant, status?.facts?.lastGoodRunMs ?? null)}</td><td data-name="Next run:">${renderNext(tenant, now)}</td>${isShared ? renderHolder(tenant) : null}</tr>`;
}

function renderHolder({ status }: Registered): Html {
  const holder = status?.row?.holder ?? null;
  return html`<td data-name="Runs on:">${holder === null ? html`<span class="muted">no daemon now</span>` : html`<bdi>${holder}</bdi>`}</td>`;
}

function stateBadge({ problem, status }: Registered, now: string): { readonly tone: string; readonly text: string } {
  if (status === null) return { tone: 'bad', text: 'configuration rejected' };
  if (status.phase === 'broken') return { tone: 'bad', text: 'broken' };
  if (problem !== null) return { tone: 'warn', text: 'edited configuration rejected' };
  if ((status.facts?.pause?.until ?? '') > now) return { tone: 'warn', text: 'paused' };
  if (status.phase === 'running') return { tone: 'accent', text: 'running' };
  return { tone: 'good', text: status.phase };
}

/** The next run of a tenant. A paused tenant has none. */
function renderNext(tenant: Registered, now: string): Html {
  const { status } = tenant;
  const until = status?.facts?.pause?.until ?? '';
  if (until > now) return html`paused, resumes at ${renderTime({ tenant }, until)}`;
  return renderMs(tenant, status?.nextMs ?? null);
}

function renderMs(tenant: Registered, ms: number | null): Html {
  return ms === null ? html`<span class="muted">none</span>` : renderTime({ tenant }, ms);
}
