import type { Clock } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import type { Limiter } from '../../service/limiter.js';
import { createServiceLimiter } from '../../service/talent-service.js';

export interface TenantLimiter {
  /** Identifies the address and the limits for which the limiter was created. */
  readonly of: string;
  readonly limiter: Limiter;
}

export function createLimiterFor({ service }: Config, clock: Clock): TenantLimiter {
  return {
    of: JSON.stringify([service.baseUrl, service.rateLimit]),
    limiter: createServiceLimiter(service.rateLimit, clock),
  };
}
