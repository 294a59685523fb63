import { explainIn } from '../operations/explain-one.js';
import { EXPLAIN } from '../operations/under-lock.js';
import { renderExplanation } from '../report/texts/explain-text.js';
import { type AskFlags, type AskingContext, type CommandResult, isLocal } from './context.js';
import { withApp } from './with-app.js';

export interface ExplainFlags extends AskFlags {
  readonly kind: string;
  readonly who: string;
  readonly asOf?: string;
}

/** `explain user jane@…`: source rows → scope → correlation → fields → mirror → base → action → guard. */
export async function runExplain(
  context: AskingContext,
  { kind, who, ...flags }: ExplainFlags,
): Promise<CommandResult> {
  const json = isLocal(context)
    ? await withApp('explain', context, flags, (app) => explainIn(app, { kind, who }))
    : await context.perform(EXPLAIN, { kind, who });
  return { json, text: renderExplanation(json, context.color, context.width) };
}
