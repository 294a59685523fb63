import { openHttpSockets } from '../base/http/http-sockets.js';
import type { KnownPerson, KnownService } from '../config/sample/answers.js';
import { isJsonObject, type Json } from '../model/json.js';
import { createTalentService } from '../service/talent-service.js';
import type { WireUser } from '../service/wire.js';

/** Long enough for a response, and short enough for a person who waits at a terminal. */
const TIMEOUT_MS = 10_000;

/**
 * Reads the countries, offices and people of an account before a configuration exists. Sends one read, plus one per 500
 * people.
 *
 * @throws SyncError as every call does: unknown address, unknown key, missing permission
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
    const people: KnownPerson[] = [];
    for await (const { users } of service.reader.users.search()) people.push(...users.map(toPerson));
    return {
      countries: countries.map(({ code }) => code),
      offices: countries.flatMap(({ code, offices }) => offices.map(({ name }) => ({ country: code, name }))),
      people,
    };
  } finally {
    await service.close();
  }
}

function toPerson(user: WireUser): KnownPerson {
  const { email, external_unique_id, name, title, office_name, country_code, telephone, deactivated } = user;
  return {
    email: textOf(email) ?? '',
    externalId: textOf(external_unique_id),
    name: textOf(name),
    title: textsOf(title),
    office: office_name ? { country: country_code ?? '', name: office_name } : null,
    telephone: textOf(telephone),
    deactivated,
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function textsOf(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([language, text]) =>
      textOf(text) === null ? [] : [[language, textOf(text) ?? '']],
    ),
  );
}
