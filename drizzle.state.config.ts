import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/state-schema.ts', './src/store/outbox-schema.ts'],
  out: './migrations/state',
});
