import { formatMinute } from '../../../report/sections/words.js';
import { formatNumber, type Html, html } from '../../../report/writers/page/html-text.js';
import type { Registered } from '../../../tenants/registry.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';

/** Every tenant that the person may see, what waits most first. From what each run leaves in memory: no file is opened. */
export const TENANTS_ROUTE: WebRoute = { method: 'GET', path: '/', audience: 'logged in', answer: showTenants };

function showTenants({ parts, accessTo }: WebRequest): OperatorPage {
  const tenants = parts
    .list()
    .filter(({ name }) => accessTo(name) !== null)
    .toSorted((a, b) => countWaiting(b) - countWaiting(a) || (a.name < b.name ? -1 : 1));
  if (tenants.length === 0) {
    return {
      title: 'Tenants',
      under: '/',
      body: html`<p>You have no role for any tenant. <code>web.roles</code> in the configuration gives one.</p>`,
    };
  }
  const rows = tenants.map(renderTenant);
  const body = html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Tenant</th><th scope="col">State</th><th scope="col" class="number">Waiting</th><th scope="col">Last good run</th><th scope="col">Next run</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  return { title: 'Tenants', under: '/', body };
}

function countWaiting({ status }: Registered): number {
  return status?.facts?.waiting.reduce((sum, { count }) => sum + count, 0) ?? 0;
}

function renderTenant(tenant: Registered): Html {
  const { name, status } = tenant;
  const { tone, text } = describeState(tenant);
  const waiting = countWaiting(tenant);
  return html`<tr><th scope="row"><a href="/tenants/${encodeURIComponent(name)}"><bdi>${name}</bdi></a></th><td><span class="badge tone-${tone}">${text}</span></td>
<td data-name="Waiting:" class="number">${formatNumber(waiting)}</td><td data-name="Last good run:">${formatMs(status?.facts?.lastGoodRunMs ?? null)}</td><td data-name="Next run:">${formatMs(status?.nextMs ?? null)}</td></tr>`;
}

function describeState({ problem, status }: Registered): { readonly tone: string; readonly text: string } {
  if (status === null) return { tone: 'bad', text: 'configuration refused' };
  if (status.phase === 'broken') return { tone: 'bad', text: 'broken' };
  if (problem !== null) return { tone: 'warn', text: 'edited configuration refused' };
  if (status.phase === 'running') return { tone: 'accent', text: 'running' };
  return { tone: 'good', text: status.phase };
}

function formatMs(ms: number | null): Html {
  return ms === null
    ? html`<span class="muted">none</span>`
    : html`<time>${formatMinute(new Date(ms).toISOString())}</time>`;
}
