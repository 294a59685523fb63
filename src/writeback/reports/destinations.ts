import type { DeliveryContext } from './deliver-due.js';

/** What `check` looks at for each report: that its folder is there and can be listed. That it may be written to is not tried. */
export function listDestinations({
  config,
  desk,
}: DeliveryContext): readonly { readonly name: string; probe(): Promise<string> }[] {
  return config.reports.map(({ name, place }) => ({
    name: `report ${name}`,
    async probe() {
      const store = desk.openStore(place);
      try {
        await store.list();
        return `${store.at} is there`;
      } finally {
        await store.close();
      }
    },
  }));
}
