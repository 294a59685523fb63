import type { Registered } from '../../../../src/daemon/tenants/registry.js';
import type { WebDaemon } from '../../../../src/daemon/web/operator/route.js';

/** The part of a daemon that pages use, over states in folders. */
export function noDaemon(tenants: readonly Registered[]): WebDaemon {
  return {
    signals: { next: () => null },
    list: () => tenants,
    listFresh: async () => tenants,
    ask: async () => null,
    findAsked: async () => null,
    bringUp: async () => undefined,
    listUntaken: async () => [],
    perform: async (_tenant, operation, context, input) => ({
      document: await operation.perform(context, input),
      isTakenIn: true,
    }),
  };
}
