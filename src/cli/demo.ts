import type { Console } from './context.js';
export async function runDemo(_console: Console, _flags: { readonly dir?: string }): Promise<void> {}
