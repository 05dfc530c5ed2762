/** Answers to requests that do not reach the app. */
import { type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { STANDING } from '../headers.js';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';

export function refuse(response: ServerResponse, code: number, headers: OutgoingHttpHeaders, detail?: string): void {
  const body = refusalBody(code, detail);
  response.writeHead(code, { ...headersOf(body), ...headers }).end(body);
}

export const headersOf = (body: string) => ({
  ...STANDING,
  'Content-Type': JSON_TYPE,
  'Content-Length': Buffer.byteLength(body),
});

export function refusalBody(code: number, detail?: string): string {
  const details = code === 400 ? [{ pointer: '', message: detail ?? errorBody(code).error.message }] : [];
  return JSON.stringify(errorBody(code, detail, details));
}
