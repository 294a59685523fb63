import type { App } from '../app/app.js';
import { readDescribed, type SyncError } from '../base/errors.js';
import { deliverDue } from '../writeback/reports/deliver-due.js';

/** Makes the due deliveries between runs, without a plan. @returns the first failure; null if there is none */
export async function deliverBetweenRuns(app: App): Promise<SyncError | null> {
  app.enter('delivering');
  const delivered = await deliverDue(app.deliveries, null);
  const failed = delivered.find(({ error }) => error !== undefined)?.error;
  return failed === undefined ? null : readDescribed({ error: failed });
}
