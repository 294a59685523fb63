import { type MetricShape, writeLabels, writeLine } from './series.js';

/** Counts what happens to tenants. What was counted of one goes with it, however many others there are. */
export class TenantCounter {
  readonly shape: MetricShape;
  readonly help: string;
  /** By tenant, and by its labels as they are printed. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** @param labels besides the tenant */
  constructor(name: string, help: string, labels: readonly string[]) {
    this.shape = { name, type: 'counter', labels: ['tenant', ...labels] };
    this.help = help;
  }

  /** @param labels their values, in the order of their names */
  add(tenant: string, labels: readonly string[], count = 1): void {
    const own = this.#counts.get(tenant) ?? new Map<string, number>();
    const key = writeLabels(this.shape.labels, [tenant, ...labels]);
    this.#counts.set(tenant, own.set(key, (own.get(key) ?? 0) + count));
  }

  /** A run of a tenant that is gone may still be under way, and be counted after the last look. */
  keepOnly(tenants: ReadonlySet<string>): void {
    for (const tenant of this.#counts.keys()) if (!tenants.has(tenant)) this.#counts.delete(tenant);
  }

  *lines(): Iterable<string> {
    for (const own of this.#counts.values()) for (const [key, count] of own) yield writeLine(this.shape, key, count);
  }
}
