import type * as z from 'zod';

/** The read-only result of a schema. Later stages never change it. */
export type Whole<Schema extends z.ZodType> = Frozen<z.infer<Schema>>;

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
