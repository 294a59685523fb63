import { isUsual, ruleParts } from '../../model/comparison.js';
import { TRAITS } from '../../model/entity.js';
import { showGuard } from '../../model/held-source.js';
import type { Json } from '../../model/json.js';
import { typedName } from '../../model/typed.js';
import { EXISTENCE } from '../../model/undo.js';
import type { TriedKey } from '../../planning/match-objects.js';
import type { Explanation, FieldTrace } from '../explain/explain.js';
import { describeDeclined } from '../sections/declined.js';
import { listDifferences } from '../sections/differences.js';
import { lookOf } from '../sections/kinds.js';
import { formatMinute, plural } from '../sections/words.js';
import { foldDifferences } from '../writers/fold-text.js';
import {
  chooseWidth,
  clip,
  createStyle,
  displayWidth,
  joinLines,
  type Style,
  type TerminalLook,
} from '../writers/style.js';
import { fold } from '../writers/terminal-blocks.js';
import { listBase, listMirror } from './base-text.js';
import { showStep } from './trace-text.js';
import { LONGEST_VALUE, listPairs, showValue } from './values-text.js';

type Steps = Explanation['steps'];

/** Indentation of the lines of a step. */
const INDENT = 2;

/** An explanation for a terminal, with the steps in the order in which a run performs them. */
export function renderExplanation(explanation: Explanation, color: boolean, columns: number | null): string {
  const style = createStyle(color);
  const look: TerminalLook = { style, width: chooseWidth(columns) - INDENT };
  const { title, outcome, sections } = listExplanation(explanation, look);
  const lines = sections.flatMap(({ name, rows }) => [
    style.bold(name),
    ...rows.map((row) => `${' '.repeat(INDENT)}${row}`),
  ]);
  return `${joinLines([style.bold(title) + outcome, ...lines])}\n`;
}

/** Lists the steps as separate lines of at most the look's width. Continuation lines are indented. */
export function listExplanation({ entity, key, steps }: Explanation, look: TerminalLook) {
  // A step without rows was not performed.
  const sections: readonly (readonly [name: string, rows: readonly string[]])[] = [
    ['Source rows', listSources(steps, look)],
    ['Scope and leaving', listScope(steps, look)],
    ['Match', listMatch(steps, look)],
    ['Fields: expression → value', listFields(steps.fields, look)],
    ['In the service, as last read (mirror)', listMirror(steps.mirror, look)],
    ['Last agreed (base)', listBase(steps, look)],
    ['History', listHistory(steps, look)],
    ['Left', steps.departure === null ? [] : fold(describeDeparture(steps.departure), 0, look)],
    [
      'Undone, and not done again',
      steps.pins.map(({ path, undone, run, at }) => `${path}: run ${undone} undone by ${run} ${formatMinute(at)}`),
    ],
    ['Declined', listDeclined(steps, look)],
    ['Held', listHeld(steps, look)],
    ['Change in the next run', listAction(steps, look)],
    ['Guard', steps.action === null && steps.guard === null ? [] : listGuard({ entity, key, steps }, look)],
    ['Written back', steps.write_back === null ? [] : listWriteBack(steps.write_back, look)],
  ];
  return {
    title: `${TRAITS[entity].singular} ${key}`,
    outcome: describeOutcome(steps, look.style),
    sections: sections.flatMap(([name, rows]) => (rows.length === 0 ? [] : [{ name, rows }])),
  };
}

/** Summarises the result in a single line. */
function describeOutcome(steps: Steps, style: Style): string {
  const { action, guard, held, left_alone: because, write_back: back } = steps;
  const [first] = held;
  if (action !== null) {
    const what = `: ${style[lookOf(action.action).tone](action.action)}`;
    if (guard?.by === 'declined') return `${what}, declined`;
    return guard === null ? what : `${what}, ${style.bad('waiting')}`;
  }
  if (guard !== null) return `: ${style.bad(`waiting for ${showGuard(guard.name)}`)}`;
  if (first !== undefined) return `: ${style.warn(`held, ${first.code}`)}`;
  if (back !== null && back.told.length > 0) return `: ${style[lookOf('update').tone]('written back')}`;
  if (steps.starts !== null) return `: starts on ${steps.starts.first_day}, ${describeFrom(steps.starts)}`;
  return because === null ? `: ${style.good('nothing to do')}` : ': left alone';
}

function describeFrom({ from }: NonNullable<Steps['starts']>): string {
  return `and the account is created or reactivated from ${from} on`;
}

/** The runs in which the person joined, moved and left, newest first. */
function listHistory({ history }: Steps, look: TerminalLook): readonly string[] {
  return history.flatMap(({ at, run, what, fields }) => {
    const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
    return fold(`${formatMinute(at)}  ${what}${which} (${run})`, 0, look);
  });
}

function describeDeparture(departure: NonNullable<Steps['departure']>): string {
  const { run, deactivated_at: since, purge_due_at: due, deleted_at: deletedAt } = departure;
  if (deletedAt !== null)
    return `deleted permanently by run ${run} ${formatMinute(deletedAt)}: a row that returns creates a new account`;
  const then =
    due === null
      ? 'not to be deleted'
      : `to be deleted permanently from ${formatMinute(due)} on, if still a leaver then`;
  return `deactivated by run ${run} ${since === null ? '' : formatMinute(since)}; ${then}`;
}

function listSources({ sources, held, absence }: Steps, look: TerminalLook): readonly string[] {
  if (sources.length === 0) {
    if (held.length > 0) return ['none that could be used: see what is held'];
    return [absence === null ? 'none' : 'none any more'];
  }
  return sources.flatMap(({ place, values }) => [
    place,
    ...listPairs(
      Object.entries(values).map(([name, value]) => `${name} = ${clip(value, LONGEST_VALUE)}`),
      look,
    ),
  ]);
}

function listScope(
  { sources, scope, leaver, joiner, doubtful, absence, named_in }: Steps,
  look: TerminalLook,
): readonly string[] {
  const seen =
    absence === null
      ? []
      : [`${absence.kind}: ${plural(absence.observations, 'time')} since ${formatMinute(absence.first_at)}`];
  const named = named_in === null ? [] : [`not absent: the row at ${named_in} names it, but could not be used`];
  if (sources.length === 0) return ['not evaluated: there is no row', ...seen, ...named];
  return [
    ...(scope === null ? ['scope: none is configured, so every record is in scope'] : showStep('scope', scope, look)),
    ...(leaver === null ? ['leaver.when: not configured'] : showStep('leaver.when', leaver, look)),
    ...(joiner === null ? [] : showStep('starts', joiner, look)),
    ...(doubtful === null ? [] : showStep('doubtful', doubtful, look)),
    ...seen,
  ];
}

/**
 * Lists how the object is matched. A link stays even if its keys change. Otherwise the entries of `match` are tried in
 * order.
 */
function listMatch(steps: Steps, look: TerminalLook): readonly string[] {
  // For a linked record, only unusual rules are shown.
  const tried = steps.correlation.match.filter(({ found, compare }) => found !== null || !isUsual(compare));
  const keys = tried.flatMap((key) => fold(showKey(key), 2, look));
  return [...fold(describeMatch(steps), 0, look), ...keys.map((line) => look.style.dim(line))];
}

function showKey({ fields, compare, found, set_apart: apart }: TriedKey): string {
  const rule = `${fields.join(' + ')}: ${ruleParts(compare).join(', ')}`;
  if (found === null) return rule;
  const names = (objects: TriedKey['set_apart']): string =>
    objects.map(({ id, label }) => `${label} (${id})`).join('; ');
  const shown = found.length === 0 ? 'nothing' : names(found);
  return `${rule} → ${shown}${apart.length === 0 ? '' : `; set apart by this rule: ${names(apart)}`}`;
}

function describeMatch({ sources, mirror, action, correlation, held }: Steps): string {
  const { link, origin, since, found } = correlation;
  if (link !== null)
    return `linked to ${link}, ${origin ?? 'known'} ${since === null ? '' : formatMinute(since)}`.trim();
  if (found !== null) return `not linked yet: matches ${found.id} by ${found.by}, which the next run adopts`;
  if (sources.length > 0 || held.length > 0) {
    if (correlation.match.every((key) => key.found === null)) return 'not linked, and no value to match by';
    if (held.some(({ code }) => code.startsWith('SYNC_MATCH_'))) return 'not linked: see what is held';
    const isFound = correlation.match.some((key) => key.found !== null && key.found.length > 0);
    return isFound
      ? 'not linked, although the service has these matches'
      : 'not linked, and nothing in the service matches';
  }
  if (mirror !== null) return 'no source delivers it: records refer to it by name';
  return action === null ? 'no link' : 'no source delivers it: a record names it';
}

function listFields(fields: readonly FieldTrace[], look: TerminalLook): readonly string[] {
  if (fields.length === 0) return ['not evaluated: there is no row'];
  const names = Math.max(...fields.map(({ path }) => displayWidth(path)));
  return fields.flatMap((step) => {
    const rules = [
      step.apply === 'always' ? '' : `apply: ${step.apply}`,
      step.when_empty === 'clear' ? 'when_empty: clear' : '',
    ].filter((rule) => rule !== '');
    return showStep(step.path.padEnd(names), step, look, rules.length === 0 ? '' : `  (${rules.join(', ')})`);
  });
}

function listDeclined({ declined }: Steps, look: TerminalLook): readonly string[] {
  return declined.flatMap(({ id, path, ...words }) => [
    ...fold(`${path === EXISTENCE ? '' : `${path}: `}${describeDeclined(words)}`, 0, look),
    ...fold(`to propose it again: talent-sync decline --revoke ${id} --reason "…"`, 2, look).map(look.style.dim),
  ]);
}

function listHeld({ held }: Steps, look: TerminalLook): readonly string[] {
  return held.flatMap(({ code, reason, remedy }) => [
    ...fold(`${code}: ${reason}`, 0, look).map(look.style.warn),
    ...fold(remedy, 2, look).map(look.style.dim),
  ]);
}

function listAction(
  { action, held, left_alone: because, desired, setting, starts }: Steps,
  look: TerminalLook,
): readonly string[] {
  const { style, width } = look;
  if (action === null) {
    if (because !== null) return fold(`nothing: ${because}`, 0, look);
    if (starts !== null)
      return fold(`nothing yet: the first day is ${starts.first_day}, ${describeFrom(starts)}`, 0, look);
    if (setting !== null) return [`nothing: \`${setting}\` decides`];
    if (held.length > 0) return ['nothing, while it is held'];
    return [style.good(desired === null ? 'nothing' : 'nothing: both sides are equal')];
  }
  return [
    ...fold(`${action.action}: ${action.reason.text}`, 0, look),
    ...(setting === null ? [] : [style.dim(`  decided by \`${setting}\``)]),
    ...foldDifferences(listDifferences(action), 2, { style, width: width }),
    ...(action.batch === undefined ? [] : [style.dim(`  together with others: ${action.batch}`)]),
    ...action.needs.map((need) => style.dim(`  after ${need}`)),
  ];
}

function listGuard({ entity, key, steps: { guard, action } }: Explanation, look: TerminalLook): readonly string[] {
  const { style } = look;
  if (guard === null) return [action?.approval == null ? 'none holds it' : style.good(`approved: ${action.approval}`)];
  switch (guard.by) {
    case 'guard': {
      const what = action === null ? `--guard ${showGuard(guard.name)}` : `--who ${typedName(entity, key)}`;
      return [
        style.bad(`it waits for ${showGuard(guard.name)}`),
        ...(guard.detail === undefined ? [] : fold(guard.detail, 0, look)),
        style.dim(`to approve it: talent-sync approve ${what} --reason "…"`),
      ];
    }
    case 'declined':
      return ['a person has declined it'];
    case 'pause':
      return [style.bad(`it was rejected before, and is tried again after ${guard.name}`)];
    default:
      return [style.bad(`it waits for ${guard.name}, which must come first`)];
  }
}

type WriteBackSteps = NonNullable<Explanation['steps']['write_back']>;

const FATES: Readonly<Record<WriteBackSteps['waiting'][number]['status'], string>> = {
  sending: 'begun',
  sent: 'sent',
  refused: 'rejected',
  again: 'rejected for now, so the next run sends it again,',
  lost: 'sent, but it is unknown whether it arrived,',
};

/** The values to write back to an object's sources, and those that were sent but that the sources do not show yet. */
function listWriteBack({ told, waiting }: WriteBackSteps, look: TerminalLook): readonly string[] {
  const next = told.flatMap(({ source, record, cells, reason, withheld }) => [
    ...fold(`${source} ${record}: ${reason}`, 0, look),
    ...cells.flatMap(({ column, before, after, known }) =>
      fold(`${column}: ${show(before)} → ${known === 'now' ? show(after) : '(known after apply)'}`, 2, look),
    ),
    ...(withheld === null ? [] : fold(`it waits for ${withheld.name}`, 2, look)),
  ]);
  const sent = waiting.flatMap(({ source, record, column, value, status, at, times, message }) => {
    const often = times > 1 ? `, ${times} times` : '';
    const why = message === null ? '' : `: ${message}`;
    const how = `${FATES[status]} ${formatMinute(at)}${often}${why}`;
    return fold(`${source} ${record}: ${column} = ${show(value)}, ${how}`, 0, look);
  });
  return next.length + sent.length === 0 ? ['nothing, and nothing is on its way'] : [...next, ...sent];
}

function show(value: Json): string {
  return value === null || value === '' ? '(empty)' : showValue(value, LONGEST_VALUE);
}
