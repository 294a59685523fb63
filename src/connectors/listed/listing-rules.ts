import { SyncError } from '../../base/errors.js';
import { isJsonObject, itemsOf, type Json, objectOf } from '../../model/json.js';
import type { HttpAnswer } from '../http/http-call.js';
import { refuseExhausted } from '../http/refusals.js';
import { quoteWords } from '../http/send-records.js';
import type { ListingRules } from '../listing/question.js';
import type { NextPage } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { nameNext } from './next-page.js';

/** Returns the rules for judging the lists of a system. */
export function describeRules(system: Pick<ListedSystem, 'noun' | 'read'>, next: NextPage): ListingRules {
  const { noun, read } = system;
  return {
    refuse: (answer) => refuseStatus(answer, system),
    checkLimit(answer) {
      const limit = read.nearLimit?.(answer) ?? null;
      if (limit !== null) throw refuseExhausted({ system: noun }, answer.at, limit);
    },
    isKeylessNews: false,
    words: {
      said: ({ body }) => readWords(body),
      system: `the ${noun}`,
      rows: 'rows',
      next: nameNext(next),
      count: '`total`',
      keyless: () => null,
    },
  };
}

const USUAL_REMEDY = "Check the source's `base_url`, and the `object`, `properties` and `filter` of the stream.";

/** Quotes the vendor's message, because it names the cause, such as an unknown property. */
export function refuseStatus(
  { status, body, at }: HttpAnswer,
  { noun, read }: Pick<ListedSystem, 'noun' | 'read'>,
): SyncError {
  const said = readWords(body);
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `The ${noun} answered ${status}, expected 200${said === null ? '' : `: ${said}`}.`,
    place: at,
    remedy: read.remedy?.(said ?? '') ?? USUAL_REMEDY,
  });
}

/**
 * Reads `{ message }` of HubSpot, `[{ message }]` of Salesforce, `{ error: { message } }` of Dynamics, and the fields of RFC 9457. In
 * OData 2, the message is `{ value }`.
 */
export function readWords(body: Json): string | null {
  const first = objectOf(itemsOf(body)[0]);
  const { message, detail, title } = isJsonObject(first.error) ? first.error : first;
  return quoteWords((isJsonObject(message) ? message.value : message) ?? detail ?? title);
}
