import { SyncError } from '../../base/errors.js';
import { isJsonObject, itemsOf, type Json, objectOf } from '../../model/json.js';
import type { HttpAnswer } from '../http/http-call.js';
import { refuseExhausted } from '../http/refusals.js';
import { quoteWords } from '../http/send-records.js';
import type { ListingRules } from '../listing/question.js';
import type { Dialect } from './dialect.js';
import type { NextPage } from './listed-stream.js';
import { nameNext } from './next-page.js';

/** How the lists of any CRM are judged. */
export function describeRules(
  { nearLimit, remedy }: Pick<Dialect, 'nearLimit' | 'remedy'>,
  next: NextPage,
): ListingRules {
  return {
    refuse: (answer) => refuseStatus(answer, remedy),
    checkLimit(answer) {
      const limit = nearLimit?.(answer) ?? null;
      if (limit !== null) throw refuseExhausted({ system: 'CRM' }, answer.at, limit);
    },
    isKeylessNews: false,
    words: {
      said: ({ body }) => readWords(body),
      system: 'the CRM',
      rows: 'rows',
      next: nameNext(next),
      count: '`total`',
      keyless: () => null,
    },
  };
}

const USUAL_REMEDY = "Check the source's `base_url`, and the `object`, `properties` and `filter` of the stream.";

/** A vendor says what it does not understand, such as a property that is not there. */
export function refuseStatus({ status, body, at }: HttpAnswer, findRemedy?: Dialect['remedy']): SyncError {
  const said = readWords(body);
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `The CRM answered ${status}, expected 200${said === null ? '' : `: ${said}`}.`,
    place: at,
    remedy: findRemedy?.(said ?? '') ?? USUAL_REMEDY,
  });
}

/** `{ message }` of HubSpot, `[{ message }]` of Salesforce, `{ error: { message } }` of Dynamics, and what RFC 9457 has. */
export function readWords(body: Json): string | null {
  const first = objectOf(itemsOf(body)[0]);
  const { message, detail, title } = isJsonObject(first.error) ? first.error : first;
  return quoteWords(message ?? detail ?? title);
}
