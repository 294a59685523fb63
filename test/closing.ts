/** Resources of the current test. */
const opened: { close(): unknown }[] = [];

/** Closes a resource when the test ends, starting with the resource that was opened last. */
export function closeAfterTest(resource: { close(): unknown }): void {
  opened.push(resource);
}

export async function closeOpened(): Promise<void> {
  for (const resource of opened.splice(0).reverse()) await resource.close();
}
