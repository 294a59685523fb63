import { createLookUps } from '../../src/mirror/look-up.js';
import type { RefreshContext } from '../../src/mirror/refresh.js';
import { createRefusedReads } from '../../src/mirror/refused-reads.js';
import type { Desired } from '../../src/model/desired.js';
import type { Entity } from '../../src/model/entity.js';
import type { Values } from '../../src/model/json.js';
import type { Observed } from '../../src/model/observed.js';
import type { DeriveContext, ReadingContext } from '../../src/planning/derive-context.js';
import type { StreamRead } from '../../src/planning/staging/read-streams.js';
import type { StagedEntity } from '../../src/planning/staging/stage-sources.js';
import type { Stores } from '../../src/store/open-stores.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { desiredOf, evidenceOf, observedOf, openTestStores } from '../samples.js';

export const NOW = '2026-11-20T12:00:00.000Z';

/** Both sides before a plan is derived. An account with one office and one completely read source always exist. */
export interface World extends Partial<Pick<DeriveContext, 'config' | 'usersFresh' | 'isChecked' | 'serviceRead'>> {
  readonly stores?: Stores;
  readonly rows?: readonly Desired[];
  readonly mirror?: readonly Observed[];
  readonly staged?: readonly StagedEntity[];
  /** The service's answers by name of the call; null for the others. */
  readonly shows?: Readonly<Record<string, unknown>>;
}

const PLACES = [
  observedOf('c1', { code: 'no' }, { entity: 'countries' }),
  observedOf('o1', { country: 'no', name: 'Oslo' }, { entity: 'offices' }),
];

/** The values that hr has for this key. */
export function personOf(key: string, more: Values = {}): Values {
  const office = { country: 'no', name: 'Oslo' };
  return { external_unique_id: key, email: `${key.toLowerCase()}@x.test`, name: key, office, ...more };
}

export function rowOf(key: string, more: Values = {}, row: Partial<Desired> = {}): Desired {
  return desiredOf(key, personOf(key, more), row);
}

export function readOf(source: string, more: Partial<StreamRead> = {}): StreamRead {
  return { source, evidence: evidenceOf({ source }), error: null, ...more };
}

export function stagedOf(entity: Entity, ...deciding: readonly StreamRead[]): StagedEntity {
  return { entity, deciding, enriching: [] };
}

/** Answers every call at any depth by its name: `cvs.sections.get`. */
function answerAll(name: string, answer: (name: string, args: readonly unknown[]) => unknown): unknown {
  return new Proxy(() => undefined, {
    get: (_, of) => answerAll(name === '' ? String(of) : `${name}.${String(of)}`, answer),
    apply: (_, _this, args: readonly unknown[]) => answer(name, args),
  });
}

const STREAMS = ['companies', 'partners', 'deals', 'staffing', 'bids', 'certificates'];
const SOURCES = STREAMS.map((name) => `      ${name}: { pattern: "${name}*.csv", key: id, columns: { id: string } }\n`);
const MAPPINGS = {
  customers: `customers:
  from: [crm.companies, crm.partners]
  match: [external_unique_id]
  fields: { external_unique_id: record.id, customer_name: { en: record.id }, industry: record.id }
`,
  projects: `projects:
  from: [crm.deals]
  match: [external_unique_id]
  fields: { external_unique_id: record.id, customer: record.id, project_name: { en: record.id } }
`,
  staffing: `staffing:
  from: [crm.staffing]
  fields: { project: record.id, user: record.id, link: "true" }
`,
  proposals: `proposals:
  from: [crm.bids]
  match: [name]
  fields: { name: record.id, cvs: "[record.id]", references: "[record.id]", collaborators: "[record.id]" }
`,
  certifications: `cv_sections:
  certifications:
    from: [crm.certificates]
    fields: { user: record.id, external_unique_id: record.id, name: { en: record.id } }
`,
} as const;

/** The sample with a CRM, and with these mappings of it. */
export function withCrm(mapped: readonly (keyof typeof MAPPINGS)[], text: string = SAMPLE): string {
  const crm = `  crm:\n    type: crm\n    drop: ./drop/crm\n    streams:\n${SOURCES.join('')}users:\n`;
  return `${change('users:\n', crm, text)}${mapped.map((one) => MAPPINGS[one]).join('')}`;
}

/** The input of planning, and the calls of the service that it makes. */
export function contextOf(world: World): { readonly context: DeriveContext; readonly calls: readonly string[] } {
  const { config = loadSample(), stores = openTestStores(), shows = {} } = world;
  stores.mirror.save([...PLACES, ...(world.mirror ?? [])], 1);
  stores.work.stage((world.rows ?? []).map((desired) => ({ desired, hash: `h-${desired.key}` })));
  const calls: string[] = [];
  const call = (name: string, args: readonly unknown[]): unknown => {
    calls.push([name, ...args.filter((one) => typeof one === 'string')].join(' '));
    return shows[name] ?? (/\.(search|list|listCategories|readChanges)$/.test(name) ? [] : null);
  };
  const reader = answerAll('', call);
  const { mirror } = stores;
  const lookUps = createLookUps({ reader, mirror, signal: undefined } as unknown as Parameters<
    typeof createLookUps
  >[0]);
  const clock = { now: () => Date.parse(NOW), sleep: async () => undefined };
  const once = new Map<string, Promise<void>>();
  const kept = {
    config,
    reader,
    mirror,
    lookUps,
    clock,
    once,
    signal: undefined,
    serviceTime: () => null,
    callsLeft: () => Number.POSITIVE_INFINITY,
  };
  const refresh = { ...kept, logger: { warn: () => undefined } } as unknown as RefreshContext;
  const context: DeriveContext = {
    ...{ config, stores, mappers: {}, refresh, refused: createRefusedReads(), protectedBy: () => null, now: NOW },
    usersFresh: world.usersFresh ?? true,
    staged: world.staged ?? [stagedOf('users', readOf('hr'))],
    ...(world.isChecked === undefined ? {} : { isChecked: world.isChecked }),
    ...(world.serviceRead === undefined ? {} : { serviceRead: world.serviceRead }),
  };
  return { context, calls };
}

/** The same input for the reads of an entity, all of whose candidates may change. */
export function readingOf(entity: Entity, context: DeriveContext): ReadingContext {
  return { ...context, moving: () => context.stores.work.candidates(entity, 'c') };
}
