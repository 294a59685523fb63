import { SyncError } from '../errors.js';
import { explainObject } from '../explain/explain.js';
import { ENTITIES } from '../model/entity.js';
import { isNamed } from '../planning/natural-keys.js';
import { parseSelector } from '../planning/only.js';
import { renderExplanation } from '../report/texts/explain-text.js';
import type { CommandContext, CommandResult, CommonOptions } from './context.js';
import { withApp } from './with-app.js';

export interface ExplainFlags extends CommonOptions {
  readonly kind: string;
  readonly who: string;
  readonly asOf?: string;
}

/** `explain user jane@…`: source rows → scope → correlation → fields → mirror → base → action → guard. */
export function runExplain(context: CommandContext, { kind, who, ...flags }: ExplainFlags): Promise<CommandResult> {
  return withApp('explain', context, flags, async (app) => {
    const { entity, words } = parseSelector(`${kind}:${who}`, 'explain');
    const sourced = ENTITIES.find((name) => name === entity);
    if (sourced === undefined || (app.mappers[sourced] === undefined && !isNamed(sourced))) {
      throw new SyncError('SYNC_CLI_USAGE', {
        message: `Nothing of kind "${kind}" comes from a source of this configuration.`,
        place: 'explain',
        remedy: `Ask about one of: ${ENTITIES.filter((name) => app.mappers[name] !== undefined || isNamed(name)).join(', ')}.`,
      });
    }
    const explanation = await explainObject(app, sourced, words);
    return { json: explanation, text: renderExplanation(explanation, context.color, context.width) };
  });
}
