import { resolve } from 'node:path';
import { ENTITIES, isSection } from '../model/entity.js';
import { parseQuietRange, type QuietRange } from '../model/quiet-hours.js';
import { Secret } from '../secrets/secret.js';
import { parseDuration, parseSize } from '../settings/duration.js';
import type { YamlPath } from '../settings/resolving.js';
import { trimSlash } from '../settings/trim-slash.js';
import { checkCron } from './check-cron.js';
import type { Config, StreamEntity, StreamMapping, StreamMappings } from './config.js';
import { checkPeople } from './entities/check-people.js';
import { type EntityContext, resolveStreamMapping, resolveUsers } from './entities/resolve-entities.js';
import { resolveGuards, resolveSourceGuards, resolveSuspicions } from './entities/resolve-guards.js';
import { resolveDeliveries } from './resolve-deliveries.js';
import { createSecretReader } from './secrets.js';
import { resolveSources } from './sources/resolve-sources.js';
import { listOpenStreams } from './write-back/find-write-back.js';
import type { ConfigDraft } from './yaml/check-shape.js';
import type { ConfigProblems } from './yaml/report.js';

export interface ConfigSurroundings {
  readonly file: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv | null;
  /** Names of all sources as written. */
  readonly written: readonly string[];
}

/** From what is written to what the program uses; null when a part that must be there could not be read. */
export function resolveConfig(
  draft: ConfigDraft,
  { file, folder, env, written }: ConfigSurroundings,
  report: ConfigProblems,
): Omit<Config, 'digest'> | null {
  const readSecret = createSecretReader(folder, env, report);
  const timezone = checkTimezone(['timezone'], draft.timezone ?? 'UTC', report);
  const apiKey =
    draft.service === undefined ? new Secret('') : readSecret(['service', 'api_key'], draft.service.api_key);
  const sources = resolveSources(draft.sources ?? {}, { folder, timezone, readSecret, report });
  const context: EntityContext = { sources, written, timezone, report };
  const users = draft.users === undefined ? null : resolveUsers(draft.users, context);
  const streamMappings = resolveStreamMappings(draft, context);
  checkPeople(streamMappings, timezone, report);
  const schedule = resolveSchedule(draft.schedule, timezone, report);
  const deliveries = { folder, timezone: schedule.timezone, readSecret, report };
  const reports = resolveDeliveries(draft.reports ?? {}, deliveries);
  if (
    users === null &&
    reports.length === 0 &&
    Object.keys(streamMappings).length === 0 &&
    report.problems.length === 0
  ) {
    report.add([], 'nothing is synchronised', 'Add `users:`, `customers:`, `projects:` or `reports:`.');
  }
  if (users?.bulkLoad != null && users.bulkLoad.from > 0 && draft.notify_people?.create === true) {
    const message = 'the import e-mails nobody whom it creates, but `notify_people.create` asks for that';
    report.add(['users', 'bulk_load'], message, 'Take one of the two out.', 'key');
  }
  const { service, state, policy } = draft;
  if (service === undefined || state === undefined || policy === undefined) return null;
  return {
    file,
    service: {
      baseUrl: trimSlash(service.base_url),
      apiKey,
      rateLimit: {
        requestsPerSecond: service.rate_limit.requests_per_second ?? null,
        perMinute: service.rate_limit.per_minute ?? null,
        concurrency: service.rate_limit.concurrency,
      },
      giveUpAfterMs: parseDuration(service.rate_limit.give_up_after),
      timeoutMs: parseDuration(service.timeout),
      maxAnswerBytes: service.max_answer === undefined ? null : parseSize(service.max_answer),
    },
    state: resolve(folder, state),
    policy,
    sources,
    users,
    streamMappings,
    mappings: users === null ? streamMappings : { users, ...streamMappings },
    industries: draft.customers?.industries ?? {},
    tags: { createMissing: draft.tags?.create_missing ?? false },
    drift: draft.drift ?? 'correct',
    conflicts: draft.conflicts ?? 'owner',
    notifyPeople: {
      create: draft.notify_people?.create ?? false,
      reactivate: draft.notify_people?.reactivate ?? false,
      staffing: draft.notify_people?.staffing ?? false,
    },
    guards: resolveGuards(draft.guards ?? {}, report),
    sourceGuards: resolveSourceGuards(draft.guards ?? {}, listOpenStreams(sources), report),
    sourceSuspicions: resolveSuspicions(
      draft.guards ?? {},
      { existence: users?.existence ?? null, deciding: Object.values(streamMappings).flatMap(({ from }) => from) },
      report,
    ),
    callBudget: draft.call_budget ?? null,
    quietHours: resolveQuietHours(draft.quiet_hours ?? [], report),
    plan: { expiresMs: parseDuration(draft.plan?.expires ?? '24h') },
    audit: {
      keepMs: draft.audit?.keep === undefined ? null : parseDuration(draft.audit.keep),
      pseudonymise: draft.audit?.pseudonymise ?? false,
    },
    schedule,
    reports,
    timezone,
  };
}

/** The mappings from streams, in the order of the entities. */
function resolveStreamMappings(draft: ConfigDraft, context: EntityContext): StreamMappings {
  const streamMappings: Partial<Record<StreamEntity, StreamMapping>> = {};
  for (const entity of ENTITIES) {
    if (entity === 'users') continue;
    const input = isSection(entity) ? draft.cv_sections?.[entity] : draft[entity];
    // `tags:` may say only that missing ones are created.
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
  checkCron(['schedule', 'every'], input.every, report);
  return { every: input.every, fullRead, timezone: zone };
}

function resolveQuietHours(texts: readonly string[], report: ConfigProblems): readonly QuietRange[] {
  return texts.flatMap((text, index) => {
    const range = parseQuietRange(text);
    if (range !== null) return [range];
    const remedy = 'Write from and to, with days where it is not every day: `"22:00-06:00"`, `"Sat-Sun 00:00-24:00"`.';
    report.add(['quiet_hours', index], `"${text}" is not a stretch of time`, remedy);
    return [];
  });
}

function checkTimezone(path: YamlPath, zone: string, report: ConfigProblems): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    report.add(path, `"${zone}" is not a time zone`, 'Write an IANA name such as `Europe/Oslo` or `UTC`.');
    return 'UTC';
  }
}
