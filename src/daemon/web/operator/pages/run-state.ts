import { isHeldState, isHeldWhole, readHeldSource } from '../../../../model/held-source.js';
import { asksSameOrAnother } from '../../../../model/identity-guards.js';
import { isSameApprover } from '../../../../operations/weigh-approval.js';
import { plural } from '../../../../report/sections/words.js';
import { groupDigits, type Html, html } from '../../../../report/writers/page/html-text.js';
import { tenantPath } from '../deciding.js';
import type { WebRequest } from '../route.js';
import { countHeldBy } from './guard-words.js';
import { renderAskForms } from './now-page.js';
import type { RunView } from './run-view.js';
import { nextRunText, timeText } from './times.js';

interface StateNow {
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  /** Sentences about the state. The first one is the heading. */
  readonly said: readonly string[];
  readonly action?: Html | null;
}

/** The top of the page of a run or plan, with its current state and the next step. */
export function renderState(request: WebRequest, view: RunView): Html | null {
  // The plan of an undo has its own form instead.
  if (view.run === null && view.standing.kind === 'undo') return null;
  const { tone, said, action = null } = stateOf(request, view);
  const [first = '', ...more] = said.map(groupDigits);
  const rest = more.length === 0 ? null : html`<p>${more.join(' ')}</p>`;
  return html`<section class="notice now tone-${tone}" aria-labelledby="now-heading"><h2 id="now-heading">${first}</h2>${rest}${action === null ? null : html`<div class="actions">${action}</div>`}</section>`;
}

function stateOf(request: WebRequest, view: RunView): StateNow {
  const { standing, run, plan, isExpired } = view;
  if (run?.under_way !== undefined) return { tone: 'plain', said: ['This run is under way.'] };
  const open = listOpen(view);
  const results = describeResults(view);
  const tone = (view.selected.tally.states.get('failed') ?? 0) > 0 ? 'bad' : 'good';
  // A run without undecided changes is finished, even if its plan is outdated.
  if (run !== null && open.length === 0 && results.length > 0)
    return { tone, said: [...results, ...(standing.kind === 'newest' ? nextRun(request) : [])] };
  if (standing.kind === 'older') return stateOfOlder(request, view, [...results, ...countOpen(view, open)]);
  if (standing.kind === 'edited')
    return renew(request, results, 'The configuration was edited after this plan. Create a new plan to decide.');
  if (isExpired && plan !== null)
    return renew(
      request,
      results,
      `This plan expired at ${timeText(request, plan.meta.expires)}. Create a new plan to decide.`,
    );
  if (open.length > 0) return stateOfOpen(request, view, open, results);
  const planned = view.selected.tally.states.get('planned') ?? 0;
  if (run === null && planned > 0)
    return {
      tone: 'plain',
      said: [`${plural(planned, 'change')} would be made.`, 'Nothing needs approval.', ...nextRun(request)],
    };
  return { tone, said: [...listCalm(view), ...results, ...nextRun(request)] };
}

/** A held record needs no approval, but somebody must correct it. */
function listCalm({ selected: { tally } }: RunView): readonly string[] {
  if (tally.held === 0) return ['Nothing needs a decision.'];
  const { held } = tally;
  const isOne = held === 1;
  return [
    'No change needs approval.',
    `${plural(held, 'record')} ${isOne ? 'is' : 'are'} set aside, as listed under Held.`,
  ];
}

/** The state of an older plan. People decide on the newer plan instead. */
function stateOfOlder(request: WebRequest, { run, standing: { newest } }: RunView, said: readonly string[]): StateNow {
  const what = run === null ? 'This plan' : 'The plan of this run';
  if (newest === null) return renew(request, said, 'There is no newer complete plan. Create one to decide.');
  const link = html`<a class="button" href="${tenantPath(request)}/plans/${encodeURIComponent(newest)}">Open the newer plan</a>`;
  return { tone: 'plain', said: [`${what} was replaced by a newer one.`, ...said], action: link };
}

function renew(request: WebRequest, said: readonly string[], because: string): StateNow {
  const [first = '', ...more] = because.split(/(?<=\.) (?=[A-Z])/);
  return { tone: 'plain', said: [first, ...more, ...said], action: renderAskForms(request) };
}

function stateOfOpen(
  request: WebRequest,
  view: RunView,
  open: readonly OpenGuard[],
  results: readonly string[],
): StateNow {
  const isAnswer = open.every(({ guard }) => asksSameOrAnother(guard));
  const need = isAnswer ? 'answer' : 'approval';
  const { subject, isOne } = nameOpen(view, open);
  const needs = `${subject} ${isOne ? 'needs' : 'need'}`;
  const said = [...results, ...nextRun(request)];
  if (view.fourEyes && view.via === 'nobody')
    return {
      tone: 'warn',
      said: [
        `${needs} the ${need} of two people.`,
        'These pages do not know who you are. Log in, or use a personal token.',
        ...said,
      ],
    };
  if (!view.mayApprove) return { tone: 'warn', said: [`${needs} an ${need}.`, ...said] };
  if (isHalfMine(view)) return { tone: 'plain', said: [`${needs} the approval of a second person.`, ...said] };
  const isChange = open.some(({ guard }) => !isHeldWhole(guard) && !asksSameOrAnother(guard));
  const to = isChange ? '?state=waits#changes' : '#guards';
  const link = html`<a class="button" href="${to}">${isAnswer ? 'Review and answer' : 'Review and decide'}</a>`;
  return { tone: 'warn', said: [`${needs} your ${need}.`, ...said], action: link };
}

/** True if the person viewing the page has approved every pending change, and each needs a second person. */
function isHalfMine({ halfApproved, selected, who, via }: RunView): boolean {
  const waiting = selected.rows.filter(({ state }) => state === 'waits');
  return waiting.length > 0 && waiting.every(({ id }) => isSameApprover(halfApproved.get(id) ?? null, { who, via }));
}

interface OpenGuard {
  readonly guard: string;
  readonly count: number;
}

/** Number of undecided changes that a guard holds; 1 for a held delivery. */
export function countOpenOf({ standing, approvals, open }: RunView, guard: string): number {
  if (!isHeldWhole(guard)) return open.get(guard) ?? 0;
  // The newest plan lists each delivery that is still held.
  return standing.kind === 'older' || approvals.has(guard) ? 0 : 1;
}

function listOpen(view: RunView): readonly OpenGuard[] {
  return view.report.guards
    .filter(({ declined }) => declined === undefined)
    .map(({ guard }) => ({ guard, count: countOpenOf(view, guard) }))
    .filter(({ count }) => count > 0);
}

function nameOpen(
  { selected }: RunView,
  open: readonly OpenGuard[],
): { readonly subject: string; readonly isOne: boolean } {
  const [first] = open;
  if (open.length === 1 && first !== undefined) {
    const { guard, count } = first;
    const source = readHeldSource(guard)?.source ?? null;
    const whole = source === null ? 'The state' : `A delivery of ${source}`;
    return isHeldWhole(guard)
      ? { subject: whole, isOne: true }
      : { subject: countHeldBy(guard, count), isOne: count === 1 };
  }
  const wholes = open.filter(({ guard }) => isHeldWhole(guard) && !isHeldState(guard)).length;
  // A change held by two guards counts only once.
  const changes = Math.min(
    selected.tally.states.get('waits') ?? 0,
    open.reduce((sum, { guard, count }) => sum + (isHeldWhole(guard) ? 0 : count), 0),
  );
  const parts = [
    ...(changes === 0 ? [] : [plural(changes, 'change')]),
    ...(wholes === 0 ? [] : [plural(wholes, 'delivery', 'deliveries')]),
  ];
  return { subject: parts.length === 0 ? 'The state' : parts.join(' and '), isOne: changes + wholes <= 1 };
}

/** `12 people still wait.` */
function countOpen(view: RunView, open: readonly OpenGuard[]): readonly string[] {
  if (open.length === 0) return ['Nothing in it needs a decision any more.'];
  const { subject, isOne } = nameOpen(view, open);
  return [`${subject} still ${isOne ? 'needs' : 'need'} a decision.`];
}

/** `Carried out: 11 changes.` */
function describeResults({ run, selected }: RunView): readonly string[] {
  if (run === null) return [];
  const { states } = selected.tally;
  const [done, failed] = [states.get('done') ?? 0, states.get('failed') ?? 0];
  return [
    ...(failed === 0 ? [] : [`Failed: ${plural(failed, 'change')}.`]),
    ...(done === 0 ? [] : [`Carried out: ${plural(done, 'change')}.`]),
  ];
}

function nextRun(request: WebRequest): readonly string[] {
  return [nextRunText(request)].filter((text) => text !== null);
}
