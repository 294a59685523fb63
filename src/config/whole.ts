import type * as z from 'zod';

/** What a schema yields, as it crosses stages: read, and never written. */
export type Whole<Schema extends z.ZodType> = Frozen<z.infer<Schema>>;

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
