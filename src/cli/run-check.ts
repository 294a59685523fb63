import { asSyncError, describeError, type SyncError } from '../errors.js';
import { createStyle } from '../report/style.js';
import { type CommonOptions, type Console, formatError, runCommand } from './context.js';
import { withApp } from './run-plan.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly error: SyncError | null;
}

/** `check`: configuration, every source, the key and its rights, as far as reading can prove them. Sends no write. */
export async function runCheck(console: Console, flags: CommonOptions): Promise<void> {
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
      const { reader } = app.service;
      const key = await attempt(
        'service key',
        async () => `${(await reader.countries.list()).length} countries at ${config.service.baseUrl}`,
      );
      checks.push(key);
      if (key.ok) {
        checks.push(
          await attempt('right to read users', async () => {
            for await (const _ of reader.users.search({ size: 1 })) break;
            await reader.users.readChangesPage({ since: new Date(app.clock.now()).toISOString(), limit: 1 });
            return 'internationalmanager or readonly_internationalmanager';
          }),
        );
        checks.push(
          await attempt('right to read tags', async () => `${(await reader.tags.listCategories()).length} categories`),
        );
      }
      const ok = checks.every((check) => check.ok);
      const unproven = 'the right to write cannot be proven by reading: the first apply shows it';
      const style = createStyle(context.color);
      const lines = checks.map((check) =>
        check.error === null
          ? `${style.good('ok')}    ${check.name}: ${check.detail}`
          : `${style.bad('FAIL')}  ${check.name}: ${formatError(check.error)}`,
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
          unproven: [unproven],
        },
        text: [...lines, style.dim(`note  ${unproven}`)].join('\n'),
        exitCode: ok ? 0 : 1,
      };
    }),
  );
}

async function attempt(name: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await work(), error: null };
  } catch (error) {
    return { name, ok: false, detail: '', error: asSyncError(error) };
  }
}
