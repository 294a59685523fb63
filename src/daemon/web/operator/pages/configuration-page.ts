import type { SyncError } from '../../../../base/errors.js';
import { underline } from '../../../../model/excerpt.js';
import { shortenDigest } from '../../../../model/sha256.js';
import { withStores } from '../../../../operations/with-stores.js';
import { plural } from '../../../../report/sections/words.js';
import { type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { delayOf } from '../../../tenants/schedule-of.js';
import { type Reading, readingFor, readingOffline } from '../reading.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { nextRunText } from './times.js';

/** Shows the active configuration, and the errors of the configuration on disk. */
export const CONFIGURATION_ROUTE: WebRoute = {
  method: 'GET',
  path: '/tenants/:tenant/configuration',
  audience: 'viewer',
  answer: showConfiguration,
};

async function showConfiguration(request: WebRequest): Promise<OperatorPage> {
  const { tenant, parts } = request;
  const config = tenant?.config ?? null;
  const reading =
    config === null
      ? readingOffline(request)
      : await withStores({ config, clock: parts.clock }, ({ audit }) => readingFor(request, audit));
  const problem = tenant?.problem ?? null;
  // A rejected configuration may contain a secret in clear text, so only an accepted one is shown in full.
  const text = tenant?.text ?? null;
  const body = html`${problem === null ? null : renderProblem(problem, { isInForce: config !== null, reading })}
${
  config === null || text === null
    ? null
    : html`<section aria-labelledby="text-heading"><h2 id="text-heading">Active configuration</h2><p class="muted"><code>${config.file}</code>, digest <code>${shortenDigest(config.digest)}</code>. Secrets are named by where they come from: <code>env</code>, or <code>file</code>.</p>
<pre class="lines" tabindex="0" role="region" aria-label="Configuration">${text.split(/\r?\n/).map((line) => html`<span>${value(reading.veil(line))}</span>\n`)}</pre></section>`
}`;
  return {
    title: 'Configuration',
    under: '/',
    lead: html`${problem === null ? 'The configuration on disk is active.' : 'The configuration on disk is rejected.'}${renderSpread(request)}`,
    body,
  };
}

/** Why runs start later than the schedule says. */
function renderSpread(request: WebRequest): Html | null {
  const { tenant } = request;
  const minutes = tenant?.config == null ? 0 : Math.round(delayOf(tenant.config, tenant.name) / 60_000);
  if (minutes === 0) return null;
  const next = nextRunText(request);
  return html` Each run starts ${plural(minutes, 'minute')} after the time in <code>schedule.every</code>, because a daemon spreads the starts of its tenants (<code>schedule.spread</code>).${next === null ? null : ` ${next}`}`;
}

interface ProblemLook {
  readonly isInForce: boolean;
  readonly reading: Reading;
}

function renderProblem(error: SyncError, { isInForce, reading: { show, veil } }: ProblemLook): Html {
  const { code, message, place, remedy, problems } = error;
  const rows = problems.map(
    (one) =>
      html`<li><p class="text"><code>${one.place}</code>: ${show(one.message)}</p>${one.excerpt === undefined ? null : html`<pre>${veil(underline(one.excerpt).join('\n'))}</pre>`}${one.remedy === undefined ? null : html`<p>${show(one.remedy)}</p>`}</li>`,
  );
  const then = isInForce
    ? 'The earlier configuration stays active until this is fixed.'
    : 'The tenant does not run until this is fixed.';
  return html`<section aria-labelledby="problem-heading"><h2 id="problem-heading">What is wrong with the file</h2><div class="notice tone-bad"><p class="text">${show(message)}</p>${place === undefined ? null : html`<p><code>${place}</code></p>`}
${rows.length === 0 ? null : html`<ul class="problems">${rows}</ul>`}<p>${show(remedy)}</p><p class="muted"><code>${code}</code> ${then}</p></div></section>`;
}
