/** A REST client for specs: signs in once per user and says what came back, which is as the API is described. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for an empty body. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs look into answers by hand
  readonly body: any;
}

export interface RequestOptions {
  /** Username; anonymous without. */
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Client {
  readonly url: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, options?: RequestOptions): Promise<Answer>;
  put(path: string, options?: RequestOptions): Promise<Answer>;
  /** The header pair of a user. */
  signIn(username: string): Promise<Readonly<Record<string, string>>>;
}

/** Paths are below /api. */
export function client(url: string): Client {
  const signedIn = new Map<string, Promise<Readonly<Record<string, string>>>>();
  const send = async (method: string, path: string, headers: Record<string, string>, body: unknown) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  };
  const signIn = (username: string): Promise<Readonly<Record<string, string>>> => {
    const known = signedIn.get(username) ?? freshPair(username);
    signedIn.set(username, known);
    return known;
  };
  const freshPair = async (username: string): Promise<Readonly<Record<string, string>>> => {
    const answer = await send('POST', '/tokens', {}, { username, password: `${username}'s password` });
    const { token, user_id: userId } = answer.body as { token: string; user_id: string };
    return { 'X-Auth-Token': token, 'X-Auth-UserId': userId };
  };
  const request: Client['request'] = async (method, path, { as, body, headers = {} } = {}) => {
    const pair = as === undefined ? {} : await signIn(as);
    return send(method, path, { ...pair, ...headers }, body);
  };
  return {
    url,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
    put: (path, options) => request('PUT', path, options),
    signIn,
  };
}
