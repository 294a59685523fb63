import { SINGULAR } from '../model/entity.js';
import type { AdoptionReport, AdoptionSide } from '../model/plan.js';
import { plural, type Style, wrapItems } from './style.js';
import { showChange } from './values-text.js';

const WIDTH = 94;
/** Fields that most pairs differ in are told first, and so many of them. */
const FIELDS_SHOWN = 12;

/** First contact: what is taken over, by which key, and what is on one side only. Nothing has been written yet. */
export function renderAdoption(reports: readonly AdoptionReport[] | null, style: Style): readonly string[] {
  return (reports ?? []).flatMap((report) => renderEntity(report, style));
}

function renderEntity(report: AdoptionReport, style: Style): readonly string[] {
  const { entity, matched, equal, differing, only_in_source, only_in_service, doubtful } = report;
  const all = Object.values(matched).reduce((sum, count) => sum + count, 0);
  const keys = Object.entries(matched).map(([by, count]) => `${count} by ${by}`);
  const lines = [
    `${style.bold(`First contact: ${plural(all, SINGULAR[entity], entity)} of the service match and will be managed from now on`)}`,
    `  matched       ${keys.join(', ')}; ${equal} are equal, ${all - equal} differ`,
  ];
  const fields = Object.entries(differing).sort(([, a], [, b]) => b.count - a.count);
  for (const [field, { count, samples }] of fields.slice(0, FIELDS_SHOWN)) {
    const [first] = samples;
    lines.push(`  differ in     ${field}: ${count}`);
    if (first !== undefined) {
      const shown = showChange(field, first.before, first.after).map((line) => style.dim(`      ${line}`));
      lines.push(style.dim(`      as ${first.label}`), ...shown);
    }
  }
  if (fields.length > FIELDS_SHOWN)
    lines.push(style.dim(`      … and ${fields.length - FIELDS_SHOWN} fields more (--json)`));
  lines.push(...renderSide('only in source', only_in_source, 'to be created', style));
  lines.push(...renderSide('only in service', only_in_service, 'left alone: nobody created or adopted them', style));
  if (doubtful > 0)
    lines.push(style.warn(`  doubtful      ${plural(doubtful, 'match', 'matches')} held for a person, see below`));
  return lines;
}

function renderSide(name: string, { count, samples }: AdoptionSide, what: string, style: Style): readonly string[] {
  if (count === 0) return [];
  const more = count > samples.length ? [`… and ${count - samples.length} more`] : [];
  const names = wrapItems([...samples, ...more], ' · ', WIDTH - 6).map((line) => style.dim(`      ${line}`));
  return [`  ${name.padEnd(15)} ${count}, ${what}`, ...names];
}
