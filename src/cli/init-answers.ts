import { resolve } from 'node:path';
import { SyncError } from '../base/errors.js';
import type { Answers, KnownService } from '../config/sample/answers.js';
import type { DayOrder } from '../config/sample/guess-column.js';
import { MEANING_NAMES, type Meaning } from '../config/sample/meanings.js';
import { UPDATABLE } from '../config/sample/propose-kept.js';
import { LANGUAGES, type SampleLanguage } from '../config/sample/sample-languages.js';
import { adviseAmong } from '../model/nearest.js';

/** The flags of `init` that replace a guess. */
export interface AnswerFlags {
  readonly people?: string;
  readonly customers?: string;
  readonly projects?: string;
  readonly column?: readonly string[];
  readonly country?: readonly string[];
  readonly office?: string;
  readonly language?: string;
  readonly dates?: string;
  readonly left?: readonly string[];
  readonly update?: readonly string[];
}

/** `firstName` in the table becomes `first_name` in flags. */
export function nameInFlags(meaning: string): string {
  return meaning.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const BY_FLAG: ReadonlyMap<string, Meaning> = new Map(MEANING_NAMES.map((meaning) => [nameInFlags(meaning), meaning]));

/** @throws SyncError SYNC_CLI_USAGE */
export function readAnswers(flags: AnswerFlags, service: KnownService | null): Answers {
  const { people, customers, projects, column = [], country = [], office, language, dates, left, update = [] } = flags;
  const files = Object.entries({ people, customers, projects }).flatMap(([kind, file]) =>
    file === undefined ? [] : [[kind, resolve(file)]],
  );
  const countries = country.filter((text) => text.includes('=')).map((text) => readCountry(text));
  const alone = country.filter((text) => !text.includes('=')).at(-1);
  return {
    files: Object.fromEntries(files),
    columns: Object.fromEntries(column.map(readColumn)),
    country: alone === undefined ? null : checkCode(alone),
    countries: Object.fromEntries(countries),
    language: language === undefined ? null : readLanguage(language),
    dates: dates === undefined ? null : readDayOrder(dates),
    left: left === undefined ? null : left.flatMap(splitWords),
    updates: Object.fromEntries(update.flatMap(splitWords).map((field) => [checkUpdated(field), true])),
    office: office === undefined ? null : readOffice(office),
    service,
    today: null,
  };
}

export function splitWords(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function readColumn(text: string): readonly [Meaning, string] {
  const at = text.indexOf('=');
  const [name, header] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  const meaning = BY_FLAG.get(name);
  if (meaning !== undefined && header !== '') return [meaning, header];
  const message = at < 0 ? `"${text}" names no column` : `"${name}" is not the name of a field`;
  throw answersError(
    '--column',
    `${message}.`,
    `Write it as email=HEADER. ${adviseAmong(name, [...BY_FLAG.keys()], 'Accepted')}`,
  );
}

function readCountry(text: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  return [text.slice(0, at).trim(), checkCode(text.slice(at + 1))];
}

/** @throws SyncError SYNC_CLI_USAGE */
function readOffice(text: string): Answers['office'] {
  const at = text.indexOf('/');
  const name = text.slice(at + 1).trim();
  if (at > 0 && name !== '') return { country: checkCode(text.slice(0, at)), name };
  throw answersError('--office', `"${text}" is not an office.`, 'Write its country code and its name: no/Oslo.');
}

/** @throws SyncError SYNC_CLI_USAGE */
export function checkCode(text: string): string {
  const code = text.trim().toLowerCase();
  if (/^[a-z]{2}$/.test(code)) return code;
  throw answersError(
    '--country',
    `"${text}" is not a country code.`,
    'Write a two-letter code, such as de, or a name in the file with its code: Tyskland=de.',
  );
}

/** @throws SyncError SYNC_CLI_USAGE */
export function readLanguage(text: string): SampleLanguage {
  const language = LANGUAGES.find((one) => one === text.trim().toLowerCase());
  if (language !== undefined) return language;
  throw answersError(
    '--language',
    `"${text}" is not a language that init knows.`,
    `Name one of ${LANGUAGES.join(', ')}.`,
  );
}

/** @throws SyncError SYNC_CLI_USAGE */
export function readDayOrder(text: string): DayOrder {
  const order = text.trim().toLowerCase();
  if (order === 'day' || order === 'month') return order;
  throw answersError(
    '--dates',
    `"${text}" is not an order of dates.`,
    'Write day if 03/04 is in April, or month if it is in March.',
  );
}

/** @throws SyncError SYNC_CLI_USAGE */
function checkUpdated(field: string): string {
  if (UPDATABLE.includes(field)) return field;
  throw answersError('--update', `"${field}" is not a field to update.`, adviseAmong(field, UPDATABLE, 'Accepted'));
}

/** @throws SyncError SYNC_CLI_USAGE */
export function readYesOrNo(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['yes', 'y', 'no', 'n'].includes(word)) return word.startsWith('y');
  throw answersError('--update', `"${text}" is not an answer.`, 'Write yes or no.');
}

function answersError(place: string, message: string, remedy: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', { message, place, remedy });
}
