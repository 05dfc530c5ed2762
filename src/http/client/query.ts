import { type Context } from 'koa';
import { invalidAt } from '../../core/problem.js';

const BEYOND_ASCII = /%[89a-f]/i;
/** A percent sign that begins no byte stands for itself. */
const LONE_PERCENT = /%(?![\da-f]{2})/gi;

/** The parameters of a request. What is no UTF-8 would be read as another text. */
export function queryOf({ querystring }: Pick<Context, 'querystring'>): URLSearchParams {
  if (BEYOND_ASCII.test(querystring)) {
    for (const written of querystring.split('&')) if (!isUtf8(written)) throw notUtf8(written);
  }
  return new URLSearchParams(querystring);
}

function isUtf8(written: string): boolean {
  try {
    decodeURIComponent(written.replaceAll(LONE_PERCENT, '%25'));
    return true;
  } catch {
    return false;
  }
}

function notUtf8(written: string): Error {
  const [name = ''] = new URLSearchParams(written).keys();
  return invalidAt(name || 'query', 'is not UTF-8');
}
