import { text } from 'node:stream/consumers';
import { systemClock } from '../base/clock.js';
import { asSyncError, describeError } from '../base/errors.js';
import { createLogger } from '../base/logger.js';
import type { ApartAnswer } from '../operations/preview/preview-apart.js';
import { type PreviewOrder, previewHere } from '../operations/preview/preview-here.js';
import type { Console } from './context.js';
import { printJson } from './print.js';

/** The process that derives a preview. The process reads its order from stdin. Users do not call this command. */
export async function runPreviewApart({ stdin, stdout, stderr, setExitCode }: Console): Promise<void> {
  const { nowMs, ...order } = JSON.parse(await text(stdin as NodeJS.ReadableStream)) as PreviewOrder & {
    readonly nowMs: number;
  };
  const ahead = nowMs - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const answer: ApartAnswer = await previewHere(order, { clock, logger: createLogger('silent', stderr) }).then(
    (preview) => ({ preview }),
    (error) => describeError(asSyncError(error)) as ApartAnswer,
  );
  await printJson(stdout, answer);
  setExitCode(0);
}
