import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../../base/errors.js';
import { ScimError } from '../../../connectors/scim-protocol/scim-error.js';

/** Takes 10 s in total, as long as every other writer of the state waits. */
const TRIES = 200;
const PAUSE_MS = 50;

/** Repeats the work while another process writes to the state, without blocking others. */
export async function retryBusy<T>(work: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isBusy = codeOf(error)?.startsWith('SQLITE_BUSY') === true;
      if (!isBusy) throw error;
      if (tries >= TRIES) throw new ScimError(503, 'The state is being written by another process. Try again.');
    }
    await pause(PAUSE_MS);
  }
}
