import { isoNow } from '../base/clock.js';
import { appendEvent, parseRow } from '../store/audit/audit-log.js';
import type { Stores } from '../store/open-stores.js';
import type { TenantOperation } from './operation.js';
import { type DecisionContext, decide, withStores } from './with-stores.js';

export interface AssistantNote {
  /** Id of the assistant's personal token; null for an assistant on this machine without a daemon. */
  readonly token: string | null;
}

/** Records in the audit that an assistant reads, once per token and day (UTC). Like an approval, this needs no run lock. */
export const NOTE_ASSISTANT: TenantOperation<AssistantNote, object> = {
  name: 'noteAssistant',
  needs: 'a word',
  async perform(context, { token }) {
    const { by } = context;
    const at = isoNow(context.clock);
    await decide(context, (stores) => {
      if (!isNoted(stores, { token, by, day: at.slice(0, 10) }))
        appendEvent(stores.audit, { kind: 'assistant read', at, by, token });
    });
    return {};
  },
};

/** Checks for an existing note first, so that the tenant's holder is needed only for a new note. */
export function isAssistantNoted(context: DecisionContext, { token }: AssistantNote): Promise<boolean> {
  const { by, clock } = context;
  return withStores(context, (stores) => isNoted(stores, { token, by, day: isoNow(clock).slice(0, 10) }));
}

interface NotedDay extends AssistantNote {
  readonly by: string;
  readonly day: string;
}

/** Searches only the entries of that day, from the newest back. An erased entry does not show its day. */
function isNoted({ audit }: Stores, { token, by, day }: NotedDay): boolean {
  for (const row of audit.rowsBefore(Number.MAX_SAFE_INTEGER)) {
    const line = parseRow(row);
    if (line !== null && line.at < day) return false;
    if (line?.kind === 'assistant read' && line.token === token && line.by === by) return true;
  }
  return false;
}
