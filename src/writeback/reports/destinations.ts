import type { DeliveryContext } from './deliver-due.js';

/** What `check` looks at for each report: that its folder is there, and may be written to as far as that shows without writing. */
export function listDestinations({
  config,
  setup,
}: DeliveryContext): readonly { readonly name: string; probe(): Promise<string> }[] {
  return config.reports.map(({ name, place }) => ({
    name: `report ${name}`,
    async probe() {
      const store = setup.openStore(place);
      try {
        await store.checkWritable();
        return `delivers to ${store.at}`;
      } finally {
        await store.close();
      }
    },
  }));
}
