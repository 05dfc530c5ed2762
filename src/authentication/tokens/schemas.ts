import { type SchemaObject } from 'ajv';

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

export const tokenSchema: SchemaObject = {
  type: 'object',
  properties: {
    user_id: { type: 'string', description: 'Goes into the X-Auth-UserId header' },
    token: { type: 'string', description: 'Goes into the X-Auth-Token header; valid for 24 hours' },
    uri: { type: 'string' },
  },
  required: ['user_id', 'token', 'uri'],
};

export const tokenParams: SchemaObject = {
  type: 'object',
  properties: { token: { type: 'string', minLength: 1, maxLength: 4096 } },
  required: ['token'],
};
