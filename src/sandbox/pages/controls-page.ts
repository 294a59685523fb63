import { renderLabelled } from '../../report/writers/page/form-parts.js';
import { type Html, html } from '../../report/writers/page/html-text.js';
import { addFaults, setClock } from '../control/control-routes.js';
import { refuse } from '../fields/refusal.js';
import type { FaultRule } from '../server/faults.js';
import { type FormField, linesOf, type RecordForm, renderButton, renderForm, renderLineForm } from './form-fields.js';
import { renderTable } from './lists.js';
import type { PageAction, PageRoute } from './page.js';
import { renderSection } from './record-parts.js';
import { formatTime } from './words.js';

const KINDS: Readonly<Record<FaultRule['kind'], string>> = {
  status: 'answers with a status, does nothing',
  html: 'answers an HTML error page, does nothing',
  reset_before: 'closes the connection before the work',
  reset_after: 'does the work, closes the connection without an answer',
  truncate: 'does the work, sends half of the answer',
  hang: 'never answers',
  delay: 'waits, then goes on as usual',
  drop_field: 'does the work without some fields, and says nothing',
};

const FIELDS: readonly FormField[] = [
  {
    name: 'kind',
    label: 'What happens',
    is: 'choice',
    options: Object.entries(KINDS).map(([value, text]) => ({ value, text: `${value}: ${text}` })),
  },
  {
    name: 'method',
    label: 'To which method',
    is: 'choice',
    options: [{ value: '', text: 'any' }, ...['GET', 'POST', 'PUT', 'DELETE'].map((value) => ({ value, text: value }))],
  },
  { name: 'path', is: 'line', label: 'To which path', hint: 'How it begins; with ^ in front, a regular expression' },
  { name: 'times', is: 'number', label: 'How many times' },
  { name: 'skip', is: 'number', label: 'Let through first' },
  { name: 'status', is: 'number', label: 'Status', hint: 'Of status and html' },
  { name: 'retry_after', is: 'number', label: 'Retry-After', hint: 'Seconds; none without it' },
  { name: 'ms', is: 'number', label: 'Milliseconds', hint: 'Of delay and hang' },
  ...linesOf('fields').map((field) => ({ ...field, hint: 'Of drop_field, with spaces between: user.telephone' })),
];

const FORM: RecordForm = {
  action: 'add',
  button: 'Set the fault',
  fields: FIELDS,
  record: { kind: 'status', path: '/api/', times: 1, skip: 0 },
};

const NUMBERS = ['times', 'skip', 'status', 'retry_after', 'ms'];

/** Converts the form to a rule of the control API, without empty fields. */
function readRule(form: URLSearchParams): object {
  const filled = FIELDS.map(({ name }) => [name, (form.get(name) ?? '').trim()] as const).filter(
    ([, text]) => text !== '',
  );
  return Object.fromEntries(
    filled.map(([name, text]) => {
      if (name === 'fields') return [name, text.split(/[\s,]+/)];
      return [name, NUMBERS.includes(name) && /^\d+$/.test(text) ? Number(text) : text];
    }),
  );
}

/** Faults to try first, each with one click. */
const PRESETS: readonly { readonly name: string; readonly rule: object }[] = [
  { name: 'The next PUT is answered 503', rule: { kind: 'status', status: 503, method: 'PUT', path: '/api/' } },
  {
    name: 'The next 3 calls are answered 429, Retry-After 2',
    rule: { kind: 'status', status: 429, retry_after: 2, times: 3, path: '/api/' },
  },
  { name: 'The answer to the next PUT is lost', rule: { kind: 'reset_after', method: 'PUT', path: '/api/' } },
  { name: 'The next read comes as half', rule: { kind: 'truncate', method: 'GET', path: '/api/' } },
];

function renderRules(rules: readonly FaultRule[]): Html {
  if (rules.length === 0) return html`<p class="muted">No fault waits: the service answers as it should.</p>`;
  const columns = [
    { name: 'Fault' },
    { name: 'To' },
    { name: 'Times', isNumber: true },
    { name: 'After', isNumber: true },
    { name: 'With' },
  ] as const;
  const rows = rules.map(({ kind, method, path, times, skip, status, retry_after, ms, fields }) => {
    const more = Object.entries({ status, retry_after, ms, fields: fields.join(', ') || undefined });
    const said = more.filter(([, value]) => value !== undefined).map(([name, value]) => `${name} ${value}`);
    return [
      html`<b>${kind}</b>`,
      html`<code>${method ?? 'any'} ${path}</code>`,
      html`${times}`,
      html`${skip}`,
      html`${said.join(', ')}`,
    ];
  });
  return html`${renderTable(columns, rows)}${renderButton('clear', 'Clear all faults')}`;
}

const STEPS: readonly [name: string, ms: number][] = [
  ['10 minutes', 600_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['7 days', 604_800_000],
  ['30 days', 2_592_000_000],
];

function renderClock(nowMs: number): Html {
  const steps = STEPS.map(([name, ms]) => renderButton('advance', name, { advance_ms: String(ms) }));
  const set = renderLineForm(
    'set',
    'Set the clock',
    renderLabelled('Set it to', {
      ...{ id: 'now', name: 'now', value: `${new Date(nowMs).toISOString().slice(0, 19)}Z`, autocomplete: 'off' },
    }),
  );
  return html`<p>The account's time is <b><time>${formatTime(nowMs)}</time></b> UTC. It runs on from where it is set; stamps, the feed and signed links follow it, rate limits and delays do not.</p><div class="actions"><span class="muted">Forward by</span>${steps}</div>${set}`;
}

const advance: PageAction = ({ parts, form }) => {
  const ms = Number(form.get('advance_ms') ?? '');
  setClock(parts, Number.isFinite(ms) ? { advance_ms: ms } : refuse(400, 'that is no number of milliseconds'));
};

export const CONTROLS_PAGE: PageRoute = {
  path: '/controls',
  show: (page) => {
    const { faults } = page.parts;
    const presets = PRESETS.map(({ name }, i) => renderButton('preset', name, { preset: String(i) }));
    return {
      title: 'Faults and clock',
      under: '/controls',
      body: html`${renderSection('Clock', renderClock(page.world.clock.now()))}
${renderSection('Faults that wait', html`<div data-fresh>${renderRules(faults.list())}</div><div class="actions">${presets}</div>`)}
${renderSection('Set a fault', renderForm(page, FORM))}`,
    };
  },
  actions: {
    advance,
    set: ({ parts, form }) => setClock(parts, { now: (form.get('now') ?? '').trim() }),
    add: ({ parts, form }) => addFaults(parts, readRule(form)),
    preset: ({ parts, form }) =>
      addFaults(parts, PRESETS[Number(form.get('preset'))]?.rule ?? refuse(404, 'there is no such fault')),
    clear: ({ parts }) => parts.faults.clear(),
  },
};
