import { isAssistantNoted, NOTE_ASSISTANT } from '../../../operations/note-assistant.js';
import { lockedDecisionOf } from './deciding.js';
import { WebRefusal, type WebRequest } from './route.js';

/** Header with the name of the assistant's tool that performs a read. */
export const ASSISTANT_HEADER = 'x-talent-sync-assistant';
const TOOL = /^[\w-]{1,40}$/;

/**
 * Records a read for an assistant: each read in the log, and one per token and day in the tenant's audit log. A read that
 * cannot be recorded is rejected.
 *
 * @throws WebRefusal 401 without a personal token
 */
export async function noteAssistantRead(request: WebRequest): Promise<void> {
  const { raw, token, person, parts, notedAssistants } = request;
  const tool = raw.headers[ASSISTANT_HEADER];
  if (tool === undefined) return;
  if (token === null) throw needsToken();
  if (raw.method !== 'GET') throw new WebRefusal(403, 'An assistant only reads.');
  if (typeof tool !== 'string' || !TOOL.test(tool)) throw new WebRefusal(400, 'The name of the tool is malformed.');
  const tenant = request.tenant?.name ?? '';
  parts.logger.info({ operator: person?.who, tenant, tool }, 'an assistant read');
  const of = JSON.stringify([tenant, token]);
  const day = new Date(parts.clock.now()).toISOString().slice(0, 10);
  if (notedAssistants.get(of) === day) return;
  const context = lockedDecisionOf(request);
  if (!(await isAssistantNoted(context, { token })))
    await parts.daemon.perform(tenant, NOTE_ASSISTANT, context, { token });
  notedAssistants.set(of, day);
}

export function needsToken(): WebRefusal {
  return new WebRefusal(401, 'Assistants need a personal token: a log-in is not enough.');
}
