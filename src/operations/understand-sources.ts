import type { App } from '../app/app.js';
import { goInSteps, isoNow } from '../base/clock.js';
import type { KnownService } from '../config/sample/answers.js';
import { observe } from '../mirror/observe.js';
import { checkReplaced } from '../mirror/prove-account.js';
import { isFullReadDue, refreshMirror } from '../mirror/refresh.js';
import { createRefusedReads } from '../mirror/refused-reads.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import type { Understood } from '../model/understood.js';
import { type StagedEntity, stageEntities } from '../planning/staging/stage-sources.js';
import type { AccountSide } from '../planning/understanding/compare-records.js';
import { createMappedRows } from '../planning/understanding/mapped-rows.js';
import { UNDERSTOOD, understandInSteps } from '../planning/understanding/understand.js';
import type { Stores } from '../store/open-stores.js';
import { openScratchStores } from '../store/scratch-stores.js';

type ReadingApp = Pick<App, 'config' | 'stores' | 'clock' | 'mappers' | 'today' | 'stageContext' | 'refreshContext'>;

/** How the sources are understood, and the reads on which this is based. */
export interface SourcesUnderstood {
  readonly understood: Understood;
  readonly staged: readonly StagedEntity[];
}

/**
 * Reads the sources as a run does, and the people of the account, and summarises how they match. Everything goes into
 * temporary stores that are removed afterwards. Nothing is written to the service or the state.
 *
 * @param mayAsk true if the account can be read
 */
export async function understandSources(app: ReadingApp, mayAsk: boolean): Promise<SourcesUnderstood> {
  const scratch = openScratchStores(app.stores.folder, isoNow(app.clock));
  try {
    return await understandWith(app, scratch.stores, () => (mayAsk ? readAccountSide(app, scratch.stores) : null));
  } finally {
    scratch.close();
  }
}

/** Summarises an account that was read before a configuration existed, in a state that is discarded afterwards. */
export async function understandKnown(app: ReadingApp, known: KnownService): Promise<SourcesUnderstood> {
  const { stores } = app;
  saveKnown(stores.mirror, known);
  const account = { ...stores, entities: new Set<Entity>(['users']), isPartial: true };
  return understandWith(app, stores, () => account);
}

async function understandWith(
  app: ReadingApp,
  { work }: Pick<Stores, 'work'>,
  readAccount: () => AccountSide | null | Promise<AccountSide | null>,
): Promise<SourcesUnderstood> {
  const { config, today, refreshContext } = app;
  const mappers = Object.fromEntries(UNDERSTOOD.flatMap((entity) => [[entity, app.mappers[entity]] as const]));
  const mapped = createMappedRows(mappers, today);
  work.reset();
  const stage = { ...app.stageContext, work, mappedUnder: null, onMapped: mapped.take };
  const [account, staged] = await Promise.all([readAccount(), stageEntities(mappers, stage)]);
  const steps = understandInSteps({ config, staged, mapped, work, account });
  return { staged, understood: await goInSteps(steps, refreshContext.signal) };
}

/** Returns the mirror if a run has read everyone and no full read is due. Otherwise reads the account, 500 people per page. */
async function readAccountSide(app: ReadingApp, scratch: Stores): Promise<AccountSide | null> {
  const { config, stores, clock, refreshContext } = app;
  const { links } = stores;
  await checkReplaced(stores, refreshContext);
  if (!isFullReadDue(config, stores.mirror, clock)) return { ...stores, entities: new Set(ENTITIES), isPartial: false };
  const refused = createRefusedReads();
  const { mirror, objectsAhead } = scratch;
  await refreshMirror({ ...refreshContext, mirror, once: new Map() }, true, refused);
  const entities = (['users', 'customers'] as const).filter((entity) => refused.find(entity) === null);
  return entities.length === 0 ? null : { mirror, links, objectsAhead, entities: new Set(entities), isPartial: false };
}

const ROUND = 1;
const AT_A_TIME = 500;

function saveKnown(mirror: Stores['mirror'], { offices, people }: KnownService): void {
  mirror.save(
    offices.map(({ country, name }, i) => observe('offices', `office ${i}`, null, { country, name })),
    ROUND,
  );
  for (let from = 0; from < people.length; from += AT_A_TIME) {
    const page = people.slice(from, from + AT_A_TIME).map((person, i) => {
      const { email, externalId, name, title, office, telephone, deactivated } = person;
      const values = { email, external_unique_id: externalId, name, title, office, telephone };
      return { ...observe('users', `person ${from + i}`, null, values), active: !deactivated };
    });
    mirror.save(page, ROUND);
  }
}
