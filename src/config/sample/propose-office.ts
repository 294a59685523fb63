import { foldText } from '../../model/fold-words.js';
import { nearestName } from '../../model/nearest.js';
import { foldKey } from '../../model/observed.js';
import type { Answers, KnownService, OpenQuestion, ProposedWord } from './answers.js';
import { isSameCity } from './cities.js';
import { columnOf } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { listFilled, readCell } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import { chooseCountry, fix, type OfficePart, placeCities } from './propose-country.js';
import type { Sample } from './read-sample.js';
import { BEFORE_COMMA, LAST_OF_PATH, readAlways, thenDo, WITHOUT_CODE } from './readings.js';
import { coverColumn, isAtHome, isOfOthers } from './recognise.js';
import { describeDoubt, type FieldCandidate, LEAST_KNOWN, noteChanges, type Verdict, weighColumns } from './weigh.js';
import { withNote, writeExpression } from './yaml-text.js';

export interface ProposedOffice {
  /** One line of `fields`; a comment if a person must check it first. */
  readonly line: string;
  readonly maps: Readonly<Record<string, readonly ProposedWord[]>>;
  readonly open: readonly OpenQuestion[];
}

type Offices = KnownService['offices'];

/**
 * Proposes `office`. People cannot be created without one, but existing people keep theirs, so a doubtful office is only a
 * comment.
 */
export function proposeOffice(sample: Sample, known: readonly MatchedRow[], answers: Answers): ProposedOffice {
  const offices = answers.service?.offices ?? [];
  const fixed = answers.office ?? onlyOffice(offices, sample, answers);
  const found = fixed === null ? chooseName(sample, known, answers) : fix(fixed.name);
  if (found === null) return leaveOut(sample, offices, known);
  const country = fixed === null ? chooseCountry(sample, known, answers, found) : fix(fixed.country);
  const name = { ...found, words: settleNew(sample, offices, found, country) };
  const doubts = [name.doubt, country.doubt].filter((doubt) => doubt !== null);
  const notes = [name.note ?? country.note].filter((note) => note !== null);
  const parts = [`country: ${writeExpression(country.expression)}`, `name: ${writeExpression(name.expression)}`];
  const guessed = name.words.filter(({ note }) => note?.startsWith('GUESS') === true);
  // A guess must not create an office: `Copenhagen` may be the same as the account's København.
  const mayCreate = answers.service !== null && guessed.length === 0 && !name.isOdd;
  const line = `office: { ${[...parts, ...(mayCreate ? ['create_missing: true'] : [])].join(', ')} }`;
  const spelled = guessed.length === 0 ? [] : ['for new offices, add create_missing: true once maps.offices is right'];
  const said = [...(doubts.length === 0 ? [] : [`GUESS: ${doubts.join('; ')}${TAKE_AWAY}`]), ...notes, ...spelled];
  return {
    line: withNote(`${doubts.length === 0 ? '' : '# '}${line}`, said.length === 0 ? null : said.join('; ')),
    maps: { countries: country.words, offices: name.words },
    open: [...country.open, ...name.open],
  };
}

/**
 * Finds words for new offices. A word that is not an office of the account may be another name of one: `Copenhagen` for
 * `København`. If the file names every office of the account in the word's country, the word must be a new office. The country
 * is known if it is read from the file and the account has offices in it.
 */
function settleNew(sample: Sample, offices: Offices, name: OfficePart, country: OfficePart): readonly ProposedWord[] {
  const named = new Set(sample.kept.map((row) => foldKey(name.read(row))));
  const unnamed = offices.filter((office) => !named.has(foldKey(office.name)));
  const countries = new Set(offices.map((office) => office.country));
  return name.words.map((entry) => {
    const { word, meaning, note } = entry;
    if (meaning !== word || note === null || offices.some((office) => isLike(word, office.name))) return entry;
    const rows = sample.kept.filter((row) => name.read(row) === word);
    const isElsewhere = (office: Offices[number]): boolean =>
      rows.every((row) => countries.has(country.read(row)) && country.read(row) !== office.country);
    return unnamed.every(isElsewhere) ? { ...entry, note: NEW } : entry;
  });
}

export const TAKE_AWAY = '; if it is right, remove the "# " in front';

/** Returns the account's only office as everyone's office, unless a column may name another one. */
function onlyOffice(offices: Offices, sample: Sample, answers: Answers): Offices[number] | null {
  const [only, other] = offices;
  const mayDiffer = sample.columns.some((column) => coverColumn(column, 'office').cover > 0);
  return only === undefined || other !== undefined || mayDiffer || answers.columns.office !== undefined ? null : only;
}

/** Returns a comment and a question, because no column contains the office. */
function leaveOut(sample: Sample, offices: Offices, known: readonly MatchedRow[]): ProposedOffice {
  const some = offices.slice(0, MOST_SHOWN).map(({ country, name }) => `${country}/${name}`);
  const kept = known.length === 0 ? '' : 'people in the account keep theirs, and ';
  return {
    line: `# office: no column says where people work: ${kept}new people wait`,
    maps: {},
    open: [
      askColumn(
        'office',
        `Which column has the office? If everybody is in one, use --office ${some[0] ?? 'no/Oslo'}.`,
        sample,
      ),
    ],
  };
}

export function askColumn(about: string, text: string, { columns }: Sample): OpenQuestion {
  return { flag: '--column', about, text, choices: columns.map(({ name }) => name), otherwise: '' };
}

function chooseName(sample: Sample, known: readonly MatchedRow[], answers: Answers): OfficePart | null {
  const candidates = listNames(sample, answers);
  const verdict = weighColumns(candidates, known, ({ office }) => office?.name ?? null, sample.kept);
  if (verdict.kind === 'none') return null;
  const taught = verdict.kind === 'proved' ? null : teach(candidates, known);
  if (taught !== null) return taught;
  return partOfName(sample, answers, verdict);
}

const CODED = /^[A-Z]{0,4}\d[\w.]* - \S/;

/** Lists columns of texts, each unchanged and with a code or a part of a path removed. */
function listNames(sample: Sample, { columns, service }: Answers): readonly FieldCandidate[] {
  const offices = service?.offices ?? [];
  const given = columnOf(sample, columns.office);
  if (columns.office !== undefined) return given === undefined ? [] : [{ ...readAlways(sample, given), cover: 1 }];
  return sample.columns
    .filter(({ looks, column }) => column?.type === 'string' && looks.text >= 0.6 && looks.email + looks.date < 0.5)
    .flatMap((column): readonly FieldCandidate[] => {
      const plain = readAlways(sample, column);
      const cover = coverOffice(sample, column, offices);
      const texts = listFilled(sample.kept, plain.read);
      // A code in front of every text is not part of the name.
      const isCoded = texts.length > 0 && texts.every((text) => CODED.test(text));
      const cut = CUTS.filter(({ apply }) => texts.some((text) => apply(text) !== text));
      return [
        { ...plain, cover: isCoded ? 0 : cover },
        ...cut.map((then) => ({
          ...thenDo(sample, column, plain, then),
          cover: isCoded && then === WITHOUT_CODE ? cover : 0,
        })),
      ];
    });
}

/** If at least this share of rows has the exact name of an office of the account, the column outweighs any header. */
const LEAST_LISTED = 0.6;

function coverOffice({ kept }: Sample, column: ColumnGuess, offices: Offices): number {
  const { cover } = coverColumn(column, 'office');
  const texts = listFilled(kept, readCell(column));
  const listed = texts.filter((text) => isOffice(text, offices));
  const isListed = listed.length >= texts.length * LEAST_LISTED && new Set(listed).size > 1;
  return isListed && !isOfOthers(column) && !isAtHome(column) ? 0.9 + cover / 10 : cover;
}

const CUTS = [WITHOUT_CODE, LAST_OF_PATH, BEFORE_COMMA];

function partOfName(sample: Sample, answers: Answers, verdict: Exclude<Verdict, { kind: 'none' }>): OfficePart {
  const { chosen, kind } = verdict;
  const offices = answers.service?.offices ?? [];
  const isGiven = answers.columns.office !== undefined;
  const texts = listFilled(sample.kept, chosen.read);
  const missing = offices.length === 0 ? [] : [...new Set(texts)].filter((text) => !isOffice(text, offices));
  const words = missing.map((word) => guessOffice(word, offices));
  const lost = new Set(words.filter(({ note }) => note !== TWIN).map(({ word }) => word));
  const cities = placeCities(sample, texts, answers.service);
  const strange = texts.filter(
    (text) => (lost.has(text) && !cities.has(text)) || (offices.length === 0 && ODD_OFFICE.test(text)),
  );
  const isStrange = strange.length * 2 > texts.length;
  const isSure = isGiven || kind === 'proved' || (kind === 'fits' && !isStrange);
  const doubt = isSure ? null : doubtOf(verdict, isStrange ? (strange[0] ?? null) : null);
  const { expression, read } = chosen;
  return {
    expression: words.length === 0 ? expression : `lookup(maps.offices, ${expression}, ${expression})`,
    read: (row) => words.find(({ word }) => word === read(row))?.meaning ?? read(row),
    doubt,
    note: kind === 'proved' ? noteChanges(chosen) : null,
    words,
    isOdd: texts.some((text) => ODD_OFFICE.test(text) && !isOffice(text, offices)),
    open: doubt === null ? [] : [askColumn('office', `Which column has the office? (${doubt})`, sample)],
  };
}

/** Matches a code, or several values in one cell. */
const ODD_OFFICE =
  / - |[,/|;]|^\S*\d\S*$|^(?:remote|hybrid|on-?site|home(?: ?office)?|office|yes|no|open space|emea|apac|amer|europe)$/i;

function doubtOf(verdict: Exclude<Verdict, { kind: 'none' }>, strange: string | null): string {
  if (strange === null || verdict.kind === 'doubtful') return describeDoubt(verdict, 'offices');
  return `${verdict.chosen.from} has ${JSON.stringify(strange)}, which is not an office of the account`;
}

/**
 * Learns the words for offices from known people, if a header says office but its words are not the account's names: `LON` is
 * London. Unlike a department, an office word must mean one office only, and no two words share an office.
 */
function teach(candidates: readonly FieldCandidate[], known: readonly MatchedRow[]): OfficePart | null {
  const [best] = candidates.filter(({ cover }) => cover >= 0.5).sort((a, b) => b.cover - a.cover);
  if (best === undefined) return null;
  const counts = new Map<string, Map<string, number>>();
  let rows = 0;
  for (const { row, person } of known) {
    const [word, office] = [best.read(row), person.office?.name ?? ''];
    if (word === '' || office === '') continue;
    rows++;
    const of = counts.get(word) ?? new Map<string, number>();
    counts.set(word, of.set(office, (of.get(office) ?? 0) + 1));
  }
  const taught = [...counts].map(([word, of]) => {
    const [most] = [...of].sort((a, b) => b[1] - a[1]);
    return { word, meaning: most?.[0] ?? '', count: most?.[1] ?? 0 };
  });
  const right = taught.reduce((sum, { count }) => sum + count, 0);
  const isOneToOne = new Set(taught.map(({ meaning }) => meaning)).size === taught.length && taught.length > 1;
  if (rows < LEAST_KNOWN * 2 || right < rows * LEAST_TAUGHT || !isOneToOne) return null;
  const meanings = new Map(taught.map(({ word, meaning }) => [word, meaning]));
  return {
    expression: `lookup(maps.offices, ${best.expression}, ${best.expression})`,
    read: (row) => meanings.get(best.read(row)) ?? best.read(row),
    doubt: null,
    note: null,
    words: taught.map(({ word, meaning }) => ({ word, meaning, note: 'the office of the same people in the account' })),
    open: [],
  };
}

const LEAST_TAUGHT = 0.95;

/** True if a name is an office of the account. It compares names in the same way as a plan does. */
function isOffice(name: string, offices: Offices): boolean {
  return offices.some((office) => foldKey(office.name) === foldKey(name));
}

/** True if both are spellings of one name: `Köln`, `Koeln` and `Koln`. */
function isTwin(name: string, other: string): boolean {
  const [one, two] = [foldText(name), foldText(other)];
  return (one !== '' && one === two) || (two !== '' && foldText(spellOut(name)) === foldText(spellOut(other)));
}

/** True if a word is close to a name: `Olso` or `Oslo HQ` to `Oslo`. */
function isLike(word: string, name: string): boolean {
  const [one, two] = [foldText(word), foldText(name)];
  return one.includes(two) || two.includes(one) || nearestName(word, [name]) !== null;
}

function spellOut(name: string): string {
  return name.toLowerCase().replaceAll(/[äöü]/g, (letter) => `${letter}e`);
}

/** Maximum number of offices in a note; an account may have hundreds. */
const MOST_SHOWN = 6;
const TWIN = 'as the account spells it';
const NEW = 'a new office: the file uses the names in the account for all other offices of the country';

function guessOffice(word: string, offices: Offices): ProposedWord {
  const twin = offices.find(({ name }) => isTwin(name, word) || isSameCity(name, word));
  if (twin !== undefined) return { word, meaning: twin.name, note: TWIN };
  const names = [...new Set(offices.map(({ name }) => name))];
  const nearest = nearestName(word, names);
  const shown = [...new Set([...(nearest === null ? [] : [nearest]), ...names])].slice(0, MOST_SHOWN);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} others` : '';
  return {
    word,
    meaning: word,
    note: `GUESS: a new office; if it is one of ${shown.join(', ')}${more}, write that name`,
  };
}
