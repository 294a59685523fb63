import { refreshMirror } from '../mirror/refresh.js';
import { createRefusedReads } from '../mirror/refused-reads.js';
import { ENTITIES } from '../model/entity.js';
import { listUnread } from '../planning/reads/unread.js';
import { listErrors } from '../report/read-faults.js';
import { openStores } from '../store/open-stores.js';
import { type CommonOptions, type Console, formatError, runCommand } from './context.js';
import { withApp } from './run-plan.js';

/** `mirror refresh`: brings the copy up to date; `--full` reads the whole account again. */
export async function runMirrorRefresh(
  console: Console,
  flags: CommonOptions & { readonly full?: boolean },
): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('mirror refresh', context, {}, async (app) => {
      const refused = createRefusedReads();
      const read = await refreshMirror(app.refreshContext, flags.full === true, refused);
      const unread = listUnread(app.config, refused);
      const errors = listErrors({ staged: [], unread });
      const known = countAll(app.stores);
      const { reads } = app.service.calls;
      return {
        json: { read: read.users, users_read: read.usersRead, calls: { reads: reads.total }, known, ...errors },
        text: `${unread.map(({ error }) => formatError(error)).join('')}Read by ${read.users}: ${read.usersRead} users in ${reads.total} calls.\n${renderKnown(known)}`,
        exitCode: unread.length === 0 ? 0 : 1,
      };
    }),
  );
}

/** `mirror status`: what the copy holds, without asking the service. */
export async function runMirrorStatus(console: Console, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async ({ config }) => {
    const stores = openStores(config.state);
    try {
      const known = countAll(stores);
      const cursor = stores.mirror.mark('users.cursor');
      const fullReadAt = stores.mirror.mark('users.full_read_at');
      return {
        json: { known, cursor, full_read_at: fullReadAt },
        text: `${renderKnown(known)}\nfeed cursor ${cursor ?? 'none yet'}, last full read ${fullReadAt ?? 'never'}`,
        exitCode: 0,
      };
    } finally {
      stores.close();
    }
  });
}

type Known = Readonly<Record<string, { readonly all: number; readonly active: number }>>;

export function countAll({ mirror }: Pick<ReturnType<typeof openStores>, 'mirror'>): Known {
  return Object.fromEntries(ENTITIES.map((entity) => [entity, mirror.counts(entity)]));
}

function renderKnown(known: Known): string {
  return Object.entries(known)
    .map(
      ([entity, { all, active }]) =>
        `${String(all).padStart(8)} ${entity.replace('_', ' ')}${all === active ? '' : ` (${all - active} deactivated)`}`,
    )
    .join('\n');
}
