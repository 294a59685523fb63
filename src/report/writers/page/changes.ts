import type { Batches } from '../../../base/clock.js';
import { lookOf, nameEntities } from '../../sections/kinds.js';
import {
  CHANGE_COLUMNS,
  columnsOf,
  groupOf,
  type Report,
  type ReportChange,
  STATES,
  type State,
} from '../../sections/report.js';
import { isUrgent, type ReportTally } from '../../sections/tally.js';
import { capitalise } from '../../sections/words.js';
import { type Html, html, scriptJson } from './html-text.js';

/**
 * The maximum that a browser filters and sorts without delay. A longer page says that it is truncated; the CSV has
 * everything.
 */
export interface PageLimits {
  readonly changes: number;
  readonly characters: number;
  readonly holds: number;
}

/** Number of rows per script element. Each element is small enough to parse while the next one loads. */
const ROWS_A_PART = 1_000;

const COLUMNS = columnsOf('page');
/** Properties that the script gets in another form: as an index into a list of names, or value by value. */
const NOT_TEXTS = ['action', 'entity', 'state', 'values'];
const TEXTS = CHANGE_COLUMNS.filter(({ id }) => !NOT_TEXTS.includes(id));

/** The table of changes without its rows, which the script adds. */
export function renderFrame(tally: ReportTally): Html {
  if (tally.rows === 0) return html`<p class="muted">There are none.</p>`;
  const heads = COLUMNS.map(({ id, head }) => {
    if (id === 'values') return html`<th scope="col" role="columnheader">${head}</th>`;
    return html`<th scope="col" role="columnheader" class="c-${id}" aria-sort="none"><button type="button" data-sort="${id}">${head}</button></th>`;
  });
  return html`<noscript><p class="notice">The changes are listed by a script, which this browser does not run. The CSV and Markdown reports list them without one.</p></noscript>
<form class="tools" id="tools" role="search" aria-label="Filter the changes"><label><span class="hidden">Search names, keys, values, reasons</span><input type="search" id="q" name="q" placeholder="Search everything ( / )" autocomplete="off" spellcheck="false"></label>
${renderFilters(tally)}
<button type="reset">Clear</button><button type="button" id="expand">Open all on this page</button></form>
<p class="status" id="status" role="status"></p>
<table class="changes" role="table" aria-describedby="status"><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody id="rows" role="rowgroup"></tbody></table>
<div class="pager"><button type="button" id="previous">Previous</button><span id="page"></span><button type="button" id="next">Next</button>
<label>Rows on a page <select id="size"><option selected>50</option><option>100</option><option>250</option><option>500</option></select></label></div>`;
}

type FilterOption = readonly [value: string, text: string];

function renderFilters({ entities, actions, states, fields }: ReportTally): readonly Html[] {
  const same = (name: string): FilterOption => [name, name];
  return [
    renderFilter(
      'entity',
      entities.map((name) => [name, nameEntities(name)]),
    ),
    renderFilter('action', actions.map(same)),
    renderFilter(
      'state',
      [...states.keys()].map((state) => [state, STATES[state].name]),
    ),
    renderFilter(
      'field',
      fields.map(([name]) => same(name)),
    ),
  ];
}

function renderFilter(name: string, options: readonly FilterOption[]): Html {
  return html`<label><span class="hidden">${capitalise(name)}</span><select name="${name}"><option value="">every ${name}</option>${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
}

/** Writes the rows and returns their number. */
export async function* writeRows(
  report: Report,
  tally: ReportTally,
  limits: PageLimits,
): AsyncGenerator<string, number> {
  let shown = 0;
  let part: string[] = [];
  for await (const rows of listRows(report, tally, limits)) {
    shown += rows.length;
    part.push(...rows);
    if (part.length < ROWS_A_PART) continue;
    yield rowsElement(part);
    part = [];
  }
  yield rowsElement(part);
  const { entities, actions, states } = tally;
  const looks = {
    columns: COLUMNS.map(({ id, style }) => ({ id, style })),
    facts: columnsOf('pageFacts').map(({ id, head }) => ({ id, head })),
    entities: entities.map((name) => ({ name, label: nameEntities(name) })),
    actions: actions.map((name) => ({ name, sign: lookOf(name).sign, tone: lookOf(name).tone })),
    states: [...states.keys()].map((state) => ({ id: state, ...STATES[state] })),
  };
  yield `<script type="application/json" id="names">${scriptJson(looks)}</script>\n`;
  return shown;
}

/** Yields as many rows as the limits allow, urgent ones first, so that a truncated page lacks only harmless changes. */
async function* listRows(report: Report, tally: ReportTally, limits: PageLimits): Batches<string> {
  const describe = createRowWriter(tally);
  const { rows, urgent } = tally;
  let [shown, characters] = [0, 0];
  const isTooMuch = (row: string): boolean => {
    shown += 1;
    characters += row.length;
    return shown > limits.changes || characters > limits.characters;
  };
  for (const [isWanted, count] of [
    [true, urgent],
    [false, rows - urgent],
  ] as const) {
    // Skip the pass if there is nothing to find.
    if (count === 0) continue;
    for await (const batch of report.changes()) {
      const wanted = batch.filter((change) => isUrgent(change) === isWanted).map(describe);
      const fitting = wanted.findIndex(isTooMuch);
      yield fitting === -1 ? wanted : wanted.slice(0, fitting);
      if (fitting !== -1) return;
    }
  }
}

function rowsElement(rows: readonly string[]): string {
  return `<script type="application/json" class="rows">[\n${rows.join(',\n')}\n]</script>\n`;
}

/** Writes a change as JSON for the script; see `Row` there. Empty texts are left out. */
function createRowWriter({ entities, actions, states }: ReportTally): (change: ReportChange) => string {
  const stateNames: readonly State[] = [...states.keys()];
  return (change) => {
    const texts = TEXTS.map(({ id, text }) => [id, text(change)] as const).filter(([, text]) => text !== '');
    return scriptJson({
      e: entities.indexOf(groupOf(change)),
      a: actions.indexOf(change.action),
      s: stateNames.indexOf(change.state),
      diff: change.differences.map(({ field, before, after }) => [field, before, after]),
      ...Object.fromEntries(texts),
    });
  };
}
