import type { Config } from './config.js';

/** Anything shorter is a word of its own in many texts, and no secret worth the name. */
const SHORTEST_SECRET = 6;

/** How audit entries are written under a configuration, and which texts may stand in none of them. */
export function auditPolicy({ audit, service, sources }: Config): {
  readonly pseudonymise: boolean;
  readonly secrets: readonly string[];
} {
  const ofSources = Object.values(sources).flatMap((source) => {
    if (source.type === 'scim-push') return source.tokens;
    if (source.type !== 'scim' || source.auth === null) return [];
    return 'bearer' in source.auth ? [source.auth.bearer] : [source.auth.basic.password];
  });
  const secrets = [service.apiKey, ...ofSources].filter((secret) => secret.length >= SHORTEST_SECRET);
  return { pseudonymise: audit.pseudonymise, secrets };
}
