import type { Person } from './company.js';

/** The way an export writes its values. */
export interface Style {
  /** `dd.MM.yyyy`, as declared for columns. */
  readonly dates: string;
  /** The language of country names. */
  readonly language: string;
  /** Words of a status column. Without the last two, such people look active or are not in the file. */
  readonly status: { readonly active: string; readonly left: string; readonly leave?: string; readonly later?: string };
  readonly flags: readonly [yes: string, no: string];
  /** Words for employee, contractor and intern. */
  readonly types: readonly [string, string, string];
  /** The code before the name of an office. */
  readonly codes: Readonly<Record<string, string>>;
  /** The mark after the name of a person on leave. */
  readonly leaveMark: string;
}

/** Facts about people that a column states, so that the file can answer a question. */
export type Fact =
  | 'number'
  | 'email'
  | 'name'
  | 'nickname'
  | 'shouted'
  | 'title'
  | 'grade'
  | 'office'
  | 'hiddenOffice'
  | 'city'
  | 'country'
  | 'workPhone'
  | 'mobile'
  | 'left'
  | 'starts'
  | 'contract';

interface WordMeaning {
  readonly says?: readonly Fact[];
  readonly write: (person: Person, style: Style) => string;
}

const plain = (write: WordMeaning['write'], ...says: readonly Fact[]): WordMeaning => ({ says, write });

/** Contents of columns. */
export const WORDS = {
  number: plain((p) => p.number, 'number'),
  longNumber: plain((p) => (p.number === '' ? '' : p.number.padStart(8, '0')), 'number'),
  /** As spreadsheets keep a number from being shortened. */
  apostropheNumber: plain((p) => (p.number === '' ? '' : `'${p.number}`), 'number'),
  contract: plain((p) => p.contract, 'contract'),
  objectId: plain((p) => p.objectId),

  first: plain((p) => p.first, 'name'),
  last: plain((p) => p.last, 'name'),
  preferred: plain((p) => p.preferred, 'name', 'nickname'),
  nickname: plain((p) => (p.preferred === p.first ? '' : p.preferred), 'nickname'),
  full: plain((p) => join(p.preferred, p.last), 'name', 'nickname'),
  legal: plain((p) => join(p.first, p.last), 'name'),
  lastFirst: plain((p) => [p.last, p.first].filter((part) => part !== '').join(', '), 'name'),
  marked: plain((p, s) => `${join(p.preferred, p.last)}${markOf(p, s)}`, 'name', 'nickname'),
  firstShouted: plain((p) => p.first.toUpperCase(), 'name', 'shouted'),
  lastShouted: plain((p) => p.last.toUpperCase(), 'name', 'shouted'),
  lastFirstShouted: plain((p) => [p.last, p.first].join(', ').toUpperCase(), 'name', 'shouted'),
  prefix: plain((p) => splitLast(p.last)[0]),
  lastBare: plain((p) => splitLast(p.last)[1]),

  email: plain((p) => p.email, 'email'),
  emailCapital: plain((p) => p.email.replace(/(^|[.-])[a-z]/g, (sign) => sign.toUpperCase()), 'email'),
  /** Accounts that are not people have no address. */
  mailOfPeople: plain((p) => (p.nobody === null ? p.email : ''), 'email'),
  upn: plain((p) => p.upn),
  account: plain((p) => p.upn.replace(/@.*/, '')),
  privateEmail: plain((p) => p.privateEmail),

  title: plain((p) => p.title, 'title'),
  grade: plain((p) => p.grade, 'grade'),

  office: plain((p) => p.site.name, 'office'),
  officeCoded: plain((p, s) => `${s.codes[p.site.name] ?? '100'} - ${p.site.name}`, 'office'),
  officeCode: plain((p, s) => s.codes[p.site.name] ?? '100'),
  /** Below a header that names something else. */
  officeElsewhere: plain((p) => (p.nobody === null ? p.site.name : ''), 'hiddenOffice'),
  city: plain((p) => p.site.name, 'city'),
  /** In English, for places that the account has in their own language. */
  officeEnglish: plain((p) => nameInEnglish(p.site.name), 'hiddenOffice'),
  country: plain((p, s) => nameCountry(p.site.country, s.language), 'country'),
  country2: plain((p) => p.site.country.toUpperCase(), 'country'),
  country3: plain((p) => COUNTRY3[p.site.country] ?? '', 'country'),

  workPhone: plain((p) => p.workPhone, 'workPhone'),
  mobile: plain((p) => p.mobile, 'mobile'),

  status: plain((p, s) => wordOf(p, s.status), 'left'),
  enabled: plain((p, s) => s.flags[p.hasLeft ? 1 : 0], 'left'),
  blocked: plain((p, s) => s.flags[p.hasLeft ? 0 : 1], 'left'),
  start: plain((p, s) => formatDay(p.start, s.dates), 'starts'),
  end: plain((p, s) => formatDay(p.end, s.dates), 'left'),
  endOr9999: plain((p, s) => formatDay(p.end ?? '9999-12-31', s.dates), 'left'),
  /** Only for people who have left. */
  leftOn: plain((p, s) => formatDay(p.hasLeft ? p.end : null, s.dates), 'left'),

  manager: plain((p) => (p.manager === null ? '' : join(p.manager.preferred, p.manager.last))),
  managerLastFirst: plain((p) => (p.manager === null ? '' : `${p.manager.last}, ${p.manager.first}`)),
  managerEmail: plain((p) => p.manager?.email ?? ''),
  managerNumber: plain((p) => p.manager?.number ?? ''),
  department: plain((p) => p.department),
  costCentre: plain((p) => String(4000 + (p.department.length % 7) * 10)),
  type: plain((p, s) => s.types[p.type === 'employee' ? 0 : p.type === 'contractor' ? 1 : 2]),
  birthday: plain((p, s) => formatDay(p.birthday, s.dates)),
  gender: plain((p) => p.gender.toUpperCase()),
  salary: plain((p) => String(p.salary)),
  primary: plain((p, s) => s.flags[isOtherJob(p) ? 1 : 0]),
  empty: plain(() => ''),
} as const satisfies Readonly<Record<string, WordMeaning>>;

export type Word = keyof typeof WORDS;
/** A word, or a value that the service does not have. */
export type Cells = Word | ((person: Person, style: Style) => string);

export function meaningOf(cells: Cells): WordMeaning {
  return typeof cells === 'function' ? { write: cells } : WORDS[cells];
}

/** True for a row of a person's other job. */
export function isOtherJob({ contract }: Person): boolean {
  return contract.endsWith('-2');
}

function join(first: string, last: string): string {
  return `${first} ${last}`.trim();
}

function markOf({ onLeave }: Person, { leaveMark }: Style): string {
  return onLeave ? leaveMark : '';
}

function wordOf(person: Person, { active, left, leave, later }: Style['status']): string {
  if (person.hasLeft) return left;
  if (person.startsLater) return later ?? active;
  return person.onLeave ? (leave ?? active) : active;
}

/** `van den Berg` → `van den` and `Berg`. */
function splitLast(last: string): readonly [prefix: string, rest: string] {
  const [, prefix = '', rest = last] = /^((?:[a-zéA-Z]{1,3} )+)(.*)$/.exec(last) ?? [];
  return [prefix.trim(), rest];
}

export function formatDay(day: string | null, pattern: string): string {
  const [, year = '', month = '', date = ''] = /^(\d+)-(\d+)-(\d+)$/.exec(day ?? '') ?? [];
  if (year === '') return '';
  const name = MONTHS[Number(month) - 1] ?? '';
  return pattern.replace(/'[^']*'|yyyy|MMM|MM|dd|M|d/g, (part) => {
    return (
      { yyyy: year, MMM: name, MM: month, dd: date, M: String(Number(month)), d: String(Number(date)) }[part] ??
      part.replaceAll("'", '')
    );
  });
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function nameCountry(code: string, language: string): string {
  const spoken = language === 'no' ? 'nb' : language;
  return new Intl.DisplayNames([spoken], { type: 'region' }).of(code.toUpperCase()) ?? '';
}

const ENGLISH: Readonly<Record<string, string>> = { København: 'Copenhagen', Göteborg: 'Gothenburg', Wien: 'Vienna' };

export function nameInEnglish(place: string): string {
  return ENGLISH[place] ?? place;
}

const COUNTRY3: Readonly<Record<string, string>> = {
  ...{ no: 'NOR', gb: 'GBR', de: 'DEU', at: 'AUT', ch: 'CHE', se: 'SWE', fi: 'FIN', dk: 'DNK', nl: 'NLD', be: 'BEL' },
  ...{ fr: 'FRA', es: 'ESP', pt: 'PRT', it: 'ITA', pl: 'POL', us: 'USA', ca: 'CAN', ie: 'IRL' },
};
