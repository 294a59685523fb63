import { asksSameOrAnother } from '../../../../model/identity-guards.js';
import { isMadeByRun } from '../../../../operations/choose-changes.js';
import { isSameApprover } from '../../../../operations/weigh-approval.js';
import { saysNo } from '../../../../report/sections/declined.js';
import type { ValueDifference } from '../../../../report/sections/differences.js';
import { lookOf, nameEntities } from '../../../../report/sections/kinds.js';
import { columnsOf, groupOf, type ReportChange, STATES } from '../../../../report/sections/report.js';
import { isHeldForPerson } from '../../../../report/sections/tally.js';
import { plural } from '../../../../report/sections/words.js';
import { groupDigits, type Html, html, value } from '../../../../report/writers/page/html-text.js';
import type { WebRequest } from '../route.js';
import { APPROVE_FORM, renderApprove } from './approve-form.js';
import type { RunView } from './run-view.js';
import { endText } from './times.js';

const COLUMNS = columnsOf('operators');
const FACTS = columnsOf('operatorFacts');

/** The table of a report, rendered by the server. The table is filtered and paged, with checkboxes for pending changes. */
export function renderChanges(request: WebRequest, view: RunView): Html {
  const { selected } = view;
  if (selected.tally.rows === 0) return html`<p class="muted">There are none.</p>`;
  const choices = selected.rows.filter((change) => canDecide(view, change)).length;
  const canSelect = choices > 0;
  const rows = selected.rows.map((change) => renderChange(request, view, change, canSelect));
  const heads = COLUMNS.map(({ id, head }) => html`<th scope="col" class="c-${id}">${head}</th>`);
  const select = canSelect ? html`<th scope="col" class="c-select"><span class="hidden">Select</span></th>` : null;
  return html`${renderFilter(view)}<p class="status" role="status">${groupDigits(describeFound(view))}</p>${canSelect ? renderApprove(request, view, choices === 1) : null}
<table class="changes decided"><thead><tr>${select}${heads}</tr></thead><tbody>${rows}</tbody></table>
${renderPager(request, view)}`;
}

/** True if the person can approve this change now. */
export function isOpen(
  { mayApprove, isExpired, plan, approvals, halfApproved, who, via }: RunView,
  change: ReportChange,
): boolean {
  const asks = change.about.replace('for ', '').split(' + ').some(asksSameOrAnother);
  const isWaiting = isHeldForPerson(change) && !approvals.has(change.id) && !asks;
  return (
    mayApprove &&
    !isExpired &&
    plan !== null &&
    isWaiting &&
    !isSameApprover(halfApproved.get(change.id) ?? null, { who, via })
  );
}

/** True if the person can approve or decline this change now. A planned change may be declined before a run makes it. */
function canDecide(view: RunView, change: ReportChange): boolean {
  if (isOpen(view, change)) return true;
  const { mayApprove, isExpired, plan, run } = view;
  if (!mayApprove || isExpired || plan === null || run !== null || isMadeByRun(plan.meta.plan)) return false;
  return change.state === 'planned' && change.action !== 'relink' && plan.meta.undoes === undefined;
}

function describeFound({ selected: { found, tally, page, pages } }: RunView): string {
  const all = found === tally.rows ? plural(found, 'change') : `${found} of ${plural(tally.rows, 'change')}`;
  return pages === 1 ? all : `${all}, page ${page} of ${pages}`;
}

function renderFilter({ selected: { tally }, filter }: RunView): Html {
  const { entities, actions, states, fields } = tally;
  const pairs = (names: readonly string[], show: (name: string) => string) =>
    names.map((name) => [name, show(name)] as const);
  const choices = [
    ['entity', pairs(entities, nameEntities)],
    ['action', pairs(actions, (name) => name)],
    ['state', [...states.keys()].map((state) => [state, STATES[state].name] as const)],
    [
      'field',
      pairs(
        fields.map(([name]) => name),
        (name) => name,
      ),
    ],
  ] as const;
  const selects = choices.map(([name, options]) => {
    const listed = options.map(
      ([key, text]) =>
        html`<option value="${key}"${filter[name] === key ? { html: ' selected' } : null}>${text}</option>`,
    );
    return html`<label><span class="hidden">${name}</span><select name="${name}"><option value="">every ${name}</option>${listed}</select></label>`;
  });
  const isFiltered = Object.values(filter).some((text) => text !== '');
  return html`<form class="tools" method="get" action="#changes" role="search" aria-label="Filter the changes"><label><span class="hidden">Search names, keys, values, reasons</span><input type="search" name="q" value="${filter.q}" placeholder="Search everything" autocomplete="off" spellcheck="false"></label>
${selects}<button>Filter</button>${isFiltered ? html`<a href="?#changes">Show all</a>` : null}</form>`;
}

function renderChange(request: WebRequest, view: RunView, change: ReportChange, canSelect: boolean): Html {
  const { id, action, alone } = change;
  const box = canDecide(view, change)
    ? html`<input type="checkbox" name="change" value="${id}" form="${APPROVE_FORM}" aria-label="Select: ${action} ${splitLabel(change.label)[0]}"${alone ? { html: ' data-alone' } : null}>`
    : null;
  const cells = COLUMNS.map(({ id, style = '', text }) => {
    const content = CELLS[id]?.(view, change, request) ?? value(text(change));
    return html`<td class="c-${id} ${style}">${content}</td>`;
  });
  return html`<tr class="change" id="row-${id}">${canSelect ? html`<td class="c-select">${box}</td>` : null}${cells}</tr>\n`;
}

/** Renderers of the columns that are not plain text. */
const CELLS: Readonly<Record<string, (view: RunView, change: ReportChange, request: WebRequest) => Html>> = {
  action: (_, change) => {
    const { sign, tone } = lookOf(change.action);
    return html`<span class="sign tone-${tone}" aria-hidden="true">${sign}</span> ${change.action}<p class="key">${nameEntities(groupOf(change))}</p>`;
  },
  label: (view, change) => {
    const { sourceRecord, key, hint, target } = change;
    const [who, mail] = splitLabel(change.label);
    const office = (target === null ? undefined : view.offices.get(target)) ?? hint;
    const below = [mail, sourceRecord?.record ?? key].filter((text) => text !== '' && text !== who);
    const about = [office, ...below].filter((text) => text !== '').map(value);
    const path = view.pathOf(change);
    const name = path === null ? value(who) : html`<a class="quiet" href="${path}">${value(who)}</a>`;
    return html`${name}${renderNew(view, change)}<p class="key">${about}</p>`;
  },
  values: (_, change) => html`${renderValues(change)}<p class="key">${value(change.reason.text)}</p>`,
  state: renderState,
};

function renderNew({ before }: RunView, change: ReportChange): Html | null {
  if (before === null || change.state !== 'waits' || before.has(change)) return null;
  return html` <span class="badge tone-accent">new since the last run</span>`;
}

/** For a new object, the first few values are enough to recognise it. */
const SHOWN_VALUES = 3;

function renderValues(change: ReportChange): Html {
  const { differences } = change;
  const more = differences.slice(SHOWN_VALUES);
  const facts = FACTS.flatMap(({ head, text }) =>
    text(change)
      .split('\n')
      .filter(Boolean)
      .map((line) => `${head} ${line}`),
  );
  const rest = html`${more.map(renderValue)}${facts.map((fact) => html`<p class="key">${value(fact)}</p>`)}`;
  const folded =
    more.length + facts.length === 0
      ? null
      : html`<details><summary>${more.length === 0 ? 'More' : `${plural(more.length, 'more value')}`}</summary>${rest}</details>`;
  return html`${differences.slice(0, SHOWN_VALUES).map(renderValue)}${folded}`;
}

function renderValue({ field, before, after }: ValueDifference): Html {
  const show = (text: string | null): Html => (text === null ? html`<span class="empty">(empty)</span>` : value(text));
  if (before === null) return html`<p class="pairs"><span class="key">${field}</span> <ins>${show(after)}</ins></p>`;
  return html`<p class="pairs"><span class="key">${field}</span> <del>${show(before)}</del> → <ins>${show(after)}</ins></p>`;
}

function renderState(
  { approvals, halfApproved, declines, reading }: RunView,
  { id, state, about, approval }: ReportChange,
  request: WebRequest,
): Html {
  const given = state === 'waits' || state === 'approved' ? approvals.get(id) : undefined;
  const declined = state === 'declined' ? declines.get(id) : undefined;
  const half = state === 'waits' ? halfApproved.get(id) : undefined;
  if (given !== undefined)
    return html`<span class="badge tone-good">approved</span><p class="key">${reading.show(`by ${given.who}`)} <a href="#approvals">until ${endText(request, given.expiresAt)}</a></p>`;
  if (declined !== undefined)
    return html`<span class="badge">declined</span><p class="key">${reading.show(saysNo(declined, (iso) => endText(request, iso)))} <a href="#declines">Revoke</a></p>`;
  if (half !== undefined)
    return html`<span class="badge tone-warn">1 of 2</span><p class="key">${reading.show(`by ${half.who}`)}</p>`;
  const { tone, name } = STATES[state];
  const said = [about, approval ?? ''].filter((text) => text !== '');
  return html`<span class="badge tone-${tone}">${name}</span>${said.map((text) => html`<p class="key">${value(text)}</p>`)}`;
}

/** Splits `Jane Doe <jane@example.com>` into its two parts. */
function splitLabel(label: string): readonly [string, string] {
  const [, who, mail] = /^(.*\S)\s+<([^<>]*)>$/s.exec(label) ?? [];
  return who === undefined || mail === undefined ? [label, ''] : [who, mail];
}

function renderPager({ query }: WebRequest, { selected: { page, pages } }: RunView): Html | null {
  if (pages === 1) return null;
  const to = (number: number, text: string): Html => {
    const asked = new URLSearchParams(query);
    asked.set('page', String(number));
    return html`<a href="?${asked.toString()}#changes">${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages of changes">${page > 1 ? to(page - 1, 'Previous') : null}<span>Page ${page} of ${pages}</span>${page < pages ? to(page + 1, 'Next') : null}</nav>`;
}
