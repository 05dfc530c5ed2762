/** Answers to requests that do not reach the app. */
import { type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';

export function refuse(response: ServerResponse, code: number, headers: OutgoingHttpHeaders, detail?: string): void {
  const body = refusalBody(code, detail);
  const own = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'no-store' };
  response.writeHead(code, { ...own, ...headers }).end(body);
}

export function refusalBody(code: number, detail?: string): string {
  const details = code === 400 ? [{ pointer: '', message: detail ?? errorBody(code).error.message }] : [];
  return JSON.stringify(errorBody(code, detail, details));
}
