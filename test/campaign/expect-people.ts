import type { Yaml } from '../scenarios/company.js';
import type { Cells, Settings } from './history.js';
import { accountOf, hasLeft, isProtected, isUnusable } from './in-use.js';
import {
  clearedText,
  type Facts,
  type Holding,
  keepText,
  type Moment,
  type PartReference,
  text,
  toList,
} from './part.js';
import { isPurgeBlocked, listGone, rememberDepartures, withoutPeople } from './purges.js';

const ROLES: Readonly<Record<string, readonly string[]>> = {
  bid: ['bidmanager'],
  ref: ['referencemanager'],
  both: ['bidmanager', 'referencemanager'],
  dep: ['departmentmanager'],
};

function expectPerson(
  key: string,
  cells: Cells,
  account: Cells,
  ...[now, { titleMark, emptyPhone }]: [Facts, Settings]
): Facts {
  const born = text(cells, 'born');
  return {
    ...now,
    key,
    name: text(cells, 'name'),
    email: text(cells, 'email'),
    place: text(cells, 'place'),
    'title.en': text(cells, 'title') === '' ? (now['title.en'] ?? null) : text(cells, 'title') + titleMark,
    'title.no': clearedText(cells, 'title_no'),
    phone: emptyPhone === 'clear' ? clearedText(cells, 'phone') : keepText(cells, 'phone', now.phone),
    upn: keepText(account, 'upn', now.upn),
    landline: clearedText(account, 'phone'),
    born: born === '' ? (now.born ?? null) : Number(born),
    roles: ['consultant', ...(ROLES[text(cells, 'role')] ?? [])].sort(),
    // A scope without the role means nothing.
    scope: text(cells, 'role') === 'dep' ? [text(cells, 'scope')] : null,
    'scope units': text(cells, 'role') === 'dep' ? toList(cells, 'unit') : null,
    'scope grades': text(cells, 'role') === 'dep' ? keepList(cells, 'grade', now['scope grades']) : null,
    unit: keepText(cells, 'unit', now.unit),
    grade: keepText(cells, 'grade', now.grade),
    skills: toList(cells, 'skills'),
    nick: keepText(cells, 'nick', now.nick),
    home: keepText(cells, 'home', now.home),
    deactivated: false,
  };
}

/** An empty cell says nothing. */
function keepList(cells: Cells, column: string, now: Yaml | undefined): Yaml {
  const list = toList(cells, column);
  return list.length > 0 ? list : (now ?? []);
}

/** The service had these people before, and nobody links them until a row of theirs arrives. */
function isOurs(facts: Facts | undefined): facts is Facts {
  return facts !== undefined && facts.key !== null;
}

const NOBODY: Facts = { 'title.sv': null, nationality: null };

/** The expected accounts of people, the holds, and when leavers were deactivated. */
export function createPeopleReference(): PartReference {
  const missing = new Map<string, number>();
  /** People who have left according to their last row: removing that row reverts nothing. */
  const said = new Set<string>();
  const departures = rememberDepartures();
  const held = new Set<string>();
  let purgeDays: number | null = null;

  /** A person has left: deactivated in this round, and deleted after a long time. */
  function leave(key: string, now: Facts, after: Map<string, Facts>, moment: Moment): void {
    const { settings, nowMs } = moment;
    const isOut = now.deactivated === true;
    const isDue = isOut && departures.isDue(key, nowMs);
    if (isOut && !isDue) return;
    if (isProtected(now, settings) || (isDue && isPurgeBlocked(key, moment))) held.add(key);
    else if (isDue) after.delete(`user ${key}`);
    else {
      after.set(`user ${key}`, { ...now, deactivated: true });
      departures.note(key, nowMs, settings.purgeDays);
    }
  }

  return {
    listHeld: () => [...held],
    seeUse(from, to, { isRun, nowMs }) {
      for (const [name, { deactivated }] of to) {
        if (!name.startsWith('user ') || deactivated !== true || from.get(name)?.deactivated !== false) continue;
        departures.forget(name.slice('user '.length));
        // A deactivation by an undo does not count, nor a forgotten one (docs/reference/guards.md, Deleting people permanently).
        if (isRun) departures.note(name.slice('user '.length), nowMs, purgeDays);
      }
    },
    waitMs: (nowMs) => departures.waitMs(nowMs),
    expect(moment: Moment): Holding {
      const { settings, before, after: sofar, rows, delivers, shown, nowMs } = moment;
      const after = new Map(sofar);
      held.clear();
      purgeDays = settings.purgeDays;
      for (const [name, { deactivated }] of before)
        if (deactivated === false) departures.forget(name.slice('user '.length));
      for (const [key, cells] of rows) {
        missing.delete(key);
        const now = before.get(`user ${key}`);
        const account = accountOf(shown.accounts ?? new Map(), key);
        if (isUnusable(cells)) {
          held.add(key);
          continue;
        }
        said.delete(key);
        if (hasLeft(cells, account)) {
          if (!isOurs(now)) continue;
          said.add(key);
          leave(key, now, after, moment);
        } else if (isProtected(now, settings)) held.add(key);
        else after.set(`user ${key}`, expectPerson(key, cells, account ?? {}, now ?? NOBODY, settings));
      }
      for (const [name, facts] of before) {
        const key = name.slice('user '.length);
        if (!name.startsWith('user ') || rows.has(key) || !isOurs(facts)) continue;
        // For a deactivated person nothing counts until the time is up.
        const counts = delivers && (facts.deactivated !== true || departures.isDue(key, nowMs));
        const reads = (missing.get(key) ?? 0) + (counts ? 1 : 0);
        missing.set(key, reads);
        const isProven = settings.afterMissingReads > 0 && reads >= settings.afterMissingReads;
        if (said.has(key) || isProven) leave(key, facts, after, moment);
      }
      const gone = listGone(before, after);
      for (const key of gone) departures.forget(key);
      return withoutPeople(after, gone);
    },
  };
}
