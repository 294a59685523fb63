import type { TraceStep } from '../mapping/trace.js';
import { canonicalJson, type Json, type Values } from '../model/json.js';
import type { Explanation } from '../planning/explain.js';
import { clip, createStyle, type Style } from './style.js';

/** One object's path through a run, step by step, for a terminal. */
export function renderExplanation({ entity, key, steps }: Explanation, color: boolean): string {
  const style = createStyle(color);
  const lines = [style.bold(`${entity} ${key}`)];
  const section = (title: string, rows: readonly string[]): void => {
    lines.push('', style.bold(title), ...(rows.length === 0 ? [style.dim('  none')] : rows.map((row) => `  ${row}`)));
  };
  section(
    'Source rows',
    steps.sources.flatMap(({ place, values }) => [
      place,
      ...Object.entries(values).map(([name, value]) => style.dim(`  ${name} = ${clip(value, 90)}`)),
    ]),
  );
  section('Scope and leaver', [
    steps.scope === null ? 'in scope: everybody is' : `scope: ${showStep(steps.scope)}`,
    steps.leaver === null ? 'leaver.when: not configured' : `leaver: ${showStep(steps.leaver)}`,
    ...(steps.absence === null
      ? []
      : [`${steps.absence.kind}: counted ${steps.absence.observations} times since ${steps.absence.first_at}`]),
  ]);
  section(
    'Fields: expression → value',
    steps.fields.map((step) => `${step.path}: ${showStep(step)}`),
  );
  const { link, origin, since } = steps.correlation;
  section('Correlation', [link === null ? 'no link yet' : `linked to ${link} (${origin} ${since})`]);
  section(
    'In the service (mirror)',
    steps.mirror === null
      ? []
      : [
          `${steps.mirror.id}, ${steps.mirror.active ? 'active' : style.bad('deactivated')}`,
          ...showValues(steps.mirror.values, style),
        ],
  );
  section('Last agreed (base)', steps.base === null ? [] : showValues(steps.base, style));
  section(
    'Held',
    steps.held.flatMap(({ code, reason, remedy }) => [style.warn(`${code}: ${reason}`), style.dim(`  ${remedy}`)]),
  );
  const { action, guard } = steps;
  section(
    'Action',
    action === null
      ? [style.good('nothing to do')]
      : [
          `${action.action}: ${action.reason.text}`,
          ...action.fields.map(
            (field) => `  ${field}: ${showJson(action.before[field])} → ${showJson(action.after[field])}`,
          ),
          ...action.needs.map((need) => style.dim(`  after ${need}`)),
        ],
  );
  section('Guard', [guard === null ? 'none holds it' : style.bad(`waits: ${guard.by} ${guard.name}`)]);
  return `${lines.join('\n')}\n`;
}

function showStep({ expression, result }: TraceStep): string {
  switch (result.kind) {
    case 'value':
      return `${expression} → ${showJson(result.value)}`;
    case 'absent':
      return `${expression} → (empty: kept as it is)`;
    case 'unknown':
      return `${expression} → unknown while ${result.source} is not read completely`;
    case 'error':
      return `${expression} → error: ${result.reason}`;
  }
}

function showValues(values: Values, style: Style): readonly string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => style.dim(`${name} = ${showJson(value)}`));
}

function showJson(value: Json | undefined): string {
  if (value === undefined || value === null || value === '') return '(empty)';
  return clip(canonicalJson(value), 100);
}
