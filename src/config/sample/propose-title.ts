import type { Answers, ProposedField } from './answers.js';
import { columnOf } from './column-reads.js';
import { codeOfCountry, languageOfCountry } from './countries.js';
import { listFilled } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import { proposeKept } from './propose-kept.js';
import { askColumn, TAKE_AWAY } from './propose-office.js';
import type { Sample } from './read-sample.js';
import { NAME_CASE, readPlain, thenDo } from './readings.js';
import { coverColumn } from './recognise.js';
import type { SampleLanguage } from './sample-languages.js';
import { languageOfTitles } from './title-words.js';
import { describeDoubt, type FieldCandidate, LEAST_KNOWN, noteChanges, type Verdict, weighColumns } from './weigh.js';
import { withNote, writeExpression } from './yaml-text.js';

/** Proposes `title` in the language that the account uses. */
export function proposeTitle(sample: Sample, known: readonly MatchedRow[], answers: Answers): ProposedField {
  const candidates = listTitles(sample, answers);
  const [best] = languagesOf(known)
    .map((language) => ({
      language,
      verdict: weighColumns(candidates, known, ({ title }) => title[language] ?? null, sample.kept),
    }))
    .sort((a, b) => equalIn(b.verdict) - equalIn(a.verdict));
  const verdict = best?.verdict ?? weighColumns(candidates, known, () => null, sample.kept);
  if (verdict.kind === 'none') return { lines: [], open: [] };
  const { chosen, kind } = verdict;
  const texts = listFilled(sample.kept, chosen.read);
  const proved = kind === 'proved' ? (best?.language ?? null) : null;
  const placed = languageOfPlaces(sample);
  // If headers and countries have the same language, the titles are probably in that language.
  const spoken = placed !== null && placed === sample.language ? placed : null;
  const told = answers.language ?? proved ?? best?.language ?? languageOfTitles(texts) ?? spoken;
  const language = told ?? placed ?? sample.language ?? 'en';
  const line = `title: { ${language}: ${writeExpression(chosen.expression)} }`;
  if (kind === 'doubtful' && answers.columns.title === undefined) {
    const doubt = describeDoubt(verdict, 'titles');
    return {
      lines: [`# ${line} # GUESS: ${doubt}${TAKE_AWAY}`],
      open: [askColumn('title', `Which column has the title? (${doubt})`, sample)],
    };
  }
  if (told !== null) return renderTitle(line, verdict, answers);
  const text = `In which language are titles such as "${texts[0] ?? ''}"? Two-letter code`;
  return {
    lines: [`# ${line} # GUESS: the language of the titles${TAKE_AWAY}`],
    open: [{ flag: '--language', about: null, text, choices: [], otherwise: language }],
  };
}

function renderTitle(
  line: string,
  { kind, chosen }: Exclude<Verdict, { kind: 'none' }>,
  answers: Answers,
): ProposedField {
  if (kind === 'likely')
    return proposeKept({ field: 'title', value: line.replace('title: ', ''), chosen, thing: 'title' }, answers);
  return { lines: [withNote(line, kind === 'proved' ? noteChanges(chosen) : null)], open: [] };
}

function listTitles(sample: Sample, { columns }: Answers): readonly FieldCandidate[] {
  const given = columnOf(sample, columns.title);
  if (columns.title !== undefined) return given === undefined ? [] : [{ ...readPlain(sample, given), cover: 1 }];
  return sample.columns
    .filter(
      ({ looks, column }) =>
        column?.type === 'string' && looks.text >= 0.6 && looks.email + looks.date + looks.standing < 0.5,
    )
    .flatMap((column) => {
      const plain = readPlain(sample, column);
      const texts = listFilled(sample.kept, plain.read);
      if (texts.every((text) => SALUTATION.test(text))) return [];
      const isShouted =
        texts.some((text) => NAME_CASE.apply(text) !== text) && texts.every((text) => text === text.toUpperCase());
      return [
        { ...plain, cover: coverColumn(column, 'title').cover },
        // Only the people of the account can show that the export wrote the capitals.
        ...(isShouted ? [{ ...thenDo(sample, column, plain, NAME_CASE), cover: 0 }] : []),
      ];
    });
}

/** Matches a form of address or a degree: `Mr`, `Frau Dr.` */
const SALUTATION =
  /^(?:(?:mr|mrs|ms|miss|mx|sir|dame|herr|frau|hr|fr|herra|rouva|fru|froken|mme|mlle|m|monsieur|madame|sr|sra|srta|don|dona|sig|signora?|dott|dottssa|ing|pan|pani|dhr|mevr|mw|dr|med|phil|prof|professor|mag|dipl|phd|msc|bsc|mba|ba|ma)\b[.\s-]*)+$/i;

/** Lists the languages in which enough of the known people have titles. */
function languagesOf(known: readonly MatchedRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { person } of known)
    for (const language of Object.keys(person.title)) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= Math.min(LEAST_KNOWN, known.length)).map(([language]) => language);
}

function equalIn(verdict: Verdict): number {
  return verdict.kind === 'none' ? -1 : verdict.chosen.equal;
}

/** Returns the language that all countries in the file share. */
function languageOfPlaces(sample: Sample): SampleLanguage | null {
  const codes = (columnOf(sample, sample.meanings.country)?.values ?? []).map(codeOfCountry);
  const [only = null, other] = new Set(codes.map((code) => (code === null ? null : languageOfCountry(code))));
  return other === undefined ? only : null;
}
