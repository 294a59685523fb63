import { isoNow } from '../clock.js';
import { listStreams } from '../mapping/streams.js';
import { formatMinute, type PastRun, renderPastRun } from '../report/run-lines.js';
import { plural } from '../report/style.js';
import { openStores } from '../store/open-stores.js';
import { type CommonOptions, type Console, runCommand } from './context.js';
import { countAll } from './run-mirror.js';
import { describeRun } from './run-runs.js';

/** `status`: what the last runs did, what waits, and how fresh everything is. Works during a run. */
export async function runStatus(console: Console, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async ({ config, clock }) => {
    const stores = openStores(config.state);
    try {
      const { history, journal, audit, mirror } = stores;
      const runs = history.lastRuns(5).map(describeRun);
      const sources = listStreams(config.sources).map(({ name }) => {
        const read = history.lastCompleteRead(name);
        return {
          source: name,
          last_complete_read: read?.readAt ?? null,
          rows: read?.rows ?? null,
          at: read?.at ?? null,
        };
      });
      const json = {
        service: config.service.baseUrl,
        state: config.state,
        runs,
        sources,
        mirror: {
          ...countAll(stores),
          cursor: mirror.mark('users.cursor'),
          full_read_at: mirror.mark('users.full_read_at'),
        },
        links: {
          users: stores.links.count('users'),
          customers: stores.links.count('customers'),
          projects: stores.links.count('projects'),
        },
        open_intents: journal.open().length,
        pins: stores.pins.count(),
        approvals: [...history.approvalsAt(isoNow(clock)).values()].length,
        audit: { entries: audit.count(), head: audit.last()?.hash ?? null },
      };
      return { json, text: renderStatus(json), exitCode: 0 };
    } finally {
      stores.close();
    }
  });
}

interface Status {
  readonly service: string;
  readonly state: string;
  readonly runs: readonly PastRun[];
  readonly sources: readonly {
    readonly source: string;
    readonly last_complete_read: string | null;
    readonly rows: number | null;
  }[];
  readonly mirror: { readonly cursor: string | null; readonly full_read_at: string | null };
  readonly links: Readonly<Record<string, number>>;
  readonly open_intents: number;
  readonly pins: number;
  readonly approvals: number;
  readonly audit: { readonly entries: number; readonly head: string | null };
}

function renderStatus(status: Status): string {
  const lines = [`${status.service}, state in ${status.state}`];
  lines.push(...status.runs.flatMap(renderPastRun));
  if (status.runs.length === 0) lines.push('  no run yet');
  for (const { source, last_complete_read, rows } of status.sources) {
    lines.push(
      `  source ${source}: ${last_complete_read === null ? 'no complete read yet' : `${rows} rows, read whole ${formatMinute(last_complete_read)}`}`,
    );
  }
  const links = Object.entries(status.links).map(([entity, count]) => `${count} ${entity}`);
  lines.push(
    `  links: ${links.join(', ')}; mirror read whole ${status.mirror.full_read_at === null ? 'never' : formatMinute(status.mirror.full_read_at)}`,
  );
  lines.push(
    `  ${plural(status.approvals, 'approved change')} in force, ${plural(status.open_intents, 'open intent')}, ${plural(status.pins, 'pin')} of what was undone, audit of ${plural(status.audit.entries, 'entry', 'entries')}`,
    `  audit head ${status.audit.head ?? 'none yet'}`,
  );
  return lines.join('\n');
}
