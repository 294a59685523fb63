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
  status: 'answers with a status, without doing the work',
  html: 'answers with an HTML error page, without doing the work',
  reset_before: 'closes the connection without doing the work',
  reset_after: 'does the work, then closes the connection without an answer',
  truncate: 'does the work, and sends half of the answer',
  hang: 'never answers',
  delay: 'waits, then continues normally',
  drop_field: 'does the work, but silently ignores some fields',
};

const FIELDS: readonly FormField[] = [
  {
    name: 'kind',
    label: 'Fault',
    is: 'choice',
    options: Object.entries(KINDS).map(([value, text]) => ({ value, text: `${value}: ${text}` })),
  },
  {
    name: 'method',
    label: 'Method',
    is: 'choice',
    options: [{ value: '', text: 'any' }, ...['GET', 'POST', 'PUT', 'DELETE'].map((value) => ({ value, text: value }))],
  },
  {
    name: 'path',
    is: 'line',
    label: 'Path',
    hint: 'The start of the path, or a regular expression that begins with ^',
  },
  { name: 'times', is: 'number', label: 'Number of requests' },
  { name: 'skip', is: 'number', label: 'Requests to leave alone first' },
  { name: 'status', is: 'number', label: 'Status', hint: 'For status and html' },
  { name: 'retry_after', is: 'number', label: 'Retry-After', hint: 'Seconds; leave it empty to send no Retry-After' },
  { name: 'ms', is: 'number', label: 'Milliseconds', hint: 'For delay and hang' },
  ...linesOf('fields').map((field) => ({ ...field, hint: 'For drop_field, separated by spaces: user.telephone' })),
];

const FORM: RecordForm = {
  action: 'add',
  button: 'Set the fault',
  fields: FIELDS,
  record: { kind: 'status', path: '/api/', times: 1, skip: 0 },
};

const NUMBERS = ['times', 'skip', 'status', 'retry_after', 'ms'];

/** Converts the form to a rule of the control API and omits empty fields. */
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

/** Common faults that people can set with one click. */
const PRESETS: readonly { readonly name: string; readonly rule: object }[] = [
  { name: 'Answer the next PUT with 503', rule: { kind: 'status', status: 503, method: 'PUT', path: '/api/' } },
  {
    name: 'Answer the next 3 calls with 429 and Retry-After 2',
    rule: { kind: 'status', status: 429, retry_after: 2, times: 3, path: '/api/' },
  },
  { name: 'Lose the answer to the next PUT', rule: { kind: 'reset_after', method: 'PUT', path: '/api/' } },
  { name: 'Send half of the answer to the next read', rule: { kind: 'truncate', method: 'GET', path: '/api/' } },
];

function renderRules(rules: readonly FaultRule[]): Html {
  if (rules.length === 0) return html`<p class="muted">No faults are set: the service answers normally.</p>`;
  const columns = [
    { name: 'Fault' },
    { name: 'Requests' },
    { name: 'Number', isNumber: true },
    { name: 'Leaves alone', isNumber: true },
    { name: 'Details' },
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
  return html`<p>The account's time is <b><time>${formatTime(nowMs)}</time></b> UTC. If you set it, it runs on from there. Timestamps, the users feed and signed links follow this clock; rate limits and delays do not.</p><div class="actions"><span class="muted">Move forward by</span>${steps}</div>${set}`;
}

const advance: PageAction = ({ parts, form }) => {
  const ms = Number(form.get('advance_ms') ?? '');
  setClock(
    parts,
    Number.isFinite(ms) ? { advance_ms: ms } : refuse(400, 'advance_ms must be a number of milliseconds'),
  );
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
${renderSection('Pending faults', html`<div data-fresh>${renderRules(faults.list())}</div><div class="actions">${presets}</div>`)}
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
