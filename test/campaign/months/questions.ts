import type { NamedHold } from '../../../src/model/desired.js';
import type { GuardTrip, PlannedChange } from '../../../src/model/plan.js';

/** A decision for a person, asked once however many changes it concerns. */
export interface Question {
  readonly atMs: number;
  /** A guard, or the code of a hold. */
  readonly of: string;
  /** For a hold: the key of its record. */
  readonly key: string | null;
  readonly found: number;
  readonly limit: number;
  /** The number of changes that no open question of the same guard had. */
  readonly fresh: number;
}

/** The findings of a run: the changes that each guard holds, and the holds. */
export interface Asked {
  readonly guards: readonly GuardTrip[];
  readonly held: readonly NamedHold[];
  readonly changes: Iterable<Pick<PlannedChange, 'entity' | 'action' | 'key' | 'withheld'>>;
}

/** Guards that report for a pair the same as a hold of that pair. */
const OF_PAIRS = /\.(same_person|look_alike)$/;

export interface Desk {
  /** The new questions of a run. Nobody is asked twice about the same, but a guard that holds more asks again. */
  take(atMs: number, asked: Asked): readonly Question[];
  /** The open questions by name. */
  open(): ReadonlyMap<string, Question>;
  /** Marks it as decided; if it comes again, it is a new question. */
  close(name: string): void;
}

export function openDesk(): Desk {
  const open = new Map<string, { readonly question: Question; readonly of: ReadonlySet<string> }>();

  function ask(name: string, of: ReadonlySet<string>, question: Omit<Question, 'fresh'>): Question | null {
    const known = open.get(name)?.of ?? new Set();
    const fresh = [...of].filter((one) => !known.has(one)).length;
    if (fresh === 0 && open.has(name)) return null;
    const asked = { ...question, fresh };
    open.set(name, { question: asked, of: new Set([...known, ...of]) });
    return asked;
  }

  return {
    take(atMs, { guards, held, changes }) {
      const byGuard = new Map<string, Set<string>>();
      for (const { entity, action, key, withheld } of changes) {
        if (withheld?.by !== 'guard') continue;
        for (const guard of withheld.name.split(' + ')) {
          const all = byGuard.get(guard) ?? new Set();
          byGuard.set(guard, all.add(`${entity} ${action} ${key}`));
        }
      }
      const trips = guards.filter(({ guard }) => !OF_PAIRS.test(guard));
      const names = new Set([...trips.map(({ guard }) => guard), ...held.map(({ id }) => id)]);
      // A question that disappeared by itself is decided too.
      for (const name of open.keys()) if (!names.has(name)) open.delete(name);
      return [
        ...trips.map(({ guard, found, limit }) =>
          ask(guard, byGuard.get(guard) ?? new Set(), { atMs, of: guard, key: null, found, limit }),
        ),
        ...held.map(({ id, code, key }) => ask(id, new Set([id]), { atMs, of: code, key, found: 1, limit: 0 })),
      ].filter((question) => question !== null);
    },
    open: () => new Map([...open].map(([name, { question }]) => [name, question])),
    close: (name) => void open.delete(name),
  };
}
