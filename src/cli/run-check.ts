import { dirname } from 'node:path';
import type { App } from '../app/app.js';
import { asSyncError, describeError, SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { listLocalFolders } from '../config/list-local-folders.js';
import { loadBackend } from '../config/load-backend.js';
import type { Mapper } from '../mapping/mapper.js';
import { listRightProbes, listUnprovable } from '../mirror/probe-rights.js';
import { listAllQuestions } from '../model/config-question.js';
import { showGuard } from '../model/held-source.js';
import type { ReadEvidence } from '../model/source.js';
import type { Understood } from '../model/understood.js';
import type { SourcesUnderstood } from '../operations/understand-sources.js';
import { RUN_FACT } from '../planning/guard-facts.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import { listUnderstood } from '../report/sections/understood.js';
import { plural } from '../report/sections/words.js';
import { createStyle, joinLines } from '../report/writers/style.js';
import { renderSection } from '../report/writers/terminal.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { listDestinations } from '../writeback/reports/deliver-due.js';
import { warnOfApprovers } from './check-approvers.js';
import { type CommandContext, type CommandResult, type Console, formatError, terminalLook } from './context.js';
import type { CheckFlags } from './run-check-sample.js';
import { runCommand } from './run-command.js';
import { withApp } from './with-app.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly error: SyncError | null;
  /** Facts that a successful check still cannot prove. */
  readonly unproven?: string;
}

/**
 * `check`: verifies the configuration and everything it names. With `--sample` it checks one file, even without a
 * configuration.
 */
export async function runCheck(console: Console, flags: CheckFlags): Promise<void> {
  if (flags.sample === undefined && flags.source === undefined) return runCommand(console, flags, checkAccess, 'try');
  await (await import('./run-check-sample.js')).runCheckSample(console, flags);
}

/**
 * Checks every source, the key and its permissions as far as reads can show, and prints how the sources are understood.
 * Sends no write.
 */
function checkAccess(context: CommandContext, { quick = false }: Pick<CheckFlags, 'quick'>): Promise<CommandResult> {
  return withApp('check', context, {}, async (app) => {
    const connected: Check[] = [
      { name: 'configuration', ok: true, detail: app.config.file, error: null },
      ...checkFolders(app.config),
    ];
    for await (const check of checkEverything(app, context.signal)) connected.push(check);
    const { checks, understood } = quick ? { checks: connected, understood: null } : await checkMeaning(app, connected);
    const ok = checks.every((check) => check.ok);
    const held = readHeldSources(app.stores);
    const unseen = checks.filter(isUnseen);
    const unproven = [
      ...listUnprovable(app.config),
      ...unseen.map(({ name, detail }) => `${name}: ${detail}`),
      ...checks.flatMap((check) => (check.unproven === undefined ? [] : `${check.name}: ${check.unproven}`)),
    ];
    const warnings = [...warnOfApprovers(app.config, app.clock), ...warnOfFreeRoles(app.mappers.users)];
    const questions = listAllQuestions(app.config.mappings);
    const style = createStyle(context.color);
    return {
      json: {
        ok,
        checks: checks.map(({ error, unproven: _said, ...check }) => ({
          ...check,
          ...(error === null ? {} : describeError(error)),
        })),
        unproven,
        ...(understood === null ? {} : { understood }),
        ...(warnings.length === 0 ? {} : { warnings }),
        ...(questions.length === 0
          ? {}
          : { open: questions.map(({ setting, reason, waits, remedy }) => ({ setting, reason, waits, remedy })) }),
        ...(held.length === 0 ? {} : { held_sources: held }),
      },
      text: joinLines([
        // Checks that found nothing to verify are listed once, among the notes.
        ...checks
          .filter((check) => !isUnseen(check))
          .flatMap((check) =>
            check.error === null
              ? lay(`${style.good('ok')}    `, `${check.name}: ${check.detail}`, context)
              : `${style.bad('FAIL')}  ${check.name}: ${formatError(check.error, context.width)}`.split('\n'),
          ),
        ...layUnderstood(understood, context),
        ...held.map(({ guard, detail }) => style.bad(`held by ${showGuard(guard)}: ${detail}`)),
        ...questions.flatMap(({ reason, waits, remedy }) =>
          lay('To answer: ', `${reason} Until then ${waits} wait. ${remedy}`, context).map(style.warn),
        ),
        ...warnings.flatMap((line) => lay('warn  ', line, context).map(style.warn)),
        ...unproven.flatMap((line) => lay('note  ', line, context).map(style.dim)),
      ]),
      exitCode: ok ? 0 : 1,
    };
  });
}

/** Empty lines separate this section from the checks and the notes. */
function layUnderstood(understood: Understood | null, context: CommandContext): readonly string[] {
  const lines = renderSection(listUnderstood(understood, true), terminalLook(context));
  return lines.length === 0 ? [] : ['', ...lines, ''];
}

interface CheckedMeaning {
  readonly checks: readonly Check[];
  readonly understood: Understood | null;
}

/** Reads the sources, and the account if its people can be read. Everything that could not be read is a failure. */
async function checkMeaning(app: App, connected: readonly Check[]): Promise<CheckedMeaning> {
  const isOk = (name: string): boolean => connected.find((check) => check.name === name)?.ok === true;
  const mayAsk = isOk('service key') && isOk('right to read users');
  const { understandSources } = await import('../operations/understand-sources.js');
  const read = await attemptMeaning(() => understandSources(app, mayAsk));
  if ('error' in read) return { checks: [...connected, read], understood: null };
  const faults = findFaults(app, read.staged);
  const checks = connected.map((check) => {
    const error = check.ok ? faults.get(check.name) : undefined;
    return error === undefined ? check : { name: check.name, ok: false, detail: '', error };
  });
  return { checks, understood: read.understood };
}

async function attemptMeaning<T extends object>(work: () => Promise<T>): Promise<T | Check> {
  try {
    return await work();
  } catch (error) {
    return { name: 'reading sources and account', ok: false, detail: '', error: asSyncError(error) };
  }
}

/** Errors by check name: sources that could not be read, or are incomplete before the first run. */
function findFaults(
  { stores }: Pick<App, 'stores'>,
  staged: SourcesUnderstood['staged'],
): ReadonlyMap<string, SyncError> {
  const isFirst = stores.history.fact(RUN_FACT) === null;
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  return new Map(
    reads.flatMap(({ source, evidence, error }) => {
      const fault = error ?? (isFirst && evidence !== null && isShort(evidence) ? explainShort(evidence) : null);
      return fault === null ? [] : [[`source ${source}`, fault] as const];
    }),
  );
}

/** True for an incomplete read. Empty lists, lists of changes and lists without a provable end are not errors. */
function isShort({ complete, partial, unproven, rows }: ReadEvidence): boolean {
  return !complete && partial !== true && unproven !== true && rows > 0;
}

function explainShort({ at, incompleteBecause = 'unknown' }: ReadEvidence): SyncError {
  return new SyncError('SYNC_SOURCE_INCOMPLETE', {
    message: `The source is incomplete before the first run: ${incompleteBecause}.`,
    place: at,
    remedy: 'Correct the export first: nobody missing from an incomplete source counts as having left.',
  });
}

/** Warns about columns that decide users' roles, because anyone who can write such a column can request administrator roles. */
function warnOfFreeRoles(users: Pick<Mapper, 'freeRoles'> | undefined): readonly string[] {
  return (users?.freeRoles ?? []).map(
    (column) =>
      `users.fields.roles: anyone who can write \`${column}\` can request administrator roles. Choose the roles by conditions, as in \`${column} == "lead" ? ["consultant", "bidmanager"] : ["consultant"]\`.`,
  );
}

/** Formats a mark with a text next to it, wrapped to the terminal. */
function lay(mark: string, text: string, context: CommandContext): readonly string[] {
  if (context.width === null) return [`${mark}${text}`];
  const [first = '', ...more] = fold(text, 6, terminalLook(context));
  return [`${mark}${first.trimStart()}`, ...more];
}

/** A source, or a target of write-backs, that can be tested. */
type Probed = { probe(signal: AbortSignal): Promise<{ readonly at: string } & Pick<Check, 'detail' | 'unproven'>> };

/** Runs all checks in turn, and yields each result when its check ends. */
async function* checkEverything(app: App, signal: AbortSignal): AsyncIterable<Check> {
  const { config, connectors, writeBackProbes, deliveries } = app;
  const { reader } = app.service;
  const probe = (name: string, target: Probed): Promise<Check> =>
    attempt(name, async () => {
      const { at, detail, unproven } = await target.probe(signal);
      return { detail: `${at}: ${detail}`, ...(unproven === undefined ? {} : { unproven }) };
    });
  for (const [name, connector] of connectors) yield await probe(`source ${name}`, connector);
  for (const [name, target] of writeBackProbes) yield await probe(`write back to ${name}`, target);
  for (const destination of listDestinations(deliveries)) yield await attempt(destination.name, destination.probe);
  const key = await attempt(
    'service key',
    async () =>
      `${plural((await reader.countries.list()).length, 'country', 'countries')} at ${config.service.baseUrl}`,
  );
  yield key;
  // A key without permission for offices may still read the rest. If the key is unknown or the service is down, the
  // remaining checks are pointless.
  if (!key.ok && key.error?.code !== 'SYNC_SERVICE_FORBIDDEN') return;
  for (const { name, read } of listRightProbes(config)) yield await attempt(name, () => read(reader, signal));
}

/** With a `backend:`, a daemon works for the tenant only if these folders are on its machine. */
function checkFolders(config: Config): readonly Check[] {
  if (loadBackend(dirname(config.file), null) === null) return [];
  return listLocalFolders(config).map(({ path, isHere }) => ({
    name: `folder ${path}`,
    ok: isHere,
    detail: isHere ? 'is on this machine' : '',
    error: isHere ? null : missFolder(path),
  }));
}

function missFolder(path: string): SyncError {
  return new SyncError('SYNC_SOURCE_MISSING', {
    message: 'The folder is not on this machine, so no daemon here works for the tenant.',
    place: path,
    remedy: 'Mount it, or correct `drop`.',
  });
}

/** True for a check that succeeded but found nothing to verify. */
function isUnseen({ detail }: Check): boolean {
  return detail.startsWith('no ');
}

async function attempt(name: string, work: () => Promise<string | Pick<Check, 'detail' | 'unproven'>>): Promise<Check> {
  try {
    const found = await work();
    return { name, ok: true, error: null, ...(typeof found === 'string' ? { detail: found } : found) };
  } catch (error) {
    return { name, ok: false, detail: '', error: asSyncError(error) };
  }
}
