import { SyncError } from '../errors.js';
import { ENTITIES, type Entity, SINGULAR } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import type { Change } from '../model/plan.js';

/** `user:jane@example.com` → entity and the folded words to look for. */
export function parseSelector(selector: string): { readonly entity: Entity; readonly words: string } {
  const colon = selector.indexOf(':');
  const kind = selector.slice(0, colon).trim().toLowerCase();
  const entity = ENTITIES.find((name) => name === kind || SINGULAR[name].replace(' ', '_') === kind);
  const words = foldKey(selector.slice(colon + 1));
  if (colon > 0 && entity !== undefined && words !== '') return { entity, words };
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${selector}" names no object.`,
    place: '--only',
    remedy: `Write kind and key, e-mail or external id, as in user:jane@example.com; kinds are ${ENTITIES.map((name) => SINGULAR[name].replace(' ', '_')).join(', ')}.`,
  });
}

/** Whether a change is about the object a person named: by source key, id, e-mail, external id or its name. */
export function matchesOnly(selector: string): (change: Change) => boolean {
  const { entity, words } = parseSelector(selector);
  return (change) => {
    if (change.entity !== entity) return false;
    const { key, target, label, after, before } = change;
    const email = /<([^>]*)>$/.exec(label)?.[1];
    const names = [key, target, label, email, after.email, after.external_unique_id, before.email];
    return names.some((name) => typeof name === 'string' && foldKey(name) === words);
  };
}
