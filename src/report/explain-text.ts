import type { Explanation } from '../explain.js';
import type { TraceStep } from '../mapping/trace.js';
import { SINGULAR } from '../model/entity.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import { clip, createStyle, type Style, wrapItems } from './style.js';
import { showChange, showValue } from './values-text.js';

const WIDTH = 96;

/** One object's path through a run, step by step, for a terminal. */
export function renderExplanation({ entity, key, steps }: Explanation, color: boolean): string {
  const style = createStyle(color);
  const { link, origin, since } = steps.correlation;
  const sections = [
    [style.bold(`${SINGULAR[entity]} ${key}`)],
    section('Source rows', style, listSources(steps.sources, style)),
    section('Scope and leaver', style, listScope(steps)),
    section('Fields: expression → value', style, alignFields(steps.fields)),
    section('Match', style, [link === null ? noLink(steps) : `linked to ${link} (${origin} ${since})`]),
    section('In the service (mirror)', style, listMirror(steps.mirror, style)),
    section('Last agreed (base)', style, [
      ...listBase(steps.base, steps.mirror?.values ?? {}, style),
      ...steps.unverifiable.map((name) => style.dim(`${name}: not shown by the service, as written last`)),
    ]),
    steps.pins.length === 0
      ? []
      : section(
          'Undone, and not done again',
          style,
          steps.pins.map(({ path, undone, run, at }) => `${path}: run ${undone} undone by ${run} ${at}`),
        ),
    steps.held.length === 0
      ? []
      : section(
          'Held',
          style,
          steps.held.flatMap(({ code, reason, remedy }) => [
            style.warn(`${code}: ${reason}`),
            style.dim(`  ${remedy}`),
          ]),
        ),
    section('What would be done now', style, listAction(steps, style)),
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n')}\n`;
}

/** Offices and tags may be there because records name them, without a row of their own. */
function noLink({ sources, mirror, action }: Explanation['steps']): string {
  if (sources.length > 0) return 'no link yet';
  if (mirror !== null) return 'no source delivers it: records find it by what it is called';
  return action === null ? 'no link' : 'no source delivers it: a record names it';
}

function section(title: string, style: Style, rows: readonly string[]): readonly string[] {
  return [style.bold(title), ...(rows.length === 0 ? [style.dim('  none')] : rows.map((row) => `  ${row}`))];
}

function listSources(sources: Explanation['steps']['sources'], style: Style): readonly string[] {
  return sources.flatMap(({ place, values }) => [
    place,
    ...listPairs(
      Object.entries(values).map(([name, value]) => `${name} = ${clip(value, 90)}`),
      style,
    ),
  ]);
}

/** Short pairs, several in a line. */
function listPairs(pairs: readonly string[], style: Style): readonly string[] {
  return wrapItems(pairs, ' · ', WIDTH - 4).map((line) => style.dim(`  ${line}`));
}

function listScope({ sources, scope, leaver, joiner, absence }: Explanation['steps']): readonly string[] {
  const times = absence === null ? '' : absence.observations === 1 ? 'once' : `${absence.observations} times`;
  const seen = absence === null ? [] : [`${absence.kind}: seen ${times} since ${absence.first_at}`];
  if (sources.length === 0) return ['not asked: there is no row that could be read', ...seen];
  return [
    scope === null ? 'in scope: everybody is' : `scope: ${showStep(scope)}`,
    leaver === null ? 'leaver.when: not configured' : `leaver: ${showStep(leaver)}`,
    ...(joiner === null ? [] : [`starts: ${showStep(joiner)}`]),
    ...seen,
  ];
}

function alignFields(fields: readonly TraceStep[]): readonly string[] {
  const width = Math.max(...fields.map(({ path }) => path.length));
  return fields.map((step) => `${step.path.padEnd(width)}  ${showStep(step)}`);
}

function listMirror(mirror: Explanation['steps']['mirror'], style: Style): readonly string[] {
  if (mirror === null) return [];
  // Ids of offices and countries are internal: the office is told by its name.
  const named = Object.entries(mirror.values).filter(
    ([name]) => !name.endsWith('_id') || name === 'external_unique_id',
  );
  const pairs = named
    .filter(([, value]) => !isBlank(value))
    .map(([name, value]) => `${name} = ${showValue(value, 90)}`);
  return [`${mirror.id}, ${mirror.active ? 'active' : style.bad('deactivated')}`, ...listPairs(pairs, style)];
}

/** What differs from the service's values, or cannot be read back; the rest would be said twice. */
function listBase(base: Values | null, mirror: Values, style: Style): readonly string[] {
  if (base === null) return [];
  const other = Object.entries(base).filter(([name, value]) => !isBlank(value) && !isPartOf(value, mirror[name]));
  const pairs = other.map(([name, value]) => `${name} = ${showValue(value, 90)}`);
  return [
    other.length === 0 ? 'the same as in the service' : 'the same as in the service, and',
    ...listPairs(pairs, style),
  ];
}

function isPartOf(value: Json, whole: Json | undefined): boolean {
  if (!isJsonObject(value) || !isJsonObject(whole)) return canonicalJson(value) === canonicalJson(whole ?? null);
  return Object.entries(value).every(([key, item]) => canonicalJson(item) === canonicalJson(whole[key] ?? null));
}

function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function listAction({ action, guard, left_alone: because }: Explanation['steps'], style: Style): readonly string[] {
  if (action === null) return because === null ? [style.good('nothing')] : [style.good('nothing'), because];
  return [
    `${action.action}: ${action.reason.text}`,
    ...action.fields.flatMap((field) =>
      showChange(field, action.before[field], action.after[field]).map((line) => `  ${line}`),
    ),
    ...(action.batch === undefined ? [] : [style.dim(`  together with others: ${action.batch}`)]),
    ...action.needs.map((need) => style.dim(`  after ${need}`)),
    guard === null ? 'no guard holds it' : style.bad(`it waits: ${guard.by} ${guard.name}`),
  ];
}

function showStep({ expression, result }: TraceStep): string {
  switch (result.kind) {
    case 'value':
      return `${expression} → ${showResult(result.value)}`;
    case 'absent':
      return `${expression} → (empty: ${result.clears === true ? 'to be cleared' : 'kept as it is'})`;
    case 'unknown':
      return `${expression} → unknown while ${result.source} is not read completely`;
    case 'error':
      return `${expression} → error: ${result.reason}`;
  }
}

function showResult(value: Json): string {
  return value === null || value === '' ? '(empty)' : clip(canonicalJson(value), 100);
}
