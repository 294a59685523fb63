import { SyncError } from '../errors.js';
import { explainObject } from '../explain.js';
import { ENTITIES } from '../model/entity.js';
import { isNamed } from '../planning/natural-keys.js';
import { parseSelector } from '../planning/only.js';
import { renderExplanation } from '../report/texts/explain-text.js';
import { type CommonOptions, type Console, runCommand } from './context.js';
import { withApp } from './run-plan.js';

export interface ExplainFlags extends CommonOptions {
  readonly asOf?: string;
}

/** `explain user jane@…`: source rows → scope → correlation → fields → mirror → base → action → guard. */
export async function runExplain(console: Console, kind: string, who: string, flags: ExplainFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('explain', context, flags, async (app) => {
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
      return { json: explanation, text: renderExplanation(explanation, context.color, context.width), exitCode: 0 };
    }),
  );
}
