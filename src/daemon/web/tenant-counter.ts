import { type MetricShape, writeLabels, writeLine } from './series.js';

/** Counts events of tenants. The counts of a removed tenant can be dropped without affecting others. */
export class TenantCounter {
  readonly shape: MetricShape;
  readonly help: string;
  /** Counts by tenant and printed labels. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** @param labels the labels in addition to the tenant */
  constructor(name: string, help: string, labels: readonly string[]) {
    this.shape = { name, type: 'counter', labels: ['tenant', ...labels] };
    this.help = help;
  }

  /** @param labels values of the labels, in the order of their names */
  add(tenant: string, labels: readonly string[], count = 1): void {
    const own = this.#counts.get(tenant) ?? new Map<string, number>();
    const key = writeLabels(this.shape.labels, [tenant, ...labels]);
    this.#counts.set(tenant, own.set(key, (own.get(key) ?? 0) + count));
  }

  /** Drops the counts of other tenants. A run of a removed tenant may still add counts later. */
  keepOnly(tenants: ReadonlySet<string>): void {
    for (const tenant of this.#counts.keys()) if (!tenants.has(tenant)) this.#counts.delete(tenant);
  }

  *lines(): Iterable<string> {
    for (const own of this.#counts.values()) for (const [key, count] of own) yield writeLine(this.shape, key, count);
  }
}
