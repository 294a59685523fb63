import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { codeOf } from '../base/errors.js';
import { loadConfig } from '../config/load.js';
import type { KnownService } from '../config/sample/answers.js';
import { understandKnown } from '../operations/understand-sources.js';
import { listUnderstood } from '../report/sections/understood.js';
import { renderSection } from '../report/writers/terminal.js';
import { type Console, terminalLook } from './context.js';
import { withApp } from './with-app.js';

/**
 * Shows how a new configuration understands its sources, as `check` does, in lines for a terminal. It uses the account that `init`
 * has read, so it makes no calls, and a temporary state that is deleted at the end.
 *
 * @param file path of the configuration
 * @returns no lines if the sources cannot be read yet: `check` says why
 */
export async function renderUnderstood(
  console: Console,
  file: string,
  account: KnownService,
): Promise<readonly string[]> {
  let state: string | null = null;
  try {
    state = mkdtempSync(join(tmpdir(), 'talent-sync-init-'));
    const config = { ...loadConfig(file, console.env, undefined, 'when used'), state };
    const { clock = systemClock } = console;
    const context = { config, clock, console, signal: new AbortController().signal };
    const { understood } = await withApp('init', context, {}, (app) => understandKnown(app, account));
    const look = terminalLook({ color: false, width: console.stdout.columns ?? null });
    return renderSection(listUnderstood(understood, true), look);
  } catch (error) {
    // A container may have no folder for temporary files.
    if (codeOf(error) !== null) return [];
    throw error;
  } finally {
    if (state !== null) rmSync(state, { recursive: true, force: true });
  }
}
