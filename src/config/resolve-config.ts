import { resolve } from 'node:path';
import { resolveProxy } from '../base/settings/proxy.js';
import type { Resolving } from '../base/settings/resolving.js';
import { resolveTls } from '../base/settings/tls.js';
import { ENTITIES, isAccount, isSection } from '../model/entity.js';
import { NO_MAPS } from '../model/lookup-maps.js';
import { parseQuietRange, type QuietRange } from '../model/quiet-hours.js';
import { checkCron } from './check-cron.js';
import { checkTimezone } from './check-timezone.js';
import type { Config, ServiceConfig, StreamEntity, StreamMapping, StreamMappings } from './config.js';
import { checkPeople } from './entities/check-people.js';
import { type EntityContext, resolveStreamMapping, resolveUsers } from './entities/resolve-entities.js';
import { resolveGuards, resolveSourceGuards, resolveSuspicions } from './entities/resolve-guards.js';
import { resolveDeliveries } from './resolve-deliveries.js';
import { resolveNotify } from './resolve-notify.js';
import { findShortestPause } from './schedule/spread.js';
import type { ConfigInput } from './schema.js';
import { createSecretReader } from './secrets.js';
import { resolveHooks, resolveSources } from './sources/resolve-sources.js';
import { listOpenStreams } from './write-back/find-write-back.js';
import type { ConfigDraft } from './yaml/check-shape.js';
import type { ConfigProblems } from './yaml/config-problems.js';

export interface ConfigSurroundings {
  readonly file: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv | null;
  /** Names of all sources in the file. */
  readonly written: readonly string[];
}

/** Resolves the written configuration to the form that the program uses; null if problems were reported. */
export function resolveConfig(
  draft: ConfigDraft,
  { file, folder, env, written }: ConfigSurroundings,
  report: ConfigProblems,
): Omit<Config, 'text' | 'digest'> | null {
  const readSecret = createSecretReader(folder, env, report);
  const outward = { folder, readSecret, report, ...findProxyVariable(env) };
  const timezone = checkTimezone(['timezone'], draft.timezone ?? 'UTC', report);
  const service = draft.service === undefined ? null : resolveService(draft.service, outward);
  const maps = draft.maps ?? NO_MAPS;
  const sources = resolveSources(draft.sources ?? {}, { ...outward, timezone, maps });
  const hooks = resolveHooks(draft.sources ?? {}, outward);
  const context: EntityContext = { sources, written, timezone, maps, report };
  const users = draft.users === undefined ? null : resolveUsers(draft.users, context);
  const streamMappings = resolveStreamMappings(draft, context);
  checkPeople(streamMappings, context);
  const schedule = resolveSchedule(draft.schedule, timezone, report);
  const deliveries = resolveDeliveries(draft, { folder, timezone: schedule.timezone, readSecret, report });
  const notify =
    draft.notify === undefined
      ? null
      : resolveNotify(
          { ...draft.notify, link: draft.notify.link ?? draft.web?.public_url ?? undefined },
          schedule.timezone,
          { folder, readSecret, report },
        );
  checkUse(draft, { users, streamMappings, ...deliveries }, report);
  const limits = resolveLimits(draft.guards ?? {}, { sources, users, streamMappings }, report);
  const quietHours = resolveQuietHours(draft.quiet_hours ?? [], report);
  if (service === null || !isWhole(draft, report)) return null;
  const { state, policy, drift, conflicts, plan, approvals, audit } = draft;
  return {
    file,
    service,
    state: resolve(folder, state),
    isNetworkState: draft.network_state === 'allow',
    policy,
    sources,
    hooks,
    users,
    streamMappings,
    mappings: users === null ? streamMappings : { users, ...streamMappings },
    industries: draft.customers?.industries ?? {},
    tags: { createMissing: draft.tags.create_missing },
    drift,
    conflicts,
    notifyPeople: draft.notify_people,
    ...limits,
    callBudget: draft.call_budget,
    quietHours,
    plan,
    approvals,
    audit,
    schedule,
    notify,
    ...deliveries,
    maps,
    timezone,
    hasPages: draft.web !== undefined,
  };
}

function resolveService(written: NonNullable<ConfigDraft['service']>, resolving: Resolving): ServiceConfig {
  const { apiKey, tls, proxy } = written;
  const { readSecret } = resolving;
  return {
    ...written,
    apiKey: readSecret(['service', 'api_key'], apiKey),
    tls: tls === undefined ? null : resolveTls(['service', 'tls'], tls, resolving),
    proxy: proxy === undefined ? null : resolveProxy(['service', 'proxy'], proxy, readSecret),
    unusedProxy: proxy === undefined ? (resolving.proxyVariable ?? null) : null,
  };
}

/** The variables for proxies that curl and other programs use. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const;

function findProxyVariable(env: NodeJS.ProcessEnv | null): Pick<Resolving, 'proxyVariable'> {
  const proxyVariable = PROXY_VARIABLES.find((name) => (env?.[name] ?? '') !== '');
  return proxyVariable === undefined ? {} : { proxyVariable };
}

/** True if the draft is complete. Every missing part has already been reported. */
function isWhole(draft: ConfigDraft, report: ConfigProblems): draft is ConfigInput {
  return draft.service !== undefined && (report.problems.length === 0 || report.hasOnlyMissingSecrets);
}

type Resolved = Pick<Config, 'users' | 'streamMappings'>;

function checkUse(
  draft: ConfigDraft,
  { users, streamMappings, reports, documents }: Resolved & Pick<Config, 'reports' | 'documents'>,
  report: ConfigProblems,
): void {
  if (
    users === null &&
    reports.length + documents.length === 0 &&
    Object.keys(streamMappings).length === 0 &&
    report.problems.length === 0
  ) {
    report.add([], 'nothing is synchronised', 'Add `users:`, `customers:`, `projects:` or `deliveries:`.');
  }
  if (users?.bulkLoad != null && users.bulkLoad.from > 0 && draft.notify_people?.create === true) {
    const message = 'the import sends no e-mail to the people it creates, but `notify_people.create` asks for that';
    report.add(['users', 'bulk_load'], message, 'Remove one of the two.', 'key');
  }
}

function resolveLimits(
  given: ConfigInput['guards'],
  { sources, users, streamMappings }: Resolved & Pick<Config, 'sources'>,
  report: ConfigProblems,
): Pick<Config, 'guards' | 'sourceGuards' | 'sourceSuspicions'> {
  const deciding = Object.values(streamMappings).flatMap(({ from }) => from);
  return {
    guards: resolveGuards(given, report),
    sourceGuards: resolveSourceGuards(given, listOpenStreams(sources), report),
    sourceSuspicions: resolveSuspicions(given, { existence: users?.existence ?? null, deciding }, report),
  };
}

/** Resolves the mappings of all entities that have streams, in the order of the entities. */
function resolveStreamMappings(draft: ConfigDraft, context: EntityContext): StreamMappings {
  const streamMappings: Partial<Record<StreamEntity, StreamMapping>> = {};
  for (const entity of ENTITIES) {
    if (isAccount(entity)) continue;
    const input = isSection(entity) ? draft.cv_sections?.[entity] : draft[entity];
    // `tags:` may contain only the setting that missing tags are created.
    if (input?.from === undefined || input.fields === undefined) continue;
    streamMappings[entity] = resolveStreamMapping(
      entity,
      { ...input, from: input.from, fields: input.fields },
      context,
    );
  }
  return streamMappings;
}

function resolveSchedule(input: ConfigDraft['schedule'], timezone: string, report: ConfigProblems): Config['schedule'] {
  const zone =
    input?.timezone === undefined ? timezone : checkTimezone(['schedule', 'timezone'], input.timezone, report);
  const fullRead = input?.full_read ?? '0 3 * * *';
  checkCron(['schedule', 'full_read'], fullRead, report);
  if (input?.every === undefined) return { fullRead, timezone: zone };
  const { every, spread, on_change: onChange, watch_service: watchServiceMs } = input;
  checkCron(['schedule', 'every'], every, report);
  if (spread !== undefined) checkSpread(every, spread, report);
  return {
    every,
    fullRead,
    timezone: zone,
    ...(spread === undefined ? {} : { spreadMs: spread }),
    ...(onChange ? { onChange } : {}),
    ...(watchServiceMs === undefined ? {} : { watchServiceMs }),
  };
}

/** Rejects a spread as long as the pause between slots, because a delayed run would look like the run of the next slot. */
function checkSpread(every: string, spreadMs: number, report: ConfigProblems): void {
  if (report.problems.length > 0) return;
  const pauseMs = findShortestPause({ every });
  if (pauseMs === null || spreadMs < pauseMs) return;
  const remedy = 'Write less than the pause, or leave it out: a tenth of the pause is the default.';
  report.add(['schedule', 'spread'], 'is as long as the shortest pause between two runs, or longer', remedy);
}

function resolveQuietHours(texts: readonly string[], report: ConfigProblems): readonly QuietRange[] {
  return texts.flatMap((text, index) => {
    const range = parseQuietRange(text);
    if (range !== null) return [range];
    const remedy = 'Write start and end, with days if it is not every day: `"22:00-06:00"`, `"Sat-Sun 00:00-24:00"`.';
    report.add(['quiet_hours', index], `"${text}" is not a period of time`, remedy);
    return [];
  });
}
