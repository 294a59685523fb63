import { codeOf } from '../base/errors.js';
import { loadConfig } from '../config/load.js';
import type { KnownService } from '../config/sample/answers.js';
import { understandKnown } from '../operations/understand-sources.js';
import { listUnderstood } from '../report/sections/understood.js';
import { renderSection } from '../report/writers/terminal.js';
import { type Console, terminalLook } from './context.js';
import { withScratchApp } from './with-app.js';

/**
 * Shows how a new configuration understands its sources, as `check` does, in lines for a terminal. Uses the account that
 * `init` has read, and a temporary state that is deleted at the end. Makes no calls.
 *
 * @param file path of the configuration
 * @returns no lines if the sources cannot be read yet; `check` reports the reason
 */
export async function renderUnderstood(
  console: Console,
  file: string,
  account: KnownService,
): Promise<readonly string[]> {
  try {
    const config = loadConfig(file, console.env, undefined, 'when used');
    const context = { config, console, signal: new AbortController().signal };
    const { understood } = await withScratchApp('init', context, (app) => understandKnown(app, account));
    const look = terminalLook({ color: false, width: console.stdout.columns ?? null });
    return renderSection(listUnderstood(understood, true), look);
  } catch (error) {
    // A container may have no folder for temporary files.
    if (codeOf(error) !== null) return [];
    throw error;
  }
}
