import type { Config } from './config.js';
import type { HttpAccess, HttpAuth } from './http-access.js';

/** Anything shorter is a word of its own in many texts, and no secret worth the name. */
const SHORTEST_SECRET = 6;

/** How audit entries are written under a configuration, and which texts may stand in none of them. */
export function auditPolicy({ audit, service, sources }: Config): {
  readonly pseudonymise: boolean;
  readonly secrets: readonly string[];
} {
  const ofSources = Object.values(sources).flatMap((source) => {
    if (source.type === 'scim-push') return source.tokens;
    return 'access' in source ? listSecrets(source.access) : [];
  });
  const secrets = [service.apiKey, ...ofSources].filter((secret) => secret.length >= SHORTEST_SECRET);
  return { pseudonymise: audit.pseudonymise, secrets };
}

function listSecrets({ auth, tls, proxy }: HttpAccess): readonly string[] {
  const ofAuth = auth === null ? [] : [secretOf(auth)];
  return [...ofAuth, tls?.client?.passphrase ?? '', proxy?.login?.password ?? ''];
}

function secretOf(auth: HttpAuth): string {
  if ('bearer' in auth) return auth.bearer;
  if ('basic' in auth) return auth.basic.password;
  return 'header' in auth ? auth.header.value : auth.oauth2.clientSecret;
}
