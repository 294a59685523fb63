import { randomBytes } from 'node:crypto';
import { NOTE_ASSISTANT } from '../../../../operations/note-assistant.js';
import { type DecisionContext, withStores } from '../../../../operations/with-stores.js';
import type { AssistantReads } from '../../../assistant/assistant-reads.js';
import { readingWith } from '../reading.js';
import { veilDocument } from './answer-api.js';
import { findAssistantRoute } from './assistant-routes.js';
import { readFields } from './refusal.js';

export interface StateReader {
  readonly tenant: string;
  readonly context: DecisionContext;
  readonly onRead: (tool: string) => void;
}

/** Reads a state folder without a daemon, as a viewer who sees pseudonyms. Adds one audit entry per day. */
export function readVeiled({ tenant, context: given, onRead }: StateReader): AssistantReads {
  const context: DecisionContext = { ...given, isVeiled: true };
  // Used if the state has no pseudonym key, because a read must not create one.
  const spare = randomBytes(32).toString('hex');
  let notedDay = '';
  return {
    tenants: async () => [{ tenant, role: 'viewer', pseudonyms: true }],
    async read({ tool, input }) {
      onRead(tool);
      const day = new Date(context.clock.now()).toISOString().slice(0, 10);
      if (day !== notedDay) await NOTE_ASSISTANT.perform(context, { token: null });
      notedDay = day;
      const route = findAssistantRoute(tool);
      const document = await route.operation.perform(context, readFields(route, input) as never);
      const key = await withStores(context, ({ audit }) => audit.pseudonymKey() ?? spare);
      const { veil } = readingWith(key);
      const veiled = veilDocument(route, document, key);
      return JSON.parse(
        JSON.stringify(veiled, (_, value: unknown) => (typeof value === 'string' ? veil(value) : value)),
      ) as unknown;
    },
  };
}
