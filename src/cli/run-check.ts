import { asSyncError, describeError, SyncError } from '../errors.js';
import { listRightProbes, listUnprovable } from '../mirror/probe-rights.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import { createStyle, joinLines } from '../report/writers/style.js';
import { listDestinations } from '../writeback/reports/destinations.js';
import { type CommonOptions, type Console, formatError, printing, runCommand } from './context.js';
import { withApp } from './run-plan.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly error: SyncError | null;
}

export interface CheckFlags extends CommonOptions {
  readonly sample?: string;
  readonly source?: string;
}

/** `check`: configuration, every source, the key and its rights, as far as reading can prove them. Sends no write. */
export async function runCheck(console: Console, flags: CheckFlags): Promise<void> {
  const { sample } = flags;
  if (sample !== undefined)
    return (await import('./run-check-sample.js')).runCheckSample(console, { ...flags, sample });
  if (flags.source !== undefined) {
    return printing(console, flags.json === true, () => Promise.reject(refuseSource()));
  }
  await runCommand(console, flags, (context) =>
    withApp('check', context, {}, async (app) => {
      const { config } = context;
      const checks: Check[] = [{ name: 'configuration', ok: true, detail: config.file, error: null }];
      for (const [name, connector] of app.connectors) {
        checks.push(
          await attempt(`source ${name}`, async () => {
            const { at, detail } = await connector.probe(context.signal);
            return `${at}: ${detail}`;
          }),
        );
      }
      for (const [name, target] of app.writeBackProbes) {
        checks.push(
          await attempt(`write back to ${name}`, async () => {
            const { at, detail } = await target.probe(context.signal);
            return `${at}: ${detail}`;
          }),
        );
      }
      for (const { name, probe } of listDestinations(app.deliveries)) checks.push(await attempt(name, probe));
      const { reader } = app.service;
      const key = await attempt(
        'service key',
        async () => `${(await reader.countries.list()).length} countries at ${config.service.baseUrl}`,
      );
      checks.push(key);
      // A key that may not read offices may still read the rest; one that is unknown, or a service that is away, may not.
      if (key.ok || key.error?.code === 'SYNC_SERVICE_FORBIDDEN') {
        for (const { name, read } of listRightProbes(config)) {
          checks.push(await attempt(name, () => read(reader, context.signal)));
        }
      }
      const ok = checks.every((check) => check.ok);
      const held = readHeldSources(app.stores);
      const unproven = [...listUnprovable(config), ...listOpen(checks)];
      const style = createStyle(context.color);
      const lines = checks.flatMap((check) =>
        check.error === null
          ? [`${style.good('ok')}    ${check.name}: ${check.detail}`]
          : `${style.bad('FAIL')}  ${check.name}: ${formatError(check.error)}`.split('\n'),
      );
      return {
        json: {
          ok,
          checks: checks.map(({ name, ok: passed, detail, error }) => ({
            name,
            ok: passed,
            detail,
            ...(error === null ? {} : describeError(error)),
          })),
          unproven,
          ...(held.length === 0 ? {} : { held_sources: held }),
        },
        text: joinLines([
          ...lines,
          ...held.map(({ guard, detail }) => style.bad(`waits as ${guard}: ${detail}`)),
          ...unproven.map((line) => style.dim(`note  ${line}`)),
        ]),
        exitCode: ok ? 0 : 1,
      };
    }),
  );
}

function refuseSource(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: '--source names the source of a sample, and there is no --sample.',
    place: '--source',
    remedy: 'Add --sample FILE; without it every source is checked.',
  });
}

/** What was read and still says nothing, for want of anything to look at. */
function listOpen(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ name, detail }) => (detail.startsWith('no ') ? [`${name}: ${detail}`] : []));
}

async function attempt(name: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await work(), error: null };
  } catch (error) {
    return { name, ok: false, detail: '', error: asSyncError(error) };
  }
}
