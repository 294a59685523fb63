import { writeColumnRead } from '../../model/column-read.js';
import type { Answers, OpenQuestion } from './answers.js';
import { columnOf, isOptional, read, readText } from './column-reads.js';
import { type ColumnGuess, orderOfDays } from './guess-column.js';
import { foldText, splitHeader } from './header-words.js';
import { LEFT_WORDS } from './meanings.js';
import type { Sample } from './read-sample.js';
import { writeExpression } from './yaml-text.js';

/** So many words are a status; more are something else. */
const MOST_WORDS = 20;

interface Rule {
  readonly when: string;
  /** Share of the rows that it makes leavers, or at most makes so, 0 to 1. */
  readonly share: number;
  readonly note: string;
}

/**
 * `leaver` and `joiner`. What would make half of the rows leavers, or more, means something else: it is only a comment.
 */
export function proposeLeavers(
  sample: Sample,
  answers: Answers,
): { readonly lines: readonly string[]; readonly open: readonly OpenQuestion[] } {
  const status = columnOf(sample, sample.meanings.status);
  const byStatus = status === undefined ? null : ruleOfStatus(sample, status, answers);
  const byDate = ruleOfDate(sample);
  const rules = [byStatus, byDate].filter((rule) => rule !== null);
  const sure = rules.filter(({ share }) => share < 0.5 || (answers.left !== null && share < 1));
  const doubtful = rules.filter((rule) => !sure.includes(rule));
  return {
    lines: [
      ...(sure.length === 0
        ? []
        : [
            `  leaver: { when: ${writeExpression(joinConditions(sure.map(({ when }) => when)))} } # GUESS: ${sure
              .map(({ note }) => note)
              .join('; ')}`,
          ]),
      ...doubtful.map(({ when, note }) => `  # leaver: { when: ${writeExpression(when)} } # GUESS: ${note}`),
      ...joinerLines(sample),
    ],
    open: [
      ...(status === undefined || answers.left !== null || byStatus?.share !== 1 ? [] : [askLeft(status)]),
      ...askOrder(sample),
    ],
  };
}

function joinConditions(conditions: readonly string[]): string {
  const inParts = conditions.length > 1;
  return conditions.map((when) => (inParts && when.includes('&&') ? `(${when})` : when)).join(' || ');
}

function ruleOfStatus(sample: Sample, status: ColumnGuess, { left }: Answers): Rule | null {
  if (status.column?.type === 'bool') return ruleOfFlag(sample, status);
  const counts = [...(status.counts ?? [])];
  if (counts.length < 2 || counts.length > MOST_WORDS) return null;
  const words = left ?? counts.map(([word]) => word).filter(isLeft);
  const all = counts.map(([word]) => JSON.stringify(word)).join(', ');
  const value = readText(sample, status.name);
  if (words.length === 0) {
    if (left !== null) return null;
    return { when: `${value}.lower() == "…"`, share: 1, note: `which of ${all} means that a person has left?` };
  }
  const rows = counts.filter(([word]) => words.includes(word)).reduce((sum, [, count]) => sum + count, 0);
  // `Terminated` and `terminated` are one word to those who type them.
  const folded = [...new Set(words.map((word) => word.toLowerCase()))].map((word) => JSON.stringify(word));
  const plain = `${value}.lower()`;
  const when = folded.length === 1 ? `${plain} == ${folded[0]}` : `${plain} in [${folded.join(', ')}]`;
  return { when, share: rows / sample.rows, note: `has left, of ${all}` };
}

function isLeft(word: string): boolean {
  return LEFT_WORDS.has(foldText(word)) || splitHeader(word).some((part) => LEFT_WORDS.has(part));
}

/** `Active` that is no. */
function ruleOfFlag(sample: Sample, { name, counts }: ColumnGuess): Rule | null {
  if (!splitHeader(name).some((word) => /^(?:activ|aktiv|actief|actif|attiv|ativ|aktyw|enabled)/.test(word)))
    return null;
  const [most = 0] = [...(counts ?? new Map<string, number>()).values()].sort((a, b) => b - a);
  const value = read(sample, name);
  const when = isOptional(sample, name) ? `!${value}.orValue(true)` : `!${value}`;
  return { when, share: 1 - most / sample.rows, note: 'is not active any more' };
}

function ruleOfDate(sample: Sample): Rule | null {
  const end = columnOf(sample, sample.meanings.endDate);
  if (end?.column?.type !== 'date') return null;
  const plain = writeColumnRead('record', end.name);
  const when = end.column.optional ? `has(${plain}) && ${plain} < today` : `${plain} < today`;
  const note = 'the day on which a person leaves, not the end of a term';
  return { when, share: end.filled / sample.rows, note };
}

function joinerLines(sample: Sample): readonly string[] {
  const start = columnOf(sample, sample.meanings.startDate);
  if (start?.column?.type !== 'date') return [];
  return [
    `  joiner: { start: ${writeExpression(read(sample, start.name))} } # the first day of work: no account before it`,
  ];
}

/** Where the day on which somebody comes or leaves can be read two ways. */
function askOrder(sample: Sample): readonly OpenQuestion[] {
  const dates = [sample.meanings.startDate, sample.meanings.endDate].map((name) => columnOf(sample, name));
  const open = dates.find((one) => one?.rival != null);
  if (open?.column == null) return [];
  const example = open.firstValues.find((value) => value !== '') ?? '';
  return [
    {
      flag: '--dates',
      about: null,
      text: `What do dates such as "${example}" have first?`,
      choices: ['day', 'month'],
      otherwise: orderOfDays(open.column) ?? 'day',
    },
  ];
}

function askLeft({ name, counts }: ColumnGuess): OpenQuestion {
  return {
    flag: '--left',
    about: null,
    text: `Which words of "${name}" say that a person has left? Several with commas, empty for none`,
    choices: [...(counts ?? new Map<string, number>()).keys()],
    otherwise: '',
  };
}
