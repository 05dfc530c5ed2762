import { type SchemaObject } from 'ajv';
import { described, named, objectOf, TEXT } from '../../http/openapi/response-schema.js';
import { type Tag } from '../../http/route.js';

export const TAG: Tag = { name: 'Tokens', description: 'A token stands for a user for 24 hours.' };

export interface SignIn {
  readonly username: string;
  readonly password: string;
}

export interface TokenParams {
  readonly token: string;
}

export const signIn: SchemaObject = {
  type: 'object',
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 255 },
    password: { type: 'string', minLength: 1, maxLength: 1024 },
  },
  required: ['username', 'password'],
};

export const tokenSchema = named(
  'Token',
  objectOf({
    user_id: described('The value of the header X-Auth-UserId', TEXT),
    token: described('The value of the header X-Auth-Token', TEXT),
    uri: described('DELETE there ends the token', TEXT),
  }),
);

export const tokenParams: SchemaObject = {
  type: 'object',
  properties: { token: { type: 'string', minLength: 1, maxLength: 4096, description: 'A token of the caller' } },
  required: ['token'],
};
