import { splitHeader } from '../../model/fold-words.js';
import { columnOf, isOptional, read, readText } from './column-reads.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import type { Weighed } from './weigh.js';
import { withNote, writeExpression } from './yaml-text.js';

/** A condition that holds for colleagues and not for other rows. */
interface ScopeCondition {
  readonly when: string;
  readonly holds: (row: SampleRow) => boolean;
  readonly note: string;
}

/** A condition that excludes a larger share of the file is not proposed. */
const MOST_NOBODY = 0.5;

/**
 * `scope`: which rows are colleagues. It excludes rows without an address or a name, guests and machines. A condition that would
 * exclude an active person of the account is dropped.
 */
export function proposeScope(
  sample: Sample,
  known: readonly MatchedRow[],
  email: Weighed | null,
  name: Weighed | null,
): readonly string[] {
  const conditions = [
    ...addressed(sample, email),
    ...named(sample, name),
    ...ofMembers(sample),
    ...ofPeople(sample),
    ...working(sample, known),
    ...ofMachines(sample, email),
    ...ofCompany(sample, known, email),
  ].filter(({ holds }) => {
    const left = sample.kept.filter((row) => !holds(row));
    const isColleague = known.some(({ row, person }) => !person.deactivated && !holds(row));
    return left.length > 0 && left.length < sample.kept.length * MOST_NOBODY && !isColleague;
  });
  if (conditions.length === 0) return [];
  const when = conditions.map((one) => one.when).join(' && ');
  return [withNote(`  scope: ${writeExpression(when)}`, conditions.map(({ note }) => note).join('; '))];
}

/** A person without an address gets no account. */
function addressed(sample: Sample, email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  if (column === undefined || email === null || !isOptional(sample, column.name)) return [];
  const note = 'rows without an address get no account';
  return [{ when: `${readText(sample, column.name)} != ""`, holds: (row) => email.read(row) !== '', note }];
}

/** In a file with first and last names, a row with neither is a mailbox or a machine. */
function named(sample: Sample, name: Weighed | null): readonly ScopeCondition[] {
  const { firstName, lastName } = sample.meanings;
  const columns = [firstName, lastName].map((one) => columnOf(sample, one)).filter((column) => column !== undefined);
  const texts = columns.map(readCell);
  if (columns.length < 2 || name === null || !columns.every((column) => isOptional(sample, column.name))) return [];
  const parts = columns.map((column) => `${readText(sample, column.name)} != ""`);
  const holds: ScopeCondition['holds'] = (row) => texts.some((text) => text(row) !== '');
  return [{ when: `(${parts.join(' || ')})`, holds, note: 'a row without a name is not a person' }];
}

const GUEST =
  /^(?:(?:single-channel |multi-channel |restricted )?guest|gast|gjest|gäst|vieras|invité|invitado|ospite|gość|bot|workflow bot|service account|system user|shared mailbox|resource|room)$/i;

/** A column that says who is a guest: `userType`. */
function ofMembers(sample: Sample): readonly ScopeCondition[] {
  return sample.columns.flatMap((column): readonly ScopeCondition[] => {
    const guests = [...(column.counts ?? new Map<string, number>()).keys()].filter((word) => GUEST.test(word));
    const isType = splitHeader(column.name).some((word) =>
      /^(?:type|typ|usertype|kind|tipo|status|role|category)$/.test(word),
    );
    if (guests.length === 0 || !isType || (column.counts?.size ?? 0) > 8) return [];
    const words = guests.map((word) => JSON.stringify(word));
    const value = readText(sample, column.name);
    const when = words.length === 1 ? `${value} != ${words[0]}` : `!(${value} in [${words.join(', ')}])`;
    const text = readCell(column);
    const note = `${words.join(', ')} in ${JSON.stringify(column.name)}: not a colleague`;
    return [{ when, holds: (row) => !guests.includes(text(row)), note }];
  });
}

const MACHINE_ADDRESS =
  /^(?:svc|srv|service|system|no-?reply|admin|administrator|info|post|mail|office|reception|resepsjon|empfang|room|meeting|moterom|raum|shared|scanner|scan|printer|backup|sync|test|support|helpdesk|fax|konto|account)[\w.-]*@|[-_.]?bot@/i;
/** With this many known people in the file, a row without title and department is not a person. */
const MANY_KNOWN = 20;

/** In a directory, a row with neither a title nor a department is a mailbox, a room or a service. */
function working(sample: Sample, known: readonly MatchedRow[]): readonly ScopeCondition[] {
  const { title, department } = sample.meanings;
  const columns = [title, department].map((one) => columnOf(sample, one)).filter((column) => column !== undefined);
  const { email } = sample.meanings;
  const address = columnOf(sample, email);
  if (columns.length === 0 || address === undefined) return [];
  const texts = columns.map(readCell);
  const holds: ScopeCondition['holds'] = (row) => texts.some((text) => text(row) !== '');
  const nobody = sample.kept.filter((row) => !holds(row));
  const isSure = known.length >= MANY_KNOWN || nobody.every((row) => MACHINE_ADDRESS.test(readCell(address)(row)));
  if (!isSure || nobody.length * 5 > sample.kept.length) return [];
  const parts = columns.map((column) => `${readText(sample, column.name)} != ""`);
  const named = columns.map(({ name }) => JSON.stringify(name)).join(' nor ');
  const when = parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' || ')})`;
  return [{ when, holds, note: `a row with neither ${named} is a mailbox or a machine` }];
}

/** Addresses that no person has: these patterns are certain without other columns. */
function ofMachines(sample: Sample, email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  if (column === undefined || email === null) return [];
  const pattern = '^(?:svc|service|no-?reply|system)[-_.@]|[-_.]bot@';
  const holds: ScopeCondition['holds'] = (row) => !new RegExp(pattern).test(email.read(row));
  const address = `${readText(sample, column.name)}.lowerAscii()`;
  const when = `!${address}.matches(${JSON.stringify(pattern)})`;
  return [{ when, holds, note: 'services and bots are not people' }];
}

/** A company has few domains: an account with more of them shows nothing. */
const MOST_DOMAINS = 3;

/** Addresses of a domain that nobody in a large account has are those of another company. */
function ofCompany(sample: Sample, known: readonly MatchedRow[], email: Weighed | null): readonly ScopeCondition[] {
  const column = sample.columns.find(({ name }) => JSON.stringify(name) === email?.from);
  const domains = [...new Set(known.map(({ person }) => domainOf(person.email)))];
  if (column === undefined || email === null || known.length < MANY_KNOWN || domains.length > MOST_DOMAINS) return [];
  const holds: ScopeCondition['holds'] = (row) => email.read(row) === '' || domains.includes(domainOf(email.read(row)));
  const others = sample.kept.map(email.read).filter((text) => text !== '' && !domains.includes(domainOf(text)));
  if (others.length * 5 > sample.kept.length) return [];
  const address = `${readText(sample, column.name)}.lowerAscii()`;
  const ends = domains.map((domain) => `${address}.endsWith(${JSON.stringify(`@${domain}`)})`);
  const when = ends.length === 1 ? (ends[0] ?? '') : `(${ends.join(' || ')})`;
  return [{ when, holds, note: `${JSON.stringify(others[0] ?? '')} is an address of another company` }];
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

const MACHINE = /^(?:bot|integration|service|serviceaccount|system|robot|technical|app|shared)$/;

/** A flag for machines: `is_bot`. */
function ofPeople(sample: Sample): readonly ScopeCondition[] {
  return sample.columns.flatMap((column): readonly ScopeCondition[] => {
    const words = splitHeader(column.name).filter((word) => !/^(?:is|user|account|mailbox)$/.test(word));
    if (column.column?.type !== 'bool' || words.length === 0 || !words.every((word) => MACHINE.test(word))) return [];
    const value = read(sample, column.name);
    const when = isOptional(sample, column.name) ? `!${value}.orValue(false)` : `!${value}`;
    const text = readCell(column);
    const holds: ScopeCondition['holds'] = (row) => !/^(?:true|yes|y|1|x)$/i.test(text(row));
    return [{ when, holds, note: `${JSON.stringify(column.name)} marks rows that are not people` }];
  });
}
