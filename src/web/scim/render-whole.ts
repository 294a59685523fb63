import { setImmediate as breathe } from 'node:timers/promises';
import type { JsonObject } from '../../model/json.js';
import { renderMembers } from '../../scim/render.js';
import type { PushRow } from '../../store/push-store.js';
import type { Kind } from './kinds.js';
import type { PushContext } from './push-context.js';

/** So many members are read before whoever else waits gets a turn. */
const STEP = 1_000;

/** One resource with all its members, however many they are. */
export async function renderWhole(
  kind: Kind,
  row: PushRow,
  withMembers: boolean,
  context: PushContext,
): Promise<JsonObject> {
  const [resource = {}] = kind.render(context, [row], [], true);
  if (kind.type.name !== 'Group' || !withMembers) return resource;
  const members: JsonObject[] = [];
  for (let after = ''; ; ) {
    const page = context.store.membersAfter(context.source, row.id, after, STEP);
    members.push(...renderMembers(page, context.base));
    const last = page.at(-1);
    if (last === undefined || page.length < STEP) break;
    after = last.id;
    await breathe();
  }
  return members.length === 0 ? resource : { ...resource, members };
}
