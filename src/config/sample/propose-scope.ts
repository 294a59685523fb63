import { splitHeader } from '../../model/fold-words.js';
import { columnOf, isOptional, read, readText } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { listFilled, readCell, type SampleRow } from './kept-rows.js';
import type { Rule } from './leaver-rule.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import type { Weighed } from './weigh.js';
import { withNote, writeExpression } from './yaml-text.js';

/** A condition that is true for colleagues and false for other rows. */
interface ScopeCondition {
  readonly when: string;
  /** The negation of `when`. */
  readonly unless: string;
  readonly holds: (row: SampleRow) => boolean;
  readonly note: string;
  /** Set if rows that do not meet the condition may still be colleagues. */
  readonly isDoubtful?: true;
}

/** A condition that excludes more than this share of the file is not proposed. */
const MOST_NOBODY = 0.5;

/**
 * Proposes `scope` and `doubtful`. `scope` says which rows are colleagues: it excludes rows without an address or a name,
 * guests and machines. `doubtful` is for rows that only look like these, which wait. A condition that would exclude an active
 * person of the account is dropped.
 */
export function proposeScope(
  sample: Sample,
  known: readonly MatchedRow[],
  {
    email,
    name,
    waiting,
  }: { readonly email: Weighed | null; readonly name: Weighed | null; readonly waiting: readonly Rule[] },
): readonly string[] {
  const conditions = [
    ...addressed(sample, email),
    ...named(sample, name),
    ...ofMembers(sample),
    ...ofPeople(sample),
    ...working(sample),
    ...ofMachines(sample, email),
    ...ofCompany(sample, known, email),
    ...ofThings(name),
  ];
  const colleagues = known.filter(({ person }) => !person.deactivated).map(({ row }) => row);
  const excluding = (rows: readonly SampleRow[], wanted: readonly ScopeCondition[]): readonly ScopeCondition[] =>
    wanted.filter(({ holds }) => {
      const out = rows.filter((row) => !holds(row)).length;
      return out > 0 && out < rows.length * MOST_NOBODY && colleagues.every(holds);
    });
  const certain = excluding(
    sample.kept,
    conditions.filter(({ isDoubtful }) => isDoubtful === undefined),
  );
  const left = sample.kept.filter((row) => certain.every(({ holds }) => holds(row)));
  const doubtful = excluding(
    left,
    conditions.filter(({ isDoubtful }) => isDoubtful === true),
  );
  return [...writeScope(certain), ...writeDoubt(doubtful, left, waiting)];
}

function writeScope(certain: readonly ScopeCondition[]): readonly string[] {
  if (certain.length === 0) return [];
  const when = certain.map((one) => one.when).join(' && ');
  return [withNote(`  scope: ${writeExpression(when)}`, certain.map(({ note }) => note).join('; '))];
}

function writeDoubt(
  doubtful: readonly ScopeCondition[],
  rows: readonly SampleRow[],
  waiting: readonly Rule[],
): readonly string[] {
  if (doubtful.length + waiting.length === 0) return [];
  const conditions = [...doubtful.map(({ unless }) => unless), ...waiting.map(({ when }) => when)];
  const count = rows.filter((row) => doubtful.some(({ holds }) => !holds(row))).length;
  const asked = count === 1 ? 'is this row a colleague' : `are these ${count} rows colleagues`;
  const questions = [
    ...waiting.map(({ note }) => note),
    ...(doubtful.length === 0 ? [] : [`${asked} (${doubtful.map((one) => one.note).join('; ')})`]),
  ];
  return [
    withNote(
      `  doubtful: ${writeExpression(conditions.join(' || '))}`,
      `To answer: ${questions.join('? And ')}? Until then they wait`,
    ),
  ];
}

/** Requires an address, because a person without one gets no account. */
function addressed(sample: Sample, email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  if (column === undefined || email === null || !isOptional(sample, column.name)) return [];
  const note = 'rows without an address get no account';
  const text = readText(sample, column.name);
  return [{ when: `${text} != ""`, unless: `${text} == ""`, holds: (row) => email.read(row) !== '', note }];
}

/** Requires a name. In a file with first and last names, a row with neither is a mailbox or a machine. */
function named(sample: Sample, name: Weighed | null): readonly ScopeCondition[] {
  const { firstName, lastName } = sample.meanings;
  const columns = [firstName, lastName].map((one) => columnOf(sample, one)).filter((column) => column !== undefined);
  const texts = columns.map(readCell);
  if (columns.length < 2 || name === null || !columns.every((column) => isOptional(sample, column.name))) return [];
  const holds: ScopeCondition['holds'] = (row) => texts.some((text) => text(row) !== '');
  return [{ ...writeFilled(sample, columns), holds, note: 'a row without a name is not a person' }];
}

/** Writes a condition that at least one of the columns is filled. */
function writeFilled(sample: Sample, columns: readonly ColumnGuess[]): Pick<ScopeCondition, 'when' | 'unless'> {
  const texts = columns.map(({ name }) => readText(sample, name));
  const filled = texts.map((text) => `${text} != ""`).join(' || ');
  return {
    when: texts.length === 1 ? filled : `(${filled})`,
    unless: texts.map((text) => `${text} == ""`).join(' && '),
  };
}

const GUEST =
  /^(?:(?:single-channel |multi-channel |restricted )?guest|gast|gjest|gäst|vieras|invité|invitado|ospite|gość|bot|workflow bot|service account|system user|shared mailbox|resource|room)$/i;

/** Excludes guests by a column that marks them: `userType`. */
function ofMembers(sample: Sample): readonly ScopeCondition[] {
  return sample.columns.flatMap((column): readonly ScopeCondition[] => {
    const guests = [...(column.counts ?? new Map<string, number>()).keys()].filter((word) => GUEST.test(word));
    const isType = splitHeader(column.name).some((word) =>
      /^(?:type|typ|usertype|kind|tipo|status|role|category)$/.test(word),
    );
    if (guests.length === 0 || !isType || (column.counts?.size ?? 0) > 8) return [];
    const words = guests.map((word) => JSON.stringify(word));
    const value = readText(sample, column.name);
    const one = words.length === 1;
    const unless = one ? `${value} == ${words[0]}` : `${value} in [${words.join(', ')}]`;
    const when = one ? `${value} != ${words[0]}` : `!(${unless})`;
    const text = readCell(column);
    const note = `${words.join(', ')} in ${JSON.stringify(column.name)}: not a colleague`;
    return [{ when, unless, holds: (row) => !guests.includes(text(row)), note }];
  });
}

const MACHINE_ADDRESS =
  /^(?:svc|srv|service|system|no-?reply|admin|administrator|info|post|mail|office|reception|resepsjon|empfang|room|meeting|moterom|raum|shared|scanner|scan|printer|backup|sync|test|support|helpdesk|fax|konto|account)[\w.-]*@|[-_.]?bot@/i;
/** If the file has this many known people, a row without title and department is not a person. */
const MANY_KNOWN = 20;

/** Excludes rows of a directory with neither a title nor a department: mailboxes, rooms and services. */
function working(sample: Sample): readonly ScopeCondition[] {
  const { title, department } = sample.meanings;
  const columns = [title, department].map((one) => columnOf(sample, one)).filter((column) => column !== undefined);
  const { email } = sample.meanings;
  const address = columnOf(sample, email);
  if (columns.length === 0 || address === undefined) return [];
  const texts = columns.map(readCell);
  const holds: ScopeCondition['holds'] = (row) => texts.some((text) => text(row) !== '');
  const nobody = sample.kept.filter((row) => !holds(row));
  const isSure = nobody.every((row) => MACHINE_ADDRESS.test(readCell(address)(row)));
  if (nobody.length * 5 > sample.kept.length) return [];
  const names = columns.map(({ name }) => JSON.stringify(name));
  const named = names.length === 1 ? `without ${names[0]}` : `with neither ${names.join(' nor ')}`;
  const written = writeFilled(sample, columns);
  if (isSure) return [{ ...written, holds, note: `a row ${named} is a mailbox or a machine` }];
  return [{ ...written, holds, note: `a row ${named}`, isDoubtful: true }];
}

/** Excludes addresses that no person has. Rows with addresses that a person may have, such as `test` or `post`, are doubtful. */
function ofMachines(sample: Sample, email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  if (column === undefined || email === null) return [];
  const addressed = (pattern: string): Pick<ScopeCondition, 'when' | 'unless' | 'holds'> => {
    const unless = `${readText(sample, column.name)}.lowerAscii().matches(${JSON.stringify(pattern)})`;
    const holds: ScopeCondition['holds'] = (row) => !new RegExp(pattern).test(email.read(row).toLowerCase());
    return { when: `!${unless}`, unless, holds };
  };
  const shared = addressed(`^(?:${SHARED.join('|')})[-_.@0-9]`);
  const example = sample.kept.filter((row) => !shared.holds(row)).map(email.read)[0] ?? '';
  // `pieter.bot@` is a person if addresses have a full stop between the names.
  const usual = ['-', '_', '.'].find((sign) => isMost(sample, email, sign));
  const signs = ['-', '_', '.'].filter((sign) => sign !== usual).join('');
  return [
    {
      ...addressed(`^(?:svc|service|no-?reply|system)[-_.@]|[${signs}]bot@`),
      note: 'services and bots are not people',
    },
    { ...addressed('[-_.]bot@'), note: 'addresses that end with "bot"', isDoubtful: true },
    { ...shared, note: `addresses such as ${JSON.stringify(example)}`, isDoubtful: true },
  ];
}

function isMost({ kept }: Sample, email: Weighed, sign: string): boolean {
  const names = listFilled(kept, email.read).map((address) => address.replace(/@.*/, ''));
  return names.filter((name) => name.includes(sign)).length * 2 > names.length;
}

/** Local parts of addresses of shared mailboxes and devices. */
const SHARED =
  'admin|administrator|info|mailbox|office|reception|resepsjon|empfang|rezeption|room|meeting|moterom|raum|shared|scanner|scan|printer|drucker|backup|sync|test|demo|support|helpdesk|fax|konto|account|accounts|billing|faktura|invoice|sales'.split(
    '|',
  );
const THING = String.raw`\b(?:(?:meeting|conference|board) ?room|m[øo]terom|m[öo]tesrum|besprechungsraum|(?:shared|group) mailbox|service account|test ?user|testbruker|testbenutzer|printer|scanner)\b`;

/** Excludes names that no person has. */
function ofThings(name: Weighed | null): readonly ScopeCondition[] {
  if (name === null) return [];
  const unless = `(${name.expression}).matches(${JSON.stringify(`(?i)${THING}`)})`;
  const pattern = new RegExp(THING, 'i');
  return [
    {
      ...{ when: `!${unless}`, unless, note: 'names of rooms and devices', isDoubtful: true },
      holds: (row) => !pattern.test(name.read(row)),
    },
  ];
}

/** A company has few domains. If an account has more, they do not show which are its own. */
const MOST_DOMAINS = 3;

/**
 * Excludes addresses of other companies. In a large account, these are addresses with a domain that no one in the account has.
 * In a small account, or without an account, addresses with a rare domain are doubtful.
 */
function ofCompany(sample: Sample, known: readonly MatchedRow[], email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  if (column === undefined || email === null) return [];
  const own = [...new Set(known.map(({ person }) => domainOf(person.email)))];
  const isSure = known.length >= MANY_KNOWN && own.length <= MOST_DOMAINS;
  const domains = isSure ? own : [...new Set([...own, ...listUsual(sample, email)])];
  const isOwn = (text: string): boolean => domains.some((own) => `.${domainOf(text)}`.endsWith(`.${own}`));
  const holds: ScopeCondition['holds'] = (row) => email.read(row) === '' || isOwn(email.read(row));
  const others = sample.kept.map(email.read).filter((text) => text !== '' && !isOwn(text));
  if (domains.length > MOST_DOMAINS || others.length * 5 > sample.kept.length) return [];
  const address = `${readText(sample, column.name)}.lowerAscii()`;
  // `uk.nordvik.example` belongs to the same company as `nordvik.example`.
  const isBelow = (domain: string): boolean => sample.kept.some((row) => email.read(row).endsWith(`.${domain}`));
  const signs = domains.flatMap((domain) => [`@${domain}`, ...(isBelow(domain) ? [`.${domain}`] : [])]);
  const ends = signs.map((sign) => `${address}.endsWith(${JSON.stringify(sign)})`);
  const when = ends.length === 1 ? (ends[0] ?? '') : `(${ends.join(' || ')})`;
  const filled = isOptional(sample, column.name) ? `${readText(sample, column.name)} != "" && ` : '';
  const written = { when, unless: `${filled}!${when}`, holds };
  const example = JSON.stringify(others[0] ?? '');
  // `nordvik.dk` may belong to the same company as `nordvik.no`.
  const labels = domains.map(labelOf).filter((label) => label !== '');
  if (isSure && !others.some((text) => labels.includes(labelOf(domainOf(text)))))
    return [{ ...written, note: `${example} is an address of another company` }];
  return [{ ...written, note: `${example} may be an address of another company`, isDoubtful: true }];
}

/** A domain may belong to another company if fewer than one in this many rows has it. */
const RARE = 10;

function listUsual({ kept }: Sample, email: Weighed): readonly string[] {
  const counts = new Map<string, number>();
  const domains = listFilled(kept, email.read).map(domainOf);
  for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  return [...counts].filter(([, count]) => count * RARE >= domains.length).map(([domain]) => domain);
}

/** Returns `nordvik` for `nordvik.co.uk`. */
function labelOf(domain: string): string {
  const [first = ''] = domain.split('.').filter((part) => part.length > 3);
  return first;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

const MACHINE = /^(?:bot|integration|service|serviceaccount|system|robot|technical|app|shared)$/;

/** Excludes machines by a flag: `is_bot`. */
function ofPeople(sample: Sample): readonly ScopeCondition[] {
  return sample.columns.flatMap((column): readonly ScopeCondition[] => {
    const words = splitHeader(column.name).filter((word) => !/^(?:is|user|account|mailbox)$/.test(word));
    if (column.column?.type !== 'bool' || words.length === 0 || !words.every((word) => MACHINE.test(word))) return [];
    const value = read(sample, column.name);
    const unless = isOptional(sample, column.name) ? `${value}.orValue(false)` : value;
    const text = readCell(column);
    const holds: ScopeCondition['holds'] = (row) => !/^(?:true|yes|y|1|x)$/i.test(text(row));
    const note = `${JSON.stringify(column.name)} marks rows that are not people`;
    return [{ when: `!${unless}`, unless, holds, note }];
  });
}
