import type * as z from 'zod';

/** The result of a schema, read-only: later stages read it and never change it. */
export type Whole<Schema extends z.ZodType> = Frozen<z.infer<Schema>>;

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
