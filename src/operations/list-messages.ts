import { stateOf } from './notify/send-waiting.js';
import type { EventBody } from './notify/settle-events.js';
import type { Nothing, TenantOperation } from './operation.js';
import { type OperationContext, withStores } from './with-stores.js';

/** The document of `notify list --json`. Times are ISO 8601. */
export interface MessageListing {
  readonly events: readonly (Omit<EventBody, 'until' | 'cause' | 'keys'> & {
    readonly id: string;
    readonly since: string;
    readonly told: string;
  })[];
  readonly channels: readonly ListedChannel[];
}

/** State of a channel: waiting and sent messages, and the cause of a failure. */
export interface ListedChannel {
  readonly channel: string;
  readonly type: string;
  readonly waiting: number;
  readonly oldest: string | null;
  readonly sent: number;
  readonly failed: number;
  readonly lapsed: number;
  readonly sent_at: string | null;
  readonly failing_since: string | null;
  readonly failure: string | null;
  readonly times: number;
  readonly next_at: string | null;
}

export const MESSAGES: TenantOperation<Nothing, MessageListing> = {
  name: 'listMessages',
  needs: 'a copy',
  perform: listMessages,
};

function listMessages(context: OperationContext): Promise<MessageListing> {
  return withStores(context, ({ notify: store }) => {
    const queues = new Map(store.queues().map((queue) => [queue.channel, queue]));
    const events = store.events().map(({ event, since, told, body }) => {
      const { kind, of, code, count, run } = JSON.parse(body) as EventBody;
      return { id: event, kind, of, code, count, since, told, run };
    });
    const channels = (context.config.notify?.channels ?? []).map(({ name, type }) => {
      const { sent, failed, lapsed, times, failure, sentAt, failingSince, nextAt } = stateOf(name, store);
      const { waiting = 0, oldest = null } = queues.get(name) ?? {};
      return {
        ...{ channel: name, type, waiting, oldest, sent, failed, lapsed, sent_at: sentAt },
        ...{ failing_since: failingSince, failure, times, next_at: nextAt },
      };
    });
    return { events, channels };
  });
}
