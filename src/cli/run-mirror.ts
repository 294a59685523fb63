import { refreshMirror } from '../mirror/refresh.js';
import { createRefusedReads } from '../mirror/refused-reads.js';
import { countMirrored, type MirroredCounts } from '../operations/count-mirrored.js';
import { withStores } from '../operations/with-stores.js';
import { listUnread } from '../planning/reads/unread.js';
import { listErrors } from '../report/read-faults.js';
import { plural } from '../report/sections/words.js';
import { type CommandContext, type CommandResult, type CommonOptions, formatError } from './context.js';
import { withApp } from './with-app.js';

/** `mirror refresh`: updates the mirror; `--full` reads the complete account again. */
export function runMirrorRefresh(
  context: CommandContext,
  flags: CommonOptions & { readonly full?: boolean },
): Promise<CommandResult> {
  return withApp('mirror refresh', context, {}, async (app) => {
    const refused = createRefusedReads();
    const read = await refreshMirror(app.refreshContext, flags.full === true, refused);
    const unread = listUnread(app.config, refused);
    const errors = listErrors({ staged: [], unread });
    const known = countMirrored(app.stores);
    const { reads } = app.service.calls;
    return {
      json: { read: read.users, users_read: read.usersRead, calls: { reads: reads.total }, known, ...errors },
      text: `${unread.map(({ error }) => formatError(error)).join('')}Read by ${read.users}: ${plural(read.usersRead, 'user')} in ${plural(reads.total, 'call')}.\n${renderKnown(known)}`,
      exitCode: unread.length === 0 ? 0 : 1,
    };
  });
}

/** `mirror status`: the content of the mirror, without calls to the service. */
export function runMirrorStatus(context: CommandContext): Promise<CommandResult> {
  return withStores(context, (stores) => {
    const known = countMirrored(stores);
    const cursor = stores.mirror.mark('users.cursor');
    const fullReadAt = stores.mirror.mark('users.full_read_at');
    return {
      json: { known, cursor, full_read_at: fullReadAt },
      text: `${renderKnown(known)}\nfeed cursor ${cursor ?? 'none yet'}, last full read ${fullReadAt ?? 'never'}`,
    };
  });
}

function renderKnown(known: MirroredCounts): string {
  return Object.entries(known)
    .map(
      ([entity, { all, active }]) =>
        `${String(all).padStart(8)} ${entity.replace('_', ' ')}${all === active ? '' : ` (${all - active} deactivated)`}`,
    )
    .join('\n');
}
