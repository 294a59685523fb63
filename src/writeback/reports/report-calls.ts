import type { Delivered } from '../../model/delivery.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import { formatTemplate, type ReadEndpointName } from '../../service/endpoints.js';
import type { ReportWait } from '../../service/report-wait.js';
import { claimCall, type DeliveryTools } from './deliverable.js';

/** The maximum time that a run waits for one report. After that, the next run resumes the same report. */
const LONGEST_WAIT_MS = 600_000;
/** The assumed number of polls per report, until a delivery has shown the real number. */
const ASSUMED_POLLS = 2;
/** The label in the client's counters for a download that is not a call to the account (spec, Authentication 6). */
const SIGNED_LINK = 'GET (signed link)';

export function hashQuestion(question: Json): string {
  return sha256(canonicalJson(question)).slice(0, 24);
}

/** Counts every poll and keeps to the call budget; the client decides the pauses between polls. */
export function countPolls(tools: DeliveryTools): ReportWait {
  let told = 0;
  return {
    longestMs: LONGEST_WAIT_MS,
    onProgress({ state }) {
      // The first call is made before any poll.
      if (told++ > 0) tools.onPoll();
      if (state !== 'finished') claimCall(tools);
    },
  };
}

/** Forecasts the calls that start reports, poll until they are finished, and download them. */
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
