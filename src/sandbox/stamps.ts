import type { World } from './route.js';

/** A time stamp with milliseconds. */
export function toStamp(world: World, ms: number): string {
  const iso = new Date(ms).toISOString();
  return world.account.stamp_suffix === 'Z' ? iso : iso.replace('Z', '+00:00');
}

/** `profile_updated_at`: whole seconds (spec, User). */
export function toSecondStamp(world: World, seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${world.account.stamp_suffix}`;
}

/**
 * Milliseconds of an ISO 8601 string, UTC where it names no zone; undefined when it is none. A `+` that was not
 * percent-encoded arrives as a space, and then it is none.
 */
export function parseStamp(text: string): number | undefined {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  if (!match) return undefined;
  const ms = Date.parse(match[1] !== undefined && match[2] === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}
