import { explainIn } from '../operations/explain-one.js';
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
    const explanation = await explainIn(app, { kind, who });
    return { json: explanation, text: renderExplanation(explanation, context.color, context.width) };
  });
}
