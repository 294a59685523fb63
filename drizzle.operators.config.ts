import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/operators/operators-schema.ts'],
  out: './migrations/operators',
});
