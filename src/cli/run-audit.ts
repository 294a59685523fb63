import { readEntries, verifyChain } from '../audit/audit-log.js';
import { clip } from '../report/style.js';
import { openStores } from '../store/open-stores.js';
import { type CommonOptions, type Console, runCommand } from './context.js';

export interface AuditFlags extends CommonOptions {
  readonly run?: string;
  readonly last?: string;
}

/** `audit verify`: walks the whole chain. */
export async function runAuditVerify(console: Console, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async ({ config }) => {
    const stores = openStores(config.state);
    try {
      const { ok, entries, head, broken } = verifyChain(stores.audit);
      const json = { ok, entries, head, ...(broken === null ? {} : { broken }) };
      const text = ok
        ? `The audit is whole: ${entries} entries, head ${head}`
        : `The audit is broken at entry ${broken?.seq}: ${broken?.reason}.\nRestore state.db from a backup, and compare heads noted elsewhere.`;
      return { json, text, exitCode: ok ? 0 : 1 };
    } finally {
      stores.close();
    }
  });
}

/** `audit list`: every entry with its calls' request ids, oldest first. */
export async function runAuditList(console: Console, flags: AuditFlags): Promise<void> {
  await runCommand(console, flags, async ({ config }) => {
    const stores = openStores(config.state);
    try {
      const all = [...readEntries(stores.audit)].filter(({ run }) => flags.run === undefined || run === flags.run);
      const entries = flags.last === undefined ? all : all.slice(-Number(flags.last));
      const lines = entries.map(({ seq, at, result, action, entity, label, cause, calls }) => {
        const ids = calls.map(({ request_id }) => request_id ?? '-').join(' ');
        return `${String(seq).padStart(6)}  ${at}  ${result.padEnd(9)} ${action} ${entity} ${clip(label, 60)}  ${clip(cause.text, 80)}  [${ids}]`;
      });
      return { json: { entries }, text: lines.join('\n'), exitCode: 0 };
    } finally {
      stores.close();
    }
  });
}
