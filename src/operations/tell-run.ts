import type { App } from '../app/app.js';
import { describeLeftAlone } from '../report/texts/left-alone.js';
import { renderRun } from '../report/texts/run-text.js';
import { veilAddresses } from '../store/audit/pseudonyms.js';
import type { RunEnd } from './run.js';
import { replaceWords } from './veil-words.js';
import type { ToldWork, WorkOrder } from './work-order.js';

/** Describes a finished run, as the result of `sync` and `apply`. */
export async function tellRun(
  { config }: Pick<App, 'config'>,
  { document, exitCode, planned, bySource, doneCounts }: RunEnd,
  { look, only }: Pick<WorkOrder, 'look' | 'only'>,
): Promise<ToldWork> {
  if (look === null) return { json: document, text: '', exitCode };
  const { cost, evidence } = planned.head.summary;
  const { color, width, veil } = look;
  const text = await renderRun({
    ...(veil === null ? document : (replaceWords(document, UNSHOWN) as typeof document)),
    bySource: veil === null ? bySource : bySource.map((written) => ({ ...written, examples: [] })),
    ...(only === null ? {} : { plan_of_one: planned.head.plan }),
    doneCounts,
    cost,
    evidence,
    others: planned.others,
    color,
    width,
  });
  const whole = `${describeLeftAlone(planned.told, config.timezone)}${text}`;
  return { json: document, text: veil === null ? whole : veilAddresses(veil, whole), exitCode };
}

const UNSHOWN = '(this text is about a person)';
