import { splitHeader } from '../../model/fold-words.js';
import type { Answers, OpenQuestion, Proposal, ProposedField } from './answers.js';
import { columnOf } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { listFilled, readCell } from './kept-rows.js';
import { type MatchedRow, matchPeople } from './match-people.js';
import { proposeKept } from './propose-kept.js';
import { proposeLeavers } from './propose-leavers.js';
import { chooseName } from './propose-names.js';
import { askColumn, proposeOffice, TAKE_AWAY } from './propose-office.js';
import { proposeScope } from './propose-scope.js';
import { proposeTitle } from './propose-title.js';
import type { Sample } from './read-sample.js';
import { LOWER, readPlain, thenDo } from './readings.js';
import { coverColumn, isAtHome, isOfOthers } from './recognise.js';
import { settleKey } from './settle-key.js';
import { describeDoubt, type FieldCandidate, noteChanges, type Verdict, weighColumns } from './weigh.js';
import { withNote, writeExpression } from './yaml-text.js';

export interface ProposedUsers extends Proposal {
  /** The sample with its final key. */
  readonly sample: Sample;
  /** The `prefer` of the source, which decides between several rows of one person. */
  readonly prefer: string | null;
}

/**
 * Proposes the `users:` section. People who are in both the account and the file show what its columns mean. If there are too
 * few such people, header and content must agree. Everything else becomes a comment and a question.
 */
export function proposeUsers(read: Sample, existence: string, answers: Answers): ProposedUsers {
  const given = withTexts(read);
  const found = matchPeople(given, answers.service?.people ?? []);
  const emailed = chooseEmail(given, found, answers);
  const email = emailed.kind === 'none' ? null : emailed.chosen;
  const address = email === null ? null : (columnOf(given, JSON.parse(email.from) as string) ?? null);
  const { sample, verdict: numbered, prefer, known } = settleKey(given, found, address, answers);
  const named = chooseName(sample, known, answers);
  const name = named.kind === 'none' ? null : named.chosen;
  const office = proposeOffice(sample, known, answers);
  const title = proposeTitle(sample, known, answers);
  const leavers = proposeLeavers(sample, known, answers);
  const hasNumber = numbered.kind !== 'none';
  const nameField = named.kind === 'none' || isUnordered(named) ? guessName(sample, named) : renderName(named, answers);
  const emailField =
    emailed.kind === 'none'
      ? {
          lines: ['# email: no column clearly contains the addresses of people'],
          open: [askColumn('email', 'Which column has the e-mail address?', sample)],
        }
      : renderField('email', emailed, 'addresses', answers);
  const isAddressed = emailField.lines.some((line) => line.startsWith('email:'));
  const matched = [...(hasNumber ? ['external_unique_id'] : []), ...(isAddressed ? ['email'] : [])];
  const isNamed = nameField.lines.some((line) => line.startsWith('name:'));
  const fields: readonly ProposedField[] = [
    hasNumber
      ? renderField('external_unique_id', numbered, 'numbers', answers)
      : { lines: [`# external_unique_id: ${noNumber(known)}`], open: [] },
    emailField,
    nameField,
    { lines: [office.line], open: office.open },
    title,
    renderField('telephone', choosePhone(sample, known, answers), 'telephone numbers', answers),
  ];
  return {
    sample,
    prefer,
    lines: [
      'users:',
      `  existence: ${existence} # this source decides who exists`,
      ...proposeScope(sample, known, { email, name, waiting: leavers.waiting ?? [] }),
      ...(matched.length === 0
        ? []
        : [`  match: [${matched.join(', ')}] # how rows are matched with existing accounts`]),
      ...(isNamed ? leavers.lines : waitForName(leavers.lines)),
      '  fields: # only these fields are ever changed',
      ...fields.flatMap(({ lines }) => lines).map((line) => `    ${line}`),
    ],
    maps: office.maps,
    open: [...fields.flatMap(({ open }) => open), ...leavers.open].filter(
      // An empty answer means that no column has the meaning.
      ({ flag, about }) => flag !== '--column' || !(about !== null && about in answers.columns),
    ),
  };
}

/** Reads numbers as texts, because employee numbers, telephone numbers and status codes are not used for calculation. */
function withTexts(sample: Sample): Sample {
  const columns = sample.columns.map((one) => {
    const { column } = one;
    return column === null || !['int', 'number'].includes(column.type)
      ? one
      : { ...one, column: { ...column, type: 'string' as const } };
  });
  return { ...sample, columns };
}

/** Makes new people without a name wait. The service would accept them, but their accounts would not be useful. */
function waitForName(lines: readonly string[]): readonly string[] {
  const joiner = '  joiner:';
  return [
    `${joiner} unknown # To answer: which column has the name? Until then new people wait`,
    ...lines.map((line) => (line.startsWith(`${joiner} {`) ? line.replace('  ', '  # ') : line)),
  ].filter((line, at) => at === 0 || !line.startsWith(joiner));
}

function noNumber(known: readonly MatchedRow[]): string {
  const held = known.filter(({ person }) => person.externalId !== null).length;
  if (held > 0) return `no column has the ids that ${held} people have in the account, so these are kept`;
  return 'no column has a number that identifies a person';
}

/**
 * Fields for which a second column with other values matters. For other fields it does not: a person may have two telephone
 * numbers.
 */
const IDENTIFYING: ReadonlySet<string> = new Set(['external_unique_id', 'email']);

/** Returns a line if people or headers support it, otherwise a comment that says what the line would change. */
function renderField(field: string, verdict: Verdict, things: string, answers: Answers): ProposedField {
  if (verdict.kind === 'none') return { lines: [], open: [] };
  const { chosen, kind } = verdict;
  const value = writeExpression(chosen.expression);
  const line = `${field}: ${value}`;
  // The ids in the account are never overwritten.
  if (kind === 'likely' || (kind === 'proved' && field === 'external_unique_id' && chosen.changes > 0)) {
    return proposeKept({ field, value, chosen, thing: things.replace(/(?:(?<=ss)es|s)$/, '') }, answers);
  }
  // The line would not change anyone's value.
  if (kind !== 'doubtful' || (chosen.changes === 0 && (verdict.rival === null || !IDENTIFYING.has(field)))) {
    return { lines: [withNote(line, kind === 'proved' ? noteChanges(chosen) : null)], open: [] };
  }
  const doubt = describeDoubt(verdict, things);
  return {
    lines: [`# ${line} # GUESS: ${doubt}${TAKE_AWAY}`],
    open: [],
  };
}

/** Minimum share of known people who must have the same name in the account. */
const MOST_CALLED = 0.5;
const ASK_NAME: OpenQuestion = {
  flag: '--column',
  about: 'name',
  text: 'Which column has the name?',
  choices: [],
  otherwise: '',
};

/** Proposes `name`. Colleagues who use another name than the one in their contract keep it. */
function renderName(verdict: Verdict, answers: Answers): ProposedField {
  if (verdict.kind !== 'doubtful' || verdict.chosen.changes === 0)
    return renderField('name', verdict, 'names', answers);
  const { expression, of, equal } = verdict.chosen;
  // One person is not enough to show how names are written.
  if (equal < of * MOST_CALLED && of > 1) {
    const field = renderField('name', verdict, 'names', answers);
    return { ...field, open: [{ ...ASK_NAME, text: `${ASK_NAME.text} (${describeDoubt(verdict, 'names')})` }] };
  }
  const kept = { field: 'name', value: writeExpression(expression), chosen: verdict.chosen, thing: 'name' };
  return proposeKept(kept, answers);
}

/** Matches domains that exist only inside a company's network. */
const INNER_DOMAIN = /\.(?:local|lan|internal|intern|corp|onmicrosoft\.com)$/i;
/** Matches addresses at public mail providers, which are not work addresses. */
const FREE_MAIL =
  /@(?:gmail|googlemail|hotmail|outlook|live|msn|yahoo|ymail|icloud|me|mac|aol|gmx|web|t-online|freenet|orange|wanadoo|free|laposte|libero|virgilio|tin|online|telia|bredband|comhem|proton|protonmail|mail|wp|onet|interia|o2|seznam|ziggo|kpnmail|telenet|skynet|bluewin|luukku|sky|btinternet)\.(?:[a-z]{2,4}|co\.uk|com\.\w{2}|example)$/i;
const LOGIN = /^(?:upn|login|logon|username|principal|samaccountname|alias|proxy)$/;
const PRIVATE_COVER = 0.3;

function chooseEmail(sample: Sample, known: readonly MatchedRow[], { columns }: Answers): Verdict {
  const addressed = sample.columns.filter((column) => column.looks.email >= 0.6 && !isOfOthers(column));
  const given = columnOf(sample, columns.email ?? (addressed.length === 0 ? sample.meanings.email : undefined));
  const found = given === undefined ? addressed : [given];
  const candidates = found.map((column): FieldCandidate => {
    const reading = thenDo(sample, column, readPlain(sample, column), LOWER);
    const cover = given === undefined ? coverEmail(sample, column) : 1;
    return { ...reading, cover };
  });
  const verdict = weighColumns(candidates, known, ({ email }) => email.toLowerCase(), sample.kept);
  if (verdict.kind !== 'none') return verdict;
  // Candidates are columns of addresses with another header, and the column that was recognised when the file was read.
  const [first] = found.flatMap((column, at) => (isOwn(sample, column) ? [candidates[at]] : []));
  return first === undefined
    ? verdict
    : weighColumns([{ ...first, cover: 1 }], known, ({ email }) => email.toLowerCase(), sample.kept);
}

/** True if every row has a different address and none is private. */
function isOwn({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column));
  return new Set(texts).size === texts.length && !isAtHome(column);
}

/**
 * Rates a column of addresses. An address in many rows belongs to no one. A log-in counts as an address only if there is no
 * other.
 */
function coverEmail({ kept, rows }: Sample, column: ColumnGuess): number {
  const texts = listFilled(kept, readCell(column));
  const isShared = rows >= 5 && new Set(texts).size < texts.length * 0.6;
  const isInner = texts.filter((text) => INNER_DOMAIN.test(text)).length * 2 > texts.length;
  const isLogin = splitHeader(column.name).some((word) => LOGIN.test(word));
  const { cover } = coverColumn(column, 'email');
  const isFree = texts.filter((text) => FREE_MAIL.test(text)).length * 2 > texts.length;
  if (isShared) return 0;
  return Math.max(isLogin ? 0.5 : PRIVATE_COVER, isLogin ? 0 : cover) * (isInner || isFree ? 0.2 : 1);
}

const MOBILE = /mob|cell|handy|gsm|matkapuh|kannykk|portable|movil|celular|cellulare|komork|telemovel/;
const NO_PHONE = /^(?:fax|pager|extension|ext|durchwahl|landline|home|switchboard)$/;

/** Prefers the mobile number, because the service has a separate field, `landline`, for the other one. */
function choosePhone(sample: Sample, known: readonly MatchedRow[], { columns }: Answers): Verdict {
  const given = columnOf(sample, columns.phone);
  const found = given === undefined ? sample.columns.filter((column) => !isOfOthers(column)) : [given];
  const candidates = found.flatMap((column): readonly FieldCandidate[] => {
    const words = splitHeader(column.name);
    const { cover } = coverColumn(column, 'phone');
    if (given === undefined && (cover === 0 || words.some((word) => NO_PHONE.test(word)))) return [];
    const rank = words.some((word) => MOBILE.test(word)) ? 1 : 0.8;
    return [{ ...readPlain(sample, column), cover: given === undefined ? cover * rank : 1 }];
  });
  return weighColumns(candidates, known, ({ telephone }) => telephone, sample.kept);
}

/** True for a column with names such as `Rossi Mario`, which do not show which part is the last name. */
function isUnordered(verdict: Verdict): boolean {
  return verdict.kind === 'doubtful' && verdict.chosen.changes === 0 && verdict.chosen.cover < 0.7;
}

/** Returns a comment with the column that may contain names, or with the column that looks most like names. */
function guessName(sample: Sample, verdict: Verdict): ProposedField {
  const open = [askColumn('name', ASK_NAME.text, sample)];
  const [likely] = sample.columns
    .filter(({ looks, column: declared }) => declared?.type === 'string' && looks.name > 0.7)
    .sort((a, b) => b.firstValues.length - a.firstValues.length);
  if (verdict.kind !== 'none') {
    const { expression, read } = verdict.chosen;
    const example = JSON.stringify(sample.kept.map(read).find((text) => text.includes(' ')) ?? '');
    const doubt = `the last name may be first, as in ${example}; docs/reference/expressions.md shows how to turn names around`;
    return { lines: [`# name: ${writeExpression(expression)} # GUESS: ${doubt}${TAKE_AWAY}`], open };
  }
  if (likely === undefined) return { lines: ['# name: no column has names, so new people wait'], open };
  const { expression } = readPlain(sample, likely);
  return {
    lines: [`# name: ${writeExpression(expression)} # GUESS: no header says that a column has names${TAKE_AWAY}`],
    open,
  };
}
