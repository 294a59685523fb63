import { TRAITS } from '../../model/entity.js';
import type { AdoptionReport, AdoptionSide, BulkLoad } from '../../model/plan.js';
import type { Understood, UnderstoodEntity } from '../../model/understood.js';
import { listDifferences } from './differences.js';
import { nameEntities } from './kinds.js';
import {
  type BarPart,
  type Block,
  blocksOf,
  code,
  link,
  name,
  prose,
  type ReportSection,
  type SectionCell,
} from './section.js';
import { plural } from './words.js';

/**
 * First contact: the matched objects by key, the differences within the pairs, and the objects that exist on one side only.
 *
 * @param fields fields that the report's changes affect, such as `users.title`; they link to these changes
 * @param understood the content of the section before this one, which is not repeated
 */
export function listAdoption(
  adoption: readonly AdoptionReport[] | null,
  fields: ReadonlySet<string>,
  understood: Understood | null,
): ReportSection | null {
  if (adoption === null || adoption.length === 0) return null;
  return {
    id: 'adoption',
    title: 'First contact',
    blocks: adoption.map((one) => describeEntity(one, fields, findSaid(one, understood))),
  };
}

/** The understood records of the same entity; null if they were not compared with the account. */
function findSaid({ entity }: AdoptionReport, understood: Understood | null): UnderstoodEntity | null {
  return understood?.entities.find((one) => one.entity === entity && one.in_account !== null) ?? null;
}

function describeEntity(report: AdoptionReport, fields: ReadonlySet<string>, said: UnderstoodEntity | null): Block {
  const { entity, matched: byKey, equal, doubtful, only_in_source: source, only_in_service: service } = report;
  const keys = Object.entries(byKey);
  const matched = keys.reduce((sum, [, count]) => sum + count, 0);
  const by = keys.flatMap(([key, count], i) => [i === 0 ? '' : ', ', count, ' by ', code(key)]);
  const held = `${plural(doubtful, 'doubtful match is', 'doubtful matches are')} held`;
  return {
    kind: 'card',
    tone: 'plain',
    title: `First contact: ${said === null ? `${plural(matched, TRAITS[entity].singular, entity)} of the service ${matched === 1 ? 'matches and is' : 'match and are'}` : `the ${nameEntities(entity)} that match are`} managed from now on`,
    blocks: blocksOf(
      {
        kind: 'text',
        text: [...(said === null ? ['Matched: ', ...by, '. '] : []), describeEqual(equal, matched - equal)],
      },
      {
        kind: 'chart',
        id: `shares-${entity}`,
        title: `Where the ${nameEntities(entity)} are`,
        description: 'All objects of both sides, each counted once.',
        bars: [{ label: 'Both sides', parts: listShares(report, matched) }],
        hasLegend: true,
      },
      doubtful === 0 ? null : { kind: 'text', tone: 'bad', text: [held, ': ', link('held', 'see what is held'), '.'] },
      describeFields(report, fields, said),
      said === null ? describeSide('Only in the source', source, 'to be created') : null,
      describeSide('Only in the service', service, 'left alone: neither created nor adopted'),
    ),
  };
}

/** Mentions equal and different pairs only if both exist. */
function describeEqual(equal: number, differing: number): string {
  if (equal === 0) return differing === 1 ? 'The only match differs.' : 'All of them differ.';
  if (differing === 0) return equal === 1 ? 'The only match is equal.' : 'All of them are equal.';
  return `${equal} of them ${equal === 1 ? 'is' : 'are'} equal, and ${differing} ${differing === 1 ? 'differs' : 'differ'}.`;
}

function listShares(report: AdoptionReport, matched: number): readonly BarPart[] {
  const shares: readonly BarPart[] = [
    { name: 'matched and different', count: matched - report.equal, tone: 'warn' },
    { name: 'matched and equal', count: report.equal, tone: 'good' },
    { name: 'doubtful', count: report.doubtful, tone: 'bad' },
    { name: 'only in the source', count: report.only_in_source.count, tone: 'accent' },
    { name: 'only in the service', count: report.only_in_service.count, tone: 'plain' },
  ];
  return shares.filter(({ count }) => count > 0);
}

/** Describes the fields that differ, starting with those that differ in the most pairs. */
function describeFields(
  { entity, differing }: AdoptionReport,
  fields: ReadonlySet<string>,
  said: UnderstoodEntity | null,
): Block | null {
  const isCounted = (field: string): boolean => said?.fields.some((one) => one.field === field) === true;
  const hasCounts = !Object.keys(differing).every(isCounted);
  const found = Object.entries(differing).sort(([, a], [, b]) => b.count - a.count);
  if (found.length === 0) return null;
  const rows = found.map(([field, { count, samples }]) => {
    const path = `${entity}.${field}`;
    const [first, ...more] = samples.map(({ label, before, after }): SectionCell => {
      const moved = { entity, fields: [field], before: { [field]: before }, after: { [field]: after } };
      return { text: name(label), differences: listDifferences(moved) };
    });
    return [
      fields.has(path) ? link({ field: path }, field) : field,
      ...(hasCounts ? [count] : []),
      first === undefined ? '' : { ...first, more },
    ];
  });
  return {
    kind: 'fold',
    title: ['Differences: ', plural(rows.length, 'field')],
    isOpen: true,
    blocks: [
      {
        kind: 'table',
        columns: [
          { name: 'Field' },
          ...(hasCounts ? [{ name: 'Pairs', isNumber: true }] : []),
          { name: 'For example' },
        ],
        rows,
      },
    ],
  };
}

function describeSide(title: string, { count, samples }: AdoptionSide, what: string): Block | null {
  if (count === 0) return null;
  return {
    kind: 'fold',
    title: `${title}: ${count}, ${what}`,
    isOpen: false,
    blocks: [{ kind: 'names', names: samples, more: Math.max(0, count - samples.length) }],
  };
}

/** How a first load is sent. Lists the people in the service's own import, those who need a separate call, and the reasons. */
export function listBulkLoad(bulk: BulkLoad | null): ReportSection | null {
  if (bulk === null) return null;
  const { batch, people, singly, refused } = bulk;
  const setting = batch.replace(/^import:/, '');
  const rows = singly.map(({ reason, people: count, examples }) => [
    `${count} by ${count === 1 ? 'a separate call' : 'separate calls'}`,
    prose(reason),
    code(`${examples.join(', ')}${count > examples.length ? ', …' : ''}`),
  ]);
  return {
    id: 'bulk-load',
    title: 'First load',
    blocks: [
      {
        kind: 'card',
        tone: refused === null ? 'plain' : 'warn',
        title:
          refused === null
            ? `${plural(people, 'person is', 'people are')} created by one CSV import, setting "${setting}"`
            : 'No CSV import: each person is created by a separate call',
        blocks: blocksOf(
          refused === null ? null : { kind: 'text', text: prose(refused) },
          rows.length === 0
            ? null
            : { kind: 'table', columns: ['People', 'Why', 'For example'].map((name) => ({ name })), rows },
        ),
      },
    ],
  };
}
