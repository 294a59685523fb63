import { setImmediate as breathe } from 'node:timers/promises';
import type { Project } from '../../../connectors/scim-protocol/project.js';
import { renderMembers } from '../../../connectors/scim-protocol/render.js';
import type { JsonObject } from '../../../model/json.js';
import type { PushRow } from '../../../store/state/push-store.js';
import type { PushContext } from './push-context.js';

/** Number of members read before other work gets a turn. */
const STEP = 1_000;

/**
 * Writes a group with all its members in steps, so that only the members of one step are in memory. A group without members
 * has an empty list. RFC 7643, 2.5 treats an empty list as a missing attribute, and Entra ID and Okta document this answer.
 *
 * @param text the group without members, as JSON
 */
export async function* renderMembersInto(
  text: string,
  row: PushRow,
  project: Project,
  context: PushContext,
): AsyncGenerator<string> {
  yield `${text.slice(0, -1)},"members":[`;
  let comma = '';
  for (let after = ''; ; ) {
    const page = context.store.membersAfter(context.source, row.id, after, STEP);
    const last = page.at(-1);
    if (last === undefined) break;
    const { members } = project({ members: renderMembers(page, context.base) } satisfies JsonObject);
    const part = JSON.stringify(members);
    context.weigh(part.length);
    yield comma + part.slice(1, -1);
    comma = ',';
    after = last.id;
    await breathe();
  }
  yield ']}';
}
