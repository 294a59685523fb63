import { isAccount } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Understood, UnderstoodEntity, UnderstoodField } from '../../model/understood.js';
import { nameEntities } from './kinds.js';
import { type Block, prose, type ReportSection } from './section.js';
import { plural } from './words.js';

const SHOWN_WORDS = 6;

/**
 * How talent-sync interprets the rows of the sources: matches with the account, the field for each column, and warnings.
 *
 * @param hasExamples false if the changes themselves are shown later
 */
export function listUnderstood(understood: Understood | null, hasExamples: boolean): ReportSection | null {
  if (understood === null || understood.entities.length === 0) return null;
  return {
    id: 'understood',
    title: 'How the sources are understood',
    short: 'Sources',
    blocks: understood.entities.map((one) => describeEntity(one, hasExamples)),
  };
}

function describeEntity(one: UnderstoodEntity, hasExamples: boolean): Block {
  const details = listDetails(one).join(' · ');
  const blocks: readonly Block[] = [
    ...(details === '' ? [] : [textBlock(details)]),
    ...one.fields.map((field) => describeField(one, field, hasExamples)),
    ...one.not_understood.slice(0, SHOWN_WORDS).map(({ column, word, rows }) => {
      const people = isAccount(one.entity) ? plural(rows, 'person', 'people') : plural(rows, 'row');
      return textBlock(`not understood: ${column} "${word}" (${people}), treated as active`);
    }),
    ...one.warnings.map((text): Block => ({ kind: 'text', tone: 'warn', text: ['! ', prose(text)] })),
  ];
  return { kind: 'card', tone: 'plain', title: prose(listHead(one).join(' · ')), blocks };
}

function textBlock(text: string): Block {
  return { kind: 'text', text: prose(text) };
}

/** `people: 412 rows · 398 are in the account (by e-mail) · 14 new` */
function listHead(one: UnderstoodEntity): readonly string[] {
  const { entity, rows, unread = [], in_account: known, matched_by: by } = one;
  const name = isAccount(entity) ? 'people' : nameEntities(entity);
  if (rows === null) return [`${name}: ${unread.join(', ')} could not be read`];
  const keys = Object.entries(by).sort(([, a], [, b]) => b - a);
  const names = keys.map(([key, count]) => (keys.length === 1 ? nameKey(one, key) : `${count} ${nameKey(one, key)}`));
  return [
    `${name}: ${plural(rows, 'row')}`,
    ...(unread.length === 0 ? [] : [`${unread.join(', ')} could not be read`]),
    ...(known === null
      ? ['not compared with the account']
      : [`${known} ${known === 1 ? 'is' : 'are'} in the account${names.length === 0 ? '' : ` (${names.join(', ')})`}`]),
    ...(one.new === null ? [] : [`${one.new} new`]),
  ];
}

/** `by e-mail`, or `by an earlier run` for linked records. */
function nameKey({ entity }: UnderstoodEntity, key: string): string {
  if (key === 'link') return 'by an earlier run';
  const words = key.split(' + ').map((name) => wordOf(entity, name));
  return `by ${words.join(' and ')}`;
}

function wordOf(entity: UnderstoodEntity['entity'], name: string): string {
  return FIELDS[entity][name]?.word ?? name.replaceAll('_', ' ');
}

function listDetails(one: UnderstoodEntity): readonly string[] {
  const { left, start_later: later, doubtful, out_of_scope: out, unusable, ambiguous, entity } = one;
  const because = left.because.map(({ column, words }) =>
    words.length === 0 ? column : `${column}: ${listWords(words)}`,
  );
  const strangers = left.not_in_account === left.people ? 'not' : `${left.not_in_account} of them not`;
  const absent = left.not_in_account === 0 ? '' : `, ${strangers} in the account`;
  const alone = left.left_alone === 0 ? '' : `, ${left.left_alone} left alone, as only \`policy: sync\` deactivates`;
  const reasons = because.length === 0 ? '' : ` (${because.join('; ')})`;
  const verb = isAccount(entity) ? 'left' : 'ended';
  return [
    ...(left.people === 0
      ? []
      : [`${left.people} ${left.people === 1 ? 'has' : 'have'} ${verb}${reasons}${absent}${alone}`]),
    ...(later === 0 ? [] : [`${later} ${later === 1 ? 'starts' : 'start'} later`]),
    ...(doubtful === 0 ? [] : [`${doubtful} in doubt`]),
    ...(out === 0 ? [] : [`${out} out of scope`]),
    ...(ambiguous === 0 ? [] : [`${ambiguous} with several matches`]),
    ...(unusable === 0 ? [] : [`${plural(unusable, 'row')} cannot be used`]),
  ];
}

function listWords(words: readonly string[]): string {
  const more = words.length > SHOWN_WORDS ? `, and ${words.length - SHOWN_WORDS} more` : '';
  return `${words.slice(0, SHOWN_WORDS).join(', ')}${more}`;
}

/** `title from "Business Title": 371 of 398 equal, 27 would change ("Manager" → "Senior Manager")` */
function describeField({ entity }: UnderstoodEntity, field: UnderstoodField, hasExamples: boolean): Block {
  const { from, compared, equal, kept, would_change: changing, would_fill: filling, examples } = field;
  const columns = from.length === 0 ? 'a fixed value' : from.map((column) => `"${column}"`).join(', ');
  const shown = hasExamples ? examples.map(({ before, after }) => `"${before}" → "${after}"`).join(', ') : '';
  const parts = [
    `${equal} of ${compared} equal`,
    ...(filling === 0 ? [] : [`${plural(filling, 'empty value')} would be filled`]),
    ...(kept === 0 ? [] : [`${kept} left alone`]),
    ...(changing === 0 ? [] : [`${changing} would change${shown === '' ? '' : ` (${shown})`}`]),
  ];
  return textBlock(`${wordOf(entity, field.field)} from ${columns}: ${parts.join(', ')}`);
}
