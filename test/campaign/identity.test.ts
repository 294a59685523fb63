import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH } from '../depth.js';
import { person, type Row } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';

const PEOPLE = [
  ['Jane', 'Doe', '1980'],
  ['Peter', 'Pan', '1990'],
  ['Olga', 'Holm', '1975'],
  ['Wei', 'Zhang', '1988'],
  ['Mia', 'Kurz', '1969'],
  ['Tom', 'Quist', '1993'],
] as const;
const KEYS = ['E1', 'E2', 'E3', 'E4'] as const;
/** A family name after a marriage. */
const MARRIED = ['Arden', 'Birk', 'Cole', 'Dahl', 'Eik', 'Falk'] as const;

const key = fc.nat(KEYS.length - 1);
const who = fc.nat(PEOPLE.length - 1);
const step = fc.oneof(
  // The cells of another row over these, with or without the year of birth; a number that is used again.
  fc.record({ do: fc.constantFrom('paste', 'paste without the year', 'swap'), at: key, from: key }),
  fc.record({ do: fc.constantFrom('give the number to'), at: key, from: who }),
  fc.record({ do: fc.constantFrom('marry', 'leave', 'come back', 'take out'), at: key, from: key }),
);

/** The possible names and addresses of one person; an account has those of one person. */
function createPerson(at: number) {
  const [first, last, rank] = PEOPLE[at] ?? PEOPLE[0];
  const cells = (family: string) => ({ first, last: family, email: `${first}.${family}@example.com`.toLowerCase() });
  return { at, rank, single: cells(last), married: cells(MARRIED[at] ?? 'Arden') };
}

test('never gives an account to another person, or mixes a name and an address, unless somebody says who it is', async () => {
  const all = PEOPLE.map((_, at) => createPerson(at));
  const owners = new Map(
    all.flatMap(({ at, single, married }) =>
      [single, married].flatMap((one) => [[`${one.first} ${one.last}`, at] as const, [one.email, at] as const]),
    ),
  );
  async function play(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
    const story = await openStory();
    story.configure({ users: { fields: { born_year: 'int(record.?rank.orValue("1970"))' } } });
    const rows: Row[] = KEYS.map((id, at) => ({ ...person(id), ...all[at]?.single, rank: all[at]?.rank ?? '' }));
    // The owner of each account, in the order of creation.
    const accounts: (number | undefined)[] = [];
    const sync = async (): Promise<void> => {
      story.clock.advance(13 * 3_600_000);
      story.deliver(rows.filter(({ status }) => status !== 'out'));
      await story.sync();
      story.users().forEach(({ name, email }, account) => {
        const is = owners.get(name);
        expect([name, owners.get(email)]).toEqual([name, is]);
        if (accounts[account] === undefined) accounts[account] = is;
        expect([name, is]).toEqual([name, accounts[account]]);
      });
    };
    await sync();
    for (const { do: what, at, from } of steps) {
      const [row, other] = [rows[at] ?? person('E1'), rows[from % KEYS.length] ?? person('E1')];
      const keep = { id: row.id ?? '', ...(row.status === undefined ? {} : { status: row.status }) };
      if (what === 'paste' || what === 'swap') rows[at] = { ...other, ...keep };
      if (what === 'swap') rows[from % KEYS.length] = { ...row, id: other.id ?? '' };
      if (what === 'paste without the year') rows[at] = { ...other, ...keep, rank: row.rank ?? '' };
      if (what === 'give the number to') rows[at] = { ...row, ...all[from]?.single, rank: all[from]?.rank ?? '' };
      if (what === 'marry') {
        const mine = all.find(({ single }) => single.first === row.first);
        rows[at] = { ...row, ...mine?.married };
      }
      if (what === 'leave' || what === 'take out') rows[at] = { ...row, status: what === 'leave' ? 'left' : 'out' };
      if (what === 'come back') rows[at] = { ...row, status: '' };
      await sync();
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
      try {
        await play(steps);
      } finally {
        await closeOpened();
      }
    }),
    { numRuns: IS_THOROUGH ? 12 : 1, endOnFailure: !IS_THOROUGH },
  );
});
