import { formatNumber, html, value } from '../../report/writers/page/html-text.js';
import { renderCalls } from './calls-page.js';
import { countRecords } from './counts.js';
import { renderTable } from './lists.js';
import type { PageRoute } from './page.js';
import { renderFacts, renderSection } from './record-parts.js';
import { nameLanguage, renderBadge } from './words.js';

const SHOWN_CALLS = 15;

export const OVERVIEW_PAGE: PageRoute = {
  path: '/',
  show: (page) => {
    const { world, parts } = page;
    const { account } = world;
    const counts = countRecords(parts);
    const tiles = (
      [
        ['users', '/users', 'users'],
        ['active', '/users?state=active', 'active users'],
        ['customers', '/customers', 'customers'],
        ['projects', '/projects', 'projects'],
        ['proposals', '/proposals', 'proposals'],
        ['tags', '/tags', 'tags'],
        ['offices', '/offices', 'offices'],
      ] as const
    ).map(
      ([name, address, said]) =>
        html`<li><a href="${address}"><b data-count="${name}">${formatNumber(counts[name])}</b> ${said}</a></li>`,
    );
    const keys = [...world.keys.values()].map(({ name, role, disabled, user }) => [
      value(name),
      html`${role}`,
      html`${user ?? ''}`,
      disabled ? renderBadge('disabled', 'warn') : renderBadge('active', 'good'),
    ]);
    const columns = ['Key', 'Role', 'Acts for', 'State'].map((name) => ({ name }));
    const facts = renderFacts([
      { name: 'Address of the service', is: html`<code>${page.baseUrl}</code>` },
      { name: 'Languages', is: account.languages.map(nameLanguage).join(', ') },
      { name: 'E-mail domains', is: account.whitelisted_domains.join(', ') },
      { name: 'User tags on CVs', is: account.user_tags_on_cvs ? 'shown' : 'not shown' },
      { name: 'API description', is: html`<a href="/__sandbox/openapi.json">OpenAPI</a>` },
    ]);
    return {
      title: `The account ${account.subdomain}`,
      under: '/',
      body: html`<ul class="tiles">${tiles}</ul>
${renderSection('Calls', html`<p class="muted script">While this page is open, the table shows each new request to the service. It does not show what you do on these pages.</p><div data-watch="${SHOWN_CALLS}">${renderCalls(parts, parts.calls.listAfter(0, SHOWN_CALLS))}</div><p><a href="/calls">All calls</a></p>`)}
${renderSection('Things to try', html`<ol class="steps"><li>Run <code>talent-sync sync</code> against ${page.baseUrl}, and watch the calls.</li><li>Change a <a href="/users">user</a> here: set a title, an office or a tag, or deactivate the user.</li><li>Run <code>talent-sync plan</code>. The plan reports your change as drift, and says what a sync would do about it.</li><li>Set a <a href="/controls">fault</a>, and watch a sync recover from it.</li></ol>`)}
${renderSection('The account', facts)}
${renderSection('Keys', renderTable(columns, keys))}`,
    };
  },
};
