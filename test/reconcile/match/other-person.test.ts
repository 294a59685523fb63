import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { readPersonName } from '../../../src/model/person-name.js';
import { isOtherPerson } from '../../../src/reconcile/match/other-person.js';
import type { NameCounts } from '../../../src/reconcile/ports.js';

interface Side {
  readonly name?: string;
  readonly email: string;
  readonly year?: number;
}
type Written = readonly [name: string, email: string, year?: number];

const COLLEAGUES = ['Anna', 'Nguyen', 'Van', 'Kim', 'Hansen'];

/** 300 people, of whom 20 have each of a few names. */
const COUNTS: NameCounts = {
  people: 300,
  countOf: (part) => (COLLEAGUES.some((name) => readPersonName(name).parts[0] === part) ? 20 : 1),
};

function valuesOf({ name, email, year }: Side): Values {
  return { email, ...(name === undefined ? {} : { name }), ...(year === undefined ? {} : { born_year: year }) };
}

function judge(then: Side, now: Side, isReturning = false, base: Values | null = null): boolean {
  const observed = { values: valuesOf(then), active: !isReturning };
  return isOtherPerson({ desired: { values: valuesOf(now) }, observed, base, isReturning }, () => COUNTS);
}

const side = ([name, local, year]: Written): Side => ({
  name,
  email: local.includes('@') ? local : `${local}@x.com`,
  ...(year === undefined ? {} : { year }),
});

/** The change, the values of the account, and those of the row. */
const THE_SAME: readonly (readonly [string, Written, Written])[] = [
  ['nothing', ['Jane Doe', 'jane.doe'], ['Jane Doe', 'jane.doe']],
  ['marriage', ['Kari Nordmann', 'kari.nordmann'], ['Kari Berge', 'kari.berge']],
  ['marriage of somebody with a common first name, the address unchanged', ['Anna Doe', '4711'], ['Anna Berg', '4711']],
  ['marriage, with a known year', ['Anna Doe', 'anna.doe', 1980], ['Anna Berg', 'anna.berg', 1980]],
  ['a double name after marriage', ['Anna Doe', 'anna.doe'], ['Anna Berg-Doe', 'anna.berg']],
  ['a changed first name', ['Robert Zeller', 'robert.zeller'], ['Roberta Zeller', 'roberta.zeller']],
  ['a nickname', ['Liz Taylor', 'liz.taylor'], ['Elizabeth Taylor', 'elizabeth.taylor']],
  ['a new domain', ['Jane Doe', 'jane.doe@old.com'], ['Jane Doe', 'jane.doe@new.com']],
  ['a new domain, of a common name', ['Nguyen Van Anna', 'anna@old.com'], ['Nguyen Van Anna', 'anna@new.com']],
  ['first and last name swapped', ['Jane Doe', 'jane.doe'], ['Doe Jane', 'jdoe']],
  ['a comma', ['Doe, Jane', 'jane.doe'], ['Jane Doe', 'jdoe']],
  ['a title', ['Dr. Jane Doe', 'jane.doe'], ['Jane Doe, PhD', 'jdoe']],
  ['particles', ['Vincent van der Berg', 'vberg'], ['Vincent Berg', 'vincent']],
  ['an initial', ['J. Doe', 'jd'], ['Jane Mary Doe', 'jane']],
  ['accents', ['José Núñez', 'jn'], ['Jose Nunez', 'jose.nunez']],
  ['umlauts in two letters', ['Jürgen Müller', 'jm'], ['Juergen Mueller', 'juergen']],
  ['Nordic letters', ['Øyvind Ås', 'oa'], ['Oeyvind Aas', 'oyvind']],
  ['a patronymic instead of a family name', ['Björk Jónsdóttir', 'bj'], ['Björk Guðmundsdóttir', 'bg']],
  ['a second family name', ['María García', 'mg'], ['María García López', 'mgl']],
  ['two family names in another order', ['María García López', 'mgl'], ['María López García', 'mlg']],
  ['a Korean given name in one word or two', ['Kim Min-jun', 'kmj'], ['Minjun Kim', 'minjun']],
  ['a Korean name with a blank or without', ['김 민준', 'kmj'], ['김민준', 'minjun']],
  ['a Chinese name with a blank or without', ['王 伟', 'ww'], ['王伟', 'wangwei']],
  ['another script, the year known', ['王伟', '4711', 1980], ['Wang Wei', '4711', 1980]],
  ['an Arabic name written otherwise', ['Mohammed al-Hassan', 'ma'], ['Mohamed Hassan', 'mh']],
  ['an apostrophe', ["Sinéad O'Connor", 'so'], ['Sinead OConnor', 'sinead']],
  ['a year that was wrong', ['Jane Doe', 'jane.doe', 1980], ['Jane Doe', 'jane.doe', 1981]],
  ['marriage, and a year that was wrong', ['Jane Doe', '4711', 1980], ['Jane Roe', '4711', 1981]],
];
const ONE_WAY: typeof THE_SAME = [
  ['another script, the address made of the new name', ['王伟', 'wei.wang'], ['Wang Wei', 'wei.wang']],
  ['the name instead of a nickname', ['Bob', 'robert.zeller'], ['Robert Zeller', 'robert.zeller']],
];

const ANOTHER: readonly (readonly [string, Written, Written])[] = [
  ['a number given again', ['Jane Doe', 'jane.doe'], ['Peter Pan', 'peter.pan']],
  ['a number given again, with the years', ['Jane Doe', 'jane.doe', 1980], ['Peter Pan', 'peter.pan', 1990]],
  ['another person of the family', ['Jane Doe', 'jane.doe', 1960], ['John Doe', 'john.doe', 1990]],
  ['a namesake', ['Jane Doe', 'jane.doe', 1960], ['Jane Doe', 'jane.doe2', 1990]],
  ['a shared mailbox', ['Jane Doe', 'office'], ['Peter Pan', 'office']],
  ['a common first name alone', ['Anna Doe', 'anna.doe'], ['Anna Berg', 'anna.berg']],
  ['a common family name alone', ['Nguyen Thi Mai', 'mai'], ['Nguyen Minh Tuan', 'tuan']],
  ['a common family name in another script', ['Kim Minjun', 'minjun'], ['Kim Seo-yeon', 'seoyeon']],
  ['another script, and another address', ['王伟', '4711'], ['Wang Wei', 'wei.wang']],
  ['another script, and an address of numbers', ['王伟', '4711'], ['Wang Wei', '4711']],
  ['the family name of a colleague as first name', ['Per Hansen', 'per'], ['Hansen Olsen', 'hansen']],
  ['a mailbox of another name', ['Lisa Doe', 'lisa'], ['Wei Li', 'lisa']],
];

describe('the row of a key', () => {
  it.each(THE_SAME)('is about the same person: %s', (_what, then, now) => {
    expect(judge(side(then), side(now))).toBe(false);
    expect(judge(side(now), side(then))).toBe(false);
  });

  it.each(ONE_WAY)('is about the same person: %s', (_what, then, now) => {
    expect(judge(side(then), side(now))).toBe(false);
  });

  it.each(ANOTHER)('is about another person: %s', (_what, then, now) => {
    expect(judge(side(then), side(now))).toBe(true);
  });
});

describe('a deactivated account', () => {
  it.each([
    ['under the same name', ['Jane Doe', 'jane'], ['DOE, Jane M.', 'jd'], false],
    ['after a marriage, with the same address', ['Jane Doe', 'jane'], ['Jane Roe', 'jane'], false],
    ['after a marriage, in the same year', ['Jane Doe', 'jane', 1980], ['Mary Roe', 'jane', 1980], false],
    ['under another family name', ['Jane Doe', 'jane.doe'], ['Jane Roe', 'jane.roe'], true],
    ['under another first name', ['Jane Doe', 'info'], ['John Doe', 'info'], true],
  ] as readonly (readonly [string, Written, Written, boolean])[])(
    'is checked for another person when it returns %s',
    (_how, then, now, is) => {
      expect(judge(side(then), side(now), true)).toBe(is);
    },
  );
});

it('does not ask if the source still says what both sides agreed on', () => {
  const row = { name: 'Jane Doe', email: 'jane.doe@x.com', year: 1980 };
  const edited = { name: 'Peter Pan', email: 'p.pan@x.com', year: 1990 };
  expect(judge(edited, row, false, valuesOf(row))).toBe(false);
  expect(judge(edited, row, false, valuesOf(edited))).toBe(true);
});

it('judges by year and address if no name is mapped', () => {
  const [jane, other] = [
    { email: 'jane@x.com', year: 1980 },
    { email: 'peter@x.com', year: 1990 },
  ];
  expect(judge({ ...jane, name: 'Jane Doe' }, other)).toBe(true);
  expect(judge({ ...jane, name: 'Jane Doe' }, { email: 'peter@x.com' })).toBe(false);
});
