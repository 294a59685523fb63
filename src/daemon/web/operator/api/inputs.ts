import * as z from 'zod';
import { hideSecrets } from '../../../../base/secrets/secret.js';
import { ENTITIES } from '../../../../model/entity.js';

/* Parts of requests that several addresses use. */

export const text = z.string().min(1).max(1_000);
/** A reason. Secrets in it are hidden, in case someone pasted a key. */
const words = z.string().trim().max(2_000).describe('The reason, for the audit log.');
export const reason = words.min(1).transform(hideSecrets);
export const mayReason = words.default('').transform(hideSecrets);
export const nothing = z.strictObject({});
export const entity = z.enum(ENTITIES).default('users');
