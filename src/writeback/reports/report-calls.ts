import type { Delivered } from '../../model/delivery.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import { formatTemplate, type ReadEndpointName } from '../../service/endpoints.js';
import type { ReportWait } from '../../service/report-wait.js';
import { claimCall, type DeliveryTools } from './deliverable.js';

/** How long one run waits for one report; it is the same report that the next run takes up. */
const LONGEST_WAIT_MS = 600_000;
/** Askings a report, as long as no delivery has shown how many it takes. */
const ASSUMED_POLLS = 2;
/** As the client counts it; it is no call of the account (spec, Authentication 6). */
const SIGNED_LINK = 'GET (signed link)';

export function hashQuestion(question: Json): string {
  return sha256(canonicalJson(question)).slice(0, 24);
}

/** Pauses as the client has them by itself, and every asking counted. */
export function countPolls(tools: DeliveryTools): ReportWait {
  let told = 0;
  return {
    longestMs: LONGEST_WAIT_MS,
    onProgress({ state }) {
      // The first is what is known before anything was asked.
      if (told++ > 0) tools.onPoll();
      if (state !== 'finished') claimCall(tools);
    },
  };
}

/** Starting, asking until finished, downloading. */
export function forecastReports(
  start: ReadEndpointName,
  poll: ReadEndpointName,
  last: Pick<Delivered, 'parts' | 'polls'> | null,
): Readonly<Record<string, number>> {
  const parts = last?.parts ?? 1;
  return {
    [formatTemplate(start)]: parts,
    [formatTemplate(poll)]: last?.polls ?? ASSUMED_POLLS * parts,
    [SIGNED_LINK]: parts,
  };
}
