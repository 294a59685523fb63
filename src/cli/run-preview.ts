import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { asSyncError, describeError, messageOf, SyncError } from '../base/errors.js';
import type { Preview } from '../model/preview.js';
import { MOST_TEXT, PREVIEW } from '../operations/preview/preview.js';
import { renderPreview } from '../report/texts/preview-text.js';
import { renderPreviewMarkdown, renderRefusedMarkdown } from '../report/writers/preview-markdown.js';
import {
  type AskFlags,
  type AskingContext,
  type CommandResult,
  type Console,
  printing,
  terminalLook,
} from './context.js';
import { runAsking } from './run-asking.js';

export interface PreviewFlags extends AskFlags {
  /** The edited configuration. */
  readonly config: string;
  /** The active configuration, next to the state. */
  readonly against: string;
  readonly markdown?: boolean;
  readonly values?: boolean;
}

/** `preview`: shows the plan under an edited configuration. The command calls no system except the daemon. */
export async function runPreview(console: Console, { against, ...flags }: PreviewFlags): Promise<void> {
  const edited = flags.config;
  try {
    if (flags.daemon === undefined && flags.tenant === undefined) refuseSame(edited, against);
    const text = await readEdited(edited);
    const title = flags.tenant ?? basename(edited, extname(edited));
    await runAsking(console, { ...flags, config: against }, (context) => previewText(context, { text, title }, flags));
  } catch (error) {
    await printing(console, flags.json === true, () => Promise.reject(error));
  }
}

async function previewText(
  context: AskingContext,
  { text, title }: { readonly text: string; readonly title: string },
  { markdown = false, values = false }: Pick<PreviewFlags, 'markdown' | 'values'>,
): Promise<CommandResult> {
  try {
    const json = await context.perform(PREVIEW, { text, values });
    const shown = markdown ? renderPreviewMarkdown(json, title) : renderPreview(json, terminalLook(context));
    return { json, text: shown, exitCode: chooseExit(json) };
  } catch (thrown) {
    // The reader of the comment should learn why there is no preview.
    if (!markdown) throw thrown;
    const error = asSyncError(thrown);
    return { json: describeError(error), text: renderRefusedMarkdown(error, title), exitCode: 1 };
  }
}

function chooseExit({ stopped, guards }: Preview): number {
  if (stopped.length > 0) return 1;
  return guards.length > 0 ? 3 : 0;
}

/** @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CLI_USAGE */
async function readEdited(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: `The configuration cannot be read: ${messageOf(cause)}`,
      place: file,
      remedy: 'Name the edited file with --config.',
      cause,
    });
  });
  if (text.length <= MOST_TEXT) return text;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `The configuration has more than ${MOST_TEXT} characters.`,
    place: file,
    remedy: 'Preview a smaller one.',
  });
}

/** Rejects an edited file that is the active one, because there would be no difference. */
function refuseSame(edited: string, against: string): void {
  try {
    if (realpathSync(edited) !== realpathSync(against)) return;
  } catch {
    // A later read reports which file is missing.
    return;
  }
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `${edited} is the current configuration itself.`,
    place: '--config',
    remedy: 'Edit a copy, and name the current configuration with --against.',
  });
}
