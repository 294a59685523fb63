import { openHttpSockets } from '../base/http/http-sockets.js';
import type { KnownService } from '../config/sample/answers.js';
import { createTalentService } from '../service/talent-service.js';

/** Long enough for an answer, short enough for somebody who waits at a terminal. */
const TIMEOUT_MS = 10_000;

/**
 * What an account has before there is a configuration for it: its countries and offices. One read.
 *
 * @throws SyncError as every call does: no such address, an unknown key, no right to read them
 */
export async function readAccount(baseUrl: string, apiKey: string): Promise<KnownService> {
  const service = createTalentService({
    baseUrl,
    apiKey,
    timeoutMs: TIMEOUT_MS,
    giveUpAfterMs: TIMEOUT_MS,
    openSockets: openHttpSockets,
  });
  try {
    const countries = await service.reader.countries.list();
    return {
      countries: countries.map(({ code }) => code),
      offices: countries.flatMap(({ code, offices }) => offices.map(({ name }) => ({ country: code, name }))),
    };
  } finally {
    await service.close();
  }
}
