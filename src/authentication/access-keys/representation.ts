import { isoDate } from '../../artifacts/fields/dates.js';
import { type AccessKey } from '../../users/access-key.js';
import { SCOPE } from './schemas.js';

export function accessKeyRepresentation({ id, description, createdAt, expiresAt, lastUsedAt }: AccessKey): object {
  return {
    id,
    creation_date: isoDate(createdAt),
    expiration_date: expiresAt && isoDate(expiresAt),
    description,
    last_used_on: lastUsedAt && isoDate(lastUsedAt),
    // From which address is not kept: the log is for ever.
    last_used_by: null,
    scopes: [SCOPE],
  };
}
