import type { Preview, PreviewChange, PreviewNumber } from '../../model/preview.js';
import { nameEntities } from '../sections/kinds.js';
import { plural } from '../sections/words.js';
import { joinLines, type TerminalLook } from '../writers/style.js';
import { showValue } from './values-text.js';

/** A preview for a terminal. */
export function renderPreview(preview: Preview, { style }: TerminalLook): string {
  const { paths, counts, fields, to_sources: toSources, held, guards, stopped } = preview;
  return joinLines([
    style.bold('Edited'),
    ...(paths.length === 0 ? ['  no setting that a preview compares'] : paths.map((path) => `  ${path}`)),
    '',
    style.bold('Changes'),
    ...(counts.length === 0 ? ['  none, under either configuration'] : []),
    ...counts.map(({ entity, action, ...numbers }) => `  ${nameEntities(entity)}: ${action} ${compare(numbers)}`),
    ...fields.filter(isMoved).map(({ entity, field, ...numbers }) => `    ${entity}.${field} ${compare(numbers)}`),
    ...toSources.map(({ source, ...numbers }) => `  written back to ${source}: ${compare(numbers)}`),
    `  records set aside: ${compare(held)}`,
    '',
    style.bold('Guards'),
    ...(guards.length === 0 ? ['  none would hold'] : []),
    ...guards.flatMap(({ guard, found, limit, held: changes, held_in_force: before, detail }) => [
      `  ${guard} would hold ${plural(changes, 'change')}: found ${found}, limit ${limit}; ${before} with the current configuration`,
      `    ${detail}`,
    ]),
    ...stopped.map(({ entity, message = '' }) => `\nNothing would be derived for ${nameEntities(entity)}: ${message}`),
    ...(preview.changes ?? []).flatMap(renderChange),
    ...(preview.more === undefined || preview.more === 0 ? [] : [`… and ${plural(preview.more, 'further change')}`]),
  ]);
}

export function isMoved({ in_force: before, edited }: PreviewNumber): boolean {
  return before !== edited;
}

function compare({ in_force: before, edited }: PreviewNumber): string {
  return before === edited ? `${edited}` : `${before} → ${edited}`;
}

const WIDTH = 60;

function renderChange({ entity, action, label, fields }: PreviewChange): readonly string[] {
  const moves = fields.map(({ field, before, after }) => {
    return `    ${field}: ${showValue(before, WIDTH)} → ${showValue(after, WIDTH)}`;
  });
  return ['', `  ${action} ${entity}: ${label}`, ...moves];
}
