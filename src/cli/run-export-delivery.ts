import { refreshMirror, refreshNames } from '../mirror/refresh.js';
import { createRefusedReads } from '../mirror/refused-reads.js';
import { describeDelivered } from '../report/sections/deliveries.js';
import { chooseWidth, createStyle, joinLines } from '../report/writers/style.js';
import { renderDeliveries } from '../report/writers/terminal.js';
import { deliverNow } from '../writeback/reports/deliver-due.js';
import type { CommandContext, CommandResult, LockFlags } from './context.js';
import { withApp } from './with-app.js';

/** `export delivery <report>`: makes one configured delivery now. The schedule stays the same. */
export function runExportDelivery(
  context: CommandContext,
  flags: LockFlags & { readonly report: string },
): Promise<CommandResult> {
  return withApp('export delivery', context, flags, async (app) => {
    // Deliveries name offices and tags, and the mirror may still be empty.
    const isDocuments = app.config.documents.some(({ name }) => name === flags.report);
    if (isDocuments) await refreshMirror(app.refreshContext, false, createRefusedReads());
    else await refreshNames(app.refreshContext, createRefusedReads());
    const result = await deliverNow(app.deliveries, flags.report);
    const { report, of, files, documents, error } = result;
    const text = renderDeliveries([describeDelivered(result)], {
      style: createStyle(context.color),
      width: chooseWidth(context.width),
    });
    return {
      json: { report, of, files, ...(documents === undefined ? {} : { documents }) },
      text: joinLines(text),
      ...(error === undefined ? {} : { exitCode: 4 }),
    };
  });
}
