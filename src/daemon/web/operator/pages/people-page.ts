import { findEntity, TRAITS } from '../../../../model/entity.js';
import { FIND_PEOPLE, type MeantPerson } from '../../../../operations/find-people.js';
import { EXPLAIN } from '../../../../operations/under-lock.js';
import { withStores } from '../../../../operations/with-stores.js';
import { veilExplanation } from '../../../../report/explain/veil-explanation.js';
import { capitalise, plural } from '../../../../report/sections/words.js';
import { listExplanation } from '../../../../report/texts/explain-text.js';
import { renderHidden, renderLabelled, renderSelect } from '../../../../report/writers/page/form-parts.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import { createStyle } from '../../../../report/writers/style.js';
import { configOf, perform, tenantPath } from '../deciding.js';
import { type Reading, readingFor } from '../reading.js';
import { type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderEraseLink } from './erase-page.js';
import { ACTIVITY, explainPath, objectPath, RECORD_STATES } from './object-words.js';
import { renderTime } from './times.js';

const PATH = '/tenants/:tenant/people';

/** Explains why someone has no account, with a search and the path of one object through a run. */
export const PEOPLE_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: PATH, audience: 'viewer', answer: showPeople },
  { method: 'GET', path: `${PATH}/explain`, audience: 'viewer', answer: showExplanation },
];

interface AskedPerson {
  readonly kind: string;
  readonly words: string;
}

function readAsked({ query }: WebRequest): AskedPerson {
  return { kind: query.get('kind') || 'user', words: query.get('q')?.trim() ?? '' };
}

async function showPeople(request: WebRequest): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const asked = readAsked(request);
  const { kind, words } = asked;
  const page = { title: 'People', under: '/' };
  const lead = html`Find a person or another object, and see both sides, what is pending, and what happened.`;
  if (words === '') return { ...page, lead, body: renderSearch(request, asked) };
  const entity = findEntity(kind.toLowerCase().replace(/ /g, '_'));
  if (entity === undefined) throw new WebRefusal(400, 'There is nothing of that kind.');
  const reading = await withStores(context, ({ audit }) => readingFor(request, audit));
  const { found, more } = await perform(request, FIND_PEOPLE, { entity, words });
  const rows = found.map((one) => renderFound(request, asked, one, reading));
  const list =
    found.length === 0
      ? html`<p>Nothing in the last reads has this name or key.${reading.key === null ? null : ' You can find people by key or by a complete address.'}</p>`
      : html`<p class="muted">${more ? `The first ${found.length}.` : `${plural(found.length, 'match', 'matches')}, as they were read last.`}</p><div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Key</th><th scope="col">Name</th><th scope="col">In the source</th><th scope="col">In the service</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  const ask = html`<p><a class="button" href="${explainPath(request, kind, words)}">Read the sources now for “<bdi>${words}</bdi>”</a> <span class="muted">also reads the service, and changes nothing</span></p>`;
  return {
    ...page,
    lead,
    body: html`${renderSearch(request, asked)}${list}${found.length === 1 ? null : ask}${found.length === 0 && entity === 'users' ? renderEraseLink(request, words) : null}`,
  };
}

function renderSearch(request: WebRequest, { kind, words }: AskedPerson): Html {
  const mapped = Object.keys(configOf(request).mappings).flatMap((name) => findEntity(name) ?? []);
  const kinds = [...new Set(mapped.map((entity) => TRAITS[entity].singular))];
  const options = kinds.map((name) => ({ value: name, text: name }));
  const choose =
    kinds.length < 2
      ? renderHidden({ kind })
      : html`<label for="kind">Kind</label>${renderSelect({ id: 'kind', name: 'kind' }, options, kind)}`;
  const asked = { id: 'q', name: 'q', type: 'search', value: words, required: true, maxlength: 200 };
  return html`<form class="line" method="get" role="search" action="${tenantPath(request)}/people">${choose}${renderLabelled('Key, e-mail, or part of a name', asked)}<button class="main">Search</button></form>`;
}

function renderFound(request: WebRequest, { kind }: AskedPerson, one: MeantPerson, reading: Reading): Html {
  const { key, active, state, starts } = one;
  const said = state === null ? 'not reported' : (RECORD_STATES[state] ?? state);
  const since = starts === null ? null : html`, first day <time>${starts.slice(0, 10)}</time>`;
  const there = active === null ? 'not there' : ACTIVITY[active ? 'yes' : 'no'];
  // An address shown as a pseudonym must not appear in a link either.
  const path = key !== null && reading.veil(key) === key ? objectPath(request, kind, key) : null;
  const [shown, name] = nameFound(one, path, reading);
  return html`<tr><th scope="row">${shown}</th><td>${name}</td><td data-name="Source:">${said}${since}</td><td data-name="Service:"><span class="badge tone-${active === true ? 'good' : 'plain'}">${there}</span></td></tr>`;
}

/** Key and name, both with a link if the person has a page. */
function nameFound(
  { key, label }: MeantPerson,
  path: string | null,
  { show, veilName }: Reading,
): readonly [key: Html, name: Html | null] {
  const shown = key === null ? html`not managed` : show(key);
  const name = label === null ? null : show(veilName(label));
  if (path === null) return [html`<span class="muted">${shown}</span>`, name];
  return [html`<a href="${path}">${shown}</a>`, name === null ? null : html`<a href="${path}">${name}</a>`];
}

/** A width at which text never wraps, because the browser breaks lines. */
const LOOK = { style: createStyle(false), width: 4_000 };

async function showExplanation(request: WebRequest): Promise<OperatorPage> {
  const { kind, words } = readAsked(request);
  if (words === '') throw new WebRefusal(400, 'Enter a key, an e-mail or a part of a name.');
  const explained = await perform(request, EXPLAIN, { kind, who: words });
  const context = { config: configOf(request), clock: request.parts.clock };
  const { key, show, veil } = await withStores(context, ({ audit }) => readingFor(request, audit));
  const explanation = key === null ? explained : veilExplanation(key, explained);
  const { title, outcome, sections } = listExplanation(explanation, LOOK);
  const parts = sections.map(
    ({ name, rows }, i) =>
      html`<section aria-labelledby="step-${i}"><h2 id="step-${i}">${name}</h2>${renderRows(rows, show)}</section>`,
  );
  return {
    title: veil(capitalise(title)),
    under: '/',
    lead: html`${show(capitalise(outcome.replace(/^: /, '')))}. As of ${renderTime(request, request.parts.clock.now())}; nothing was changed.`,
    body: html`${renderSearch(request, { kind, words: '' })}${parts}`,
  };
}

/** Matches a row in which the terminal output pads the name to align its value. No name contains a `=`. */
const PADDED = /^ *((?:[^\s=]+ )*[^\s=]+) {2,}(\S.*)$/s;

/** Lines with padded names become the rows of a table. */
function renderRows(rows: readonly string[], show: Reading['show']): readonly Html[] {
  const parts: Html[] = [];
  let table: Html[] = [];
  for (const [i, row] of rows.entries()) {
    const [, name, said] = PADDED.exec(row) ?? [];
    if (name === undefined || said === undefined) {
      parts.push(renderRow(row, show));
      continue;
    }
    table.push(html`<tr><th scope="row">${show(name)}</th><td class="text">${show(said)}</td></tr>`);
    if (PADDED.test(rows[i + 1] ?? '')) continue;
    parts.push(html`<table class="plain stack"><tbody>${table}</tbody></table>`);
    table = [];
  }
  return parts;
}

/** Renders one row. Details of the line before are indented. */
function renderRow(row: string, show: Reading['show']): Html {
  const text = row.trimStart();
  const level = Math.min(2, Math.ceil((row.length - text.length) / 2));
  return html`<p class="text in-${level}">${show(text)}</p>`;
}
