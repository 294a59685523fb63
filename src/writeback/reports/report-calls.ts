import type { Delivered } from '../../model/delivery.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import { formatTemplate, type ReadEndpointName } from '../../service/endpoints.js';
import type { ReportWait } from '../../service/report-wait.js';
import { claimCall, type DeliveryTools } from './deliverable.js';

/** How long a run waits for one report; the next run resumes the same report. */
const LONGEST_WAIT_MS = 600_000;
/** Polls per report, until a delivery has shown the real number. */
const ASSUMED_POLLS = 2;
/** Label in the client's counters; not a call to the account (spec, Authentication 6). */
const SIGNED_LINK = 'GET (signed link)';

export function hashQuestion(question: Json): string {
  return sha256(canonicalJson(question)).slice(0, 24);
}

/** Keeps the client's own pauses, and counts every poll. */
export function countPolls(tools: DeliveryTools): ReportWait {
  let told = 0;
  return {
    longestMs: LONGEST_WAIT_MS,
    onProgress({ state }) {
      // The first call comes before any poll.
      if (told++ > 0) tools.onPoll();
      if (state !== 'finished') claimCall(tools);
    },
  };
}

/** Starting, polling until finished, downloading. */
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
