import type { Edit, Passing, Tables } from './history.js';
import { BOARD, isInUse } from './in-use.js';
import { type Facts, type Holding, text } from './part.js';

/** Number → the next number, for everyone renumbered so far. */
export type Renumbered = ReadonlyMap<string, string>;

/**
 * Values circulate only among existing people. An account moves by itself only if the person exists as the row says.
 */
export function passingIn(holding: Holding): Passing {
  return {
    canPass(key, tables) {
      const facts = holding.get(`user ${key}`);
      return isInUse(key, tables) && facts?.deactivated === false && facts.name !== BOARD;
    },
    canRenumber(key, tables) {
      const cells = tables.people.get(key) ?? {};
      const facts = holding.get(`user ${key}`);
      if (facts === undefined || facts.key !== key || facts.deactivated === true) return false;
      const isSame = facts.name === text(cells, 'name') && facts.email === text(cells, 'email');
      const born = text(cells, 'born');
      return isSame && isInUse(key, tables) && (born === '' || facts.born === Number(born));
    },
  };
}

/** The people whose number changed with the edits. */
export function listRenumbered(before: Tables, after: Tables, edits: readonly Edit[]): Renumbered {
  return new Map(
    edits.flatMap((edit): readonly (readonly [string, string])[] => {
      const isDone = edit.do === 'renumber' && after.people.has(edit.to) && !before.people.has(edit.to);
      return isDone ? [[edit.key, edit.to]] : [];
    }),
  );
}

/** The same objects under people's current numbers. The number stored in the service stays unchanged. */
export function renameHolding(holding: Holding, renumbered: Renumbered): Holding {
  if (renumbered.size === 0) return holding;
  const now = (value: string): string => {
    let number = value;
    for (let next = renumbered.get(number); next !== undefined; next = renumbered.get(number)) number = next;
    return number;
  };
  const rename = (name: string): string => (/^(user|seat) /.test(name) ? name.split(' ').map(now).join(' ') : name);
  return new Map(
    [...holding].map(([name, facts]): [string, Facts] => [
      rename(name),
      Object.fromEntries(
        Object.entries(facts).map(([field, value]) => {
          if (!NAMING.includes(field) || value === null) return [field, value];
          return [field, Array.isArray(value) ? value.map((one) => now(String(one))).sort() : now(String(value))];
        }),
      ),
    ]),
  );
}

/** Fields that name people. */
const NAMING: readonly string[] = ['person', 'owner', 'owners', 'team', 'people'];
