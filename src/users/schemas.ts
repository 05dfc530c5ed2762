/** What the representations of users look like: apart, because artifacts and groups hold users too. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, NUMBER, objectOf, orNull, TEXT } from '../http/openapi/response-schema.js';

const user = {
  id: orNull(NUMBER),
  uri: orNull(TEXT),
  user_url: orNull(TEXT),
  real_name: orNull(TEXT),
  display_name: TEXT,
  username: orNull(TEXT),
  ldap_id: orNull(TEXT),
  avatar_url: TEXT,
  is_anonymous: FLAG,
  has_avatar: FLAG,
};

/** Null where nobody is known: anonymous readers, or operations. */
export const userSchema = objectOf(user);

const seenSignedIn = {
  email: described('Only for readers who have signed in', TEXT),
  status: described('A: active, S: suspended. Only for readers who have signed in', TEXT),
};

export const fullUserSchema: SchemaObject = objectOf({ ...user, ...seenSignedIn }, Object.keys(seenSignedIn));
