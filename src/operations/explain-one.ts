import type { App } from '../app/app.js';
import { wireApp } from '../app/wire.js';
import { SyncError } from '../base/errors.js';
import { ENTITIES } from '../model/entity.js';
import { isNamed } from '../planning/natural-keys.js';
import { parseSelector } from '../planning/only.js';
import { type Explanation, explainObject } from '../report/explain/explain.js';
import type { LockContext } from './with-locked-stores.js';
import type { DecisionContext } from './with-stores.js';

/** The person or object to explain. */
export interface ExplainQuestion {
  /** `user`, `customer`, `tag_category` */
  readonly kind: string;
  /** Key, address, external id or name, or a part of one. */
  readonly who: string;
}

/**
 * Explains one object.
 *
 * @throws SyncError SYNC_CLI_USAGE for a kind that no source delivers, SYNC_NOT_FOUND unless exactly one object matches
 */
export function explainIn(app: App, { kind, who }: ExplainQuestion, isVeiled = false): Promise<Explanation> {
  const { entity, words, asked } = parseSelector(`${kind}:${who}`, 'explain');
  const isAsked = (name: (typeof ENTITIES)[number]): boolean => app.mappers[name] !== undefined || isNamed(name);
  const sourced = ENTITIES.find((name) => name === entity);
  if (sourced !== undefined && isAsked(sourced)) return explainObject(app, sourced, { words, asked, isVeiled });
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `No source of this configuration delivers the kind "${kind}".`,
    place: 'explain',
    remedy: `Ask about one of: ${ENTITIES.filter(isAsked).join(', ')}.`,
  });
}

/**
 * Explains one object under the tenant's run lock. Derives everything as a plan would, and sends nothing.
 *
 * @throws SyncError SYNC_STATE_LOCKED while a run holds the state
 */
export async function explainOne(
  context: LockContext & Pick<DecisionContext, 'isVeiled'>,
  question: ExplainQuestion,
): Promise<Explanation> {
  const app = await wireApp(context.config, { ...context, asOf: null });
  try {
    return await explainIn(app, question, context.isVeiled);
  } finally {
    await app.close();
  }
}
