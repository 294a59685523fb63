import { isDangerous, lookOf, nameEntities } from './kinds.js';
import { STATES, type State } from './report.js';
import { type Block, type Chart, link, type ReportSection, type Text } from './section.js';
import type { ReportTally } from './tally.js';
import { plural } from './words.js';

const SHOWN_FIELDS = 10;

/** Counts by entity and action, as a table and a chart. Each number links to its changes. */
export function describeCounts({ rows: all, entities, actions, counts }: ReportTally): Block | null {
  if (all === 0) return null;
  const countOf = (entity: string, action: string): number => counts.get(entity)?.get(action) ?? 0;
  const rows = entities.map((entity): readonly Text[] => [
    nameEntities(entity),
    ...actions.map((action): Text => {
      const count = countOf(entity, action);
      return count === 0 ? '' : link({ entity, action }, count, isDangerous(action) ? 'bad' : 'plain');
    }),
    link(
      { entity },
      actions.reduce((sum, action) => sum + countOf(entity, action), 0),
    ),
  ]);
  const heads = actions.map((action) => {
    const { sign, tone } = lookOf(action);
    return { name: [{ is: 'sign', text: sign, tone } as const, ` ${action}`], isNumber: true };
  });
  const bars = entities.map((entity) => ({
    label: nameEntities(entity),
    parts: actions
      .map((action) => ({ name: action, count: countOf(entity, action), tone: lookOf(action).tone }))
      .filter(({ count }) => count > 0),
  }));
  const table = { kind: 'table', columns: [{ name: '' }, ...heads, { name: 'all', isNumber: true }], rows } as const;
  // A bar with a single part would be a full line next to its own number.
  if (bars.length === 1 && actions.length === 1) return table;
  return {
    kind: 'pair',
    table,
    chart: {
      kind: 'chart',
      id: 'counts',
      title: 'Changes by entity and action',
      description: 'One bar per entity, with one part per action. The table has the numbers.',
      bars,
      hasLegend: false,
    },
  };
}

/** The states of the changes as one bar; null if all changes have the same state, because the headline already shows it. */
export function chartStates({ rows, states }: ReportTally): Chart | null {
  if (rows === 0 || states.size === 1) return null;
  const parts = [...states].map(([state, count]) => ({ ...STATES[state], count, to: { state } }));
  return {
    kind: 'chart',
    id: 'states',
    title: 'Changes by state',
    description: parts.map(({ name, count }) => `${name} ${count}`).join(', '),
    bars: [{ label: 'All changes', parts }],
    hasLegend: true,
  };
}

/** The fields that change most often. New objects are left out, because all their fields are new. */
export function listFields({ fields }: ReportTally): ReportSection | null {
  if (fields.length === 0) return null;
  const top = fields.slice(0, SHOWN_FIELDS);
  const table = {
    kind: 'table',
    columns: [{ name: 'Field' }, { name: 'Changes', isNumber: true }],
    rows: fields.map(([field, count]) => [link({ field }, field), count]),
  } as const;
  const about = { id: 'fields', title: 'Changed fields', short: 'Fields' } as const;
  // A single bar would be a full line next to its own number.
  if (fields.length === 1) return { ...about, blocks: [table] };
  return {
    ...about,
    blocks: [
      {
        kind: 'chart',
        id: 'moved',
        title: 'Fields that change most often',
        description: `The ${plural(top.length, 'field')} with the most changes. The table below has the numbers.`,
        bars: top.map(([field, count]) => ({ label: field, parts: [{ name: 'changes', count, tone: 'accent' }] })),
        hasLegend: false,
      },
      {
        kind: 'fold',
        title: `The numbers${fields.length > top.length ? `, of all ${fields.length} fields` : ''}`,
        isOpen: false,
        blocks: [table],
      },
    ],
  };
}

/** The summary in one line: `116 changes, 2 records to hr, 116 waiting, 3 held`. */
export function describeHeadline({ total, states, held, sources }: ReportTally): string {
  const nothing = sources.size === 0 ? 'nothing to change' : 'nothing to change in the service';
  const how = [...states].filter(([state]: readonly [State, number]) => state !== 'planned');
  return [
    total === 0 ? nothing : plural(total, 'change'),
    ...[...sources].map(([source, { records }]) => `${plural(records, 'record')} to ${source}`),
    ...how.map(([state, count]) => `${count} ${STATES[state].name}`),
    ...(held === 0 ? [] : [`${held} held`]),
  ].join(', ');
}
