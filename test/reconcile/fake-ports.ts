import type { DueDeparture } from '../../src/model/departure.js';
import type { Candidate, Desired, Hold, OutOfScopeLink } from '../../src/model/desired.js';
import type { Entity } from '../../src/model/entity.js';
import type { Values } from '../../src/model/json.js';
import { correlationKeys, foldKey, type Observed } from '../../src/model/observed.js';
import type { Change, Withheld } from '../../src/model/plan.js';
import { isAdministrator } from '../../src/model/power.js';
import type { Pin } from '../../src/model/undo.js';
import type { EntitySettings, LeaverVerdict, PassedRow, ReconcilePorts } from '../../src/reconcile/ports.js';
import { reconcileEntity } from '../../src/reconcile/reconcile.js';
import { directoryOf, matchBy, type Names } from '../samples.js';

export interface World {
  readonly desired?: readonly Desired[];
  readonly observed?: readonly Observed[];
  /** `users:E1` → id */
  readonly links?: Readonly<Record<string, string>>;
  /** Source key → the values that both sides last agreed on, and the written ones. */
  readonly base?: Readonly<Record<string, Values>>;
  readonly written?: Readonly<Record<string, Values>>;
  /** Source keys whose record is unchanged since the pair was last found equal. */
  readonly unchanged?: readonly string[];
  readonly missing?: readonly { readonly key: string; readonly id: string }[];
  readonly names?: Names;
  readonly explicit?: LeaverVerdict;
  readonly absent?: LeaverVerdict;
  /** `users:E1` → its pins. */
  readonly pins?: Readonly<Record<string, readonly Pin[]>>;
  readonly outOfScope?: readonly OutOfScopeLink[];
  readonly gone?: readonly OutOfScopeLink[];
  readonly out?: LeaverVerdict;
  /** People whose purge is due by the time of their deactivation. */
  readonly due?: readonly DueDeparture[];
  /** The number of unusable rows. */
  readonly unreadable?: number;
  /** Words for people who were deleted permanently. */
  readonly deleted?: readonly string[];
  /** Accounts that this program made administrators. */
  readonly given?: readonly string[];
  readonly protectedBy?: (user: Observed) => string | null;
}

export interface FakePorts extends ReconcilePorts {
  readonly holds: Hold[];
  readonly adopted: string[];
  readonly agreedKeys: string[];
  readonly unpinned: string[];
  readonly passed: PassedRow[];
  readonly aside: ReadonlyMap<string, Withheld>;
  changes(): readonly Change[];
  levels(): ReadonlyMap<string, number>;
}

/** The ports of reconciliation as plain maps. */
export function createFakePorts(world: World): FakePorts {
  const holds: Hold[] = [];
  const adopted: string[] = [];
  const agreedKeys: string[] = [];
  const unpinned: string[] = [];
  const passed: PassedRow[] = [];
  const claims = new Map<string, Set<string>>();
  const planned = new Map<string, Change>();
  const aside = new Map<string, Withheld>();
  const levels = new Map<string, number>();
  const objects = world.observed ?? [];
  const questioned = new Set<string>();
  const links = world.links ?? {};
  const desired = (entity: Entity, key: string): Desired | null =>
    (world.desired ?? []).find((one) => one.entity === entity && one.key === key) ?? null;
  const candidates = (entity: Entity): readonly Candidate[] =>
    (world.desired ?? [])
      .filter((desired) => desired.entity === entity)
      .map((desired) => ({
        desired,
        desiredHash: `d-${desired.key}`,
        linkedId: links[`${entity}:${desired.key}`] ?? null,
        sourceUnchanged: world.unchanged?.includes(desired.key) === true,
        base: world.base?.[desired.key] ?? null,
        written: world.written?.[desired.key] ?? null,
      }));
  const observed = (entity: Entity, id: string): Observed | null =>
    objects.find((one) => one.entity === entity && one.id === id) ?? null;
  return {
    holds,
    adopted,
    agreedKeys,
    unpinned,
    passed,
    aside,
    changes: () => [...planned.values()],
    levels: () => levels,
    sources: {
      candidates,
      unlinked: (entity) => candidates(entity).filter(({ linkedId }) => linkedId === null),
      missing: () => world.missing ?? [],
      unreadableRows: () => world.unreadable ?? 0,
      outsiders: () => [],
      unusable: () => [],
      openRowNaming: () => null,
      faultyLeavers: () => [],
      isStaged: (entity, key) => desired(entity, key) !== null,
      explicitLeaver: () => world.explicit ?? { due: true, text: 'hr says so' },
      outOfScope: () => world.outOfScope ?? [],
      gone: () => world.gone ?? [],
      goneLeaver: (_entity, _key, source) => world.explicit ?? { due: true, text: `deleted in ${source}` },
      outOfScopeLeaver: () => world.out ?? { due: true, text: 'in hr, but not in scope' },
      absentLeaver: () => world.absent ?? { due: true, text: 'missing from 3 reads' },
      merges: () => [],
      desired,
      stagedState: (entity, key) => {
        const row = desired(entity, key);
        if (row !== null) return row.leaver ? 'leaver' : 'desired';
        return world.gone?.some((one) => one.key === key) === true ? 'gone' : null;
      },
    },
    service: {
      directory: directoryOf(world.names ?? {}),
      nameCounts: () => ({ people: objects.length, countOf: () => 1 }),
      wasDeleted: (word) => world.deleted?.includes(word) === true,
      observed,
      findIds: (entity, name, value) =>
        objects
          .filter(
            (one) =>
              one.entity === entity &&
              correlationKeys(one).some((key) => key.name === name && key.value === foldKey(value)),
          )
          .map(({ id }) => id),
      isDoubted: () => false,
      lackOf: () => null,
      isUnseen: () => false,
      renamedTo: () => null,
      linkedKey: (entity, id) => {
        const found = Object.entries(links).find(([ref, linked]) => linked === id && ref.startsWith(`${entity}:`));
        return found === undefined ? null : found[0].slice(entity.length + 1);
      },
      protectedBy: world.protectedBy ?? (() => null),
      administrators: () => objects.filter((one) => one.active && isAdministrator(one)),
    },
    memory: {
      dueDepartures: () => world.due ?? [],
      isApproved: () => false,
      isAnswered: () => false,
      saidSame: () => null,
      powerGiven: (id) => (world.given?.includes(id) === true ? 'r1' : null),
      pins: (entity, key) => world.pins?.[`${entity}:${key}`] ?? [],
      leaveUnread: () => {},
      unpin: (entity, key, path) => void unpinned.push(`${entity}:${key} ${path}`),
      resolution: () => null,
      seenAt: () => null,
      sight: () => {},
      sent: () => null,
      now: '2026-11-20T08:00:00.000Z',
      dayOf: (iso) => iso.slice(0, 10),
      link: (entity, key) => ({
        serviceId: links[`${entity}:${key}`] ?? '',
        base: world.base?.[key] ?? null,
        written: world.written?.[key] ?? null,
        was: null,
      }),
      adopt: (entity, key, id) => void adopted.push(`${entity}:${key}=${id}`),
      unadopt: (entity, key) =>
        void adopted.splice(0, adopted.length, ...adopted.filter((one) => !one.startsWith(`${entity}:${key}=`))),
      isAnyLinked: () => true,
      adoptEqual: () => {},
      dropClaimed: () => {},
      agreeInPart: () => {},
      agree: ({ desired }, { id }) => void agreedKeys.push(`${desired.key}=${id}`),
    },
    plan: {
      pass: (row) => void passed.push(row),
      question: (_entity, id) => void questioned.add(id),
      isInQuestion: (_entity, id) => questioned.has(id),
      claim(what, id, key) {
        const name = `${what} ${id}`;
        claims.set(name, (claims.get(name) ?? new Set()).add(key));
      },
      claimants: (what, id) => [...(claims.get(`${what} ${id}`) ?? [])].sort(),
      add: (change) => void planned.set(`${change.entity}:${change.key}`, change),
      drop: (ref) => void planned.delete(ref),
      setAside: (ref, withheld) => void aside.set(ref, withheld),
      // No guard holds anything here, so the other change goes through.
      keepUnless: (ref) => void planned.delete(ref),
      has: (ref) => planned.has(ref),
      find: (ref) => planned.get(ref) ?? null,
      plannedByTarget: (entity, id) =>
        [...planned.values()].find((one) => one.entity === entity && one.target === id && one.partOf === undefined) ??
        null,
      changesOf: (entity, ...actions) =>
        [...planned.values()].filter(
          (one) => one.entity === entity && (actions.length === 0 || actions.includes(one.action)),
        ),
      addNeed(ref, need) {
        const change = planned.get(ref);
        if (change !== undefined) planned.set(ref, { ...change, needs: [...new Set([...change.needs, need])].sort() });
      },
      replaceNeed(ref, need, by) {
        const change = planned.get(ref);
        if (change === undefined) return;
        planned.set(ref, {
          ...change,
          needs: [...change.needs.filter((one) => one !== need), ...(by === null ? [] : [by])].sort(),
        });
      },
      waitersOf: (need) => [...planned].flatMap(([ref, { needs }]) => (needs.includes(need) ? [ref] : [])),
      level(entity) {
        levels.clear();
        const open = new Set([...planned.keys()].filter((ref) => ref.startsWith(`${entity}:`)));
        for (let level = 0; open.size > 0; level++) {
          const free = [...open].filter((ref) => planned.get(ref)?.needs.some((need) => open.has(need)) !== true);
          if (free.length === 0) return [...open];
          for (const ref of free) {
            levels.set(ref, level);
            open.delete(ref);
          }
        }
        return [];
      },
      hold: (one) => void holds.push(one),
      suspect: (_ref, one) => void holds.push(one),
    },
  };
}

/** No address may be parked. */
export const NO_PARKING = { email: null, configDigest: 'config-1' } as const;

export function settingsOf(more: Partial<EntitySettings> = {}): EntitySettings {
  return {
    entity: 'users',
    policy: 'sync',
    drift: 'correct',
    conflicts: 'owner',
    writeBack: [],
    match: matchBy(['external_unique_id'], ['email']),
    rules: {},
    outOfScope: 'keep',
    unowned: 'keep',
    purgeAfterMs: null,
    relinkWithinMs: 180 * 86_400_000,
    removes: true,
    createMissingOffices: false,
    createMissingTags: false,
    unread: new Set(),
    saysLeft: new Set(),
    remapped: new Set(),
    configDigest: 'config-1',
    parkingEmail: null,
    ...more,
  };
}

export const OSLO = { country: 'no', name: 'Oslo' };
const NAMES = { countries: ['no'], offices: ['no/Oslo'] };
/** The values of hr for E1, whom `LINKED` links to u1. */
export const JANE: Values = { external_unique_id: 'E1', email: 'jane@example.com', office: OSLO, telephone: '1' };
export const LINKED = { 'users:E1': 'u1' };

/** Reconciles the people of a world that has the office of Oslo. */
export function reconcileWorld(world: World, settings: Partial<EntitySettings> = {}): FakePorts {
  const ports = createFakePorts({ names: NAMES, ...world });
  reconcileEntity(settingsOf(settings), ports);
  return ports;
}
