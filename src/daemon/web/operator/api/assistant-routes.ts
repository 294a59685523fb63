import type * as z from 'zod';
import { PLAN } from '../../../../operations/describe-plan.js';
import { STATUS } from '../../../../operations/describe-status.js';
import { EXPLAIN_STORED } from '../../../../operations/explain-stored.js';
import { HOLD, HOLDS } from '../../../../operations/find-hold.js';
import { FIND_PEOPLE } from '../../../../operations/find-people.js';
import { RUN, RUNS } from '../../../../operations/list-runs.js';
import { AUDIT, AUDIT_ENTRY } from '../../../../operations/read-audit.js';
import type { AskedRead, AssistantReads, ReadName } from '../../../assistant/assistant-reads.js';
import { ASSISTANT_HEADER } from '../note-assistant.js';
import type { TenantRoute } from './api-route.js';
import { type ApiConnection, ask } from './ask-daemon.js';
import { LIST_TENANTS } from './daemon-api.js';
import type { TenantList } from './schemas.js';
import { TENANT_API } from './tenant-api.js';

const OPERATIONS = {
  ...{ status: STATUS, list_runs: RUNS, read_run: RUN, read_plan: PLAN, explain: EXPLAIN_STORED },
  ...{ list_holds: HOLDS, read_hold: HOLD, find_people: FIND_PEOPLE },
  ...{ list_audit: AUDIT, read_audit_entry: AUDIT_ENTRY },
} satisfies Record<ReadName, { readonly name: string }>;

/** The route through which an assistant reads. Each route is a GET and needs no run lock. */
export function findAssistantRoute(tool: ReadName): TenantRoute {
  const route = TENANT_API.find(({ name }) => name === OPERATIONS[tool].name);
  if (route === undefined) throw new Error(`no address for ${tool}`);
  return route;
}

/** Reads through the API of a daemon, with the permissions of the token's owner. */
export function readByInterface(connection: ApiConnection, onlyTenant?: string): AssistantReads {
  return {
    async tenants() {
      const { tenants } = (await ask(connection, LIST_TENANTS, {})) as z.output<typeof TenantList>;
      return tenants
        .filter(({ tenant }) => onlyTenant === undefined || tenant === onlyTenant)
        .map(({ tenant, role, pseudonyms }) => ({ tenant, role, pseudonyms }));
    },
    read: ({ tool, tenant, input }: AskedRead) =>
      ask({ ...connection, headers: { [ASSISTANT_HEADER]: tool } }, findAssistantRoute(tool), { ...input, tenant }),
  };
}
