// Checks the English of pages, comments and messages in all tracked files, and of the subjects of new commits.
// Usage: node scripts/lint-english.mjs [--base COMMIT]   subjects since that commit; by default since the branch left
//                                                        origin/main, on main itself since the commit before the last
//        node scripts/lint-english.mjs FILE…             these files only, and no subjects
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';

/** Patterns to avoid, with the alternative. Words in backticks are names, and not checked. */
const RULES = [
  [/^(?:What|Whether|Whoever|Of)\s(?!.*\?$)/, 'name the actor first'],
  [/\b(?:whoever|anew|nought|for ever)\b/i, 'who, again, zero, indefinitely'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\b(?:is|are|was|were|be|been) told\b|\btells?\b/i, 'is reported, says; a log records, a setting specifies'],
  [/\b(?:is|are|was|were) had\b/i, 'exists'],
  [/\bwhole\b(?! numbers?\b)/i, 'complete, intact, entire'],
  [/\blets? (?:it|them|him|her|this|that|these|those)? ?pass\b/i, 'go through, approve, release'],
  [/\bwait(?:s|ing|ed)? for a person\b/i, 'need approval, be pending'],
  [/\b(?:take|takes|taken|took) back\b/i, 'undo, revoke'],
  [/\b(?:in|out of) use\b/i, 'active, inactive'],
  [/\b(?:anybody|somebody|nobody)'s word\b/i, 'approval, decision'],
  [/\brefus(?:es?|ed|ing)\b/i, 'the service rejects, a person declines, a guard holds'],
  [/\bat once\b/i, 'immediately, at the same time'],
  [/\bbesides?\b/i, 'next to, in addition to'],
  [/\bas (?:it is|they are)\b/i, 'unchanged, verbatim'],
  [/\b(?:go|goes|going|went) on\b/i, 'continues'],
  [/\bthat there (?:is|are)\b/i, 'existing'],
  [/\bwhat (?:it|they|this|that) costs?\b/i, 'cost, performance'],
  [/\b(?:it|that|this|which|he|she) is no\b/i, 'is not a'],
  [/\bso many\b(?! that\b)/i, 'the number'],
];
const MOST_WORDS = 35;
const LONGEST_SUBJECT = 72;

/** Exceptions to the rules, with the reason. */
const ALLOWED = [
  { text: /\bin use\b(?= by\b)/, because: 'a file or port that another program holds' },
  { text: /\bconnection refused\b/i, because: "the system's own error" },
  { text: /^What I Do$/, because: 'a column of a list that Slack exports' },
  { text: /\brefused(?= SYNC_)|(?<== ')refused(?=')/, because: 'a status: before an error code, or in SQL' },
  { text: /\brefused-(?:reads|fields)\b/, because: 'the name of a test file' },
  { text: /^source \S+ \S+ whole$/, because: 'the key of a stored fact' },
  { text: /^(?:\p{L}{1,6} ){30,}\p{L}{1,6}$/u, because: 'a list of codes or names: short words without punctuation' },
];

/** Files with sentences. Migrations and recorded pages are generated, and the rules themselves contain the words to avoid. */
const CHECKED = /^(?:README|CONTRIBUTING|CHANGELOG|SECURITY)\.md$|^(?:src|test|scripts|docs|config|helm|\.github)\//;
const UNCHECKED =
  /^(?:scripts\/lint-english\.mjs|test\/english\.test\.ts)$|\.(?:json|svg|sql|txt|snap|tpl)$|^docs\/pictures\//;
/** Binary files and data, which have no sentences. */
const DATA = /\.(?:png|jpe?g|pdf|xlsx|docx|pptx|woff2|gz|db|pem|key|csv|tsv)$/;

const CODE = ['.ts', '.mjs', '.js', '.cjs'];

/** Paragraphs, comments and texts of a file: `{ text, from, to }`, lines counted from 1. */
function listTexts(file, source) {
  const lines = source.split('\n');
  if (extname(file) === '.md') return joinLines(readMarkdown(lines));
  if (CODE.includes(extname(file))) return [...joinLines(readComments(lines)), ...readStrings(lines)];
  return joinLines(
    lines.map((line) => {
      const [, before = '', said = null] = /^(.*?)(?:^|\s)#\s(.*)/.exec(line) ?? [];
      // A comment after a value is a text of its own.
      return said === null || before.trim() === '' ? said : `\n${said}`;
    }),
  );
}

/** Each cell of a table is a separate text. */
function breakUp(line) {
  return line.trimStart().startsWith('|') ? line.replaceAll(/\s*\|\s*/g, '\n') : line;
}

/** null for a line without text, which ends the text before it. */
function readMarkdown(lines) {
  let isFenced = false;
  return lines.map((line) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (isFenced || /^\s*(?:```|<!--|\|[-: |]+\|)/.test(line)) return null;
    return breakUp(line.replace(/^\s*(?:[-*>]|#+|\d+\.)\s+/, '\n'));
  });
}

function readComments(lines) {
  let isInside = false;
  return lines.map((line) => {
    const [, rest] = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*?)(?:\*\/)?$/.exec(line) ?? [];
    const said = isInside || /^\s*(?:\/\*|\/\/)/.test(line) ? (rest ?? null) : null;
    if (/^\s*\/\*/.test(line)) isInside = true;
    if (line.includes('*/')) isInside = false;
    return said === null ? null : breakUp(said.replace(/^@\w+\s*/, '\n').replace(/^- /, '\n'));
  });
}

/** Quoted sentences: three words or more. */
function readStrings(lines) {
  return lines.flatMap((line, index) => {
    if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
    const found = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
    return found
      .map(([, one, two, three]) => (one ?? two ?? three).replaceAll(/\$\{[^}]*\}/g, 'N').replaceAll('\\n', '\n'))
      .filter((text) => /^(?:[^\s<>={}]+ ){2,}/.test(text))
      .map((text) => ({ text, from: index + 1, to: index + 1 }));
  });
}

function joinLines(said) {
  const texts = [];
  let open = null;
  for (const [index, text] of said.entries()) {
    if (text === null || text.trim() === '') {
      open = null;
    } else if (open === null || text.startsWith('\n')) {
      open = { text, from: index + 1, to: index + 1 };
      texts.push(open);
    } else Object.assign(open, { text: `${open.text} ${text.trim()}`, to: index + 1 });
  }
  return texts;
}

function* findFaults({ text }) {
  const plain = text.replaceAll(/`[^`]*`/g, 'N').replaceAll(/\]\([^)]*\)|https?:\S+/g, '');
  for (const sentence of plain.split(/(?<=[.!?:])\s+|\n/).map((one) => one.trim())) {
    const allowed = ALLOWED.reduce((rest, one) => rest.replace(one.text, ''), sentence);
    for (const [pattern, instead] of RULES) {
      const found = pattern.exec(allowed);
      if (found !== null) yield `"${found[0].trim()}": ${instead}`;
    }
    const words = allowed.split(/\s+/).length;
    if (words > MOST_WORDS) yield `${words} words in a sentence: at most ${MOST_WORDS}`;
  }
}

function* checkSubject(subject) {
  if (subject.length > LONGEST_SUBJECT) yield `${subject.length} characters: at most ${LONGEST_SUBJECT}`;
  if (/^(?:What|Whether|Of|A|An|The|One|Nobody|Nothing|Each|Every|No)\b|^\w+(?:ed|ing)\b|^[a-z]|\.$/.test(subject))
    yield 'begin with a verb: "Report a held row"';
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout.trim() : null;
}

function findBase(asked) {
  const left = asked ?? git('merge-base', 'HEAD', 'origin/main');
  return git('rev-parse', '--verify', '-q', left === null || left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left);
}

function checkFile(file) {
  return listTexts(file, readFileSync(file, 'utf8')).flatMap((text) =>
    [...findFaults(text)].map((fault) => `${file}:${text.from}: ${fault}`),
  );
}

function checkSubjects(asked) {
  const base = findBase(asked);
  if (base === null) {
    process.stderr.write('The commit subjects are not checked: there is no earlier commit to compare with.\n');
    return [];
  }
  const subjects = (git('log', '--format=%h %s', `${base}..HEAD`) ?? '').split('\n').filter((line) => line !== '');
  return subjects.flatMap((line) => {
    const [commit, ...words] = line.split(' ');
    return [...checkSubject(words.join(' '))].map((fault) => `commit ${commit}: ${fault}`);
  });
}

function checkCheckout(base) {
  const tracked = git('ls-files', '-z');
  if (tracked === null) {
    process.stderr.write('The English is not checked: this is not a git checkout.\n');
    return [];
  }
  const files = tracked.split('\0').filter((file) => CHECKED.test(file) && !UNCHECKED.test(file) && !DATA.test(file));
  // A deleted file stays in the index until the deletion is staged.
  return [...files.filter((file) => existsSync(file)).flatMap((file) => checkFile(file)), ...checkSubjects(base)];
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { base: { type: 'string' } } });
const faults = positionals.length > 0 ? positionals.flatMap((file) => checkFile(file)) : checkCheckout(values.base);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} places to write in plain English: CONTRIBUTING.md\n`);
  process.exitCode = 1;
}
