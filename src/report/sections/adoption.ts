import { TRAITS } from '../../model/entity.js';
import type { AdoptionReport, AdoptionSample, AdoptionSide } from '../../model/plan.js';
import { plural } from '../writers/style.js';
import { listDifferences, type ValueDifference } from './differences.js';
import type { Tone } from './kinds.js';

/** First contact with one kind of object in the words and numbers that every form of the report uses. */
export interface AdoptionWords {
  readonly title: string;
  /** Key → pairs found by it. */
  readonly keys: readonly (readonly [string, number])[];
  readonly matched: number;
  /** All objects of both sides, in kinds that exclude each other; those that there are none of are left out. */
  readonly shares: readonly AdoptionShare[];
  /** Fields that pairs differ in, those that most differ in first. */
  readonly fields: readonly AdoptionField[];
  readonly sides: readonly SideWords[];
  /** Matches that wait for a person; null where there are none. */
  readonly doubtful: string | null;
}

export interface AdoptionShare {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

export interface AdoptionField {
  readonly field: string;
  readonly count: number;
  readonly examples: readonly { readonly label: string; readonly differences: readonly ValueDifference[] }[];
}

export interface SideWords {
  readonly name: string;
  readonly count: number;
  /** What becomes of them. */
  readonly what: string;
  /** The first few by their labels, and how many more there are. */
  readonly labels: readonly string[];
  readonly more: number;
}

export function tellAdoption(report: AdoptionReport): AdoptionWords {
  const { entity, matched: byKey, equal, differing, only_in_source: source, only_in_service: service } = report;
  const keys = Object.entries(byKey);
  const matched = keys.reduce((sum, [, count]) => sum + count, 0);
  const shares: readonly AdoptionShare[] = [
    { name: 'matched and different', count: matched - equal, tone: 'warn' },
    { name: 'matched and equal', count: equal, tone: 'good' },
    { name: 'doubtful', count: report.doubtful, tone: 'bad' },
    { name: 'only in the source', count: source.count, tone: 'accent' },
    { name: 'only in the service', count: service.count, tone: 'plain' },
  ];
  const of = plural(matched, TRAITS[entity].singular, entity);
  return {
    title: `${of} of the service ${matched === 1 ? 'matches' : 'match'}, to be managed from now on`,
    keys,
    matched,
    shares: shares.filter(({ count }) => count > 0),
    fields: Object.entries(differing)
      .map(([field, { count, samples }]) => ({ field, count, examples: samples.map((one) => tellSample(field, one)) }))
      .sort((a, b) => b.count - a.count),
    sides: [
      tellSide('Only in the source', source, 'to be created'),
      tellSide('Only in the service', service, 'left alone: neither created nor adopted'),
    ].filter(({ count }) => count > 0),
    doubtful: report.doubtful === 0 ? null : `${plural(report.doubtful, 'match', 'matches')} held for a person`,
  };
}

function tellSample(field: string, { label, before, after }: AdoptionSample): AdoptionField['examples'][number] {
  return {
    label,
    differences: listDifferences({ fields: [field], before: { [field]: before }, after: { [field]: after } }),
  };
}

function tellSide(name: string, { count, samples }: AdoptionSide, what: string): SideWords {
  return { name, count, what, labels: samples, more: Math.max(0, count - samples.length) };
}
