/** Resources of the test that runs now. */
const opened: { close(): unknown }[] = [];

/** Closed when the test ends, the last opened first. */
export function closeAfterTest(resource: { close(): unknown }): void {
  opened.push(resource);
}

export async function closeOpened(): Promise<void> {
  for (const resource of opened.splice(0).reverse()) await resource.close();
}
