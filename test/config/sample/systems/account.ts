import type { Site } from './company.js';
import { type ExportFile, writeNumber } from './write-export.js';

export const ACCOUNT_STATES = ['none', 'small', 'full'] as const;
/**
 * `none`: no account was read. `small`: a new one, with three people. `full`: everybody except those who start later.
 */
export type AccountState = (typeof ACCOUNT_STATES)[number];

interface AccountPerson {
  readonly email: string;
  readonly externalId: string | null;
  readonly name: string;
  readonly title: Readonly<Record<string, string>>;
  readonly office: Site | null;
  readonly telephone: string | null;
  readonly deactivated: boolean;
}

export interface Account {
  readonly countries: readonly string[];
  readonly offices: readonly Site[];
  readonly people: readonly AccountPerson[];
}

/** Deactivated manually, although active in the file. */
const OUT_BY_HAND = 34;

export function openAccount({ company, variant, facts }: ExportFile, state: AccountState): Account | null {
  if (state === 'none') return null;
  const phone = accountPhone({ variant, facts });
  const everybody = company.people.map(
    (person, i): AccountPerson & { readonly i: number; readonly isHere: boolean } => {
      const moved = i === 21 ? company.sites[0] : person.site;
      return {
        i,
        isHere: !person.startsLater,
        email: person.email,
        externalId: i % 15 === 8 ? null : writeNumber(variant, person),
        name: `${person.preferred} ${person.last}`,
        // Some have been promoted since, and some have no title yet.
        title:
          i % 9 === 5 ? {} : { [company.language]: i % 17 === 3 ? (company.people[0]?.title ?? '') : person.title },
        office: moved ?? null,
        telephone: i % 7 === 3 || person[phone] === '' ? null : person[phone],
        deactivated: i === OUT_BY_HAND || (person.hasLeft && i < 30),
      };
    },
  );
  const chosen = everybody.filter(({ i, isHere }) => isHere && (state === 'full' || [0, 1, 3].includes(i)));
  const people = chosen.map(({ i: _, isHere: __, ...person }) => person);
  const offices = company.sites.filter(({ name }) => people.some(({ office }) => office?.name === name));
  return { countries: [...new Set(offices.map(({ country }) => country))], offices, people };
}

/** The kind of telephone number that the account has for this export. */
export function accountPhone({ variant, facts }: Pick<ExportFile, 'variant' | 'facts'>): 'workPhone' | 'mobile' {
  return variant.accountPhone ?? (facts.has('workPhone') ? 'workPhone' : 'mobile');
}
